#include "workloads/files/onnx_shapes.hpp"

#include <algorithm>
#include <cctype>
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
    "Softsign Erf Gelu Swish Mish Exp Log Sqrt Reciprocal Neg Abs Floor Ceil Round Sin Cos Sign "
    "Not IsNaN Softmax LogSoftmax Hardmax LayerNormalization RMSNormalization "
    "InstanceNormalization GroupNormalization BatchNormalization LRN LpNormalization "
    "MeanVarianceNormalization Dropout Identity Cast CastLike Trilu CumSum QuantizeLinear "
    "DequantizeLinear RotaryEmbedding Attention ScatterND ScatterElements";

constexpr std::string_view kElementwise =
    "Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor Equal Less Greater LessOrEqual "
    "GreaterOrEqual Where";

constexpr std::string_view kReductions =
    "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL2 ReduceL1 ReduceSumSquare "
    "ReduceLogSumExp ArgMax ArgMin";

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
Values broadcast(const Dims& one, const Dims& other) {
  Dims dims(std::max(one.size(), other.size()), 1);
  for (std::size_t at = 0; at < dims.size(); ++at) {
    const std::int64_t a = at < one.size() ? one[one.size() - 1 - at] : 1;
    const std::int64_t b = at < other.size() ? other[other.size() - 1 - at] : 1;
    if (a != b && a != 1 && b != 1) return std::nullopt;
    dims[dims.size() - 1 - at] = a == 1 ? b : a;
  }
  return dims;
}

/// Negative axes count from the end.
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

/// Rules of one node.
class Inference {
 public:
  Inference(const OnnxNode& node, OnnxShapes& shapes) : node_(node), shapes_(shapes) {}

  bool run() {
    static const std::map<std::string_view, Rule> known = rules();
    const auto rule = known.find(node_.op);
    if (rule == known.end()) return false;
    for (std::size_t at = 0; at < rule->second.inputs; ++at) {
      if (input(at) == nullptr) return true;
    }
    (this->*rule->second.apply)();
    return true;
  }

 private:
  /// What an operator does with the sizes of its first inputs, so many of which must be known.
  struct Rule {
    void (Inference::*apply)();
    std::size_t inputs;
  };

  static std::map<std::string_view, Rule> rules() {
    std::map<std::string_view, Rule> table;
    const auto add = [&](void (Inference::*apply)(), std::size_t inputs, std::string_view names) {
      for (const std::string_view name : words_in(names)) table[name] = {apply, inputs};
    };
    add(&Inference::same, 1, kSameShape);
    add(&Inference::elementwise, 0, kElementwise);
    add(&Inference::matrix_product, 2, "MatMul");
    add(&Inference::gemm, 2, "Gemm");
    add(&Inference::window, 1, "Conv MaxPool AveragePool LpPool");
    add(&Inference::global_pool, 1, "GlobalAveragePool GlobalMaxPool GlobalLpPool");
    add(&Inference::reduce, 1, kReductions);
    add(&Inference::constant, 0, "Constant");
    add(&Inference::filled, 1, "ConstantOfShape");
    add(&Inference::shape, 1, "Shape");
    add(&Inference::reshape, 1, "Reshape");
    add(&Inference::transpose, 1, "Transpose");
    add(&Inference::flatten, 1, "Flatten");
    add(&Inference::unsqueeze, 1, "Unsqueeze");
    add(&Inference::squeeze, 1, "Squeeze");
    add(&Inference::concat, 1, "Concat");
    add(&Inference::split, 1, "Split");
    add(&Inference::slice, 1, "Slice");
    add(&Inference::gather, 2, "Gather");
    add(&Inference::expand, 2, "Expand");
    add(&Inference::pad, 1, "Pad");
    add(&Inference::recurrent, 3, "LSTM GRU");
    add(&Inference::einsum, 0, "Einsum");
    return table;
  }

  [[nodiscard]] const OnnxShape* input(std::size_t index) const {
    return find_shape(shapes_, node_, index);
  }
  [[nodiscard]] const Dims& dims_of(std::size_t index) const { return input(index)->dims; }
  [[nodiscard]] std::size_t rank() const { return dims_of(0).size(); }
  [[nodiscard]] std::optional<std::size_t> axis() const {
    return axis_of(node_.number("axis", 0), rank());
  }
  /// Numbers of an attribute, or in newer opsets of an input.
  [[nodiscard]] Values given(const char* name, std::size_t index) const {
    if (node_.attributes.contains(name)) return node_.numbers(name);
    return input(index) == nullptr ? std::nullopt : input(index)->values;
  }
  [[nodiscard]] Values axes() const {
    const Values values = given("axes", 1);
    return values || input(1) != nullptr ? values : Values(Dims{});
  }

  OnnxShape* set(Dims dims, Values values = {}, std::string weight = "", std::size_t index = 0) {
    if (index >= node_.outputs.size() || node_.outputs[index].empty()) return nullptr;
    if (!is_possible(dims)) return nullptr;
    if (values && values->size() > kMostShapeValues) values.reset();
    const bool is_constant = std::ranges::all_of(node_.inputs, [&](const std::string& name) {
      const auto found = shapes_.find(name);
      return name.empty() || (found != shapes_.end() && found->second.is_constant);
    });
    if (!is_constant) weight.clear();
    OnnxShape& shape = shapes_[node_.outputs[index]];
    shape = {std::move(dims), std::move(values), std::move(weight), is_constant};
    return &shape;
  }

  /// A view of the first input keeps what weight it is.
  void set_view(Dims dims, Values values = {}) {
    set(std::move(dims), std::move(values), input(0)->weight);
  }

  void same() { set_view(dims_of(0), input(0)->values); }

  void elementwise() {
    Values dims = Dims{};
    for (std::size_t at = 0; dims && at < node_.inputs.size(); ++at) {
      if (input(at) == nullptr) return;
      dims = broadcast(*dims, dims_of(at));
    }
    if (dims) set(*dims, computed_values(*dims));
  }

  /// One element of arithmetic on shapes, of one element of each input.
  [[nodiscard]] std::optional<std::int64_t> computed(const Dims& of) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    const auto is_far = [](std::int64_t one) { return one < -kMost || one > kMost; };
    if (std::ranges::any_of(of, is_far)) return {};
    const bool divides = node_.op == "Div" || node_.op == "Mod";
    if (of.size() == 3 && node_.op == "Where") return of[0] != 0 ? of[1] : of[2];
    if (of.size() != 2 || (divides && of[1] == 0)) return {};
    if (node_.op == "Add") return of[0] + of[1];
    if (node_.op == "Sub") return of[0] - of[1];
    if (node_.op == "Mul") return of[0] * of[1];
    if (node_.op == "Div") return of[0] / of[1];
    if (node_.op == "Mod") return of[0] % of[1];
    if (node_.op == "Equal") return of[0] == of[1] ? 1 : 0;
    return {};
  }

  [[nodiscard]] Values computed_values(const Dims& dims) const {
    const std::optional<std::int64_t> count = product_of(dims);
    if (!count || *count > static_cast<std::int64_t>(kMostShapeValues)) return std::nullopt;
    Dims values;
    for (std::size_t at = 0; at < static_cast<std::size_t>(*count); ++at) {
      Dims of;
      for (std::size_t place = 0; place < node_.inputs.size(); ++place) {
        const Values& given_values = input(place)->values;
        if (!given_values || given_values->empty()) return std::nullopt;
        of.push_back((*given_values)[at % given_values->size()]);
      }
      const std::optional<std::int64_t> value = computed(of);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values.empty() ? std::nullopt : Values(values);
  }

  void matrix_product() {
    Dims left = dims_of(0);
    Dims right = dims_of(1);
    if (left.empty() || right.empty()) return;
    const bool has_rows = left.size() > 1;
    const bool has_columns = right.size() > 1;
    if (!has_rows) left.insert(left.begin(), 1);
    if (!has_columns) right.push_back(1);
    if (left.back() != right[right.size() - 2]) return;
    Values dims = broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
    if (!dims) return;
    if (has_rows) dims->push_back(left[left.size() - 2]);
    if (has_columns) dims->push_back(right.back());
    set(*dims);
  }

  void gemm() {
    if (rank() != 2 || dims_of(1).size() != 2) return;
    set({dims_of(0)[node_.number("transA", 0) != 0 ? 1 : 0],
         dims_of(1)[node_.number("transB", 0) != 0 ? 0 : 1]});
  }

  /// Pixels of a window's output.
  [[nodiscard]] std::optional<std::int64_t> pixels(std::int64_t in, std::int64_t kernel,
                                                   std::size_t axis, std::size_t axes) const {
    const auto at = [&](const char* name, std::size_t index, std::int64_t fallback) {
      const Dims list = node_.numbers(name);
      return index < list.size() ? list[index] : fallback;
    };
    const std::int64_t stride = at("strides", axis, 1);
    const std::int64_t dilation = at("dilations", axis, 1);
    if (stride < 1 || dilation < 1 || kernel < 1 || dilation > kMostOnnxElements / kernel) {
      return std::nullopt;
    }
    if (node_.text("auto_pad").starts_with("SAME_")) return (in + stride - 1) / stride;
    const std::int64_t begin = at("pads", axis, 0);
    const std::int64_t end = at("pads", axis + axes, 0);
    if (std::min(begin, end) < 0 || std::max(begin, end) > kMostOnnxElements) return std::nullopt;
    const std::int64_t span = in + begin + end - (dilation * (kernel - 1) + 1);
    if (span < 0) return std::nullopt;
    return (span + (node_.number("ceil_mode", 0) != 0 ? stride - 1 : 0)) / stride + 1;
  }

  void window() {
    const bool pools = node_.op.ends_with("Pool");
    const OnnxShape* const weight = pools ? nullptr : input(1);
    if (rank() < 3 || (!pools && weight == nullptr)) return;
    const std::size_t axes = rank() - 2;
    Dims kernel = node_.numbers("kernel_shape");
    if (weight != nullptr && weight->dims.size() == axes + 2) {
      kernel.assign(weight->dims.begin() + 2, weight->dims.end());
    }
    if (kernel.size() != axes) return;
    Dims dims{dims_of(0)[0], weight != nullptr ? weight->dims[0] : dims_of(0)[1]};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto size = pixels(dims_of(0)[axis + 2], kernel[axis], axis, axes);
      if (!size) return;
      dims.push_back(*size);
    }
    set(dims);
  }

  void global_pool() {
    Dims dims = dims_of(0);
    if (dims.size() < 2) return;
    std::fill(dims.begin() + 2, dims.end(), 1);
    set(dims);
  }

  /// The first input's dimensions without those that are gone, or with 1 for them.
  [[nodiscard]] Dims without(std::vector<bool> gone, const Dims& given, bool keeps) const {
    for (const std::int64_t axis : given) {
      if (const auto at = axis_of(axis, gone.size())) gone[*at] = true;
    }
    Dims dims;
    for (std::size_t at = 0; at < gone.size(); ++at) {
      if (!gone[at]) dims.push_back(dims_of(0)[at]);
      if (gone[at] && keeps) dims.push_back(1);
    }
    return dims;
  }

  void reduce() {
    const Values given = node_.op.starts_with("Arg") ? Dims{node_.number("axis", 0)} : axes();
    if (!given) return;
    set(without(std::vector<bool>(rank(), given->empty()), *given,
                node_.number("keepdims", 1) != 0));
  }

  void squeeze() {
    const Values given = axes();
    if (!given) return;
    std::vector<bool> gone;
    for (const std::int64_t size : dims_of(0)) gone.push_back(given->empty() && size == 1);
    set_view(without(gone, *given, false), input(0)->values);
  }

  void constant() {
    const OnnxAttribute* const value = node_.find("value");
    if (value != nullptr && value->tensor) {
      const OnnxTensor& tensor = *value->tensor;
      const bool is_weight = tensor.is_float && tensor.dims.size() > 1;
      set(tensor.dims, tensor.values, is_weight ? node_.outputs.front() : "");
    } else if (node_.attributes.contains("value_ints")) {
      const Dims values = node_.numbers("value_ints");
      set({static_cast<std::int64_t>(values.size())}, values);
    } else {
      const bool is_number = node_.attributes.contains("value_int");
      set({}, is_number ? Values(Dims{node_.number("value_int", 0)}) : std::nullopt);
    }
  }

  /// Files without weights fill them in at run time.
  void filled() {
    if (!input(0)->values) return;
    const OnnxAttribute* const value = node_.find("value");
    const bool is_float = value == nullptr || !value->tensor || value->tensor->is_float;
    const Dims dims = *input(0)->values;
    Values values;
    const auto count = product_of(dims);
    const bool is_list = !is_float && value->tensor->values && value->tensor->values->size() == 1 &&
                         count && *count <= static_cast<std::int64_t>(kMostShapeValues);
    if (is_list) values = Dims(static_cast<std::size_t>(*count), value->tensor->values->front());
    set(dims, values, is_float ? node_.outputs.front() : "");
  }

  void shape() {
    const auto size = static_cast<std::int64_t>(rank());
    const auto clamp = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const std::int64_t begin = clamp(node_.number("start", 0));
    const std::int64_t end = std::max(begin, clamp(node_.number("end", size)));
    const Dims values(dims_of(0).begin() + begin, dims_of(0).begin() + end);
    if (OnnxShape* const result = set({end - begin}, values)) result->is_constant = true;
  }

  void reshape() {
    Values wanted = given("shape", 1);
    const std::optional<std::int64_t> all = product_of(dims_of(0));
    if (!wanted || !all) return;
    std::int64_t known = 1;
    std::optional<std::size_t> rest;
    for (std::size_t at = 0; at < wanted->size(); ++at) {
      std::int64_t& size = (*wanted)[at];
      if (size == 0 && node_.number("allowzero", 0) == 0 && at < rank()) size = dims_of(0)[at];
      if (size == -1) rest = at;
      if (size > 0 && known > kMostOnnxElements / size) return;
      if (size != -1) known *= size;
    }
    if (rest && (known == 0 || *all % known != 0)) return;
    if (rest) (*wanted)[*rest] = *all / known;
    if (product_of(*wanted) == all) set_view(*wanted, input(0)->values);
  }

  void transpose() {
    Dims order = node_.numbers("perm");
    if (order.empty()) {
      order.resize(rank());
      std::iota(order.rbegin(), order.rend(), 0);
    }
    if (order.size() != rank()) return;
    Dims dims;
    for (const std::int64_t axis : order) {
      const auto at = axis_of(axis, rank());
      if (!at) return;
      dims.push_back(dims_of(0)[*at]);
    }
    set_view(dims);
  }

  void flatten() {
    const Dims& dims = dims_of(0);
    const auto size = static_cast<std::int64_t>(rank());
    std::int64_t axis = node_.number("axis", 1);
    if (axis < 0) axis += size;
    if (axis < 0 || axis > size) return;
    const auto before = product_of({dims.begin(), dims.begin() + axis});
    const auto behind = product_of({dims.begin() + axis, dims.end()});
    if (before && behind) set_view({*before, *behind});
  }

  void unsqueeze() {
    Values given = axes();
    if (!given || rank() + given->size() > kMostOnnxRank) return;
    Dims dims = dims_of(0);
    for (std::int64_t& axis : *given) {
      if (axis < 0) axis += static_cast<std::int64_t>(rank() + given->size());
    }
    std::ranges::sort(*given);
    for (const std::int64_t axis : *given) {
      if (axis < 0 || axis > std::ssize(dims)) return;
      dims.insert(dims.begin() + axis, 1);
    }
    set_view(dims, input(0)->values);
  }

  void concat() {
    const auto along = axis();
    if (!along) return;
    Dims dims = dims_of(0);
    Values values = Dims{};
    dims[*along] = 0;
    for (std::size_t at = 0; at < node_.inputs.size(); ++at) {
      const OnnxShape* const one = input(at);
      if (one == nullptr || one->dims.size() != dims.size()) return;
      dims[*along] += one->dims[*along];
      if (dims[*along] > kMostOnnxElements) return;
      if (!one->values || dims.size() != 1) values.reset();
      if (values) values->insert(values->end(), one->values->begin(), one->values->end());
    }
    set(dims, values);
  }

  void split() {
    const auto along = axis();
    if (!along || node_.outputs.empty()) return;
    const Dims parts = given("split", 1).value_or(Dims{});
    const OnnxShape whole = *input(0);
    const auto count = static_cast<std::int64_t>(node_.outputs.size());
    const std::int64_t part = (whole.dims[*along] + count - 1) / count;
    for (std::size_t at = 0; at < node_.outputs.size(); ++at) {
      Dims dims = whole.dims;
      const std::int64_t rest = dims[*along] - part * static_cast<std::int64_t>(at);
      dims[*along] = at < parts.size() ? parts[at] : std::clamp<std::int64_t>(rest, 0, part);
      set(dims, {}, whole.weight, at);
    }
  }

  void slice() {
    const Values starts = given("starts", 1);
    const Values ends = given("ends", 2);
    Values where = given("axes", 3);
    const Values steps = given("steps", 4);
    if (!starts || !ends || starts->size() != ends->size()) return;
    if (!where) {
      where = Dims(starts->size());
      std::iota(where->begin(), where->end(), 0);
    }
    Dims dims = dims_of(0);
    Values values = input(0)->values;
    for (std::size_t at = 0; at < starts->size() && at < where->size(); ++at) {
      const auto axis = axis_of((*where)[at], dims.size());
      const std::int64_t step = steps && at < steps->size() ? (*steps)[at] : 1;
      if (!axis || step == 0) return;
      const std::int64_t size = dims[*axis];
      const auto clamp = [&](std::int64_t place) {
        return std::clamp<std::int64_t>(place < 0 ? place + size : place, 0, size);
      };
      const std::int64_t begin = clamp((*starts)[at]);
      const std::int64_t end = std::max(begin, clamp((*ends)[at]));
      if (step > 0) dims[*axis] = (end - begin + std::min(step, size + 1) - 1) / step;
      const bool is_list = dims.size() == 1 && values && step == 1 && end <= std::ssize(*values);
      values = is_list ? Values(Dims(values->begin() + begin, values->begin() + end)) : Values{};
    }
    set(dims, values, input(0)->weight);
  }

  void gather() {
    const auto along = axis();
    if (!along) return;
    Dims dims = dims_of(0);
    const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*along));
    dims.insert(at, dims_of(1).begin(), dims_of(1).end());
    const Values& list = input(0)->values;
    const Values& rows = input(1)->values;
    if (!list || rank() != 1 || !rows) return void(set(dims));
    Dims values;
    for (const std::int64_t row : *rows) {
      const auto place = axis_of(row, list->size());
      if (!place) return;
      values.push_back((*list)[*place]);
    }
    set(dims, values);
  }

  void expand() {
    const Values& wanted = input(1)->values;
    const Values dims = wanted ? broadcast(dims_of(0), *wanted) : std::nullopt;
    if (dims) set(*dims);
  }

  void pad() {
    const Values pads = given("pads", 1);
    Dims dims = dims_of(0);
    if (!pads || pads->size() != 2 * dims.size()) return;
    for (std::size_t at = 0; at < pads->size(); ++at) {
      if ((*pads)[at] < -kMostOnnxElements || (*pads)[at] > kMostOnnxElements) return;
      dims[at % dims.size()] += (*pads)[at];
    }
    set(dims);
  }

  void recurrent() {
    const Dims& data = dims_of(0);
    const Dims& weight = dims_of(2);
    if (data.size() == 3 && weight.size() == 3) set({data[0], weight[0], data[1], weight[2]});
  }

  void einsum() {
    std::map<char, std::int64_t> sizes;
    std::size_t operand = 0;
    std::size_t place = 0;
    Dims dims;
    bool is_output = false;
    for (const char letter : node_.text("equation")) {
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
    if (is_output) set(dims);
  }

  const OnnxNode& node_;
  OnnxShapes& shapes_;
};

}  // namespace

std::int64_t OnnxShape::elements() const {
  return product_of(dims).value_or(kMostOnnxElements);
}

bool OnnxShape::is_possible() const {
  return dims.size() <= kMostOnnxRank && elements() < kMostOnnxElements;
}

const OnnxShape* find_shape(const OnnxShapes& shapes, const OnnxNode& node, std::size_t index) {
  if (index >= node.inputs.size() || node.inputs[index].empty()) return nullptr;
  const auto found = shapes.find(node.inputs[index]);
  return found == shapes.end() ? nullptr : &found->second;
}

bool infer_shapes(const OnnxNode& node, OnnxShapes& shapes) {
  return Inference(node, shapes).run();
}

}  // namespace stcsim
