#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/files/onnx_rules.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kElementwise =
    "Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor Equal Less Greater LessOrEqual "
    "GreaterOrEqual Where BitwiseAnd BitwiseOr BitwiseXor Not Neg Abs Floor Ceil Round Sqrt "
    "Identity Cast";

constexpr std::string_view kReductions =
    "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL2 ReduceL1 ReduceSumSquare "
    "ReduceLogSum ReduceLogSumExp ArgMax ArgMin";

bool is_float_type(const OnnxNode& cast) {
  return cast.number("to", 1) == 1 || cast.number("to", 1) >= 10;
}

/// One element of arithmetic on shapes, of one element of each input; nothing where it is not
/// computed.
std::optional<double> computed(const OnnxNode& node, const std::vector<double>& of, bool is_real) {
  constexpr auto kMost = static_cast<double>(kMostOnnxElements);  // whole numbers are exact
  using Function = double (*)(double, double);
  static const std::map<std::string_view, Function> functions{
      {"Not", [](double x, double) { return x == 0 ? 1.0 : 0.0; }},
      {"Floor", [](double x, double) { return std::floor(x); }},
      {"Ceil", [](double x, double) { return std::ceil(x); }},
      {"Sqrt", [](double x, double) { return std::sqrt(x); }},
      {"Add", [](double x, double y) { return x + y; }},
      {"Sub", [](double x, double y) { return x - y; }},
      {"Mul", [](double x, double y) { return x * y; }},
      {"Div", [](double x, double y) { return x / y; }},
      {"Mod", [](double x, double y) { return std::fmod(x, y); }},
      {"Max", [](double x, double y) { return std::max(x, y); }},
      {"Min", [](double x, double y) { return std::min(x, y); }},
      {"And", [](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; }},
      {"Or", [](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; }},
      {"Equal", [](double x, double y) { return x == y ? 1.0 : 0.0; }},
      {"Less", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
      {"Greater", [](double x, double y) { return x > y ? 1.0 : 0.0; }},
  };
  const double a = of[0];
  const auto is_far = [](double one) { return !(std::abs(one) <= kMost); };
  if (node.op == "Identity") return a;
  if (std::ranges::any_of(of, is_far)) return {};
  if (node.op == "Cast") return is_float_type(node) ? a : std::trunc(a);
  if (node.op == "Where" && of.size() == 3) return a != 0 ? of[1] : of[2];
  const auto function = functions.find(node.op);
  if (function == functions.end() || of.size() > 2) return {};
  const double result = function->second(a, of.back());
  if (is_far(result)) return {};
  return node.op == "Div" && !is_real ? std::trunc(result) : result;
}

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
        {&Arithmetic::window, 1, "Conv ConvTranspose MaxPool AveragePool LpPool"},
        {&Arithmetic::resize, 1, "Resize Upsample"},
        {&Arithmetic::attention, 3, "Attention"},
        {&Arithmetic::global_pool, 1, "GlobalAveragePool GlobalMaxPool GlobalLpPool"},
        {&Arithmetic::reduce, 1, kReductions},
        {&Arithmetic::pad, 1, "Pad"},
        {&Arithmetic::recurrent, 3, "LSTM GRU RNN"},
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
    if (!dims) return;
    const bool is_view = node_.op == "Identity" || node_.op.starts_with("Cast");
    OnnxShape* const result = set(*dims, computed_values(*dims), is_view ? input(0)->weight : "");
    if (result != nullptr && node_.op == "Cast") result->is_real = is_float_type(node_);
  }

  [[nodiscard]] Numbers computed_values(const Dims& dims) const {
    const std::optional<std::int64_t> count = product_of(dims);
    if (!count || *count > static_cast<std::int64_t>(kMostShapeValues)) return std::nullopt;
    std::vector<double> values;
    for (std::size_t at = 0; at < static_cast<std::size_t>(*count); ++at) {
      std::vector<double> of;
      bool is_real = false;
      for (std::size_t place = 0; place < node_.inputs.size(); ++place) {
        const Numbers& given_values = input(place)->values;
        if (!given_values || given_values->empty()) return std::nullopt;
        of.push_back((*given_values)[at % given_values->size()]);
        is_real = is_real || input(place)->is_real;
      }
      const std::optional<double> value = of.empty() ? std::nullopt : computed(node_, of, is_real);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values.empty() ? std::nullopt : Numbers(values);
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
    const bool is_same = node_.text("auto_pad").starts_with("SAME_");
    const std::int64_t begin = at("pads", axis, 0);
    const std::int64_t end = at("pads", axis + axes, 0);
    if (std::min(begin, end) < 0 || std::max(begin, end) > kMostOnnxElements) return std::nullopt;
    if (node_.op == "ConvTranspose") {  // as many as a convolution makes the input of
      const auto all = product_of({in, stride});
      const std::int64_t more =
          std::clamp<std::int64_t>(at("output_padding", axis, 0), 0, kMostOnnxElements);
      if (!all) return std::nullopt;
      return at("output_shape", axis,
                is_same ? *all : *all - stride + dilation * (kernel - 1) + 1 + more - begin - end);
    }
    if (is_same) return (in + stride - 1) / stride;
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
    if (node_.op == "ConvTranspose") {
      const auto channels = product_of({weight->dims[1], node_.number("group", 1)});
      if (!channels) return;
      dims[1] = *channels;
    }
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto size = pixels(dims_of(0)[axis + 2], kernel[axis], axis, axes);
      if (!size) return;
      dims.push_back(*size);
    }
    set(dims);
  }

  /// By sizes, or by factors, of all axes or some of them.
  void resize() {
    const bool is_new = node_.inputs.size() > 2;
    const OnnxShape* const list = input(is_new ? 2 : 1);
    const OnnxAttribute* const listed = node_.find("scales");
    const Numbers factors = listed != nullptr ? listed->reals
                            : list != nullptr ? list->values
                                              : Numbers();
    const Values sizes = is_new ? values_of(3) : std::nullopt;
    Dims where = node_.numbers("axes");
    Dims dims = dims_of(0);
    for (std::size_t at = 0; node_.find("axes") == nullptr && at < rank(); ++at) {
      where.push_back(static_cast<std::int64_t>(at));
    }
    const bool has_sizes = sizes && sizes->size() == where.size();
    const bool keeps = has_sizes && node_.text("keep_aspect_ratio_policy").starts_with("not_");
    if (keeps || (!has_sizes && !(factors && factors->size() == where.size()))) return;
    for (std::size_t at = 0; at < where.size(); ++at) {
      const auto axis = axis_of(where[at], rank());
      if (!axis) return;
      const auto size = static_cast<double>(dims[*axis]);
      dims[*axis] = has_sizes ? (*sizes)[at] : whole(std::vector{size * (*factors)[at]})->front();
    }
    set(dims);
  }

  /// As long as the queries, as wide as the values.
  void attention() {
    Dims dims = dims_of(0);
    const Dims& values = dims_of(2);
    if (dims.empty() || values.size() != dims.size()) return;
    const std::int64_t heads = dims.size() == 3 ? node_.number("q_num_heads", 1) : 1;
    const std::int64_t kv = dims.size() == 3 ? node_.number("kv_num_heads", heads) : 1;
    dims.back() = kv < 1 ? -1 : product_of({values.back() / kv, heads}).value_or(-1);
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
    if (data.size() != 3 || weight.size() != 3) return;
    const bool is_batch_first = node_.number("layout", 0) != 0;
    const Dims last =
        is_batch_first ? Dims{data[0], weight[0], weight[2]} : Dims{weight[0], data[1], weight[2]};
    Dims all = last;
    all.insert(all.begin() + (is_batch_first ? 1 : 0), data[is_batch_first ? 1 : 0]);
    set(all);
    for (const std::size_t index : {1U, 2U}) set(last, {}, "", index);
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

OnnxValues whole(const OnnxNumbers& numbers) {
  if (!numbers) return std::nullopt;
  constexpr auto kMost = static_cast<double>(kMostOnnxElements);
  OnnxDims values;
  for (const double one : *numbers) {
    values.push_back(std::isnan(one) ? 0
                                     : static_cast<std::int64_t>(std::clamp(one, -kMost, kMost)));
  }
  return values;
}

OnnxNumbers numbers_of(const OnnxValues& values) {
  return values ? OnnxNumbers(std::in_place, values->begin(), values->end()) : std::nullopt;
}

OnnxValues OnnxNodeShapes::given(const char* name, std::size_t index) const {
  return node_.attributes.contains(name) ? node_.numbers(name) : values_of(index);
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

OnnxShape* OnnxNodeShapes::set(Dims dims, Numbers values, std::string weight, std::size_t index) {
  if (index >= node_.outputs.size() || node_.outputs[index].empty()) return nullptr;
  if (!is_possible(dims)) return nullptr;
  if (values && values->size() > kMostShapeValues) values.reset();
  const bool is_constant = std::ranges::all_of(node_.inputs, [&](const std::string& name) {
    const auto found = shapes_.find(name);
    return name.empty() || (found != shapes_.end() && found->second.is_constant);
  });
  if (!is_constant) weight.clear();
  bool is_real = false;
  for (std::size_t at = 0; at < node_.inputs.size(); ++at) {
    is_real = is_real || (input(at) != nullptr && input(at)->is_real);
  }
  OnnxShape& shape = shapes_[node_.outputs[index]];
  shape = {std::move(dims), std::move(values), std::move(weight), is_constant, is_real};
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
