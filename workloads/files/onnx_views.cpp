#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/files/onnx_rules.hpp"

namespace stcsim {
namespace {

/// Operators whose output is as large as their first input.
constexpr std::string_view kSameShape =
    "Relu LeakyRelu ThresholdedRelu PRelu Elu Selu Celu Clip Shrink Sigmoid HardSigmoid HardSwish "
    "Tanh Softplus Softsign Erf Gelu Swish Mish Exp Log Reciprocal Sin Cos Tan Atan Sign IsNaN "
    "IsInf Softmax LogSoftmax Hardmax LayerNormalization RMSNormalization InstanceNormalization "
    "GroupNormalization BatchNormalization LRN LpNormalization MeanVarianceNormalization Dropout "
    "Trilu CumSum QuantizeLinear DequantizeLinear RotaryEmbedding ScatterND ScatterElements "
    "TensorScatter ReverseSequence CastLike";

/// The rules of operators that look at their input another way.
class Views : private OnnxNodeShapes {
 public:
  using OnnxNodeShapes::OnnxNodeShapes;

  bool run() {
    static const Known<Views> known = by_operator<Views>({
        {&Views::same, 1, kSameShape},
        {&Views::constant, 0, "Constant"},
        {&Views::filled, 1, "ConstantOfShape"},
        {&Views::shape, 1, "Shape Size"},
        {&Views::reshape, 1, "Reshape"},
        {&Views::transpose, 1, "Transpose"},
        {&Views::flatten, 1, "Flatten"},
        {&Views::unsqueeze, 1, "Unsqueeze"},
        {&Views::squeeze, 1, "Squeeze"},
        {&Views::concat, 1, "Concat"},
        {&Views::split, 1, "Split"},
        {&Views::slice, 1, "Slice"},
        {&Views::gather, 2, "Gather"},
        {&Views::expand, 2, "Expand"},
        {&Views::range, 3, "Range"},
        {&Views::pick, 2, "GatherElements Tile TopK"},
        {&Views::blocks, 1, "DepthToSpace SpaceToDepth"},
    });
    return apply_one_of(*this, known);
  }

 private:
  void same() { set_view(dims_of(0)); }

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
      // Vectors of so few numbers that these are kept are settings.
      const bool is_vector = tensor.dims.size() == 1 && !tensor.values;
      const bool is_weight = tensor.is_float && (is_vector || tensor.dims.size() > 1);
      settle(set(tensor.dims, tensor.values, is_weight ? node_.outputs.front() : ""),
             tensor.is_float);
    } else if (node_.attributes.contains("value_ints")) {
      const Dims values = node_.numbers("value_ints");
      set({static_cast<std::int64_t>(values.size())}, numbers_of(values));
    } else if (const OnnxAttribute* const reals = node_.find("value_floats")) {
      settle(set({static_cast<std::int64_t>(reals->reals.size())}, reals->reals), true);
    } else if (const OnnxAttribute* const real = node_.find("value_float")) {
      settle(set({}, real->reals), true);
    } else {
      const bool is_number = node_.attributes.contains("value_int");
      set({}, is_number ? numbers_of(Dims{node_.number("value_int", 0)}) : std::nullopt);
    }
  }
  static void settle(OnnxShape* shape, bool is_real) {
    if (shape != nullptr) shape->is_real = is_real;
  }

  /// Files without weights fill them in at run time.
  void filled() {
    const Values dims = values_of(0);
    if (!dims) return;
    const OnnxAttribute* const value = node_.find("value");
    const bool is_float = value == nullptr || !value->tensor || value->tensor->is_float;
    Numbers values;
    const auto count = product_of(*dims);
    const bool is_list = !is_float && value->tensor->values && value->tensor->values->size() == 1 &&
                         count && *count <= static_cast<std::int64_t>(kMostShapeValues);
    if (is_list) {
      values.emplace(static_cast<std::size_t>(*count), value->tensor->values->front());
    }
    settle(set(*dims, values, is_float ? node_.outputs.front() : ""), is_float);
  }

  void shape() {
    const auto size = static_cast<std::int64_t>(rank());
    const auto clamp = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const std::int64_t begin = clamp(node_.number("start", 0));
    const std::int64_t end = std::max(begin, clamp(node_.number("end", size)));
    const Dims values(dims_of(0).begin() + begin, dims_of(0).begin() + end);
    OnnxShape* const result = node_.op == "Size" ? set({}, numbers_of(Dims{input(0)->elements()}))
                                                 : set({end - begin}, numbers_of(values));
    settle(result, false);
    if (result != nullptr) result->is_constant = true;
  }

  /// The input's numbers read with other strides, from `first` on; nothing if they are not known.
  [[nodiscard]] Numbers strided(const Dims& dims, const Dims& strides, std::int64_t first) const {
    const Numbers& list = input(0)->values;
    const auto count = product_of(dims);
    const bool is_whole = list && product_of(dims_of(0)) == std::ssize(*list);
    if (!is_whole || !count || *count > static_cast<std::int64_t>(kMostShapeValues)) return {};
    std::vector<double> values;
    for (std::int64_t at = 0; at < *count; ++at) {
      std::int64_t place = first;
      for (std::size_t axis = dims.size(), rest = static_cast<std::size_t>(at); axis-- > 0;) {
        const auto size = static_cast<std::size_t>(dims[axis]);
        place += static_cast<std::int64_t>(rest % size) * strides[axis];
        rest /= size;
      }
      values.push_back(list->at(static_cast<std::size_t>(place)));
    }
    return values;
  }
  [[nodiscard]] Dims strides() const {
    Dims strides(rank(), 1);
    for (std::size_t axis = rank(); axis-- > 1;) {
      strides[axis - 1] = strides[axis] * std::max<std::int64_t>(1, dims_of(0)[axis]);
    }
    return strides;
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
    Dims moved;
    for (const std::int64_t axis : order) {
      const auto at = axis_of(axis, rank());
      if (!at) return;
      dims.push_back(dims_of(0)[*at]);
      moved.push_back(strides()[*at]);
    }
    set_view(dims, strided(dims, moved, 0));
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
    Numbers values = std::vector<double>{};
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
    Dims moved = strides();
    std::int64_t first = 0;
    for (std::size_t at = 0; at < starts->size() && at < where->size(); ++at) {
      const auto axis = axis_of((*where)[at], dims.size());
      const std::int64_t step = steps && at < steps->size() ? (*steps)[at] : 1;
      if (!axis || step == 0) return;
      const std::int64_t size = dims[*axis];
      const std::int64_t back = step < 0 ? 1 : 0;  // then from the last one to before the first
      const auto clamp = [&](std::int64_t place, std::int64_t least) {
        return std::clamp<std::int64_t>(place < 0 ? place + size : place, least, size - back);
      };
      const std::int64_t begin = clamp((*starts)[at], 0);
      const std::int64_t span = (clamp((*ends)[at], -back) - begin) * (step < 0 ? -1 : 1);
      const std::int64_t stride = std::min(std::abs(step), size + 1);
      dims[*axis] = (std::max<std::int64_t>(0, span) + stride - 1) / stride;
      first += begin * moved[*axis];
      moved[*axis] *= step < 0 ? -stride : stride;
    }
    set(dims, strided(dims, moved, first), input(0)->weight);
  }

  void gather() {
    const auto along = axis();
    if (!along) return;
    Dims dims = dims_of(0);
    const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*along));
    dims.insert(at, dims_of(1).begin(), dims_of(1).end());
    const Numbers& list = input(0)->values;
    const Values rows = values_of(1);
    if (!list || rank() != 1 || !rows) return void(set(dims));
    std::vector<double> values;
    for (const std::int64_t row : *rows) {
      const auto place = axis_of(row, list->size());
      if (!place) return;
      values.push_back((*list)[*place]);
    }
    set(dims, values);
  }

  void expand() {
    const Values wanted = values_of(1);
    const Values dims = wanted ? broadcast(dims_of(0), *wanted) : std::nullopt;
    const bool is_one = input(0)->values && input(0)->values->size() == 1;
    if (dims) set(*dims, is_one ? strided(*dims, Dims(dims->size(), 0), 0) : std::nullopt);
  }
  void range() {
    const auto number = [&](std::size_t index) {
      const Numbers& values = input(index)->values;
      return values && values->size() == 1 ? values->front() : std::nan("");
    };
    const double count = std::ceil((number(1) - number(0)) / number(2));
    std::vector<double> values;
    for (double at = 0; at < count && values.size() <= kMostShapeValues; ++at) {
      values.push_back(number(0) + at * number(2));
    }
    if (!std::isnan(count)) set(*whole(std::vector{std::max(0.0, count)}), values);
  }
  /// Elements by indices, as many as these or as their numbers say.
  void pick() {
    Dims dims = dims_of(0);
    const Values numbers = values_of(1);
    if (node_.op == "GatherElements") return void(set(dims_of(1)));
    const auto axis = axis_of(node_.number("axis", -1), rank());
    const bool tiles = node_.op == "Tile";
    if (!numbers || !axis || numbers->size() != (tiles ? rank() : 1)) return;
    for (std::size_t at = 0; tiles && at < rank(); ++at) {
      dims[at] = product_of({dims[at], (*numbers)[at]}).value_or(-1);
    }
    if (!tiles) dims[*axis] = numbers->front();
    for (const std::size_t output : {0U, 1U}) set(dims, {}, "", output);
  }
  /// Blocks of pixels become channels, or the other way.
  void blocks() {
    const std::int64_t size = std::clamp<std::int64_t>(node_.number("blocksize", 1), 1, 1 << 10);
    Dims dims = dims_of(0);
    if (dims.size() != 4) return;
    const bool deepens = node_.op == "SpaceToDepth";
    for (const std::size_t axis : {1U, 2U, 3U}) {
      const std::int64_t factor = axis == 1 ? size * size : size;
      dims[axis] = (axis == 1) == deepens ? product_of({dims[axis], factor}).value_or(-1)
                                          : dims[axis] / factor;
    }
    set(dims);
  }
};

}  // namespace

bool infer_view(const OnnxNode& node, OnnxShapes& shapes) {
  return Views(node, shapes).run();
}

}  // namespace stcsim
