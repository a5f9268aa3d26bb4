#include "common/io/yaml_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/csv_table.hpp"
#include "common/io/text_file.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Drops the digits at the front of `text`; false if there are none.
bool skip_digits(std::string_view& text) {
  const std::size_t end =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  text.remove_prefix(end);
  return end > 0;
}

/// Drops `letter` from the front of `text`; false if it is not there.
bool skip(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

/// -?(0|[1-9][0-9]*), dropped from the front of `text`.
bool skip_integer(std::string_view& text) {
  skip(text, '-');
  return skip(text, '0') || skip_digits(text);
}

/// JSON's number (RFC 8259, section 6).
bool is_number(std::string_view text) {
  if (!skip_integer(text)) return false;
  if (skip(text, '.') && !skip_digits(text)) return false;
  if (skip(text, 'e') || skip(text, 'E')) {
    if (!skip(text, '+')) skip(text, '-');
    if (!skip_digits(text)) return false;
  }
  return text.empty();
}

/// "a whole number of at least 1", or with both ends where the upper one matters.
std::string right_int(IntRange range, std::optional<std::int64_t> value) {
  const bool too_large = value && *value > range.max;
  if (range.max >= kPositive.max && !too_large) {
    if (range.min == std::numeric_limits<std::int64_t>::min()) return "a whole number";
    return fmt::format("a whole number of at least {}", range.min);
  }
  return fmt::format("a whole number from {} to {}", range.min, range.max);
}

std::string right_double(DoubleRange range) {
  const bool has_min = range.min > std::numeric_limits<double>::lowest();
  const bool has_max = range.max < std::numeric_limits<double>::max();
  if (has_min && has_max && !range.above_min) {
    return fmt::format("a number from {} to {}", range.min, range.max);
  }
  std::string right = "a number";
  if (has_min) right += fmt::format(" {} {}", range.above_min ? "above" : "of at least", range.min);
  if (has_min && has_max) right += " and";
  if (has_max) right += fmt::format(" {} {}", has_min ? "up to" : "of at most", range.max);
  return right;
}

bool in_range(double value, DoubleRange range) {
  return value <= range.max && (range.above_min ? value > range.min : value >= range.min);
}

}  // namespace

void refuse(const YamlNode& node, std::string_view name, const std::string& right) {
  throw ConfigError(node.location,
                    fmt::format("'{}' is {}, must be {}", name, node.describe(), right));
}

std::optional<std::int64_t> int_of(const YamlNode& node) {
  std::string_view rest = node.text;
  if (!node.is_scalar() || node.quoted || !skip_integer(rest) || !rest.empty()) return std::nullopt;
  return to_whole_number(node.text);
}

std::optional<double> double_of(const YamlNode& node) {
  if (!node.is_scalar() || node.quoted || !is_number(node.text)) return std::nullopt;
  return to_number(node.text);
}

std::optional<bool> bool_of(const YamlNode& node) {
  if (!node.is_scalar() || node.quoted) return std::nullopt;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  return std::nullopt;
}

std::int64_t read_int(const YamlNode& node, std::string_view name, IntRange range) {
  const std::optional<std::int64_t> value = int_of(node);
  if (value && *value >= range.min && *value <= range.max) return *value;
  refuse(node, name, right_int(range, value));
}

double read_double(const YamlNode& node, std::string_view name, DoubleRange range) {
  const std::optional<double> value = double_of(node);
  if (value && in_range(*value, range)) return *value;
  refuse(node, name, right_double(range));
}

bool read_bool(const YamlNode& node, std::string_view name) {
  const std::optional<bool> value = bool_of(node);
  if (value) return *value;
  refuse(node, name, "true or false");
}

std::string read_string(const YamlNode& node, std::string_view name) {
  if (!node.is_scalar()) refuse(node, name, "a text");
  if (!node.quoted && (is_number(node.text) || bool_of(node))) {
    refuse(node, name, "a text: put it in quotes");
  }
  std::string text = node.text;
  if (text.ends_with('\n')) text.pop_back();
  if (text.empty()) refuse(node, name, "a text that is not empty");
  if (!is_utf8(text) || find_control(text) != 0) {
    throw ConfigError(node.location, fmt::format("'{}' must be one line of text", name));
  }
  return text;
}

DataType read_dtype(const YamlNode& node, std::string_view name) {
  std::vector<std::string> names;
  for (const DataType type : operand_data_types()) names.emplace_back(to_string(type));
  return operand_data_types()[read_choice(node, name, names)];
}

namespace {

using Synonym = std::pair<std::string_view, std::string_view>;

/// What other programs call a word, and the word.
constexpr std::array<Synonym, 48> kSynonyms{{
    {"mlp", "ffn"},
    {"feed_forward", "ffn"},
    {"attn", "attention"},
    {"self_attention", "attention"},
    {"head", "classifier"},
    {"lm_head", "classifier"},
    {"backbone", "body"},
    {"conv2d", "conv"},
    {"convolution", "conv"},
    {"dense", "linear"},
    {"gemm", "linear"},
    {"fc", "linear"},
    {"fully_connected", "linear"},
    {"matmul", "bmm"},
    {"batched_matmul", "bmm"},
    {"embed", "embedding"},
    {"lookup", "embedding"},
    {"bn", "batch_norm"},
    {"batchnorm", "batch_norm"},
    {"layernorm", "layer_norm"},
    {"ln", "layer_norm"},
    {"rmsnorm", "rms_norm"},
    {"swish", "silu"},
    {"relu2", "relu_squared"},
    {"add", "residual_add"},
    {"residual", "residual_add"},
    {"shortcut", "residual_add"},
    {"maxpool", "max_pool"},
    {"avgpool", "avg_pool"},
    {"global_avg_pool", "avg_pool"},
    {"rotary", "rope"},
    {"multiply", "mul"},
    {"loss", "softmax"},
    {"cross_entropy", "softmax"},
    {"sgd", "sgd_momentum"},
    {"momentum", "sgd_momentum"},
    {"adamw", "adam"},
    {"fprop", "forward"},
    {"bprop", "dgrad"},
    {"vocab_size", "vocabulary"},
    {"embedding_dim", "features"},
    {"hidden_size", "features"},
    {"in_channels", "in_features"},
    {"out_channels", "out_features"},
    {"seq_len", "tokens"},
    {"seq_length", "tokens"},
    {"batch_size", "batch"},
}};

}  // namespace

std::string synonym_of(const std::string& word, const std::vector<std::string>& choices) {
  const auto* const found = std::ranges::find(kSynonyms, word, &Synonym::first);
  if (found == kSynonyms.end() || std::ranges::find(choices, found->second) == choices.end()) {
    return "";
  }
  return std::string(found->second);
}

std::size_t read_choice(const YamlNode& node, std::string_view name,
                        const std::vector<std::string>& choices) {
  const auto at = std::find(choices.begin(), choices.end(), node.text);
  if (node.is_scalar() && at != choices.end()) {
    return static_cast<std::size_t>(at - choices.begin());
  }
  if (const std::string ours = node.is_scalar() ? synonym_of(node.text, choices) : "";
      !ours.empty()) {
    throw ConfigError(node.location,
                      fmt::format("'{}' is '{}': here it is {}", name, node.text, ours));
  }
  refuse(node, name,
         fmt::format("one of {}{}", fmt::join(choices, ", "),
                     node.is_scalar() ? did_you_mean(node.text, choices) : ""));
}

}  // namespace stcsim
