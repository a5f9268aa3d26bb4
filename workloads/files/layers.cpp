#include "workloads/files/layers.hpp"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace stcsim {

Layer linear_layer(std::string name, LayerRole role, std::int64_t in, std::int64_t out,
                   std::int64_t tokens, bool bias, std::vector<StreamOp> after) {
  Layer layer;
  layer.name = std::move(name);
  layer.kind = LayerKind::linear;
  layer.role = role;
  layer.in_channels = in;
  layer.out_channels = out;
  layer.height = tokens;
  layer.bias = bias;
  if (bias) layer.after.push_back(StreamOp::bias);
  layer.after.insert(layer.after.end(), after.begin(), after.end());
  return layer;
}

Layer embedding_layer(std::string name, std::int64_t rows, std::int64_t features,
                      std::int64_t tokens, std::vector<StreamOp> after) {
  Layer layer;
  layer.name = std::move(name);
  layer.kind = LayerKind::embedding;
  layer.in_channels = rows;
  layer.out_channels = features;
  layer.height = tokens;
  layer.needs_dgrad = false;
  layer.after = std::move(after);
  return layer;
}

Layer product_layer(LayerRole role, std::int64_t count, std::int64_t m, std::int64_t n,
                    std::int64_t k) {
  Layer layer;
  layer.kind = LayerKind::bmm;
  layer.role = role;
  layer.count = count;
  layer.bmm_m = m;
  layer.bmm_n = n;
  layer.bmm_k = k;
  return layer;
}

Layer gemm_layer(Phase phase, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
  const std::int64_t outputs = phase == Phase::dgrad ? k : m;
  const std::int64_t inputs = phase == Phase::forward ? k : phase == Phase::dgrad ? m : n;
  const std::int64_t tokens = phase == Phase::wgrad ? k : n;
  Layer layer = product_layer(LayerRole::body, batch, outputs, tokens, inputs);
  if (batch == 1) layer = linear_layer("", LayerRole::body, inputs, outputs, tokens, false);
  layer.phases = {phase};
  return layer;
}

std::optional<Layer> convolution_layer(const std::vector<std::int64_t>& data,
                                       const std::vector<std::int64_t>& weight) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const std::size_t rank = data.size();
  const bool fits =
      rank == weight.size() && rank >= 3 && rank <= 5 && weight[1] != 0 && data[1] % weight[1] == 0;
  const std::int64_t planes = fits && rank == 5 ? weight[2] : 1;
  if (!fits || data[1] >= kMost || planes >= kMost) return std::nullopt;
  Layer layer;
  layer.in_channels = data[1] * planes;
  layer.out_channels = weight[0];
  layer.groups = data[1] / weight[1];
  layer.height = rank > 3 ? data[rank - 2] : 1;
  layer.width = data.back();
  layer.kernel_height = rank > 3 ? weight[rank - 2] : 1;
  layer.kernel_width = weight.back();
  return layer;
}

void set_windows(Layer& layer, AxisWindow rows, AxisWindow columns) {
  layer.stride = rows.stride;
  layer.pad = rows.pad;
  if (columns.stride != rows.stride) layer.stride_columns = columns.stride;
  if (columns.pad != rows.pad) layer.pad_columns = columns.pad;
}

void number_equal_names(std::vector<Layer>& layers) {
  std::set<std::string> taken;
  std::map<std::string, int> counts;
  for (Layer& layer : layers) {
    const std::string name = layer.name;
    while (!taken.insert(layer.name).second) {
      layer.name = fmt::format("{}#{}", name, ++counts.emplace(name, 1).first->second);
    }
  }
}

void check_layers(const Network& network, Problems& problems) {
  for (const Layer& layer : network.layers) {
    const std::string fault = find_fault(layer, network.batch);
    if (!fault.empty()) problems.add(fmt::format("layer '{}': {}", layer.name, fault));
  }
  if (network.layers.empty()) problems.add("it has no layers");
  problems.refuse();
}

}  // namespace stcsim
