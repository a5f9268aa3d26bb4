#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/files/onnx_rules.hpp"

namespace stcsim {
namespace {

/// Operators whose output is as large as their first input.
constexpr std::string_view kSameShape =
    "Relu LeakyRelu PRelu Elu Selu Celu Clip Sigmoid HardSigmoid HardSwish Tanh Softplus "
    "Softsign Erf Gelu Swish Mish Exp Log Sqrt Reciprocal Neg Abs Floor Ceil Round Sin Cos Sign "
    "Not IsNaN Softmax LogSoftmax Hardmax LayerNormalization RMSNormalization "
    "InstanceNormalization GroupNormalization BatchNormalization LRN LpNormalization "
    "MeanVarianceNormalization Dropout Identity Cast CastLike Trilu CumSum QuantizeLinear "
    "DequantizeLinear RotaryEmbedding Attention ScatterND ScatterElements";

/// The rules of operators that look at their input another way.
class Views : private OnnxNodeShapes {
 public:
  using OnnxNodeShapes::OnnxNodeShapes;

  bool run() {
    static const Known<Views> known = by_operator<Views>({
        {&Views::same, 1, kSameShape},
        {&Views::constant, 0, "Constant"},
        {&Views::filled, 1, "ConstantOfShape"},
        {&Views::shape, 1, "Shape"},
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
    });
    return apply_one_of(*this, known);
  }

 private:
  void same() { set_view(dims_of(0), input(0)->values); }

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
};

}  // namespace

bool infer_view(const OnnxNode& node, OnnxShapes& shapes) {
  return Views(node, shapes).run();
}

}  // namespace stcsim
