#include <algorithm>

#include "workloads/files/layers.hpp"
#include "workloads/files/onnx_shapes.hpp"

namespace stcsim {
namespace {

using Dims = std::vector<std::int64_t>;

bool is_within(const Dims& numbers, std::int64_t least) {
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  return std::ranges::all_of(numbers,
                             [&](std::int64_t one) { return one >= least && one <= kMost; });
}

/// Stride and pad along an axis. Where a pad differs at both ends, the input is taken to be
/// larger.
AxisWindow window_along(const OnnxNode& node, std::size_t axis, std::size_t axes,
                        std::int64_t output, std::int64_t reach, std::int64_t& input) {
  const Dims strides = node.numbers("strides");
  const Dims pads = node.numbers("pads");
  const std::int64_t stride = axis < strides.size() ? strides[axis] : 1;
  const std::int64_t span = (output - 1) * stride + reach;
  const std::int64_t begin = axis < pads.size() ? pads[axis] : 0;
  const std::int64_t end = axis + axes < pads.size() ? pads[axis + axes] : 0;
  const bool is_same = pads.empty() && span > input;
  const std::int64_t pad = is_same ? (span - input) / 2 : std::min(begin, end);
  const std::int64_t all = is_same ? span - input : begin + end;
  input += all - 2 * pad;
  return {stride, pad};
}

}  // namespace

bool set_window(const OnnxNode& node, const Dims& output, Layer& layer) {
  const std::size_t axes = output.size() - 2;
  const Dims dilations = node.numbers("dilations");
  const Dims sizes{layer.kernel_height, layer.kernel_width};
  const bool is_sane = output.size() >= 3 && is_within(node.numbers("strides"), 1) &&
                       is_within(dilations, 1) && is_within(sizes, 1) &&
                       is_within(node.numbers("pads"), 0) && is_within(output, 0);
  if (!is_sane || (!dilations.empty() && dilations.front() != dilations.back())) return false;
  layer.dilation = dilations.empty() ? 1 : dilations.front();
  const auto along = [&](std::size_t axis, std::int64_t kernel, std::int64_t& input) {
    return window_along(node, axis, axes, output[axis + 2], layer.dilation * (kernel - 1) + 1,
                        input);
  };
  const AxisWindow columns = along(axes - 1, layer.kernel_width, layer.width);
  set_windows(
      layer,
      axes == 1 ? AxisWindow{columns.stride, 0} : along(0, layer.kernel_height, layer.height),
      columns);
  return true;
}

std::optional<std::array<std::int64_t, 4>> einsum_sizes(std::string text, const Dims& a,
                                                        const Dims& b) {
  std::erase(text, ' ');
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  if (comma != a.size() || arrow == std::string::npos || arrow - comma - 1 != b.size()) {
    return std::nullopt;
  }
  const std::string result = text.substr(arrow + 2);
  std::array<std::int64_t, 4> sizes{1, 1, 1, 1};  // count, m, n, k
  for (std::size_t at = 0; at < arrow; ++at) {
    if (at == comma) continue;
    const bool is_left = at < comma;
    const std::int64_t size = is_left ? a[at] : b[at - comma - 1];
    const bool in_other =
        text.substr(is_left ? comma : 0, is_left ? arrow - comma : comma).find(text[at]) !=
        std::string::npos;
    const bool in_result = result.find(text[at]) != std::string::npos;
    if (!is_left && in_other) continue;
    std::int64_t& part = sizes.at(in_other ? (in_result ? 0 : 3) : is_left ? 1 : 2);
    if (size > 0 && part > kMostOnnxElements / size) return std::nullopt;
    part *= size;
  }
  return sizes;
}

void settle_roles(std::vector<Layer>& layers) {
  const bool attends_anywhere =
      std::ranges::any_of(layers, [](const Layer& layer) { return layer.kind == LayerKind::bmm; });
  for (Layer& layer : layers) {
    const bool is_plain = layer.kind == LayerKind::linear && layer.role == LayerRole::body;
    if (is_plain && attends_anywhere) layer.role = LayerRole::ffn;
  }
  if (layers.empty() || layers.back().kind != LayerKind::linear) return;
  const bool goes_on = std::ranges::any_of(layers.back().after, [](StreamOp op) {
    return op == StreamOp::residual_add || op == StreamOp::layer_norm || op == StreamOp::rms_norm;
  });
  if (!goes_on) layers.back().role = LayerRole::classifier;
}

}  // namespace stcsim
