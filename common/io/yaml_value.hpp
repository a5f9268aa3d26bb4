#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "common/io/yaml_node.hpp"

namespace stcsim {

/// Whole numbers from min to max, both included.
struct IntRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};
/// Counts and sizes: up to 10^15, far from overflow when multiplied by an element size.
inline constexpr IntRange kPositive{1, 1'000'000'000'000'000};
inline constexpr IntRange kNotNegative{0, 1'000'000'000'000'000};

/// Finite numbers from min to max; min itself is excluded if `above_min`.
struct DoubleRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  bool above_min = false;
};

/// The whole number written in a plain scalar: [-]digits without leading zeros, within 64 bits.
[[nodiscard]] std::optional<std::int64_t> int_of(const YamlNode& node);
/// The number written in a plain scalar: JSON's syntax, finite.
[[nodiscard]] std::optional<double> double_of(const YamlNode& node);
/// true or false in a plain scalar.
[[nodiscard]] std::optional<bool> bool_of(const YamlNode& node);

// The conversions below throw ConfigError at the node's location: "'name' is 'x', must be ...".
[[nodiscard]] std::int64_t read_int(const YamlNode& node, std::string_view name, IntRange range);
[[nodiscard]] double read_double(const YamlNode& node, std::string_view name, DoubleRange range);
[[nodiscard]] bool read_bool(const YamlNode& node, std::string_view name);
/// One line of text, not empty; a plain number or boolean is none. A final line feed, as block
/// texts have it, is dropped.
[[nodiscard]] std::string read_string(const YamlNode& node, std::string_view name);
[[nodiscard]] DataType read_dtype(const YamlNode& node, std::string_view name);
/// Ours for the word of another program ("adamw": "adam"), if it is one of the choices; else "".
[[nodiscard]] std::string synonym_of(const std::string& word,
                                     const std::vector<std::string>& choices);
/// The index of the scalar in `choices`.
[[nodiscard]] std::size_t read_choice(const YamlNode& node, std::string_view name,
                                      const std::vector<std::string>& choices);

/// Throws "'name' is <the value>, must be <right>" at the node's location.
[[noreturn]] void refuse(const YamlNode& node, std::string_view name, const std::string& right);

}  // namespace stcsim
