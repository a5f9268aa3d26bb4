#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/problems.hpp"

namespace stcsim {

/// Whether a key of a `config.json` may change what a model multiplies, by the words that it
/// consists of: layers, sizes, experts, parts of its own. Values that say "none" (null, false, 0,
/// empty) change nothing, nor do rates, names of tokens and what only training or sampling asks.
[[nodiscard]] bool gives_shape(std::string_view key, const nlohmann::ordered_json& value);

/// What a key may hold.
enum class KeyKind : std::uint8_t {
  /// A whole number from 1; from 0.
  size,
  count,
  /// A number from 0.
  number,
  /// A rate below 1, of which counts whether it is above zero: dropout.
  rate,
  flag,
  text,
  list,
  /// A number or two, rows and columns.
  pixels
};

inline constexpr std::size_t kKeyKinds = 8;

/// How a family writes a key: "n_embd d_model <= 4096 = 768". Of several spellings the first that
/// is there counts; a map's keys are written with dots. What is missing is the expression after
/// `=`, which is said, or after `~`, which goes without saying.
struct KeyRule {
  std::vector<std::string> spellings;
  std::int64_t most = kMostSize;
  bool is_said = false;
  std::string fallback;

  static constexpr std::int64_t kMostSize = (std::int64_t{1} << 31) - 1;

  /// @throws ExpressionError for what is no rule
  [[nodiscard]] static KeyRule parse(std::string_view text);
};

/// Access to a `config.json` or a map in it, which knows what was read. A key that equals its
/// class's default may be missing from the file; a null stands for a missing key. What is malformed
/// becomes a problem, and reads as the default.
class ModelKeys {
 public:
  using Value = nlohmann::ordered_json;

  /// @param prefix before names of keys in messages: "text_config."
  ModelKeys(const Value& config, Problems& problems, std::string prefix = "")
      : config_(config), problems_(problems), prefix_(std::move(prefix)) {}

  /// Whether the key is there and not null; null if it is there and null. That alone reads none.
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool says(std::string_view key) const { return find(key) != nullptr; }
  /// @param fallback gives the default of a key that is missing or malformed
  [[nodiscard]] Value read(KeyKind kind, const KeyRule& rule,
                           const std::function<Value()>& fallback);
  /// The whole map of a key, all of whose keys count as read; an empty one if there is none.
  [[nodiscard]] Value part(const std::string& key);
  /// The first text of a list.
  [[nodiscard]] std::string first_text(const std::string& key);
  /// Says that keys are read, whatever they say.
  void take(const std::vector<std::string_view>& keys);
  /// Says that keys are read that another reader of the same map has read.
  void take_as(const ModelKeys& other) { read_.insert(other.read_.begin(), other.read_.end()); }
  /// Keys that nothing has read, or those of them that give a shape.
  [[nodiscard]] std::vector<std::string> unread(bool only_shapes) const;

  /// The key's first spelling, as messages call it.
  [[nodiscard]] std::string name_of(const KeyRule& rule) const {
    return prefix_ + rule.spellings.front();
  }

 private:
  [[nodiscard]] const Value* find(std::string_view key) const;
  void add_unread(std::vector<std::string>& unread, const Value& map, const std::string& path,
                  bool only_shapes) const;

  const Value& config_;
  Problems& problems_;
  std::string prefix_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace stcsim
