#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// What a training step needs of a GPU's memory, bytes. docs/workloads.md says what is counted and
/// what is left out.
struct StepMemory {
  /// Parameters in every type in which they are kept: fp32 masters, 16-bit copies.
  std::int64_t weights = 0;
  /// Sparse weights as the tensor cores read them: the values kept, and where they stood.
  std::int64_t compressed = 0;
  std::int64_t metadata = 0;
  /// What schemes keep of where they pruned.
  std::int64_t masks = 0;
  std::int64_t gradients = 0;
  /// What the optimizer keeps for the next step.
  std::int64_t optimizer = 0;
  /// What stays of the forward pass until backward.
  std::int64_t activations = 0;
  /// The most that comes and goes beside it.
  std::int64_t working = 0;

  [[nodiscard]] std::int64_t total() const {
    return weights + compressed + metadata + masks + gradients + optimizer + activations + working;
  }
  friend bool operator==(const StepMemory&, const StepMemory&) = default;
};

/// How the sparse tensor of a phase lies in memory.
struct PackedTensor {
  Tensor tensor = Tensor::weight;
  /// Of the hardware, which may hold more than the scheme keeps.
  Pattern pattern{2, 4};
  DataType dtype = DataType::fp16;
  /// PhaseSparsity::dense_share
  double dense_share = 0;
};

/// Nothing where the layer's phase runs dense.
using PackedAs = std::function<std::optional<PackedTensor>(const Layer&, Phase)>;

/// Of one step of `network`, whose GEMMs have operands of `dtype`.
[[nodiscard]] StepMemory step_memory(const Network& network, DataType dtype,
                                     const Framework& framework, const Scheme& scheme,
                                     const PackedAs& packed_as);

/// What stays of the forward pass of one repeat of `layer`, whole batch, and what its output adds
/// as the input of the next product.
/// @param is_read  a product reads the layer's output, as all but the network's last
/// @param packed   as all products that read it take it in wgrad, which then is what they keep
[[nodiscard]] std::int64_t saved_bytes(const Layer& layer, std::int64_t batch, DataType dtype,
                                       const Framework& framework, bool is_read,
                                       const std::optional<PackedTensor>& packed = std::nullopt);

/// The most that comes and goes with one repeat of `layer`: of its products the gradients of what
/// they read and wrote, of its kernels all that they read and write but what is saved.
[[nodiscard]] std::int64_t working_bytes(const Layer& layer, std::int64_t batch, DataType dtype,
                                         const Framework& framework);

}  // namespace stcsim
