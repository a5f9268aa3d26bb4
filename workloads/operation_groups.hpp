#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Types that tensors have in memory if a pass says nothing else.
struct StreamTypes {
  DataType input;   // of the operation: what its GEMM wrote, or what the kernel before it did
  DataType tensor;  // every other
};

/// int4 results leave their GEMM as int32; kernels after it write what GEMMs read.
[[nodiscard]] StreamTypes types_after_gemm(DataType dtype);

/// Of an element of what the pass names, which a kernel reads or writes.
[[nodiscard]] std::int64_t bits_of(const Pass& pass, const StreamTypes& types, bool reads);

/// A cast to the type that the tensor has already is not launched.
[[nodiscard]] bool is_no_cast(const KernelRecipe& recipe, const StreamTypes& types);

/// Operations after a layer that run together.
struct OperationGroup {
  /// What a framework runs for them; null if it knows nothing.
  const OperationKernels* kernels = nullptr;
  StreamTypes types;
  /// Elements of x and of y, whole batch.
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// The operations after `layer`, in order, in a network whose GEMMs have operands of `dtype`.
[[nodiscard]] std::vector<OperationGroup> operation_groups(const Layer& layer, std::int64_t batch,
                                                           DataType dtype,
                                                           const Framework& framework);

/// A tensor behind a layer: its output (0), that of the first group of operations (1), and so on,
/// in the type that it has in memory. Integers (masks, indices) are others than numbers.
struct ChainTensor {
  std::size_t place = 0;
  std::int64_t bits = 0;
  bool is_index = false;

  friend auto operator<=>(const ChainTensor&, const ChainTensor&) = default;
};

/// Where a network's scores of attention are, between the two products.
enum class ScorePlace : std::uint8_t {
  none,          // there are none
  materialised,  // in memory
  on_chip        // nowhere: one kernel multiplies twice
};

/// "none", "materialised", "on_chip"
[[nodiscard]] std::string_view to_string(ScorePlace scores);

[[nodiscard]] ScorePlace score_place(const Network& network, const Framework& framework);

/// What operations keep for backward: tensors of the chain, each once, and bytes of others.
struct SavedTensors {
  std::map<ChainTensor, std::int64_t> tensors;  // bytes
  std::int64_t other_bytes = 0;

  [[nodiscard]] std::int64_t bytes() const;
};

/// Which tensor of the chain a pass of group number `place` names; nothing for z, masks and
/// gradients.
[[nodiscard]] std::optional<ChainTensor> chain_tensor(const Pass& pass, std::size_t place,
                                                      const StreamTypes& types);

/// Bytes of one pass.
[[nodiscard]] std::int64_t bytes_of(const Pass& pass, const OperationGroup& group);

/// Of all groups behind a layer.
[[nodiscard]] SavedTensors saved_tensors(const std::vector<OperationGroup>& groups);

}  // namespace stcsim
