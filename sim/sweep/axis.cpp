#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/yaml_json.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/sweep/space.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostValues = 100'000;
/// Whole numbers up to here are exact as floating point.
constexpr double kLargestExact = 9e15;
/// Of a step: what rounding may leave between the last value and the end.
constexpr double kTolerance = 1e-9;

AxisValuePointer number_value(double number, bool is_whole, const SourceLocation& where) {
  std::string text = is_whole ? fmt::format("{}", std::llround(number)) : fmt::format("{}", number);
  return std::make_shared<const AxisValue>(
      AxisValue{{YamlKind::scalar, text, false, where, {}, {}}, text});
}

/// "4096x4096x1024 2:4" of a GEMM without a name, with what else it says; "" of what is none.
std::string label_of_gemm(const YamlNode& node) {
  std::string sizes;
  for (const char* const key : {"m", "n", "k"}) {
    const YamlNode* const size = node.find(key);
    if (size == nullptr || !size->is_scalar()) return "";
    sizes += (sizes.empty() ? "" : "x") + size->text;
  }
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == "m" || entry.key == "n" || entry.key == "k") continue;
    const bool is_pattern = entry.key == "pattern";
    sizes += is_pattern ? " " : fmt::format(" {} ", entry.key);
    sizes += entry.value.is_scalar() ? entry.value.text : canonical_json(entry.value);
  }
  return sizes;
}

/// The text that stands for a value: as it is written, or the name of what has one.
std::string label_of(const YamlNode& node) {
  if (node.is_scalar()) return node.text;
  const YamlNode* const name = node.find("name");
  if (name != nullptr && name->is_scalar()) return name->text;
  const std::string gemm = label_of_gemm(node);
  return gemm.empty() ? canonical_json(node) : gemm;
}

void add_values(Axis& axis, const YamlNode& list) {
  for (const YamlNode& item : list.items) {
    if (item.kind == YamlKind::null) {
      throw ConfigError(item.location, fmt::format("a value of '{}' is empty", axis.name));
    }
    axis.values.push_back(std::make_shared<const AxisValue>(AxisValue{item, label_of(item)}));
  }
  if (!axis.values.empty()) return;
  throw ConfigError(list.location, fmt::format("'{}' is an empty list", axis.name));
}

/// How a range goes on, as it is written; 0 where it does not say.
struct RangeSteps {
  double step = 0;
  double factor = 0;
  std::int64_t points = 0;

  /// Steps from the first value to the last, as far as it says.
  [[nodiscard]] double count(const ValueRange& range) const {
    if (step > 0) return (range.to - range.from) / step;
    return factor > 0 ? std::log(range.to / range.from) / std::log(factor) : 0;
  }
};

void check_range(const ValueRange& range, const RangeSteps& by, const std::string& name,
                 MapReader& map) {
  if (int{by.step > 0} + int{by.factor > 0} + int{by.points > 0} > 1) {
    throw ConfigError(map.location(),
                      fmt::format("'{}' must have one of step, factor and points", name));
  }
  if (range.to <= range.from) {
    map.fail("to",
             fmt::format("'to' is {}, must be above 'from', which is {}", range.to, range.from));
  }
  if (map.has("scale") && (by.step > 0 || by.factor > 0)) {
    map.fail("scale", "'scale' has an effect with points, or with values that are drawn");
  }
  if ((range.is_log || by.factor > 0) && range.from <= 0) {
    map.fail("from", fmt::format("'from' is {}, must be above 0 here", range.from));
  }
  if (by.count(range) > static_cast<double>(kMostValues)) {
    const char* const key = by.step > 0 ? "step" : "factor";
    map.fail(key, fmt::format("'{}' makes more than {} values", key, kMostValues));
  }
}

/// The numbers that a range goes through; none if they are drawn.
std::vector<double> numbers_of(const ValueRange& range, const RangeSteps& by) {
  std::vector<double> numbers;
  if (by.step > 0) {
    const auto last = static_cast<std::int64_t>(std::floor(by.count(range) + kTolerance));
    for (std::int64_t at = 0; at <= last; ++at) {
      numbers.push_back(range.from + by.step * static_cast<double>(at));
    }
  } else if (by.factor > 0) {
    for (double number = range.from; number <= range.to * (1 + kTolerance); number *= by.factor) {
      numbers.push_back(number);
    }
  } else if (by.points > 0) {
    for (std::int64_t at = 0; at + 1 < by.points; ++at) {
      const double share = static_cast<double>(at) / static_cast<double>(by.points - 1);
      numbers.push_back(range.is_log ? range.from * std::pow(range.to / range.from, share)
                                     : range.from + (range.to - range.from) * share);
    }
    numbers.push_back(range.to);
  }
  return numbers;
}

void add_range(Axis& axis, const YamlNode& node) {
  constexpr std::array<std::pair<std::string_view, bool>, 2> kScales{
      {{"linear", false}, {"log", true}}};
  MapReader map(node, axis.name);
  ValueRange range;
  range.where = node.location;
  range.from = map.get_double("from", {-kLargestExact, kLargestExact});
  range.to = map.get_double("to", {-kLargestExact, kLargestExact});
  const RangeSteps by{map.get_double_or("step", 0, {0, kLargestExact, true}),
                      map.get_double_or("factor", 0, {1, kLargestExact, true}),
                      map.get_int_or("points", 0, {2, kMostValues})};
  range.is_log = map.get_enum_or("scale", false, kScales);
  map.finish();
  check_range(range, by, axis.name, map);
  range.is_whole = std::ranges::all_of(std::array{"from", "to", "step"}, [&](const char* key) {
    return !map.has(key) || int_of(map.get_node(key)).has_value();
  });
  for (const double number : numbers_of(range, by)) {
    AxisValuePointer value = number_value(number, range.is_whole, range.where);
    const bool is_new = axis.values.empty() || axis.values.back()->label != value->label;
    if (is_new) axis.values.push_back(std::move(value));
  }
  if (axis.values.empty()) axis.drawn = range;
}

/// The last `parts` parts of a name: "dram.bytes_per_clk".
std::string ending_of(const std::string& name, int parts) {
  std::size_t begin = name.size();
  for (int part = 0; part < parts && begin != std::string::npos; ++part) {
    begin = begin == 0 ? std::string::npos : name.rfind('.', begin - 1);
  }
  return begin == std::string::npos ? name : name.substr(begin + 1);
}

}  // namespace

std::optional<double> AxisValue::number() const {
  if (label == kUnlimited) return std::numeric_limits<double>::infinity();
  return double_of(node);
}

AxisValuePointer ValueRange::at(double share) const {
  // Every whole number has an equal share of the range, the ends included.
  const double low = is_whole ? from - 0.5 : from;
  const double high = is_whole ? to + 0.5 : to;
  const double start = is_log && is_whole ? std::max(low, 0.5) : low;
  const double number =
      is_log ? start * std::pow(high / start, share) : start + (high - start) * share;
  return number_value(std::clamp(number, from, to), is_whole, where);
}

std::string Axis::key() const {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

Axis read_axis(const std::string& name, const SourceLocation& where, const YamlNode& node) {
  Axis axis{name, where, {}, {}};
  if (node.is_list()) {
    add_values(axis, node);
  } else if (node.is_map()) {
    add_range(axis, node);
  } else {
    refuse(node, name,
           "a list of values or a range: {from: 1, to: 8, step: 1}, with factor or points instead "
           "of step");
  }
  return axis;
}

std::vector<std::string> names_of(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

std::optional<std::size_t> find_axis(const std::vector<Axis>& axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes.begin());
}

std::string short_name(const std::string& name, const std::vector<std::string>& names) {
  for (int parts = 1;; ++parts) {
    std::string ending = ending_of(name, parts);
    const auto is_like = [&](const std::string& other) {
      return other != name && ending_of(other, parts) == ending;
    };
    if (ending == name || std::ranges::none_of(names, is_like)) return ending;
  }
}

}  // namespace stcsim
