#include "workloads/files/onnx_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

namespace stcsim {
namespace {

using Dims = std::vector<std::int64_t>;
using Values = std::optional<Dims>;

constexpr std::size_t kMostShapeValues = 4096;

/// Operators whose output is as large as their first input.
constexpr std::string_view kSameShape =
    "Relu LeakyRelu PRelu Elu Selu Celu Clip Sigmoid HardSigmoid HardSwish Tanh Softplus "
    "Softsign Erf Gelu FastGelu BiasGelu Swish Mish Exp Log Sqrt Reciprocal Neg Abs Floor Ceil "
    "Round Sin Cos Sign Not IsNaN Softmax LogSoftmax Hardmax LayerNormalization "
    "RMSNormalization SimplifiedLayerNormalization SkipLayerNormalization "
    "SkipSimplifiedLayerNormalization InstanceNormalization GroupNormalization "
    "BatchNormalization LRN LpNormalization MeanVarianceNormalization Dropout Identity Cast "
    "CastLike Trilu CumSum QuantizeLinear DequantizeLinear RotaryEmbedding Attention "
    "MultiHeadAttention GroupQueryAttention ScatterND ScatterElements";

/// The product of sizes; nothing if it is larger than any tensor.
std::optional<std::int64_t> product_of(const Dims& dims) {
  std::int64_t product = 1;
  for (const std::int64_t size : dims) {
    if (size < 0 || (size > 0 && product > kMostOnnxElements / size)) return std::nullopt;
    product *= size;
  }
  return product;
}

bool is_possible(const Dims& dims) {
  return dims.size() <= kMostOnnxRank && product_of(dims).has_value();
}

/// Dimensions of element-wise operations; nothing if they do not go together.
std::optional<Dims> broadcast(const Dims& one, const Dims& other) {
  Dims dims(std::max(one.size(), other.size()), 1);
  for (std::size_t at = 0; at < dims.size(); ++at) {
    const std::int64_t a = at < one.size() ? one[one.size() - 1 - at] : 1;
    const std::int64_t b = at < other.size() ? other[other.size() - 1 - at] : 1;
    if (a != b && a != 1 && b != 1) return std::nullopt;
    dims[dims.size() - 1 - at] = a == 1 ? b : a;
  }
  return dims;
}

/// Rules of one node.
class Inference {
 public:
  Inference(const OnnxNode& node, OnnxShapes& shapes) : node_(node), shapes_(shapes) {}

  bool run() {
    using Rule = void (Inference::*)();
    static const std::map<std::string, Rule, std::less<>> known = rules();
    const auto rule = known.find(node_.op);
    if (rule == known.end()) return false;
    (this->*rule->second)();
    return true;
  }

 private:
  using RuleTable = std::map<std::string, void (Inference::*)(), std::less<>>;

  /// Names with blanks between them.
  static void add_rule(RuleTable& table, void (Inference::*rule)(), std::string_view names) {
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      table[std::string(names.substr(at, end - at))] = rule;
      at = end + 1;
    }
  }

  static RuleTable rules() {
    RuleTable table;
    add_rule(table, &Inference::same, kSameShape);
    add_rule(table, &Inference::elementwise,
             "Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor Equal Less Greater LessOrEqual "
             "GreaterOrEqual Where");
    add_rule(table, &Inference::matrix_product, "MatMul MatMulInteger QLinearMatMul");
    add_rule(table, &Inference::gemm, "Gemm");
    add_rule(table, &Inference::window, "Conv ConvInteger QLinearConv MaxPool AveragePool LpPool");
    add_rule(table, &Inference::global_pool, "GlobalAveragePool GlobalMaxPool GlobalLpPool");
    add_rule(table, &Inference::reduce,
             "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL2 ReduceL1 "
             "ReduceSumSquare ReduceLogSumExp ArgMax ArgMin");
    add_rule(table, &Inference::constant, "Constant");
    add_rule(table, &Inference::filled, "ConstantOfShape");
    add_rule(table, &Inference::shape, "Shape");
    add_rule(table, &Inference::reshape, "Reshape");
    add_rule(table, &Inference::transpose, "Transpose");
    add_rule(table, &Inference::flatten, "Flatten");
    add_rule(table, &Inference::unsqueeze, "Unsqueeze");
    add_rule(table, &Inference::squeeze, "Squeeze");
    add_rule(table, &Inference::concat, "Concat");
    add_rule(table, &Inference::split, "Split");
    add_rule(table, &Inference::slice, "Slice");
    add_rule(table, &Inference::gather, "Gather");
    add_rule(table, &Inference::expand, "Expand");
    add_rule(table, &Inference::pad, "Pad");
    add_rule(table, &Inference::recurrent, "LSTM GRU RNN");
    add_rule(table, &Inference::einsum, "Einsum");
    return table;
  }

  [[nodiscard]] const OnnxShape* input(std::size_t index) const {
    if (index >= node_.inputs.size()) return nullptr;
    const auto found = shapes_.find(node_.inputs[index]);
    return found == shapes_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::int64_t number(const char* name, std::int64_t fallback) const {
    const auto found = node_.attributes.find(name);
    return found == node_.attributes.end() ? fallback : found->second.number;
  }
  [[nodiscard]] Dims numbers(const char* name) const {
    const auto found = node_.attributes.find(name);
    return found == node_.attributes.end() ? Dims{} : found->second.numbers;
  }
  /// Axes as an attribute, or in newer opsets as an input.
  [[nodiscard]] Values axes(std::size_t index) const {
    if (node_.attributes.contains("axes")) return numbers("axes");
    const OnnxShape* const given = input(index);
    return given == nullptr ? Values(Dims{}) : given->values;
  }
  /// Negative axes count from the end.
  static std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size) return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
  }

  void set(std::size_t index, OnnxShape shape) {
    if (index >= node_.outputs.size() || node_.outputs[index].empty()) return;
    if (!is_possible(shape.dims)) return;
    if (shape.values && shape.values->size() > kMostShapeValues) shape.values.reset();
    shape.is_constant = true;
    for (const std::string& name : node_.inputs) {
      const auto found = shapes_.find(name);
      const bool is_fixed = name.empty() || (found != shapes_.end() && found->second.is_constant);
      shape.is_constant = shape.is_constant && is_fixed;
    }
    if (!shape.is_constant) shape.weight.clear();
    shapes_[node_.outputs[index]] = std::move(shape);
  }

  /// A view of the first input keeps what weight it is.
  void set_view(Dims dims, Values values = std::nullopt) {
    const OnnxShape* const first = input(0);
    set(0, {std::move(dims), std::move(values), first == nullptr ? "" : first->weight, false});
  }

  void same() {
    const OnnxShape* const first = input(0);
    if (first != nullptr) set_view(first->dims, first->values);
  }

  void elementwise() {
    std::optional<Dims> dims = Dims{};
    for (std::size_t at = 0; at < node_.inputs.size(); ++at) {
      const OnnxShape* const one = input(at);
      if (one == nullptr) return;
      dims = broadcast(*dims, one->dims);
      if (!dims) return;
    }
    set(0, {*dims, computed_values(*dims), "", false});
  }

  /// Arithmetic on shapes.
  [[nodiscard]] Values computed_values(const Dims& dims) const {
    if (node_.inputs.size() != 2) return std::nullopt;
    const Values& one = input(0)->values;
    const Values& other = input(1)->values;
    const std::optional<std::int64_t> count = product_of(dims);
    if (!one || !other || one->empty() || other->empty() || !count ||
        *count > static_cast<std::int64_t>(kMostShapeValues)) {
      return std::nullopt;
    }
    Dims values;
    for (std::int64_t at = 0; at < *count; ++at) {
      const std::int64_t a = (*one)[static_cast<std::size_t>(at) % one->size()];
      const std::int64_t b = (*other)[static_cast<std::size_t>(at) % other->size()];
      constexpr std::int64_t kMost = std::int64_t{1} << 31;
      if (std::max(std::abs(a), std::abs(b)) > kMost || (node_.op == "Div" && b == 0)) {
        return std::nullopt;
      }
      if (node_.op == "Add") values.push_back(a + b);
      if (node_.op == "Sub") values.push_back(a - b);
      if (node_.op == "Mul") values.push_back(a * b);
      if (node_.op == "Div") values.push_back(a / b);
    }
    return values.empty() ? std::nullopt : Values(values);
  }

  void matrix_product() {
    const std::size_t second = node_.op == "QLinearMatMul" ? 3 : 1;
    const OnnxShape* const a = input(0);
    const OnnxShape* const b = input(second);
    if (a == nullptr || b == nullptr || a->dims.empty() || b->dims.empty()) return;
    Dims left = a->dims;
    Dims right = b->dims;
    if (left.size() == 1) left.insert(left.begin(), 1);
    if (right.size() == 1) right.push_back(1);
    if (left.back() != right[right.size() - 2]) return;
    std::optional<Dims> dims =
        broadcast(Dims(left.begin(), left.end() - 2), Dims(right.begin(), right.end() - 2));
    if (!dims) return;
    if (a->dims.size() > 1) dims->push_back(left[left.size() - 2]);
    if (b->dims.size() > 1) dims->push_back(right.back());
    set(0, {*dims, std::nullopt, "", false});
  }

  void gemm() {
    const OnnxShape* const a = input(0);
    const OnnxShape* const b = input(1);
    if (a == nullptr || b == nullptr || a->dims.size() != 2 || b->dims.size() != 2) return;
    set(0, {{a->dims[number("transA", 0) != 0 ? 1 : 0], b->dims[number("transB", 0) != 0 ? 0 : 1]},
            std::nullopt,
            "",
            false});
  }

  /// Pixels of a window's output.
  [[nodiscard]] std::optional<std::int64_t> pixels(std::int64_t in, std::int64_t kernel,
                                                   std::size_t axis, std::size_t axes) const {
    const auto at = [&](const char* name, std::size_t index, std::int64_t fallback) {
      const Dims list = numbers(name);
      return index < list.size() ? list[index] : fallback;
    };
    const std::int64_t stride = at("strides", axis, 1);
    const std::int64_t dilation = at("dilations", axis, 1);
    if (stride < 1 || dilation < 1 || kernel < 1 || dilation > kMostOnnxElements / kernel) {
      return std::nullopt;
    }
    const auto found = node_.attributes.find("auto_pad");
    const std::string pad = found == node_.attributes.end() ? "" : found->second.text;
    if (pad == "SAME_UPPER" || pad == "SAME_LOWER") return (in + stride - 1) / stride;
    const std::int64_t begin = at("pads", axis, 0);
    const std::int64_t end = at("pads", axis + axes, 0);
    if (std::min(begin, end) < 0 || std::max(begin, end) > kMostOnnxElements) return std::nullopt;
    const std::int64_t span = in + begin + end - (dilation * (kernel - 1) + 1);
    if (span < 0) return std::nullopt;
    const bool ceils = number("ceil_mode", 0) != 0;
    return (span + (ceils ? stride - 1 : 0)) / stride + 1;
  }

  void window() {
    const bool pools = node_.op.ends_with("Pool");
    const OnnxShape* const data = input(0);
    const OnnxShape* const weight = pools ? nullptr : input(node_.op == "QLinearConv" ? 3 : 1);
    if (data == nullptr || data->dims.size() < 3 || (!pools && weight == nullptr)) return;
    const std::size_t axes = data->dims.size() - 2;
    Dims kernel = numbers("kernel_shape");
    if (weight != nullptr && weight->dims.size() == axes + 2) {
      kernel.assign(weight->dims.begin() + 2, weight->dims.end());
    }
    if (kernel.size() != axes) return;
    Dims dims{data->dims[0], weight != nullptr ? weight->dims[0] : data->dims[1]};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto size = pixels(data->dims[axis + 2], kernel[axis], axis, axes);
      if (!size) return;
      dims.push_back(*size);
    }
    set(0, {dims, std::nullopt, "", false});
  }

  void global_pool() {
    const OnnxShape* const data = input(0);
    if (data == nullptr || data->dims.size() < 2) return;
    Dims dims = data->dims;
    std::fill(dims.begin() + 2, dims.end(), 1);
    set(0, {dims, std::nullopt, "", false});
  }

  void reduce() {
    const OnnxShape* const data = input(0);
    const bool is_arg = node_.op.starts_with("Arg");
    const Values given = is_arg ? Values(Dims{number("axis", 0)}) : axes(1);
    if (data == nullptr || !given) return;
    std::vector<bool> gone(data->dims.size(), given->empty());
    for (const std::int64_t axis : *given) {
      if (const auto at = axis_of(axis, gone.size())) gone[*at] = true;
    }
    Dims dims;
    for (std::size_t at = 0; at < gone.size(); ++at) {
      if (!gone[at]) dims.push_back(data->dims[at]);
      if (gone[at] && number("keepdims", 1) != 0) dims.push_back(1);
    }
    set(0, {dims, std::nullopt, "", false});
  }

  void constant() {
    const auto tensor = node_.attributes.find("value");
    if (tensor != node_.attributes.end() && tensor->second.tensor) {
      const OnnxTensor& value = *tensor->second.tensor;
      const bool is_weight = value.is_float && value.dims.size() > 1;
      set(0, {value.dims, value.values, is_weight ? node_.outputs.front() : "", false});
    } else if (node_.attributes.contains("value_ints")) {
      const Dims values = numbers("value_ints");
      set(0, {{static_cast<std::int64_t>(values.size())}, values, "", false});
    } else if (node_.attributes.contains("value_int")) {
      set(0, {{}, Dims{number("value_int", 0)}, "", false});
    } else {
      set(0, {{}, std::nullopt, "", false});
    }
  }

  /// Files without weights fill them in at run time.
  void filled() {
    const OnnxShape* const wanted = input(0);
    if (wanted == nullptr || !wanted->values) return;
    const auto value = node_.attributes.find("value");
    const bool is_float =
        value == node_.attributes.end() || !value->second.tensor || value->second.tensor->is_float;
    set(0, {*wanted->values, std::nullopt, is_float ? node_.outputs.front() : "", false});
  }

  void shape() {
    const OnnxShape* const data = input(0);
    if (data == nullptr) return;
    const auto rank = static_cast<std::int64_t>(data->dims.size());
    const auto clamp = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t begin = clamp(number("start", 0));
    const std::int64_t end = std::max(begin, clamp(number("end", rank)));
    const Dims values(data->dims.begin() + begin, data->dims.begin() + end);
    set(0, {{end - begin}, values, "", false});
    if (!node_.outputs.empty() && shapes_.contains(node_.outputs[0])) {
      shapes_[node_.outputs[0]].is_constant = true;
    }
  }

  void reshape() {
    const OnnxShape* const data = input(0);
    Values wanted = input(1) != nullptr ? input(1)->values : Values{};
    if (node_.attributes.contains("shape")) wanted = numbers("shape");
    if (data == nullptr || !wanted) return;
    const std::optional<std::int64_t> all = product_of(data->dims);
    std::int64_t known = 1;
    std::optional<std::size_t> rest;
    for (std::size_t at = 0; at < wanted->size(); ++at) {
      std::int64_t& size = (*wanted)[at];
      if (size == 0 && number("allowzero", 0) == 0 && at < data->dims.size()) size = data->dims[at];
      if (size == -1) rest = at;
      if (size > 0 && known > kMostOnnxElements / size) return;
      if (size != -1) known *= size;
    }
    if (!all || (rest && (known == 0 || *all % known != 0))) return;
    if (rest) (*wanted)[*rest] = *all / known;
    if (product_of(*wanted) == all) set_view(*wanted, data->values);
  }

  void transpose() {
    const OnnxShape* const data = input(0);
    if (data == nullptr) return;
    Dims order = numbers("perm");
    if (order.empty()) {
      order.resize(data->dims.size());
      std::iota(order.rbegin(), order.rend(), 0);
    }
    if (order.size() != data->dims.size()) return;
    Dims dims;
    for (const std::int64_t axis : order) {
      const auto at = axis_of(axis, order.size());
      if (!at) return;
      dims.push_back(data->dims[*at]);
    }
    set_view(dims);
  }

  void flatten() {
    const OnnxShape* const data = input(0);
    if (data == nullptr) return;
    const auto rank = static_cast<std::int64_t>(data->dims.size());
    std::int64_t axis = number("axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank) return;
    const auto before = product_of(Dims(data->dims.begin(), data->dims.begin() + axis));
    const auto behind = product_of(Dims(data->dims.begin() + axis, data->dims.end()));
    if (before && behind) set_view({*before, *behind});
  }

  void unsqueeze() {
    const OnnxShape* const data = input(0);
    Values given = axes(1);
    if (data == nullptr || !given) return;
    const std::size_t rank = data->dims.size() + given->size();
    if (rank > kMostOnnxRank) return;
    for (std::int64_t& axis : *given) {
      if (axis < 0) axis += static_cast<std::int64_t>(rank);
    }
    std::ranges::sort(*given);
    Dims dims = data->dims;
    for (const std::int64_t axis : *given) {
      if (axis < 0 || axis > static_cast<std::int64_t>(dims.size())) return;
      dims.insert(dims.begin() + axis, 1);
    }
    set_view(dims, data->values);
  }

  void squeeze() {
    const OnnxShape* const data = input(0);
    const Values given = axes(1);
    if (data == nullptr || !given) return;
    std::vector<bool> gone(data->dims.size(), false);
    for (std::size_t at = 0; given->empty() && at < gone.size(); ++at) {
      gone[at] = data->dims[at] == 1;
    }
    for (const std::int64_t axis : *given) {
      if (const auto at = axis_of(axis, gone.size())) gone[*at] = true;
    }
    Dims dims;
    for (std::size_t at = 0; at < gone.size(); ++at) {
      if (!gone[at]) dims.push_back(data->dims[at]);
    }
    set_view(dims, data->values);
  }

  void concat() {
    const OnnxShape* const first = input(0);
    if (first == nullptr) return;
    const auto axis = axis_of(number("axis", 0), first->dims.size());
    if (!axis) return;
    Dims dims = first->dims;
    Values values = Dims{};
    dims[*axis] = 0;
    for (std::size_t at = 0; at < node_.inputs.size(); ++at) {
      const OnnxShape* const one = input(at);
      if (one == nullptr || one->dims.size() != dims.size()) return;
      dims[*axis] += one->dims[*axis];
      if (dims[*axis] > kMostOnnxElements) return;
      if (!one->values || dims.size() != 1) values.reset();
      if (values) values->insert(values->end(), one->values->begin(), one->values->end());
    }
    set(0, {dims, values, "", false});
  }

  void split() {
    const OnnxShape* const data = input(0);
    if (data == nullptr) return;
    const auto axis = axis_of(number("axis", 0), data->dims.size());
    if (!axis || node_.outputs.empty()) return;
    Dims parts = numbers("split");
    if (parts.empty() && input(1) != nullptr && input(1)->values) parts = *input(1)->values;
    const auto count = static_cast<std::int64_t>(node_.outputs.size());
    const std::int64_t part = (data->dims[*axis] + count - 1) / count;
    const OnnxShape whole = *data;
    for (std::size_t at = 0; at < node_.outputs.size(); ++at) {
      Dims dims = whole.dims;
      const std::int64_t rest = dims[*axis] - part * static_cast<std::int64_t>(at);
      dims[*axis] = at < parts.size() ? parts[at] : std::clamp<std::int64_t>(rest, 0, part);
      set(at, {dims, std::nullopt, whole.weight, false});
    }
  }

  void slice() {
    const OnnxShape* const data = input(0);
    if (data == nullptr) return;
    const auto given = [&](const char* name, std::size_t index) -> Values {
      if (node_.attributes.contains(name)) return numbers(name);
      return input(index) != nullptr ? input(index)->values : Values{};
    };
    const Values starts = given("starts", 1);
    const Values ends = given("ends", 2);
    Values where = given("axes", 3);
    const Values steps = given("steps", 4);
    if (!starts || !ends || starts->size() != ends->size()) return;
    if (!where) {
      where = Dims(starts->size());
      std::iota(where->begin(), where->end(), 0);
    }
    Dims dims = data->dims;
    Values values = data->values;
    for (std::size_t at = 0; at < starts->size() && at < where->size(); ++at) {
      const auto axis = axis_of((*where)[at], dims.size());
      const std::int64_t step = steps && at < steps->size() ? (*steps)[at] : 1;
      if (!axis || step == 0) return;
      const std::int64_t size = dims[*axis];
      const auto clamp = [&](std::int64_t place) {
        return std::clamp<std::int64_t>(place < 0 ? place + size : place, 0, size);
      };
      const std::int64_t begin = clamp((*starts)[at]);
      const std::int64_t end = clamp((*ends)[at]);
      dims[*axis] =
          step < 0 ? size
                   : std::max<std::int64_t>(0, (end - begin + std::min(step, size + 1) - 1) / step);
      const bool is_list = dims.size() == 1 && values && step == 1 && begin <= end &&
                           end <= static_cast<std::int64_t>(values->size());
      values = is_list ? Values(Dims(values->begin() + begin, values->begin() + end)) : Values{};
    }
    set(0, {dims, values, data->weight, false});
  }

  void gather() {
    const OnnxShape* const data = input(0);
    const OnnxShape* const rows = input(1);
    if (data == nullptr || rows == nullptr) return;
    const auto axis = axis_of(number("axis", 0), data->dims.size());
    if (!axis) return;
    const auto at = static_cast<std::ptrdiff_t>(*axis);
    Dims dims(data->dims.begin(), data->dims.begin() + at);
    dims.insert(dims.end(), rows->dims.begin(), rows->dims.end());
    dims.insert(dims.end(), data->dims.begin() + at + 1, data->dims.end());
    Values values;
    if (data->values && data->dims.size() == 1 && rows->values) {
      values = Dims{};
      for (const std::int64_t row : *rows->values) {
        const auto place = axis_of(row, data->values->size());
        if (!place) return;
        values->push_back((*data->values)[*place]);
      }
    }
    set(0, {dims, values, "", false});
  }

  void expand() {
    const OnnxShape* const data = input(0);
    const OnnxShape* const wanted = input(1);
    if (data == nullptr || wanted == nullptr || !wanted->values) return;
    if (const auto dims = broadcast(data->dims, *wanted->values)) {
      set(0, {*dims, std::nullopt, "", false});
    }
  }

  void pad() {
    const OnnxShape* const data = input(0);
    Values pads = input(1) != nullptr ? input(1)->values : Values{};
    if (node_.attributes.contains("pads")) pads = numbers("pads");
    if (data == nullptr || !pads || pads->size() != 2 * data->dims.size()) return;
    Dims dims = data->dims;
    for (std::size_t at = 0; at < dims.size(); ++at) {
      const std::int64_t more = (*pads)[at];
      const std::int64_t behind = (*pads)[at + dims.size()];
      if (std::max(std::abs(more), std::abs(behind)) > kMostOnnxElements) return;
      dims[at] += more + behind;
    }
    set(0, {dims, std::nullopt, "", false});
  }

  void recurrent() {
    const OnnxShape* const data = input(0);
    const OnnxShape* const weight = input(2);
    if (data == nullptr || weight == nullptr) return;
    if (data->dims.size() != 3 || weight->dims.size() != 3) return;
    set(0, {{data->dims[0], weight->dims[0], data->dims[1], weight->dims[2]}, {}, "", false});
  }

  void einsum() {
    const auto found = node_.attributes.find("equation");
    if (found == node_.attributes.end()) return;
    std::map<char, std::int64_t> sizes;
    std::size_t operand = 0;
    std::size_t place = 0;
    Dims dims;
    bool is_output = false;
    for (const char letter : found->second.text) {
      if (letter == ',') ++operand, place = 0;
      if (letter == '>') is_output = true;
      if (std::isalpha(static_cast<unsigned char>(letter)) == 0) continue;
      const OnnxShape* const one = input(operand);
      if (is_output) {
        dims.push_back(sizes.contains(letter) ? sizes[letter] : 0);
      } else if (one == nullptr || place >= one->dims.size()) {
        return;
      } else {
        sizes[letter] = one->dims[place++];
      }
    }
    if (is_output) set(0, {dims, {}, "", false});
  }

  const OnnxNode& node_;
  OnnxShapes& shapes_;
};

}  // namespace

std::int64_t OnnxShape::elements() const {
  return product_of(dims).value_or(kMostOnnxElements);
}

bool infer_shapes(const OnnxNode& node, OnnxShapes& shapes) {
  return Inference(node, shapes).run();
}

}  // namespace stcsim
