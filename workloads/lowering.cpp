#include "workloads/lowering.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/counts.hpp"
#include "workloads/operation_groups.hpp"

namespace stcsim {
namespace {

/// The input rows (or columns) of a strided dgrad that the same number of filter taps reach.
struct TapClass {
  std::int64_t taps = 0;
  std::int64_t pixels = 0;
};

/// Taps of a dilated kernel that reach a row: t with (row - t dilation) a multiple of the stride.
std::int64_t taps_at(std::int64_t row, std::int64_t kernel, std::int64_t stride,
                     std::int64_t dilation) {
  const std::int64_t period = stride / std::gcd(stride, dilation);
  for (std::int64_t first = 0; first < std::min(kernel, period); ++first) {
    if ((row + first * (stride - dilation % stride)) % stride != 0) continue;
    return (kernel - first + period - 1) / period;
  }
  return 0;
}

/// Rows that differ by the stride are alike.
std::vector<TapClass> dilated_classes(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                                      std::int64_t pad, std::int64_t dilation) {
  std::vector<TapClass> classes;
  for (std::int64_t row = 0; row < std::min(stride, input); ++row) {
    const std::int64_t alike = (input - row + stride - 1) / stride;
    classes.push_back({taps_at((row + pad) % stride, kernel, stride, dilation), alike});
  }
  return classes;
}

/// Tap kh reaches input row y if (y + pad - kh) is a multiple of the stride. So a row has
/// kernel / stride taps, and one more if (y + pad) mod stride < kernel mod stride.
std::vector<TapClass> tap_classes(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                                  std::int64_t pad, std::int64_t dilation) {
  if (dilation > 1) return dilated_classes(input, kernel, stride, pad, dilation);
  const std::int64_t remainder = kernel % stride;
  const auto rows_with_more_taps_below = [&](std::int64_t end) {
    return end / stride * remainder + std::min(end % stride, remainder);
  };
  const std::int64_t more = rows_with_more_taps_below(input + pad) - rows_with_more_taps_below(pad);
  return {{kernel / stride + 1, more}, {kernel / stride, input - more}};
}

/// Classes of input pixels by number of taps, most taps first, including the one without taps.
std::vector<TapClass> pixel_classes(const Layer& layer) {
  std::vector<TapClass> classes;
  for (const TapClass& rows :
       tap_classes(layer.height, layer.kernel_height, layer.stride, layer.pad, layer.dilation)) {
    for (const TapClass& columns :
         tap_classes(layer.width, layer.kernel_width, layer.column_stride(), layer.column_pad(),
                     layer.dilation)) {
      const TapClass pixels{rows.taps * columns.taps, rows.pixels * columns.pixels};
      const auto same = std::ranges::find(classes, pixels.taps, &TapClass::taps);
      if (same != classes.end()) {
        same->pixels += pixels.pixels;
      } else {
        classes.push_back(pixels);
      }
    }
  }
  std::ranges::sort(classes, [](const TapClass& a, const TapClass& b) { return a.taps > b.taps; });
  std::erase_if(classes, [](const TapClass& pixels) { return pixels.pixels == 0; });
  return classes;
}

/// `unique` as a Footprint count: 0 ("no reuse") if it is not less than the whole.
std::int64_t reused(std::int64_t unique, std::int64_t whole) {
  return unique < whole ? unique : 0;
}

std::int64_t output_pixels(const Layer& layer) {
  return layer.out_height() * layer.out_width();
}

std::int64_t taps(const Layer& layer) {
  return layer.kernel_height * layer.kernel_width;
}

/// Input elements that one output pixel adds to those its neighbours read.
std::int64_t new_inputs_per_output(const Layer& layer) {
  return std::min(layer.stride, layer.kernel_height) *
         std::min(layer.column_stride(), layer.kernel_width) * layer.in_channels_per_group();
}

/// Rows of the batch that each expert multiplies if they are spread evenly, rounded up.
std::int64_t rows_of_an_expert(const Layer& layer, std::int64_t rows) {
  return (rows * layer.experts_per_token + layer.experts - 1) / layer.experts;
}

std::optional<ConvolutionPass> pass_of(const Layer& layer, Phase phase, std::int64_t taps) {
  if (layer.kind != LayerKind::conv) return std::nullopt;
  return ConvolutionPass{phase, taps};
}

GemmProblem forward_gemm(const Layer& layer, std::int64_t batch) {
  GemmProblem problem;
  problem.m = layer.out_channels_per_group();
  problem.n = rows_of_an_expert(layer, batch * output_pixels(layer));
  problem.k = layer.in_channels_per_group() * taps(layer);
  problem.batch_count = layer.groups * layer.experts;
  problem.b.unique_k = reused(new_inputs_per_output(layer), problem.k);
  problem.c_layout = OutputLayout::column_major;
  problem.convolution = pass_of(layer, Phase::forward, taps(layer));
  return problem;
}

std::vector<GemmProblem> dgrad_gemms(const Layer& layer, std::int64_t batch) {
  std::vector<GemmProblem> problems;
  for (const TapClass& pixels : pixel_classes(layer)) {
    if (pixels.taps == 0) continue;
    GemmProblem problem;
    problem.m = layer.in_channels_per_group();
    problem.n = rows_of_an_expert(layer, batch * pixels.pixels);
    problem.k = layer.out_channels_per_group() * pixels.taps;
    problem.batch_count = layer.groups * layer.experts;
    problem.b.unique_rows = reused(batch * output_pixels(layer), problem.n);
    problem.b.unique_k = reused(layer.out_channels_per_group(), problem.k);
    problem.a_layout = OperandLayout::mn_major;
    problem.c_layout = OutputLayout::column_major;
    problem.convolution = pass_of(layer, Phase::dgrad, pixels.taps);
    problems.push_back(problem);
  }
  return problems;
}

GemmProblem wgrad_gemm(const Layer& layer, std::int64_t batch) {
  GemmProblem problem;
  problem.m = layer.out_channels_per_group();
  problem.n = layer.in_channels_per_group() * taps(layer);
  problem.k = rows_of_an_expert(layer, batch * output_pixels(layer));
  problem.batch_count = layer.groups * layer.experts;
  problem.b.unique_rows = reused(new_inputs_per_output(layer), problem.n);
  problem.a_layout = OperandLayout::mn_major;
  problem.b_layout = OperandLayout::mn_major;
  problem.c_layout = OutputLayout::row_major;
  problem.convolution = pass_of(layer, Phase::wgrad, taps(layer));
  return problem;
}

/// A [m][k] and B [n][k] are stored with k contiguous, C [n][m] with m contiguous.
GemmProblem bmm_gemm(const Layer& layer, Phase phase, std::int64_t batch) {
  const std::int64_t m = layer.is_scores() ? layer.keys_met() : layer.bmm_m;
  const std::int64_t n = layer.bmm_n * layer.shared_by;
  const std::int64_t k = layer.is_scores() ? layer.bmm_k : layer.keys_met();
  GemmProblem problem;
  problem.m = phase == Phase::dgrad ? k : m;
  problem.n = phase == Phase::wgrad ? k : n;
  problem.k = k;
  problem.batch_count = batch * (layer.count / layer.shared_by);
  problem.c_layout = OutputLayout::column_major;
  if (phase == Phase::wgrad) {
    problem.k = n;
    problem.a_layout = OperandLayout::mn_major;
    problem.b_layout = OperandLayout::mn_major;
    problem.c_layout = OutputLayout::row_major;
  } else if (phase == Phase::dgrad) {
    problem.k = m;
    problem.a_layout = OperandLayout::mn_major;
  }
  return problem;
}

}  // namespace

PhaseOperands operands_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return {Tensor::weight, Tensor::activation};
    case Phase::dgrad:
      return {Tensor::weight, Tensor::output_gradient};
    case Phase::wgrad:
      return {Tensor::output_gradient, Tensor::activation};
  }
  throw std::invalid_argument("operands_of: no such phase");
}

std::vector<GemmProblem> lower(const Layer& layer, Phase phase, std::int64_t batch) {
  if (!layer.has_product() || (phase == Phase::dgrad && !layer.needs_dgrad)) return {};
  if (phase == Phase::wgrad && layer.frozen) return {};
  if (!layer.phases.empty() && std::ranges::find(layer.phases, phase) == layer.phases.end()) {
    return {};
  }
  if (layer.kind == LayerKind::bmm) return {bmm_gemm(layer, phase, batch)};
  if (phase == Phase::forward) return {forward_gemm(layer, batch)};
  if (phase == Phase::wgrad) return {wgrad_gemm(layer, batch)};
  return dgrad_gemms(layer, batch);
}

std::int64_t untouched_pixels(const Layer& layer) {
  if (!layer.multiplies_weight() || !layer.needs_dgrad) return 0;
  const TapClass last = pixel_classes(layer).back();
  return last.taps == 0 ? last.pixels : 0;
}

Layer with_skipped_blocks(Layer layer, const Framework& framework) {
  if (!layer.causal) return layer;
  layer.skipped_block = framework.attention_block;
  return layer;
}

void skip_blocks(Network& network, const Framework& framework) {
  for (Layer& layer : network.layers) layer = with_skipped_blocks(std::move(layer), framework);
}

bool has_attention_kernel(const Layer& scores, DataType dtype, const Framework& framework) {
  const bool has_type = dtype == DataType::fp16 || dtype == DataType::bf16;
  if (framework.attention == AttentionKernel::products || !scores.is_scores() || !has_type ||
      scores.bmm_k > kLargestHead) {
    return false;
  }
  return std::ranges::any_of(operation_groups(scores, 1, dtype, framework),
                             [](const OperationGroup& group) {
                               return group.kernels != nullptr && group.kernels->on_chip;
                             });
}

std::optional<AttentionShape> attention_of(const Network& network, const Layer& layer,
                                           DataType dtype, const Framework& framework) {
  const auto at = static_cast<std::size_t>(&layer - network.layers.data());
  if (at + 1 >= network.layers.size() || !has_attention_kernel(layer, dtype, framework)) return {};
  const Layer& values = network.layers[at + 1];
  const bool is_pair = values.kind == LayerKind::bmm && !values.is_scores() &&
                       values.repeat == layer.repeat && values.count == layer.count &&
                       values.bmm_m == layer.bmm_k;
  if (!is_pair) return {};
  AttentionShape shape;
  shape.batch = network.batch;
  shape.heads = layer.count;
  shape.kv_heads = layer.count / layer.shared_by;
  shape.queries = layer.bmm_n;
  shape.keys = layer.bmm_m;
  shape.head_size = layer.bmm_k;
  shape.causal = layer.causal;
  shape.window = layer.window;
  shape.mask = layer.padded && framework.adds_padding_mask;
  shape.dropout = std::ranges::find(layer.after, StreamOp::dropout) != layer.after.end();
  shape.dtype = dtype;
  return shape;
}

bool is_in_attention(const Network& network, const Layer& layer, DataType dtype,
                     const Framework& framework) {
  const auto at = static_cast<std::size_t>(&layer - network.layers.data());
  return at > 0 && attention_of(network, network.layers[at - 1], dtype, framework).has_value();
}

Layer with_kept_scores(Layer scores, Pattern kept) {
  scores.bmm_n = ceil_div(scores.bmm_n * kept.n, kept.m);
  return scores;
}

GemmProblem transposed(const GemmProblem& problem) {
  if (!problem.a_pattern.is_dense()) {
    throw std::invalid_argument("transposed: the left operand is sparse, and only it can be");
  }
  GemmProblem result = problem;
  std::swap(result.m, result.n);
  std::swap(result.a, result.b);
  std::swap(result.a_layout, result.b_layout);
  result.c_layout = problem.c_layout == OutputLayout::row_major ? OutputLayout::column_major
                                                                : OutputLayout::row_major;
  return result;
}

}  // namespace stcsim
