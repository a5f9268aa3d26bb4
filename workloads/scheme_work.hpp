#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/framework.hpp"
#include "workloads/layer.hpp"
#include "workloads/lowering.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// A kernel that moves the same tensor as one of a scheme's, and of which that can be a part.
enum class Producer : std::uint8_t {
  none,
  /// Writes the gradient of the layer's output.
  output_gradient,
  /// Writes the weights as products read them: a cast, or the optimizer.
  weights,
  /// Reads the weights' gradients: the optimizer.
  update
};

/// One of a scheme's own kernels for one layer: choosing, sampling, compressing, decaying.
struct SchemeKernel {
  StreamKernel kernel;
  /// Runs once in so many training steps.
  std::int64_t every = 1;
  /// Once per update of the weights, not per step.
  bool per_update = false;
  /// What it adds to the kernel it can be a part of.
  Producer part_of = Producer::none;
  /// It is that whatever the framework does: PhaseSparsity::fused.
  bool is_fused = false;
  StreamWork added = {};
};

/// The scheme's own work (Scheme::work) for one repeat of `layer` in `phase`, `batch` samples,
/// 16-bit values: empty for layers that the scheme does not prune in any phase and for phases the
/// layer does not have. A pass reads or writes the whole tensor; a compressed pass the kept values
/// and their metadata.
[[nodiscard]] std::vector<SchemeKernel> scheme_kernels(const Scheme& scheme, const Layer& layer,
                                                       Phase phase, std::int64_t batch);

/// Takes away what is a part of `producer`: the sum of what it adds there.
/// @param all  what can be one too; else what the scheme says is one
[[nodiscard]] StreamWork take_part(std::vector<SchemeKernel>& kernels, Producer producer,
                                   bool all = true);

/// sum += more * times
void add_times(StreamWork& sum, const StreamWork& more, std::int64_t times);

/// Elements of one repeat's tensor, `batch` samples; a bmm's activation is its right operand.
[[nodiscard]] std::int64_t elements_of(const Layer& layer, Tensor tensor, std::int64_t batch);

/// The pattern to which a tensor is pruned; dense if it is not.
[[nodiscard]] Pattern pattern_of(const LayerRules& rules, Tensor tensor);

/// What a scheme changes of the update of a network's parameters.
struct SchemeUpdate {
  /// Shares of weights that there are, by layer; 1 for others.
  std::map<std::string, double> kept;
  /// Done in the kernel that writes the weights, over all layers.
  StreamWork added;
};

/// A kernel of the update, dense and with the scheme.
struct UpdateRow {
  /// The dense one; both run as often as its launches say.
  StreamKernel kernel;
  /// Launches that follow one another.
  std::vector<StreamWork> dense;
  std::vector<StreamWork> own;
};

/// True if one kernel writes the weights of many layers, so that work on all of them can be a part
/// of it.
[[nodiscard]] bool shares_update_of_weights(const Network& network, const Framework& framework);

/// The update, kernel beside kernel. Where the scheme needs fewer launches than the dense step, all
/// of one name are a row.
[[nodiscard]] std::vector<UpdateRow> update_rows(const Network& network, const Framework& framework,
                                                 const SchemeUpdate& update);

}  // namespace stcsim
