#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/parallel/parallel_study.hpp"

namespace stcsim {
namespace {

void split(const Layer& layer, std::int64_t& count, std::int64_t gpus, const char* what) {
  if (count % gpus != 0) {
    throw ConfigError(
        fmt::format("layer '{}' has {} {}, which {} GPUs cannot share: must be a "
                    "multiple",
                    layer.name, count, what, gpus));
  }
  count /= gpus;
}

void split(Layer& layer, std::int64_t gpus) {
  if (layer.kind == LayerKind::bmm) {
    split(layer, layer.count, gpus, "heads");
    layer.shared_by = std::min(layer.shared_by, layer.count);
  } else if (is_row_parallel(layer)) {
    split(layer, layer.in_channels, gpus, "inputs");
  } else if (layer.kind == LayerKind::linear) {
    split(layer, layer.out_channels, gpus, "outputs");
  }
}

}  // namespace

std::string part_name(const std::string& network, std::int64_t gpus) {
  return fmt::format("{}-tp{}", network, gpus);
}

bool is_row_parallel(const Layer& layer) {
  return layer.kind == LayerKind::linear && layer.role != LayerRole::classifier &&
         std::ranges::find(layer.after, StreamOp::residual_add) != layer.after.end();
}

Network tensor_parallel_part(Network network, std::int64_t gpus) {
  network.name = part_name(network.name, gpus);
  network.note.clear();  // the whole network's says it
  for (Layer& layer : network.layers) split(layer, gpus);
  return network;
}

Experiment with_parts(Experiment experiment) {
  if (!experiment.parallel || experiment.parallel->sharding != Sharding::tp) return experiment;
  const std::vector<Network> whole = experiment.networks;
  for (const Network& network : whole) {
    for (const std::int64_t gpus : experiment.parallel->gpus) {
      if (gpus > 1) experiment.networks.push_back(tensor_parallel_part(network, gpus));
    }
  }
  return experiment;
}

}  // namespace stcsim
