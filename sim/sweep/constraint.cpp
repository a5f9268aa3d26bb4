#include "sim/sweep/constraint.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/config_field.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace {

constexpr const char* kComparisonText =
    "a comparison such as 'gemm.m >= 128' or 'machine.clock_mhz <= 2 * "
    "machine.accelerator.num_sms' "
    "(<, <=, ==, !=, >=, >)";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<double> number_in(const std::string& word) {
  YamlNode node;
  node.kind = YamlKind::scalar;
  node.text = word;
  return double_of(node);
}

std::optional<double> number_of(const AxisValue& value) {
  if (value.label == kUnlimited) return std::numeric_limits<double>::infinity();
  return double_of(value.node);
}

}  // namespace

Constraint::Constraint(const YamlNode& node, const std::vector<Axis>& axes)
    : text_(read_string(node, "where")), where_(node.location) {
  constexpr std::array<std::pair<std::string_view, Comparison>, 6> kComparisons{
      {{"<", Comparison::less},
       {"<=", Comparison::at_most},
       {"==", Comparison::equal},
       {"!=", Comparison::not_equal},
       {">=", Comparison::at_least},
       {">", Comparison::greater}}};
  const std::vector<std::string> words = words_of(text_);
  const auto is_comparison = [&](const std::string& word) {
    return std::any_of(kComparisons.begin(), kComparisons.end(),
                       [&](const auto& known) { return known.first == word; });
  };
  const auto sign = std::find_if(words.begin(), words.end(), is_comparison);
  if (sign == words.end() || std::count_if(words.begin(), words.end(), is_comparison) != 1) {
    fail(fmt::format("must be {}", kComparisonText));
  }
  for (const auto& [name, comparison] : kComparisons) {
    if (name == *sign) comparison_ = comparison;
  }
  left_ = read_side({words.begin(), sign}, axes);
  right_ = read_side({sign + 1, words.end()}, axes);
  if (left_.axes.empty() && right_.axes.empty()) fail("names no axis of the space");
}

void Constraint::fail(const std::string& message) const {
  throw ConfigError(where_, fmt::format("'{}' {}", text_, message));
}

Constraint::Side Constraint::read_side(const std::vector<std::string>& words,
                                       const std::vector<Axis>& axes) const {
  Side side;
  if (words.size() % 2 == 0) fail(fmt::format("must be {}", kComparisonText));
  const bool may_be_text = words.size() == 1 && (comparison_ == Comparison::equal ||
                                                 comparison_ == Comparison::not_equal);
  if (may_be_text && !number_in(words[0]) && words[0].find('.') == std::string::npos &&
      std::none_of(axes.begin(), axes.end(),
                   [&](const Axis& axis) { return axis.name == words[0]; })) {
    side.text = words[0];
    return side;
  }
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at % 2 == 0) {
      add_factor(side, words[at], axes);
    } else if (words[at] != "*") {
      fail(fmt::format("has '{}', must be {}", words[at], kComparisonText));
    }
  }
  return side;
}

void Constraint::add_factor(Side& side, const std::string& word,
                            const std::vector<Axis>& axes) const {
  if (const std::optional<double> factor = number_in(word)) {
    side.factor *= *factor;
    return;
  }
  const auto axis =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& one) { return one.name == word; });
  if (axis == axes.end()) {
    std::vector<std::string> names;
    for (const Axis& one : axes) names.push_back(one.name);
    fail(fmt::format("names '{}', which is no axis of the space and no number{}", word,
                     did_you_mean(word, names)));
  }
  side.axes.push_back(static_cast<std::size_t>(axis - axes.begin()));
}

double Constraint::number(const Side& side, const Assignment& values) const {
  double product = side.factor;
  for (const std::size_t axis : side.axes) {
    const std::optional<double> value = number_of(*values[axis]);
    if (!value) fail(fmt::format("compares '{}', which is no number", values[axis]->label));
    product *= *value;
  }
  return product;
}

std::optional<std::string> Constraint::text(const Side& side, const Assignment& values) const {
  if (side.text) return side.text;
  if (side.axes.size() == 1 && side.factor == 1) return values[side.axes[0]]->label;
  return std::nullopt;
}

bool Constraint::compares_texts(const Assignment& values) const {
  if (comparison_ != Comparison::equal && comparison_ != Comparison::not_equal) return false;
  if (left_.text || right_.text) return true;
  const auto is_text = [&](const Side& side) {
    return std::any_of(side.axes.begin(), side.axes.end(),
                       [&](std::size_t axis) { return !number_of(*values[axis]); });
  };
  return is_text(left_) || is_text(right_);
}

bool Constraint::compares(std::size_t axis) const {
  const auto has = [&](const Side& side) {
    return std::find(side.axes.begin(), side.axes.end(), axis) != side.axes.end();
  };
  return has(left_) || has(right_);
}

bool Constraint::holds(const Assignment& values) const {
  for (const Side* const side : {&left_, &right_}) {
    for (const std::size_t axis : side->axes) {
      if (values[axis] == nullptr) return true;
    }
  }
  if (compares_texts(values)) {
    const bool are_equal = text(left_, values) == text(right_, values);
    return are_equal == (comparison_ == Comparison::equal);
  }
  const double left = number(left_, values);
  const double right = number(right_, values);
  switch (comparison_) {
    case Comparison::less:
      return left < right;
    case Comparison::at_most:
      return left <= right;
    case Comparison::equal:
      return left == right;
    case Comparison::not_equal:
      return left != right;
    case Comparison::at_least:
      return left >= right;
    case Comparison::greater:
      break;
  }
  return left > right;
}

}  // namespace stcsim
