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
    take_graph(graph_);
    refuse_all();
    settle_roles(network().layers);
    count_parameters();
    number_equal_names(network().layers);
    check_layers(network(), problems_);
    describe();
    return std::move(read_);
  }

 private:
  /// Nodes of an operator.
  struct Nodes {
    std::int64_t count = 0;
    std::string first;
    bool is_known = false;
    void add(const OnnxNode& node) {
      if (count++ == 0) first = node.name.empty() ? node.outputs.front() : node.name;
    }
    [[nodiscard]] std::string to_string(const std::string& op) const {
      const std::string times = count == 1 ? "" : fmt::format("{} times, first ", count);
      return fmt::format("operator '{}' ({}at node '{}')", op, times, first);
    }
  };

  Network& network() { return read_.network; }
  Layer& layer_at(int index) { return network().layers[static_cast<std::size_t>(index)]; }

  [[nodiscard]] const OnnxShape* shape_of(const OnnxNode& node, std::size_t index) const {
    return find_shape(shapes_, node, index);
  }

  void take_graph(const OnnxGraph& graph) {
    for (const OnnxValue& value : graph.values) known_[value.name] = &value;
    for (const OnnxValue& value : graph.outputs) known_[value.name] = &value;
    for (const OnnxNode& node : graph.nodes) take(node);
  }

  void take(const OnnxNode& node) {
    if (node.outputs.empty()) return problems_.add(node.to_string() + " has no output");
    ++operators_[node.op];
    inherit(node);
    const bool is_known = node.op == "If" ? take_branch(node) : infer_shapes(node, shapes_);
    for (const std::string& output : node.outputs) take_known(node, output);
    trace_unknown(node, is_known);
    const auto product = product_of(node, shapes_, batch_);
    if (!product) return operation(node);
    if (!product->is_read) return refuse(node, product->fault);
    const bool is_new = std::ranges::find(read_.assumed, product->note) == read_.assumed.end();
    if (is_new && !product->note.empty()) read_.assumed.push_back(product->note);
    add(*product, node);
  }

  /// The branch that the condition takes; the first one where sizes do not decide it.
  bool take_branch(const OnnxNode& node) {
    const OnnxShape* const condition = shape_of(node, 0);
    const bool is_known = condition != nullptr && condition->values && !condition->values->empty();
    const bool is_taken = !is_known || condition->values->front() != 0;
    const OnnxAttribute* const branch = node.find(is_taken ? "then_branch" : "else_branch");
    if (branch == nullptr || branch->graph == nullptr) return false;
    if (!is_known) read_.assumed.push_back(node.to_string() + " takes its then_branch");
    take_initializers(*branch->graph, problems_, shapes_);
    take_graph(*branch->graph);
    const std::size_t outputs = std::min(node.outputs.size(), branch->graph->outputs.size());
    for (std::size_t at = 0; at < outputs; ++at) {
      name_also(branch->graph->outputs[at].name, node.outputs[at]);
    }
    return true;
  }

  void name_also(const std::string& from, const std::string& to) {
    if (const auto shape = shapes_.find(from); shape != shapes_.end()) {
      OnnxShape copy = shape->second;
      shapes_[to] = std::move(copy);
    }
    if (const int owner = owner_of(from); owner >= 0) owners_[to] = owner;
    if (gradients_.contains(from)) gradients_.insert(to);
    if (const auto cause = causes_.find(from); cause != causes_.end()) causes_[to] = cause->second;
  }

  /// Keeps by which operator the size of an output is not known: the first on the way to it.
  void trace_unknown(const OnnxNode& node, bool is_known) {
    const auto from = std::ranges::find_if(
        node.inputs, [&](const std::string& input) { return causes_.contains(input); });
    const bool is_first = from == node.inputs.end();
    const std::string cause = is_first ? node.op : causes_[*from];
    bool is_lost = !is_known;
    for (const std::string& output : node.outputs) {
      if (output.empty() || shapes_.contains(output)) continue;
      causes_.emplace(output, cause);
      is_lost = is_lost || is_first;
    }
    if (!is_lost) return;
    unknown_[node.op].add(node);
    unknown_[node.op].is_known = is_known;
    for (const auto& attribute : node.attributes) {  // a body
      if (attribute.second.graph == nullptr) continue;
      const bool multiplies = std::ranges::any_of(
          attribute.second.graph->nodes,
          [](const OnnxNode& one) { return product_of(one, {}, 1).has_value(); });
      if (multiplies) faulty_[node.op].add(node);
    }
  }

  /// Sizes that the exporter wrote down, where nothing here knows them.
  void take_known(const OnnxNode& node, const std::string& name) {
    const auto value = known_.find(name);
    if (shapes_.contains(name) || value == known_.end() || !value->second->has_shape) return;
    OnnxShape shape;
    for (std::size_t at = 0; at < value->second->dims.size(); ++at) {
      const auto size = size_of(value->second->dims[at], at, 4, options_);
      if (!size) return;
      shape.dims.push_back(*size);
    }
    if (!shape.is_possible()) return;
    // A weight turned or cut into rows stays one.
    const OnnxShape* const whole = node.inputs.size() == 1 ? shape_of(node, 0) : nullptr;
    shape.is_constant = whole != nullptr && whole->is_constant;
    if (shape.is_constant && whole->elements() == shape.elements()) shape.weight = whole->weight;
    shapes_[name] = std::move(shape);
  }

  /// Outputs belong to the last layer that an input belongs to.
  void inherit(const OnnxNode& node) {
    const std::size_t first = node.op == "BatchNormalization"                ? 3
                              : node.op == "Resize" || node.op == "Upsample" ? 1
                                                                             : node.inputs.size();
    for (std::size_t at = first; at < node.inputs.size(); ++at) settings_.insert(node.inputs[at]);
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

  /// Products are refused together, by the operator that hides their sizes.
  void refuse(const OnnxNode& node, const std::string& fault) {
    for (const std::string& input : node.inputs) {
      if (input.empty() || shapes_.contains(input)) continue;
      if (causes_.contains(input)) return refused_[causes_[input]].add(node);
      return problems_.add(
          fmt::format("{} is not read, as nothing makes its input '{}'", node.to_string(), input));
    }
    if (!fault.empty()) return problems_.add(node.to_string() + fault);
    faulty_[node.op].add(node);
  }

  void refuse_all() {
    for (const auto& [op, products] : refused_) {
      problems_.add(fmt::format("{} is not read{}; products behind it: {}, the first at node '{}'",
                                unknown_[op].to_string(op),
                                unknown_[op].is_known ? ", as its output has no known size" : "",
                                products.count, products.first));
    }
    for (const auto& [op, nodes] : faulty_) problems_.add(nodes.to_string(op) + " is not read");
    problems_.refuse();
    if (!network().layers.empty()) return;
    std::vector<std::string> names;
    for (const auto& [op, count] : operators_) names.push_back(fmt::format("{} ({})", op, count));
    constexpr std::size_t kMostNamed = 20;
    names.resize(std::min(names.size(), kMostNamed));
    problems_.fail(fmt::format("it has no layers; its operators are {}", fmt::join(names, ", ")));
  }

  void add(const OnnxProduct& product, const OnnxNode& node) {
    const bool is_tied = !product.weight.empty() && !counted_.insert(product.weight).second;
    const int owner = owner_of(product.data);
    const bool attended = owner >= 0 && layer_at(owner).kind == LayerKind::bmm;
    for (const Layer& one : product.layers) {
      Layer layer = one;
      layer.name = printable((node.name.empty() ? node.op : node.name) + one.name);
      layer.tied = layer.tied || is_tied;
      if (layer.kind == LayerKind::bmm) mark_attention(node);
      if (layer.multiplies_weight() && &one == &product.layers.front()) {
        layer.needs_dgrad = gradients_.contains(product.data);
      }
      if (layer.kind == LayerKind::conv && !layer.needs_dgrad) layer.role = LayerRole::stem;
      if (layer.kind == LayerKind::linear && attended) layer.role = LayerRole::attention;
      network().layers.push_back(std::move(layer));
    }
    if (product.layers.empty()) return;
    own(node);
    for (const std::string& input : node.inputs) {  // a short bias, too, is no setting
      const auto shape = shapes_.find(input);
      const bool is_bias = shape != shapes_.end() && shape->second.dims.size() == 1 &&
                           shape->second.values && shape->second.is_real;
      if (is_bias) shape->second.weight = input;
    }
  }

  /// Linear layers whose outputs meet in a product of activations.
  void mark_attention(const OnnxNode& node) {
    for (const std::string& input : node.inputs) {
      const int owner = owner_of(input);
      const bool attends = owner >= 0 && layer_at(owner).kind == LayerKind::linear;
      if (attends) layer_at(owner).role = LayerRole::attention;
    }
  }

  static void add_bias(Layer& layer) {
    layer.bias = true;
    layer.after.push_back(StreamOp::bias);
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
    std::int64_t all = 0;
    for (const auto& [name, shape] : shapes_) {
      const bool is_own = shape.weight == name && !shape.dims.empty() && !settings_.contains(name);
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
    for (const auto& [op, nodes] : unknown_) {
      if (!nodes.is_known) read_.left_out.push_back(nodes.to_string(op));
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
  /// Statistics of batch normalisations and factors of sizes, which are no parameters.
  std::set<std::string> settings_;
  std::map<std::string, std::int64_t> operators_;
  /// By operator: nodes without whose sizes others are not known, nodes that are not read
  /// themselves.
  std::map<std::string, Nodes> unknown_;
  std::map<std::string, Nodes> faulty_;
  /// The operator by which a value's size is not known, and products behind it.
  std::map<std::string, std::string> causes_;
  std::map<std::string, Nodes> refused_;
};

}  // namespace

ImportedNetwork read_onnx(const std::filesystem::path& path, const std::string& name,
                          const ImportOptions& options) {
  Problems problems(path.string(), "ONNX graph");
  return GraphNetwork(read_onnx_graph(path, problems), options, problems).build(name);
}

}  // namespace stcsim
