#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/axis.hpp"

namespace stcsim {

/// What a point's axes have: one value per axis of the space, null where an axis does not concern
/// points of its kind.
using Assignment = std::vector<AxisValuePointer>;

/// A comparison that points must satisfy: "machine.clock_mhz >= 1000",
/// "machine.accelerator.l2_cache.write_bytes_per_clk <= 0.5 *
/// machine.accelerator.l2_cache.read_bytes_per_clk", "gemm.pattern != 2:4". Words are separated by
/// spaces; each side is an axis or a number, or a product of them, or, beside == and !=, a text
/// that values are called by.
class Constraint {
 public:
  /// @throws ConfigError at `node` if it is no comparison, or of what is no axis of the space
  Constraint(const YamlNode& node, const std::vector<Axis>& axes);

  /// True also where one of its axes does not concern the point. `unlimited` is above all numbers.
  /// @throws ConfigError if values that are no numbers are to be compared by size
  [[nodiscard]] bool holds(const Assignment& values) const;

  /// Whether it has this axis, by its place in the space.
  [[nodiscard]] bool compares(std::size_t axis) const;
  [[nodiscard]] const SourceLocation& where() const { return where_; }

 private:
  enum class Comparison : std::uint8_t { less, at_most, equal, not_equal, at_least, greater };
  struct Side {
    double factor = 1;
    std::vector<std::size_t> axes;
    std::optional<std::string> text;
  };

  [[nodiscard]] Side read_side(const std::vector<std::string>& words,
                               const std::vector<Axis>& axes) const;
  void add_factor(Side& side, const std::string& word, const std::vector<Axis>& axes) const;
  [[nodiscard]] double number(const Side& side, const Assignment& values) const;
  /// The text of a side that is a text, or one axis.
  [[nodiscard]] std::optional<std::string> text(const Side& side, const Assignment& values) const;
  [[nodiscard]] bool compares_texts(const Assignment& values) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::string text_;
  SourceLocation where_;
  Comparison comparison_ = Comparison::equal;
  Side left_;
  Side right_;
};

}  // namespace stcsim
