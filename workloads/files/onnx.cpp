#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/io/text_file.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/onnx_graph.hpp"
#include "workloads/files/onnx_shapes.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

using Dims = std::vector<std::int64_t>;

/// What --size calls dimensions that the file has no name for, all of them.
constexpr const char* kUnnamed = "?";

/// Builds the network of a graph, node by node.
class GraphNetwork {
 public:
  GraphNetwork(OnnxGraph graph, const ImportOptions& options, Problems& problems)
      : graph_(std::move(graph)), options_(options), problems_(problems) {}

  ImportedNetwork build(const std::string& name) {
    network().name = name;
    network().description = fmt::format("ONNX graph, opset {}", graph_.opset);
    take_initializers();
    take_inputs();
    problems_.refuse();
    for (const OnnxValue& value : graph_.values) known_[value.name] = &value;
    for (const OnnxNode& node : graph_.nodes) take(node);
    settle_roles();
    count_parameters();
    number_equal_names(network().layers);
    check_layers(network(), problems_);
    describe();
    return std::move(read_);
  }

 private:
  Network& network() { return read_.network; }

  static bool is_possible(const OnnxShape& shape) {
    return shape.dims.size() <= kMostOnnxRank && shape.elements() < kMostOnnxElements;
  }

  void take_initializers() {
    for (const OnnxTensor& tensor : graph_.initializers) {
      OnnxShape shape{tensor.dims, tensor.values, tensor.is_float ? tensor.name : "", true};
      if (!is_possible(shape)) {
        problems_.add(fmt::format("tensor '{}' has impossible dimensions", tensor.name));
        continue;
      }
      shapes_[tensor.name] = std::move(shape);
    }
  }

  static bool is_cell(const OnnxNode& node) { return node.op == "LSTM" || node.op == "GRU"; }
  void leave_out(const OnnxNode& node) { read_.left_out.push_back(node.to_string()); }

  /// Inputs of recurrent cells: their first dimension counts steps, the second samples.
  void find_sequences() {
    for (const OnnxNode& node : graph_.nodes) {
      if (is_cell(node) && !node.inputs.empty()) sequences_.insert(node.inputs[0]);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> size_of(const OnnxDim& dim, std::size_t place,
                                                    std::size_t rank) const {
    if (dim.size > 0) return dim.size;
    const auto stated = options_.sizes.find(dim.name);
    if (!dim.name.empty() && stated != options_.sizes.end()) return stated->second;
    if (place == 0) return 1;
    if (place == 1 && rank <= 3 && options_.tokens) return options_.tokens;
    const auto unnamed = options_.sizes.find(kUnnamed);
    if (dim.name.empty() && unnamed != options_.sizes.end()) return unnamed->second;
    return std::nullopt;
  }

  /// Files without parameters have them as inputs: operands at which operators take weights, and
  /// what PyTorch's exporters call so ("encoder.layers.0.in_proj_weight").
  void find_weights() {
    const auto is_called_so = [](std::string_view name) {
      const std::size_t dot = name.rfind('.');
      const std::string_view last = dot == std::string_view::npos ? "" : name.substr(dot + 1);
      return last.ends_with("weight") || last.ends_with("bias") ||
             name.starts_with("onnx::MatMul_");  // a weight that it turned
    };
    for (const OnnxValue& input : graph_.inputs) {
      if (is_called_so(input.name)) weights_.insert(input.name);
    }
    constexpr std::string_view kWithWeights =
        "Conv ConvTranspose Gemm BatchNormalization LayerNormalization InstanceNormalization";
    const auto operators = words_in(kWithWeights);
    for (const OnnxNode& node : graph_.nodes) {
      if (std::ranges::find(operators, node.op) == operators.end()) continue;
      for (std::size_t at = 1; at < node.inputs.size(); ++at) weights_.insert(node.inputs[at]);
    }
  }

  void take_inputs() {
    find_sequences();
    find_weights();
    for (const OnnxValue& input : graph_.inputs) {
      if (shapes_.contains(input.name)) continue;  // before IR 4 initializers are inputs, too
      OnnxShape shape;
      for (std::size_t at = 0; at < input.dims.size(); ++at) {
        const OnnxDim& dim = input.dims[at];
        const bool turns = sequences_.contains(input.name) && at < 2;
        const auto size = size_of(dim, turns ? 1 - at : at, input.dims.size());
        if (!size) {
          problems_.add(fmt::format("dimension '{}' of input '{}' has no size: --size {}=N",
                                    dim.name.empty() ? kUnnamed : dim.name, input.name,
                                    dim.name.empty() ? "'?'" : dim.name));
        }
        shape.dims.push_back(size.value_or(1));
      }
      if (!is_possible(shape)) {
        problems_.add(fmt::format("input '{}' has impossible dimensions", input.name));
        continue;
      }
      const std::size_t samples = sequences_.contains(input.name) ? 1 : 0;
      if (weights_.contains(input.name)) {
        shape.weight = input.name;
        shape.is_constant = true;
      } else if (shape.dims.size() > samples && batch_ == 0) {
        batch_ = shape.dims[samples];
      }
      shapes_[input.name] = std::move(shape);
    }
    batch_ = std::max<std::int64_t>(1, batch_);
  }

  [[nodiscard]] const OnnxShape* shape_of(const OnnxNode& node, std::size_t index) const {
    return find_shape(shapes_, node, index);
  }

  void take(const OnnxNode& node) {
    if (node.outputs.empty()) return problems_.add(node.to_string() + " has no output");
    const bool is_known = infer_shapes(node, shapes_);
    for (const std::string& output : node.outputs) take_known(output);
    if (!is_known) first_unknown_.emplace(node.op, node.to_string());
    inherit(node);
    const std::size_t before = network().layers.size();
    using Reader = void (GraphNetwork::*)(const OnnxNode&);
    static const std::map<std::string_view, Reader> readers{
        {"Conv", &GraphNetwork::convolution},       {"Gemm", &GraphNetwork::gemm},
        {"MatMul", &GraphNetwork::matrix_product},  {"Einsum", &GraphNetwork::einsum},
        {"Gather", &GraphNetwork::look_up},         {"Attention", &GraphNetwork::attention},
        {"LSTM", &GraphNetwork::recurrent},         {"GRU", &GraphNetwork::recurrent},
        {"ConvTranspose", &GraphNetwork::leave_out}};
    const auto reader = readers.find(node.op);
    if (reader != readers.end()) {
      (this->*reader->second)(node);
    } else {
      operation(node);
    }
    if (network().layers.size() > before) own(node);
  }

  /// Sizes that the exporter wrote down, where nothing here knows them.
  void take_known(const std::string& name) {
    const auto value = known_.find(name);
    if (shapes_.contains(name) || value == known_.end() || !value->second->has_shape) return;
    OnnxShape shape;
    for (std::size_t at = 0; at < value->second->dims.size(); ++at) {
      const auto size = size_of(value->second->dims[at], at, 4);
      if (!size) return;
      shape.dims.push_back(*size);
    }
    if (is_possible(shape)) shapes_[name] = std::move(shape);
  }

  /// Outputs belong to the last layer that an input belongs to.
  void inherit(const OnnxNode& node) {
    int owner = -1;
    bool has_gradient = false;
    for (const std::string& input : node.inputs) {
      owner = std::max(owner, owner_of(input));
      has_gradient = has_gradient || gradients_.contains(input);
    }
    // Scale and shift learn; so what comes before them is wanted of a gradient.
    has_gradient = has_gradient || node.op.ends_with("Normalization");
    for (const std::string& output : node.outputs) {
      if (owner >= 0) owners_[output] = owner;
      if (has_gradient) gradients_.insert(output);
    }
  }
  [[nodiscard]] int owner_of(const std::string& value) const {
    const auto found = owners_.find(value);
    return found == owners_.end() ? -1 : found->second;
  }
  void own(const OnnxNode& node) {
    for (const std::string& output : node.outputs) {
      owners_[output] = static_cast<int>(network().layers.size()) - 1;
      gradients_.insert(output);
    }
  }

  void refuse(const OnnxNode& node) {
    std::string why;
    for (const std::string& input : node.inputs) {
      if (input.empty() || shapes_.contains(input)) continue;
      why = fmt::format(", as the size of '{}' is not known", input);
    }
    if (!why.empty() && !first_unknown_.empty()) {
      std::vector<std::string> nodes;
      for (const auto& [op, text] : first_unknown_) nodes.push_back(text);
      why += fmt::format(" (operators that are not known: {})", fmt::join(nodes, ", "));
    }
    problems_.add(fmt::format("{} is not read{}", node.to_string(), why));
  }

  void add(Layer layer, const OnnxNode& node) {
    layer.name = printable(node.name.empty() ? node.op : node.name);
    network().layers.push_back(std::move(layer));
  }

  /// Whether the weight is another layer's already; it is counted once.
  bool is_tied(const OnnxShape& weight) { return !counted_.insert(weight.weight).second; }

  void convolution(const OnnxNode& node) {
    const OnnxShape* const data = shape_of(node, 0);
    const OnnxShape* const weight = shape_of(node, 1);
    const auto output = shapes_.find(node.outputs.at(0));
    if (data == nullptr || weight == nullptr || output == shapes_.end()) return refuse(node);
    std::optional<Layer> read = convolution_layer(data->dims, weight->dims);
    if (!read || !set_window(node, output->second.dims, *read)) return refuse(node);
    Layer& layer = *read;
    if (node.inputs.size() > 2) add_bias(layer);
    layer.needs_dgrad = gradients_.contains(node.inputs[0]);
    layer.role = layer.needs_dgrad ? LayerRole::body : LayerRole::stem;
    layer.tied = is_tied(*weight);
    add(layer, node);
  }

  static bool is_within(const Dims& numbers, std::int64_t least) {
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    return std::ranges::all_of(numbers,
                               [&](std::int64_t one) { return one >= least && one <= kMost; });
  }

  /// Stride and pad along an axis. Where a pad differs at both ends, the input is taken to be
  /// larger.
  static AxisWindow window_along(const OnnxNode& node, std::size_t axis, std::size_t axes,
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

  static bool set_window(const OnnxNode& node, const Dims& output, Layer& layer) {
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

  bool is_of_samples(const OnnxNode& node, std::int64_t count, const char* of) {
    if (count % batch_ == 0) return true;
    problems_.add(fmt::format("{} has {} {}, no multiple of the batch {}", node.to_string(), count,
                              of, batch_));
    return false;
  }

  /// Adds Y = X W^T: rows of the whole batch, of which each sample has its part.
  void linear(const OnnxNode& node, const OnnxShape& weight, std::int64_t in, std::int64_t out,
              std::int64_t rows, const std::string& data) {
    if (!is_of_samples(node, rows, "rows")) return;
    Layer layer = linear_layer("", LayerRole::body, in, out, rows / batch_, false);
    layer.needs_dgrad = gradients_.contains(data);
    layer.tied = is_tied(weight);
    const int owner = owner_of(data);
    if (owner >= 0 && layer_at(owner).kind == LayerKind::bmm) layer.role = LayerRole::attention;
    add(std::move(layer), node);
  }

  Layer& layer_at(int index) { return network().layers[static_cast<std::size_t>(index)]; }

  void gemm(const OnnxNode& node) {
    const OnnxShape* const a = shape_of(node, 0);
    const OnnxShape* const b = shape_of(node, 1);
    if (a == nullptr || b == nullptr || a->dims.size() != 2 || b->dims.size() != 2) {
      return refuse(node);
    }
    const bool turns_a = node.number("transA", 0) != 0;
    const bool turns_b = node.number("transB", 0) != 0;
    const std::int64_t m = a->dims[turns_a ? 1 : 0];
    const std::int64_t k = a->dims[turns_a ? 0 : 1];
    const std::int64_t n = b->dims[turns_b ? 0 : 1];
    if (b->weight.empty()) return batched(node, 1, m, n, k);
    linear(node, *b, k, n, m, node.inputs[0]);
    if (node.inputs.size() > 2 && !network().layers.empty()) add_bias(network().layers.back());
  }

  static void add_bias(Layer& layer) {
    layer.bias = true;
    layer.after.push_back(StreamOp::bias);
  }

  void matrix_product(const OnnxNode& node) {
    const OnnxShape* const a = shape_of(node, 0);
    const OnnxShape* const b = shape_of(node, 1);
    const auto product = shapes_.find(node.outputs.at(0));
    if (a == nullptr || b == nullptr || product == shapes_.end() || a->dims.empty()) {
      return refuse(node);
    }
    const std::int64_t k = a->dims.back();
    if (product->second.is_constant || k == 0) return;
    const std::int64_t all = product->second.elements();
    if (!b->weight.empty() && b->dims.size() == 2) {
      const std::int64_t n = b->dims[1];
      return linear(node, *b, k, n, n == 0 ? 0 : all / n, node.inputs[0]);
    }
    if (!a->weight.empty() && a->dims.size() == 2) {
      const std::int64_t m = a->dims[0];
      return linear(node, *a, k, m, m == 0 ? 0 : all / m, node.inputs[1]);
    }
    const std::int64_t m = a->dims.size() > 1 ? a->dims[a->dims.size() - 2] : 1;
    const std::int64_t n = b->dims.size() > 1 ? b->dims.back() : 1;
    if (m == 0 || n == 0) return refuse(node);
    batched(node, all / m / n, m, n, k);
  }

  /// Activations are multiplied: stated as C^T = B^T A^T, so that n counts queries.
  void batched(const OnnxNode& node, std::int64_t count, std::int64_t m, std::int64_t n,
               std::int64_t k) {
    if (!is_of_samples(node, count, "products")) return;
    for (const std::string& input : node.inputs) attends(owner_of(input));
    add(product_layer(LayerRole::attention, count / batch_, n, m, k), node);
  }

  void attends(int owner) {
    if (owner >= 0 && layer_at(owner).kind == LayerKind::linear) {
      layer_at(owner).role = LayerRole::attention;
    }
  }

  void einsum(const OnnxNode& node) {
    const OnnxShape* const a = shape_of(node, 0);
    const OnnxShape* const b = shape_of(node, 1);
    if (a == nullptr || b == nullptr) return refuse(node);
    std::string text = node.text("equation");
    std::erase(text, ' ');
    const std::size_t comma = text.find(',');
    const std::size_t arrow = text.find("->");
    if (comma != a->dims.size() || arrow == std::string::npos ||
        arrow - comma - 1 != b->dims.size()) {
      return refuse(node);
    }
    const std::string result = text.substr(arrow + 2);
    std::array<std::int64_t, 4> sizes{1, 1, 1, 1};  // count, m, n, k
    for (std::size_t at = 0; at < arrow; ++at) {
      if (at == comma) continue;
      const bool is_left = at < comma;
      const std::int64_t size = is_left ? a->dims[at] : b->dims[at - comma - 1];
      const bool in_other =
          text.substr(is_left ? comma : 0, is_left ? arrow - comma : comma).find(text[at]) !=
          std::string::npos;
      const bool in_result = result.find(text[at]) != std::string::npos;
      if (!is_left && in_other) continue;
      std::int64_t& part = sizes.at(in_other ? (in_result ? 0 : 3) : is_left ? 1 : 2);
      if (size > 0 && part > kMostOnnxElements / size) return refuse(node);
      part *= size;
    }
    if (!b->weight.empty() && sizes[0] == 1) {
      return linear(node, *b, sizes[3], sizes[2], sizes[1], node.inputs[0]);
    }
    batched(node, sizes[0], sizes[1], sizes[2], sizes[3]);
  }

  /// Attention as one operator: [batch, heads, tokens, features], or heads within the features.
  void attention(const OnnxNode& node) {
    const OnnxShape* const q = shape_of(node, 0);
    const OnnxShape* const k = shape_of(node, 1);
    const bool is_shaped = q != nullptr && k != nullptr && q->dims.size() == k->dims.size() &&
                           q->dims.size() >= 3 && q->dims.size() <= 4;
    if (!is_shaped) return refuse(node);
    const bool is_split = q->dims.size() == 4;
    const std::int64_t count = is_split ? q->dims[1] : node.number("q_num_heads", 0);
    constexpr std::int64_t kMostHeads = 1 << 20;
    if (count < 1 || count > kMostHeads) return refuse(node);
    const std::int64_t features = is_split ? q->dims[3] : q->dims[2] / count;
    const std::int64_t queries = q->dims[is_split ? 2 : 1];
    const std::int64_t keys = k->dims[is_split ? 2 : 1];
    const std::int64_t kv = node.number("kv_num_heads", is_split ? k->dims[1] : count);
    for (const bool is_scores : {true, false}) {
      const std::size_t before = network().layers.size();
      batched(node, q->dims[0] * count, queries, is_scores ? keys : features,
              is_scores ? features : keys);
      if (network().layers.size() == before) return;
      Layer& layer = network().layers.back();
      layer.causal = node.number("is_causal", 0) != 0;
      if (is_scores) layer.after.push_back(StreamOp::softmax);
      if (kv > 0 && count % kv == 0) layer.shared_by = count / kv;
    }
  }

  /// LSTM and GRU cells: the input's product for all steps, the state's for one after the other.
  void recurrent(const OnnxNode& node) {
    const OnnxShape* const data = shape_of(node, 0);
    const OnnxShape* const input = shape_of(node, 1);
    const OnnxShape* const state = shape_of(node, 2);
    const bool is_shaped = data != nullptr && input != nullptr && state != nullptr &&
                           data->dims.size() == 3 && input->dims.size() == 3 &&
                           state->dims.size() == 3;
    constexpr std::int64_t kMostDirections = 1024;
    const bool fits = is_shaped && data->dims[0] >= 1 && data->dims[1] % batch_ == 0;
    if (!fits || input->dims[0] > kMostDirections) return refuse(node);
    const auto cell = [&](std::int64_t in, std::int64_t out, std::int64_t tokens,
                          const char* part) {
      Layer layer = linear_layer("", LayerRole::body, in, out, tokens, false);
      layer.repeat = input->dims[0];
      add(std::move(layer), node);
      network().layers.back().name += part;
    };
    const std::int64_t each = data->dims[1] / batch_;
    cell(input->dims[2], input->dims[1], data->dims[0] * each, ".input");
    cell(state->dims[2], state->dims[1], each, ".state");
    if (data->dims[0] == 1) return;
    cell(state->dims[2], state->dims[1], each, ".state_again");
    network().layers.back().repeat *= data->dims[0] - 1;
    network().layers.back().tied = true;
  }

  void look_up(const OnnxNode& node) {
    const OnnxShape* const table = shape_of(node, 0);
    const OnnxShape* const rows = shape_of(node, 1);
    if (table == nullptr || rows == nullptr || table->weight.empty() || table->dims.size() != 2) {
      return;
    }
    const std::int64_t count = rows->elements();
    const std::int64_t tokens = count % batch_ == 0 ? count / batch_ : count;
    Layer layer =
        embedding_layer("", table->dims[0], table->dims[1], std::max<std::int64_t>(1, tokens));
    layer.tied = is_tied(*table);
    add(std::move(layer), node);
  }

  /// An operation on a layer's output.
  void operation(const OnnxNode& node) {
    const int owner = owner_of(node.outputs[0]);
    if (node.inputs.empty() || owner < 0) return;
    Layer& layer = layer_at(owner);
    if (const Operation* const operation = find_operation(&Operation::onnx, node.op)) {
      layer.after.push_back(operation->op);
    } else if ((node.op == "Add" || node.op == "Sum") && node.inputs.size() == 2) {
      take_sum(node, layer);
    } else if (node.op == "Mul" && joins_layers(node)) {
      layer.after.push_back(StreamOp::mul);
    }
  }

  [[nodiscard]] bool joins_layers(const OnnxNode& node) const {
    if (node.inputs.size() != 2) return false;
    const int one = owner_of(node.inputs[0]);
    const int other = owner_of(node.inputs[1]);
    return one >= 0 && other >= 0 && one != other;
  }

  /// A bias, where a vector is added right after the product; a residual, where two layers meet.
  void take_sum(const OnnxNode& node, Layer& layer) {
    for (std::size_t at = 0; at < 2; ++at) {
      const OnnxShape* const vector = shape_of(node, at);
      const bool is_bias = vector != nullptr && vector->is_constant && vector->dims.size() == 1 &&
                           vector->dims[0] == layer.out_channels && layer.after.empty() &&
                           layer.multiplies_weight() && !layer.bias;
      if (is_bias) return add_bias(layer);
    }
    if (joins_layers(node) && layer.kind != LayerKind::embedding) {
      layer.after.push_back(StreamOp::residual_add);
    }
  }

  /// Linear layers of a network with attention that are not part of it are its feed-forward ones;
  /// the last layer classifies.
  void settle_roles() {
    std::vector<Layer>& layers = network().layers;
    const bool attends_anywhere = std::ranges::any_of(
        layers, [](const Layer& layer) { return layer.kind == LayerKind::bmm; });
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

  /// What the file has beyond the layers' own: normalisations, biases added elsewhere, positions.
  void count_parameters() {
    std::set<std::string> statistics;  // of batch normalisation: no parameters
    for (const OnnxNode& node : graph_.nodes) {
      if (node.op != "BatchNormalization") continue;
      for (std::size_t at = 3; at < node.inputs.size(); ++at) statistics.insert(node.inputs[at]);
    }
    std::int64_t all = 0;
    for (const auto& [name, shape] : shapes_) {
      const bool is_own = shape.weight == name && !shape.dims.empty() && !statistics.contains(name);
      if (is_own && all < kMostOnnxElements) all += shape.elements();
    }
    network().other_parameters = std::max<std::int64_t>(0, all - network().parameters());
  }

  void describe() {
    network().batch = batch_;
    if (!options_.batch) read_.assumed.push_back(fmt::format("batch {}", batch_));
    network().optimizer = Optimizer::adam;
    std::array<std::int64_t, 4> kinds{};
    for (const Layer& layer : network().layers) {
      kinds.at(static_cast<std::size_t>(layer.kind)) += layer.repeat;
    }
    if (kinds[0] > kinds[1]) network().optimizer = Optimizer::sgd_momentum;
    read_.recognised = fmt::format(
        "ONNX graph of opset {}, {} nodes: {} convolutions, {} linear layers, {} products of "
        "activations, {} look-ups, {} parameters",
        graph_.opset, graph_.nodes.size(), kinds[0], kinds[1], kinds[2], kinds[3],
        short_count(network().parameters()));
    for (const auto& [op, node] : first_unknown_) {
      read_.left_out.push_back(fmt::format("operators {} ({})", op, node));
    }
  }

  OnnxGraph graph_;
  const ImportOptions& options_;
  Problems& problems_;
  ImportedNetwork read_;
  OnnxShapes shapes_;
  std::map<std::string, const OnnxValue*> known_;
  std::int64_t batch_ = 0;
  std::set<std::string> sequences_;
  /// Inputs that are parameters.
  std::set<std::string> weights_;
  /// The layer whose output a value is, with operations done on it.
  std::map<std::string, int> owners_;
  /// Values behind something that learns.
  std::set<std::string> gradients_;
  std::set<std::string> counted_;
  /// Operators that are not known, and a node of each.
  std::map<std::string, std::string> first_unknown_;
};

}  // namespace

ImportedNetwork read_onnx(const std::filesystem::path& path, const std::string& name,
                          const ImportOptions& options) {
  Problems problems(path.string(), "ONNX graph");
  return GraphNetwork(read_onnx_graph(path, problems), options, problems).build(name);
}

}  // namespace stcsim
