#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/files/onnx_shapes.hpp"

namespace stcsim {

/// Sizes along axes, and what may be one.
using OnnxDims = std::vector<std::int64_t>;
using OnnxValues = std::optional<OnnxDims>;
/// What small tensors hold.
using OnnxNumbers = std::optional<std::vector<double>>;

/// The product of sizes; nothing if it is larger than any tensor.
[[nodiscard]] std::optional<std::int64_t> product_of(const OnnxDims& dims);
/// Dimensions of element-wise operations; nothing if they do not go together.
[[nodiscard]] OnnxValues broadcast(const OnnxDims& one, const OnnxDims& other);
/// Negative axes count from the end; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);

/// Most values of a tensor of shapes that are followed.
inline constexpr std::size_t kMostShapeValues = 4096;

/// As sizes: those beyond 2^53 are that, what is no number 0.
[[nodiscard]] OnnxValues whole(const OnnxNumbers& numbers);
[[nodiscard]] OnnxNumbers numbers_of(const OnnxValues& values);

/// What rules see of a node and say of its outputs.
class OnnxNodeShapes {
 public:
  OnnxNodeShapes(const OnnxNode& node, OnnxShapes& shapes) : node_(node), shapes_(shapes) {}

 protected:
  using Dims = OnnxDims;
  using Values = OnnxValues;
  using Numbers = OnnxNumbers;

  /// What an operator does with the sizes of its first inputs, so many of which must be known.
  template <class Rules>
  struct Rule {
    void (Rules::*apply)();
    std::size_t inputs;
    /// Names of operators, words of one text.
    std::string_view names;
  };
  template <class Rules>
  using Known = std::map<std::string_view, Rule<Rules>>;
  /// The rules by each of their operators.
  template <class Rules>
  static Known<Rules> by_operator(const std::vector<Rule<Rules>>& rules) {
    Known<Rules> known;
    for (const Rule<Rules>& rule : rules) {
      for (const std::string_view name : words_in(rule.names)) known[name] = rule;
    }
    return known;
  }
  /// Applies the node's rule. False if none of them is.
  template <class Rules>
  bool apply_one_of(Rules& rules, const Known<Rules>& known) {
    const auto rule = known.find(node_.op);
    if (rule == known.end()) return false;
    for (std::size_t at = 0; at < rule->second.inputs; ++at) {
      if (input(at) == nullptr) return true;
    }
    (rules.*rule->second.apply)();
    return true;
  }

  [[nodiscard]] const OnnxShape* input(std::size_t index) const {
    return find_shape(shapes_, node_, index);
  }
  [[nodiscard]] const Dims& dims_of(std::size_t index) const { return input(index)->dims; }
  [[nodiscard]] std::size_t rank() const { return dims_of(0).size(); }
  [[nodiscard]] std::optional<std::size_t> axis() const {
    return axis_of(node_.number("axis", 0), rank());
  }
  /// Whole numbers of an attribute, or in newer opsets of an input.
  [[nodiscard]] Values given(const char* name, std::size_t index) const;
  [[nodiscard]] Values axes() const;
  [[nodiscard]] Values values_of(std::size_t index) const {
    return input(index) == nullptr ? std::nullopt : whole(input(index)->values);
  }

  /// The first input's dimensions without those that are gone, or with 1 for them.
  [[nodiscard]] Dims without(std::vector<bool> gone, const Dims& given, bool keeps) const;

  /// States an output; null if it cannot be.
  OnnxShape* set(Dims dims, Numbers values = {}, std::string weight = "", std::size_t index = 0);
  /// A view of the first input keeps what weight it is.
  void set_view(Dims dims, Numbers values = {}) {
    set(std::move(dims), std::move(values), input(0)->weight);
  }

  const OnnxNode& node_;
  OnnxShapes& shapes_;
};

/// The rules of operators whose outputs are views of an input, its parts, or shapes.
/// @return false if the node's is none of them
bool infer_view(const OnnxNode& node, OnnxShapes& shapes);

}  // namespace stcsim
