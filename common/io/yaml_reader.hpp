#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/io/problems.hpp"
#include "common/io/yaml_node.hpp"
#include "common/io/yaml_value.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Typed access to one map of a YAML file. Every error is a ConfigError at the value's
/// file:line:column that names the key, the value found and what would be right.
///
/// A read_x(MapReader&) function asks for every key it knows and then calls finish(), which refuses
/// the keys nobody asked for and those that are missing. Until then a missing number or text reads
/// as the smallest allowed or an empty one, so that a misspelt key is reported as such: check
/// values against each other after finish(), or with fail(). A missing map, list or enum is an
/// error at once. Optional keys:
/// `get_x_or(key, fallback)` or `if (map.has(key))`. A reader points into its YamlDocument, which
/// must outlive it.
///
/// Example:
///   MapReader map(document);
///   network.batch = map.get_int_or("batch", 1, kPositive);
///   network.optimizer = map.get_enum_or("optimizer", Optimizer::adam, kOptimizers);
///   for (MapReader& layer : map.get_maps("layers")) network.layers.push_back(read_layer(layer));
///   map.finish();
/// where an enum's table is any range of (name, value) pairs:
///   constexpr std::array<std::pair<std::string_view, Optimizer>, 2> kOptimizers{{...}};
class MapReader {
 public:
  /// @param path the map's place in its file for messages, e.g. "layers.3"; "" for the top level
  /// @throws ConfigError if `node` is not a map
  MapReader(const YamlNode& node, std::string path);
  explicit MapReader(const YamlDocument& document);

  /// True if the key is there. Counts as asking for it.
  [[nodiscard]] bool has(std::string_view key);

  /// Plain decimal digits only: no fraction, exponent, leading zero, separator or quotes.
  [[nodiscard]] std::int64_t get_int(std::string_view key, IntRange range);
  [[nodiscard]] std::int64_t get_int_or(std::string_view key, std::int64_t fallback,
                                        IntRange range);
  [[nodiscard]] double get_double(std::string_view key, DoubleRange range);
  [[nodiscard]] double get_double_or(std::string_view key, double fallback, DoubleRange range);
  /// true or false, nothing else.
  [[nodiscard]] bool get_bool(std::string_view key);
  [[nodiscard]] bool get_bool_or(std::string_view key, bool fallback);
  /// Not empty; plain numbers and booleans have to be quoted to be a text.
  [[nodiscard]] std::string get_string(std::string_view key);
  [[nodiscard]] std::string get_string_or(std::string_view key, std::string_view fallback);
  /// "2:4" (quoted or not), dense, or {n: 2, m: 4}.
  [[nodiscard]] Pattern get_pattern(std::string_view key);
  [[nodiscard]] Pattern get_pattern_or(std::string_view key, Pattern fallback);
  [[nodiscard]] std::vector<Pattern> get_pattern_list(std::string_view key);
  /// One of operand_data_types().
  [[nodiscard]] DataType get_dtype(std::string_view key);
  [[nodiscard]] DataType get_dtype_or(std::string_view key, DataType fallback);

  /// A list of exactly two whole numbers.
  [[nodiscard]] std::array<std::int64_t, 2> get_int_pair(std::string_view key, IntRange range);
  /// The same, or one number that stands for both: `kernel: 3` is `kernel: [3, 3]`.
  [[nodiscard]] std::array<std::int64_t, 2> get_int_or_pair(std::string_view key, IntRange range);
  [[nodiscard]] std::vector<std::int64_t> get_int_list(std::string_view key, IntRange range);
  [[nodiscard]] std::vector<std::string> get_string_list(std::string_view key);

  [[nodiscard]] MapReader get_map(std::string_view key);
  /// A list of maps.
  [[nodiscard]] std::vector<MapReader> get_maps(std::string_view key);
  /// A list of anything.
  [[nodiscard]] const std::vector<YamlNode>& get_list(std::string_view key);
  /// The value as it stands.
  [[nodiscard]] const YamlNode& get_node(std::string_view key);

  /// One of the names of `table`.
  template <class Table>
  [[nodiscard]] auto get_enum(std::string_view key, const Table& table) {
    return std::data(table)[choose(key, names_of(table))].second;
  }
  template <class Value, class Table>
  [[nodiscard]] Value get_enum_or(std::string_view key, Value fallback, const Table& table) {
    return has(key) ? get_enum(key, table) : fallback;
  }
  /// A list of names of `table`, repetitions allowed, order kept.
  template <class Table>
  [[nodiscard]] auto get_enum_list(std::string_view key, const Table& table) {
    std::vector<decltype(std::data(table)->second)> values;
    for (const std::size_t index : choose_list(key, names_of(table))) {
      values.push_back(std::data(table)[index].second);
    }
    return values;
  }

  /// Where the key's value was written; where the map begins if the key is absent.
  [[nodiscard]] SourceLocation location_of(std::string_view key) const;
  [[nodiscard]] const SourceLocation& location() const { return node_->location; }
  /// Throws ConfigError with this message at location_of(key); if required keys are missing, says
  /// that instead.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Refuses keys nobody asked for, with the nearest known key as a suggestion, and then what is
  /// missing.
  void finish() const;
  /// The keys nobody asked for, of a reader that has other errors already.
  void add_unknown_to(ConfigErrors& errors) const;

 private:
  using Names = std::vector<std::string>;

  template <class Table>
  static Names names_of(const Table& table) {
    Names names;
    for (const auto& entry : table) names.emplace_back(entry.first);
    return names;
  }
  [[nodiscard]] std::size_t choose(std::string_view key, const Names& names);
  [[nodiscard]] std::vector<std::size_t> choose_list(std::string_view key, const Names& names);
  [[nodiscard]] std::string path_of(std::string_view key) const;
  /// The key's value; if there is none, notes that it is missing and returns null.
  [[nodiscard]] const YamlNode* require(std::string_view key);
  [[noreturn]] void refuse_missing() const;
  [[nodiscard]] ConfigError unknown(const YamlEntry& entry, const std::string& hint) const;
  [[nodiscard]] std::string in_path() const;

  const YamlNode* node_;
  std::string path_;
  std::vector<std::string> known_;
  std::vector<std::string> missing_;
};

}  // namespace stcsim
