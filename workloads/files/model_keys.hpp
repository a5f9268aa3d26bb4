#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

/// Typed access to a `config.json`. A key that equals its class's default may be missing from the
/// file; a null stands for a missing key. What is malformed becomes a problem, and reads as the
/// default. Spellings of a key are words of one text, of which the first that is there counts.
class ModelKeys {
 public:
  ModelKeys(const nlohmann::ordered_json& config, Problems& problems)
      : config_(config), problems_(problems) {}

  /// Whether one of the spellings is there and not null; that alone reads none.
  [[nodiscard]] bool has(std::string_view spellings) const;
  /// Whether the key is there, be it null.
  [[nodiscard]] bool says(std::string_view key) const { return config_.contains(std::string(key)); }
  /// A size from 1 to `most`.
  [[nodiscard]] std::int64_t size(std::string_view spellings, std::int64_t fallback,
                                  std::int64_t most = kMostSize);
  /// The same of a key that files rarely have: its default goes without saying.
  [[nodiscard]] std::int64_t stated(std::string_view spellings, std::int64_t fallback,
                                    std::int64_t most = kMostSize) {
    return has(spellings) ? size(spellings, fallback, most) : fallback;
  }
  [[nodiscard]] bool flag(std::string_view key, bool fallback);
  /// A share: dropout.
  [[nodiscard]] bool is_above_zero(std::string_view spellings, bool fallback);
  [[nodiscard]] std::string text(std::string_view spellings, const std::string& fallback);
  /// How many entries a list or map has; nothing if it is neither.
  [[nodiscard]] std::optional<std::int64_t> entries(std::string_view key) const;
  /// Pixels: a number, or a list of two.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> pixels(std::string_view key,
                                                             std::int64_t fallback);
  /// The first text of a list.
  [[nodiscard]] std::string first_text(std::string_view key) const;
  /// A list of texts; empty if there is none.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  /// Says that a key is read, whatever it says.
  void take(std::string_view spellings) const { (void)find(spellings); }
  /// Keys that nothing has read, or those of them that give a shape.
  [[nodiscard]] std::vector<std::string> unread(bool only_shapes) const;

  /// "intermediate_size 3072": keys that were missing, as they were taken.
  [[nodiscard]] const std::vector<std::string>& defaults() const { return defaults_; }

  static constexpr std::int64_t kMostSize = std::int64_t{1} << 24;
  static constexpr std::int64_t kMostRows = (std::int64_t{1} << 31) - 1;
  static constexpr std::int64_t kMostBlocks = std::int64_t{1} << 16;

 private:
  [[nodiscard]] const nlohmann::ordered_json* find(std::string_view spellings,
                                                   std::string_view* as = nullptr) const;
  [[nodiscard]] std::int64_t checked(std::string_view key, const nlohmann::ordered_json& value,
                                     std::int64_t most, std::int64_t fallback);

  const nlohmann::ordered_json& config_;
  Problems& problems_;
  std::vector<std::string> defaults_;
  mutable std::set<std::string, std::less<>> read_;
};

}  // namespace stcsim
