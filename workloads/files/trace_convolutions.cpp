#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "workloads/files/layers.hpp"
#include "workloads/files/trace_products.hpp"

namespace stcsim {
namespace {

using TensorSizes = std::vector<std::int64_t>;

/// Whole numbers of "[2, 2]".
TensorSizes numbers_in(const std::string& text) {
  TensorSizes numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) continue;
    numbers.push_back(value);
    at = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

/// Stride and pad that lead from an input to an output: the largest stride that its size allows,
/// the least pad. What is multiplied depends on the output's size alone.
std::optional<AxisWindow> window_between(std::int64_t input, std::int64_t kernel,
                                         std::int64_t output) {
  const std::int64_t stride = std::max<std::int64_t>(1, (input + output / 2) / output);
  for (std::int64_t pad = 0; pad <= std::min<std::int64_t>(kernel, 1024); ++pad) {
    const std::int64_t span = input + 2 * pad - kernel;
    if (span >= 0 && span / stride + 1 == output) return AxisWindow{stride, pad};
  }
  return std::nullopt;
}

bool find_window(Layer& layer, const TensorSizes& output) {
  if (output.size() < 3) return false;
  const auto rows = output.size() == 4
                        ? window_between(layer.height, layer.kernel_height, output[2])
                        : std::optional(AxisWindow{});
  const auto columns = window_between(layer.width, layer.kernel_width, output.back());
  if (rows && columns) set_windows(layer, *rows, *columns);
  return rows && columns;
}

/// Where "Concrete Inputs" have a convolution's stride, followed by pad and dilation; those of
/// cuDNN's own backward operators are in another order.
std::optional<std::size_t> place_of_stride(const TraceOp& op, bool is_backward) {
  const bool is_general = op.name.find("convolution") != std::string::npos;
  if (is_backward && op.name.find("::convolution_backward") == std::string::npos) return {};
  const std::size_t stride_at = is_backward ? 4 : 3;
  const std::size_t settings = is_general ? 5 : 3;
  if (op.values.size() <= stride_at + settings) return std::nullopt;
  return stride_at;
}

bool take_settings(Layer& layer, const TraceOp& op, std::size_t stride_at) {
  const TensorSizes stride = numbers_in(op.values[stride_at]);
  const TensorSizes pad = numbers_in(op.values[stride_at + 1]);
  const TensorSizes dilation = numbers_in(op.values[stride_at + 2]);
  if (stride.empty() || pad.empty() || dilation.empty()) return false;
  layer.dilation = dilation.front();
  set_windows(layer, {stride.front(), pad.front()}, {stride.back(), pad.back()});
  return true;
}

/// The size of its output where nothing else says it: what the next operator reads.
TensorSizes next_input(const TraceEvents& events, const TraceProduct& one) {
  const TraceOp& op = events.ops[static_cast<std::size_t>(one.op)];
  for (auto at = static_cast<std::size_t>(one.op) + 1; at < events.ops.size(); ++at) {
    const TraceOp& next = events.ops[at];
    if (next.thread != op.thread) break;
    if (next.start < op.end()) continue;
    const bool fits = !next.dims.empty() && next.dims[0].size() == one.input.size() &&
                      next.dims[0][0] == one.input[0] && next.dims[0][1] == one.weight[0];
    if (fits) return next.dims[0];
    if (!next.dims.empty() && !next.dims[0].empty()) break;
  }
  return {};
}

}  // namespace

std::string settle_windows(Layer& layer, const TraceEvents& events, const TraceProduct& one,
                           const TraceProduct* back) {
  const TraceOp& op = events.ops[static_cast<std::size_t>(one.op)];
  const std::optional<std::size_t> stride_at = place_of_stride(op, one.is_backward);
  if (stride_at && take_settings(layer, op, *stride_at)) {
    const bool is_general = op.name.find("convolution") != std::string::npos;
    const bool is_transposed =
        is_general && op.values[*stride_at + 3].find("True") != std::string::npos;
    return is_transposed ? " is transposed, which is not read" : "";
  }
  if (find_window(layer, back != nullptr ? back->output : next_input(events, one))) return "";
  return ": its stride is not stated, and nothing tells its output's size";
}

}  // namespace stcsim
