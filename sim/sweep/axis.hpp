#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"

namespace stcsim {

/// A value that an axis can have, and the text that stands for it in results.
struct AxisValue {
  YamlNode node;
  std::string label;
};
using AxisValuePointer = std::shared_ptr<const AxisValue>;

/// All numbers from one to another. Whole if both ends are written as whole numbers.
struct ValueRange {
  double from = 0;
  double to = 0;
  bool is_log = false;
  bool is_whole = false;
  SourceLocation where;

  /// The number that this share of the range, 0 to 1, lies below.
  [[nodiscard]] AxisValuePointer at(double share) const;
};

/// Something that differs between the points of a space.
struct Axis {
  /// "machine.accelerator.num_sms", "dtype"; or "machine", "gemm", ..., the space's own lists.
  std::string name;
  /// Where the name is written.
  SourceLocation where;
  /// In order. Empty if values are drawn.
  std::vector<AxisValuePointer> values;
  std::optional<ValueRange> drawn;

  /// What the name begins with, and what follows the first dot; "" if there is none.
  [[nodiscard]] std::string root() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] std::string key() const;
};

/// Reads an axis's values:
///
///   [54, 108]                            these
///   {from: 54, to: 216, step: 54}        54, 108, 162, 216
///   {from: 16, to: 128, factor: 2}       16, 32, 64, 128
///   {from: 10, to: 1000, points: 3}      10, 505, 1000;  with scale: log  10, 100, 1000
///   {from: 10, to: 1000}                 drawn, by a space that has `sample`; also with scale: log
///
/// Where `from`, `to` and `step` are written as whole numbers, so are the values (rounded, each
/// once).
/// @throws ConfigError at what is wrong
[[nodiscard]] Axis read_axis(const std::string& name, const SourceLocation& where,
                             const YamlNode& node);

/// An axis that is one of the space's own lists; entries are called by their names.
[[nodiscard]] Axis read_list_axis(const std::string& name, const YamlNode& list);

/// The shortest ending of an axis's name, cut at its dots, that no other of `names` has:
/// "dram.bytes_per_clk" where another axis ends in "l2_cache.bytes_per_clk".
[[nodiscard]] std::string short_name(const std::string& name,
                                     const std::vector<std::string>& names);

}  // namespace stcsim
