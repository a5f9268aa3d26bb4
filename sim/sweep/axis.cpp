#include "sim/sweep/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/yaml_json.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostValues = 100'000;
/// Whole numbers up to here are exact as floating point.
constexpr double kLargestExact = 9e15;
/// Of a step: what rounding may leave between the last value and the end.
constexpr double kTolerance = 1e-9;

AxisValuePointer number_value(double number, bool is_whole, const SourceLocation& where) {
  AxisValue value;
  value.node.kind = YamlKind::scalar;
  value.node.location = where;
  value.node.text = is_whole ? fmt::format("{}", std::llround(number)) : fmt::format("{}", number);
  value.label = value.node.text;
  return std::make_shared<const AxisValue>(std::move(value));
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

/// A range as it is written.
class RangeReader {
 public:
  RangeReader(Axis& axis, const YamlNode& node) : axis_(axis), map_(node, axis.name) {
    range_.where = node.location;
    range_.from = map_.get_double("from", {-kLargestExact, kLargestExact});
    range_.to = map_.get_double("to", {-kLargestExact, kLargestExact});
    step_ = map_.get_double_or("step", 0, {0, kLargestExact, true});
    factor_ = map_.get_double_or("factor", 0, {1, kLargestExact, true});
    points_ = map_.get_int_or("points", 0, {2, kMostValues});
    range_.is_log = map_.get_enum_or("scale", false, kScales);
    map_.finish();
    check();
    range_.is_whole = is_whole("from") && is_whole("to") && (step_ == 0 || is_whole("step"));
  }

  void read() {
    if (step_ > 0) return add_steps();
    if (factor_ > 0) return add_powers();
    if (points_ > 0) return add_points();
    axis_.drawn = range_;
  }

 private:
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kScales{
      {{"linear", false}, {"log", true}}};

  void check() {
    const int ways = (step_ > 0 ? 1 : 0) + (factor_ > 0 ? 1 : 0) + (points_ > 0 ? 1 : 0);
    if (ways > 1) {
      throw ConfigError(map_.location(),
                        fmt::format("'{}' must have one of step, factor and points", axis_.name));
    }
    if (range_.to <= range_.from) {
      map_.fail("to", fmt::format("'to' is {}, must be above 'from', which is {}", range_.to,
                                  range_.from));
    }
    if (map_.has("scale") && (step_ > 0 || factor_ > 0)) {
      map_.fail("scale", "'scale' has an effect with points, or with values that are drawn");
    }
    if ((range_.is_log || factor_ > 0) && range_.from <= 0) {
      map_.fail("from", fmt::format("'from' is {}, must be above 0 here", range_.from));
    }
    if (step_ > 0 && (range_.to - range_.from) / step_ > static_cast<double>(kMostValues)) {
      map_.fail("step", fmt::format("'step' makes more than {} values", kMostValues));
    }
  }

  [[nodiscard]] bool is_whole(std::string_view key) {
    return int_of(map_.get_node(key)).has_value();
  }

  void add(double number) {
    const AxisValuePointer value = number_value(number, range_.is_whole, range_.where);
    if (axis_.values.empty() || axis_.values.back()->label != value->label) {
      axis_.values.push_back(value);
    }
  }

  void add_steps() {
    const auto last =
        static_cast<std::int64_t>(std::floor((range_.to - range_.from) / step_ + kTolerance));
    for (std::int64_t at = 0; at <= last; ++at) {
      add(range_.from + step_ * static_cast<double>(at));
    }
  }

  void add_powers() {
    for (double number = range_.from; number <= range_.to * (1 + kTolerance); number *= factor_) {
      add(number);
      if (static_cast<std::int64_t>(axis_.values.size()) > kMostValues) {
        map_.fail("factor", fmt::format("'factor' makes more than {} values", kMostValues));
      }
    }
  }

  void add_points() {
    for (std::int64_t at = 0; at + 1 < points_; ++at) {
      const double share = static_cast<double>(at) / static_cast<double>(points_ - 1);
      add(range_.is_log ? range_.from * std::pow(range_.to / range_.from, share)
                        : range_.from + (range_.to - range_.from) * share);
    }
    add(range_.to);
  }

  Axis& axis_;
  MapReader map_;
  ValueRange range_;
  double step_ = 0;
  double factor_ = 0;
  std::int64_t points_ = 0;
};

/// The last `parts` parts of a name: "dram.bytes_per_clk".
std::string ending_of(const std::string& name, int parts) {
  std::size_t begin = name.size();
  for (int part = 0; part < parts && begin != std::string::npos; ++part) {
    begin = begin == 0 ? std::string::npos : name.rfind('.', begin - 1);
  }
  return begin == std::string::npos ? name : name.substr(begin + 1);
}

}  // namespace

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
    RangeReader(axis, node).read();
  } else {
    refuse(node, name,
           "a list of values or a range: {from: 1, to: 8, step: 1}, with factor or points instead "
           "of step");
  }
  return axis;
}

Axis read_list_axis(const std::string& name, const YamlNode& list) {
  Axis axis{name, list.location, {}, {}};
  if (!list.is_list()) refuse(list, name, "a list");
  add_values(axis, list);
  return axis;
}

std::string short_name(const std::string& name, const std::vector<std::string>& names) {
  for (int parts = 1;; ++parts) {
    std::string ending = ending_of(name, parts);
    const auto is_like = [&](const std::string& other) {
      return other != name && ending_of(other, parts) == ending;
    };
    if (ending == name || std::none_of(names.begin(), names.end(), is_like)) return ending;
  }
}

}  // namespace stcsim
