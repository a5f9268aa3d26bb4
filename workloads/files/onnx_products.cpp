#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "workloads/files/layers.hpp"
#include "workloads/files/onnx_rules.hpp"

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

/// Gives a convolution the strides, pads and dilation of its node. False if they are not possible.
bool set_window(const OnnxNode& node, const Dims& output, Layer& layer) {
  const std::size_t axes = output.size() - 2;
  const Dims dilations = node.numbers("dilations");
  const Dims sizes{layer.kernel_height, layer.kernel_width};
  const bool is_sane = output.size() >= 3 && is_within(node.numbers("strides"), 1) &&
                       is_within(dilations, 1) && is_within(sizes, 1) &&
                       is_within(node.numbers("pads"), 0) && is_within(output, 0);
  const bool is_even = dilations.size() < 2 || dilations[dilations.size() - 2] == dilations.back();
  if (!is_sane || !is_even) return false;
  layer.dilation = dilations.empty() ? 1 : dilations.back();
  const auto along = [&](std::size_t axis, std::int64_t kernel, std::int64_t& input) {
    return window_along(node, axis, axes, output[axis + 2], layer.dilation * (kernel - 1) + 1,
                        input);
  };
  const AxisWindow columns = along(axes - 1, layer.kernel_width, layer.width);
  set_windows(layer,
              axes == 1 ? AxisWindow{columns.stride, 0}
                        : along(axes - 2, layer.kernel_height, layer.height),
              columns);
  if (axes < 3) return true;
  // Slices of the output one below another: as many rows as make so many of the output.
  if (output[3] == 0 || output[2] > std::numeric_limits<std::int32_t>::max() / output[3])
    return false;
  layer.height = (output[2] * output[3] - 1) * layer.stride +
                 layer.dilation * (layer.kernel_height - 1) + 1 - 2 * layer.pad;
  return true;
}

/// Products of an Einsum of two operands: how many, and m, n and k of each; nothing if it is none.
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

/// Reads the layers of one node.
class ProductReader {
 public:
  ProductReader(const OnnxNode& node, const OnnxShapes& shapes, std::int64_t batch)
      : node_(node), shapes_(shapes), batch_(batch) {}

  std::optional<OnnxProduct> read() {
    using Reader = bool (ProductReader::*)();
    static const std::map<std::string_view, Reader> readers{
        {"Conv", &ProductReader::convolution},    {"ConvTranspose", &ProductReader::transposed},
        {"Gemm", &ProductReader::gemm},           {"MatMul", &ProductReader::matrix_product},
        {"Einsum", &ProductReader::einsum},       {"Gather", &ProductReader::look_up},
        {"Attention", &ProductReader::attention}, {"LSTM", &ProductReader::recurrent},
        {"GRU", &ProductReader::recurrent},       {"RNN", &ProductReader::recurrent}};
    const auto reader = readers.find(node_.op);
    if (reader == readers.end()) return std::nullopt;
    read_.is_read = (this->*reader->second)();
    return std::move(read_);
  }

 private:
  [[nodiscard]] const OnnxShape* input(std::size_t index) const {
    return find_shape(shapes_, node_, index);
  }
  [[nodiscard]] const OnnxShape* output() const {
    const auto found = node_.outputs.empty() ? shapes_.end() : shapes_.find(node_.outputs[0]);
    return found == shapes_.end() ? nullptr : &found->second;
  }

  /// Of the weight that is an input: the other one is the data.
  bool add(Layer layer, std::size_t data, const OnnxShape& weight) {
    if (read_.layers.empty()) read_.data = node_.inputs[data];
    if (read_.layers.empty()) read_.weight = weight.weight;
    read_.layers.push_back(std::move(layer));
    return true;
  }

  void add_bias() {
    if (node_.inputs.size() <= 2 || node_.inputs[2].empty() || read_.layers.empty()) return;
    read_.layers.back().bias = true;
    read_.layers.back().after.push_back(StreamOp::bias);
  }

  /// Of three dimensions: the planes that a plane of the output reads are channels of one.
  bool convolution() {
    const OnnxShape* const data = input(0);
    const OnnxShape* const weight = input(1);
    if (data == nullptr || weight == nullptr || output() == nullptr) return false;
    std::optional<Layer> layer = convolution_layer(data->dims, weight->dims);
    const bool fits = layer && output()->dims.size() == data->dims.size();
    if (!fits || !set_window(node_, output()->dims, *layer)) return false;
    if (data->dims.size() == 5) read_.note = "Conv3d as a convolution of planes";
    add(std::move(*layer), 0, *weight);
    add_bias();
    return true;
  }

  /// Each pixel times the weights of all taps, whose sums are the output's pixels: a convolution of
  /// one tap with an output channel for each tap. The bias is a parameter of the network's.
  bool transposed() {
    const OnnxShape* const data = input(0);
    const OnnxShape* const weight = input(1);
    if (data == nullptr || weight == nullptr || data->dims.size() < 3) return false;
    Layer layer;
    layer.groups = node_.number("group", 1);
    layer.in_channels = data->dims[1];
    layer.width = data->dims.back();
    layer.height = product_of({data->dims.begin() + 2, data->dims.end() - 1}).value_or(0);
    layer.out_channels =
        product_of({layer.groups, weight->elements() / std::max<std::int64_t>(1, data->dims[1])})
            .value_or(0);
    read_.note = "ConvTranspose as a convolution of one tap with a channel for each of its taps";
    return weight->dims.front() == data->dims[1] && add(std::move(layer), 0, *weight);
  }

  bool is_of_samples(std::int64_t count, const char* of) {
    if (count % batch_ == 0) return true;
    read_.fault = fmt::format(" has {} {}, no multiple of the batch {}", count, of, batch_);
    return false;
  }

  /// Y = X W^T: rows of the whole batch, of which each sample has its part.
  bool linear(const OnnxShape& weight, std::int64_t in, std::int64_t out, std::int64_t rows,
              std::size_t data) {
    return is_of_samples(rows, "rows") &&
           add(linear_layer("", LayerRole::body, in, out, rows / batch_, false), data, weight);
  }

  /// Activations are multiplied: stated as C^T = B^T A^T, so that n counts queries.
  bool batched(std::int64_t count, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (!is_of_samples(count, "products")) return false;
    read_.layers.push_back(product_layer(LayerRole::attention, count / batch_, n, m, k));
    return true;
  }

  bool gemm() {
    const OnnxShape* const a = input(0);
    const OnnxShape* const b = input(1);
    if (a == nullptr || b == nullptr || a->dims.empty() || b->dims.size() != 2) return false;
    const bool turns_a = node_.number("transA", 0) != 0;
    const bool turns_b = node_.number("transB", 0) != 0;
    const std::int64_t k = turns_a ? a->dims.front() : a->dims.back();
    const std::int64_t n = b->dims[turns_b ? 0 : 1];
    const std::int64_t m = k == 0 ? 0 : a->elements() / k;
    if (b->weight.empty()) return batched(1, m, n, k);
    const bool is_read = linear(*b, k, n, m, 0);
    add_bias();
    return is_read;
  }

  bool matrix_product() {
    const OnnxShape* const a = input(0);
    const OnnxShape* const b = input(1);
    if (a == nullptr || b == nullptr || output() == nullptr || a->dims.empty()) return false;
    const std::int64_t k = a->dims.back();
    if (output()->is_constant || k == 0) return true;
    const std::int64_t all = output()->elements();
    const auto rows = [&](std::int64_t of) { return of == 0 ? 0 : all / of; };
    if (!b->weight.empty() && b->dims.size() == 2) {
      return linear(*b, k, b->dims[1], rows(b->dims[1]), 0);
    }
    if (!a->weight.empty() && a->dims.size() == 2) {
      return linear(*a, k, a->dims[0], rows(a->dims[0]), 1);
    }
    const std::int64_t m = a->dims.size() > 1 ? a->dims[a->dims.size() - 2] : 1;
    const std::int64_t n = b->dims.size() > 1 ? b->dims.back() : 1;
    return m != 0 && n != 0 && batched(all / m / n, m, n, k);
  }

  bool einsum() {
    const OnnxShape* const a = input(0);
    const OnnxShape* const b = input(1);
    if (a == nullptr || b == nullptr) return false;
    const auto sizes = einsum_sizes(node_.text("equation"), a->dims, b->dims);
    if (!sizes) return false;
    const auto [count, m, n, k] = *sizes;
    if (!b->weight.empty() && count == 1) return linear(*b, k, n, m, 0);
    return batched(count, m, n, k);
  }

  /// Attention as one operator: [batch, heads, tokens, features], or heads within the features.
  bool attention() {
    const OnnxShape* const q = input(0);
    const OnnxShape* const k = input(1);
    const OnnxShape* const v = input(2);
    const OnnxShape* const past = input(4);
    if (q == nullptr || k == nullptr || v == nullptr || q->dims.size() != k->dims.size() ||
        q->dims.size() != v->dims.size() || q->dims.size() < 3 || q->dims.size() > 4) {
      return false;
    }
    const bool is_split = q->dims.size() == 4;
    const std::int64_t count = is_split ? q->dims[1] : node_.number("q_num_heads", 0);
    const std::int64_t kv = node_.number("kv_num_heads", is_split ? k->dims[1] : count);
    constexpr std::int64_t kMostHeads = 1 << 20;
    if (count < 1 || count > kMostHeads || kv < 1) return false;
    const std::int64_t queries = q->dims[is_split ? 2 : 1];
    const std::int64_t keys =
        k->dims[is_split ? 2 : 1] + (past != nullptr && past->dims.size() == 4 ? past->dims[2] : 0);
    for (const bool is_scores : {true, false}) {
      const std::int64_t features = is_scores ? q->dims.back() / (is_split ? 1 : count)
                                              : v->dims.back() / (is_split ? 1 : kv);
      if (!batched(q->dims[0] * count, queries, is_scores ? keys : features,
                   is_scores ? features : keys)) {
        return false;
      }
      Layer& layer = read_.layers.back();
      layer.causal = node_.number("is_causal", 0) != 0;
      if (is_scores) layer.after.push_back(StreamOp::softmax);
      if (count % kv == 0) layer.shared_by = count / kv;
    }
    return true;
  }

  /// Cells: the input's product for all steps, the state's for one after the other.
  bool recurrent() {
    const OnnxShape* const data = input(0);
    const OnnxShape* const weight = input(1);
    const OnnxShape* const state = input(2);
    if (data == nullptr || weight == nullptr || state == nullptr || data->dims.size() != 3 ||
        weight->dims.size() < 2 || weight->dims.size() > 3 ||
        state->dims.size() != weight->dims.size()) {
      return false;
    }
    const bool is_batch_first = node_.number("layout", 0) != 0;
    const std::int64_t steps = data->dims[is_batch_first ? 1 : 0];
    const std::int64_t each = data->dims[is_batch_first ? 0 : 1];
    const std::int64_t directions = weight->dims.size() == 3 ? weight->dims[0] : 1;
    constexpr std::int64_t kMostDirections = 1024;
    if (steps < 1 || directions > kMostDirections || !is_of_samples(each, "samples")) return false;
    const auto cell = [&](const OnnxShape& of, std::int64_t tokens, const char* part) {
      Layer layer = linear_layer(part, LayerRole::body, of.dims.back(), of.dims[of.dims.size() - 2],
                                 tokens, false);
      layer.repeat = directions;
      return add(std::move(layer), 0, *weight);
    };
    cell(*weight, steps * (each / batch_), ".input");
    cell(*state, each / batch_, ".state");
    if (steps == 1) return true;
    cell(*state, each / batch_, ".state_again");
    read_.layers.back().repeat *= steps - 1;
    read_.layers.back().tied = true;
    return true;
  }

  /// Of rows of a table; any other is no layer.
  bool look_up() {
    const OnnxShape* const table = input(0);
    const OnnxShape* const rows = input(1);
    if (table == nullptr || rows == nullptr || table->weight.empty() || table->dims.size() != 2) {
      return true;
    }
    const std::int64_t count = rows->elements();
    const std::int64_t tokens = count % batch_ == 0 ? count / batch_ : count;
    return add(
        embedding_layer("", table->dims[0], table->dims[1], std::max<std::int64_t>(1, tokens)), 0,
        *table);
  }

  const OnnxNode& node_;
  const OnnxShapes& shapes_;
  std::int64_t batch_;
  OnnxProduct read_;
};

}  // namespace

std::optional<OnnxProduct> product_of(const OnnxNode& node, const OnnxShapes& shapes,
                                      std::int64_t batch) {
  return ProductReader(node, shapes, batch).read();
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
