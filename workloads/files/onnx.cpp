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

/// Builds the network of a graph, node by node.
class GraphNetwork {
 public:
  GraphNetwork(OnnxGraph graph, const ImportOptions& options, Problems& problems)
      : graph_(std::move(graph)), options_(options), problems_(problems) {}

  ImportedNetwork build(const std::string& name) {
    network().name = name;
    network().description = fmt::format("ONNX graph, opset {}", graph_.opset);
    batch_ = read_inputs(graph_, options_, problems_, shapes_);
    problems_.refuse();
    for (const OnnxValue& value : graph_.values) known_[value.name] = &value;
    for (const OnnxNode& node : graph_.nodes) take(node);
    settle_roles(network().layers);
    count_parameters();
    number_equal_names(network().layers);
    check_layers(network(), problems_);
    describe();
    return std::move(read_);
  }

 private:
  Network& network() { return read_.network; }
  Layer& layer_at(int index) { return network().layers[static_cast<std::size_t>(index)]; }
  void leave_out(const OnnxNode& node) { read_.left_out.push_back(node.to_string()); }

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
    (this->*(reader == readers.end() ? &GraphNetwork::operation : reader->second))(node);
    if (network().layers.size() > before) own(node);
  }

  /// Sizes that the exporter wrote down, where nothing here knows them.
  void take_known(const std::string& name) {
    const auto value = known_.find(name);
    if (shapes_.contains(name) || value == known_.end() || !value->second->has_shape) return;
    OnnxShape shape;
    for (std::size_t at = 0; at < value->second->dims.size(); ++at) {
      const auto size = size_of(value->second->dims[at], at, 4, options_);
      if (!size) return;
      shape.dims.push_back(*size);
    }
    if (shape.is_possible()) shapes_[name] = std::move(shape);
  }

  /// Outputs belong to the last layer that an input belongs to.
  void inherit(const OnnxNode& node) {
    int owner = -1;
    // Scale and shift learn; so what comes before them is wanted of a gradient.
    bool has_gradient = node.op.ends_with("Normalization");
    for (const std::string& input : node.inputs) {
      owner = std::max(owner, owner_of(input));
      has_gradient = has_gradient || gradients_.contains(input);
    }
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
      for (const auto& unknown : first_unknown_) nodes.push_back(unknown.second);
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
    for (const std::string& input : node.inputs) {
      const int owner = owner_of(input);
      const bool attends = owner >= 0 && layer_at(owner).kind == LayerKind::linear;
      if (attends) layer_at(owner).role = LayerRole::attention;
    }
    add(product_layer(LayerRole::attention, count / batch_, n, m, k), node);
  }

  void einsum(const OnnxNode& node) {
    const OnnxShape* const a = shape_of(node, 0);
    const OnnxShape* const b = shape_of(node, 1);
    if (a == nullptr || b == nullptr) return refuse(node);
    const auto sizes = einsum_sizes(node.text("equation"), a->dims, b->dims);
    if (!sizes) return refuse(node);
    const auto [count, m, n, k] = *sizes;
    if (!b->weight.empty() && count == 1) return linear(node, *b, k, n, m, node.inputs[0]);
    batched(node, count, m, n, k);
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
    const auto [least, most] = std::minmax({owner_of(node.inputs[0]), owner_of(node.inputs[1])});
    return least >= 0 && least < most;
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
    std::array<std::int64_t, 4> kinds{};
    for (const Layer& layer : network().layers) {
      kinds.at(static_cast<std::size_t>(layer.kind)) += layer.repeat;
    }
    network().optimizer = kinds[0] > kinds[1] ? Optimizer::sgd_momentum : Optimizer::adam;
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
