#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/files/onnx_rules.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kElementwise =
    "Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor Equal Less Greater LessOrEqual "
    "GreaterOrEqual Where";

constexpr std::string_view kReductions =
    "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL2 ReduceL1 ReduceSumSquare "
    "ReduceLogSumExp ArgMax ArgMin";

bool is_possible(const OnnxDims& dims) {
  return dims.size() <= kMostOnnxRank && product_of(dims).has_value();
}

/// The rules of operators that compute: element by element, products, windows and reductions.
class Arithmetic : private OnnxNodeShapes {
 public:
  using OnnxNodeShapes::OnnxNodeShapes;

  bool run() {
    static const Known<Arithmetic> known = by_operator<Arithmetic>({
        {&Arithmetic::elementwise, 0, kElementwise},
        {&Arithmetic::matrix_product, 2, "MatMul"},
        {&Arithmetic::gemm, 2, "Gemm"},
        {&Arithmetic::window, 1, "Conv MaxPool AveragePool LpPool"},
        {&Arithmetic::global_pool, 1, "GlobalAveragePool GlobalMaxPool GlobalLpPool"},
        {&Arithmetic::reduce, 1, kReductions},
        {&Arithmetic::pad, 1, "Pad"},
        {&Arithmetic::recurrent, 3, "LSTM GRU"},
        {&Arithmetic::einsum, 0, "Einsum"},
    });
    return apply_one_of(*this, known);
  }

 private:
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

  void reduce() {
    const Values given = node_.op.starts_with("Arg") ? Dims{node_.number("axis", 0)} : axes();
    if (!given) return;
    set(without(std::vector<bool>(rank(), given->empty()), *given,
                node_.number("keepdims", 1) != 0));
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
};

}  // namespace

std::optional<std::int64_t> product_of(const OnnxDims& dims) {
  std::int64_t product = 1;
  for (const std::int64_t size : dims) {
    if (size < 0 || (size > 0 && product > kMostOnnxElements / size)) return std::nullopt;
    product *= size;
  }
  return product;
}

OnnxValues broadcast(const OnnxDims& one, const OnnxDims& other) {
  OnnxDims dims(std::max(one.size(), other.size()), 1);
  for (std::size_t at = 0; at < dims.size(); ++at) {
    const std::int64_t a = at < one.size() ? one[one.size() - 1 - at] : 1;
    const std::int64_t b = at < other.size() ? other[other.size() - 1 - at] : 1;
    if (a != b && a != 1 && b != 1) return std::nullopt;
    dims[dims.size() - 1 - at] = a == 1 ? b : a;
  }
  return dims;
}

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

OnnxValues OnnxNodeShapes::given(const char* name, std::size_t index) const {
  if (node_.attributes.contains(name)) return node_.numbers(name);
  return input(index) == nullptr ? std::nullopt : input(index)->values;
}

OnnxValues OnnxNodeShapes::axes() const {
  const Values values = given("axes", 1);
  return values || input(1) != nullptr ? values : Values(Dims{});
}

OnnxDims OnnxNodeShapes::without(std::vector<bool> gone, const Dims& given, bool keeps) const {
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

OnnxShape* OnnxNodeShapes::set(Dims dims, Values values, std::string weight, std::size_t index) {
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
  return Arithmetic(node, shapes).run() || infer_view(node, shapes);
}

}  // namespace stcsim
