#include "workloads/files/model_keys.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "common/io/expression.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// A value as a message shows it.
std::string shown(const ordered_json& value) {
  if (value.is_object()) return "a map";
  if (value.is_array()) return "a list";
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Words of keys that change shapes.
constexpr std::string_view kShapeWords =
    "layer layers block blocks depth depths head heads dim dims size sizes width rank ranks expert "
    "experts moe linear conv kernel channels window pattern interval period vision audio cross "
    "mamba ssm state gate gated bias lora qk query group groups adapter tie tied sparse mlp ffn "
    "nextn mtp softcap softcapping decoder encoder";

/// Keys with such words, or maps, that change nothing that is multiplied.
constexpr std::string_view kOtherKeys =
    "layer_norm_eps layer_norm_epsilon layernorm_epsilon layer_norm_elementwise_affine "
    "scale_attn_by_inverse_layer_idx chunk_size_feed_forward no_repeat_ngram_size "
    "encoder_no_repeat_ngram_size pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
    "pooler_size_per_head pooler_output_size pooler_type tie_weights_ decoder_start_token_id "
    "is_encoder_decoder is_gated_act num_beam_groups max_batch_size id2label label2id "
    "task_specific_params auto_map "
    "rope_scaling rope_parameters quantization_config generation_config transformers.js_config";

bool is_one_of(std::string_view word, std::string_view list) {
  const auto words = words_in(list);
  return std::ranges::find(words, word) != words.end();
}

bool says_none(const ordered_json& value) {
  if (value.is_null() || value == false) return true;
  if (value.is_number()) return value.get<double>() == 0;
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.is_structured() && value.empty();
}

}  // namespace

bool gives_shape(std::string_view key, const ordered_json& value) {
  if (says_none(value) || is_one_of(key, kOtherKeys)) return false;
  if (value.is_object()) return true;
  if (key == "position_embedding_type") return value != "absolute";
  if (key == "is_decoder") return true;
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t end = std::min(key.find('_', at), key.size());
    if (is_one_of(key.substr(at, end - at), kShapeWords)) return true;
    at = end + 1;
  }
  return false;
}

namespace {

/// What is wrong with a value, "" if nothing is: "'x' is 3, must be ...".
std::string fault_of(KeyKind kind, const ordered_json& value, std::int64_t most) {
  const auto is_whole = [&](const ordered_json& one, std::int64_t least) {
    return one.is_number_integer() &&
           (!one.is_number_unsigned() ||
            one.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) &&
           one.get<std::int64_t>() >= least && one.get<std::int64_t>() <= most;
  };
  const auto number = [&] { return value.is_number() ? value.get<double>() : -1; };
  switch (kind) {
    case KeyKind::size:
      return is_whole(value, 1) ? "" : fmt::format("a whole number from 1 to {}", most);
    case KeyKind::count:
      return is_whole(value, 0) ? "" : fmt::format("a whole number from 0 to {}", most);
    case KeyKind::number:
      return number() >= 0 && number() <= static_cast<double>(most) ? "" : "a number from 0";
    case KeyKind::rate:
      return number() >= 0 && number() < 1 ? "" : "a share from 0 to below 1";
    case KeyKind::flag:
      return value.is_boolean() ? "" : "true or false";
    case KeyKind::text:
      return value.is_string() ? "" : "a text";
    case KeyKind::list:
      return value.is_structured() ? "" : "a list";
    case KeyKind::pixels:
      break;
  }
  const bool is_pair =
      value.is_array() && value.size() == 2 && is_whole(value[0], 1) && is_whole(value[1], 1);
  return is_pair || is_whole(value, 1) ? "" : fmt::format("one or two numbers up to {}", most);
}

ordered_json as_kind(KeyKind kind, const ordered_json& value) {
  if (kind == KeyKind::rate && value.is_number()) return value.get<double>() > 0;
  if (kind == KeyKind::pixels && !value.is_array()) return ordered_json::array({value, value});
  return value;
}

}  // namespace

KeyRule KeyRule::parse(std::string_view text) {
  KeyRule rule;
  const std::size_t end = text.find_first_of("<=~");
  for (const std::string_view word : words_in(text.substr(0, end))) {
    rule.spellings.emplace_back(word);
  }
  std::string_view rest = end == std::string_view::npos ? "" : text.substr(end);
  if (rest.starts_with("<=")) {
    rest.remove_prefix(2);
    const std::size_t sign = rest.find_first_of("=~");
    const std::vector<std::string_view> most = words_in(rest.substr(0, sign));
    rule.most = most.size() == 1 ? to_whole_number(most[0]).value_or(0) : 0;
    rest = sign == std::string_view::npos ? "" : rest.substr(sign);
  }
  if (rule.spellings.empty() || rule.most < 1 || rest.size() < 2) {
    throw ExpressionError(fmt::format(
        "'{}' is no rule of a key, must be 'KEYS = DEFAULT' or 'KEYS ~ DEFAULT'", text));
  }
  rule.is_said = rest[0] == '=';
  rule.fallback = rest.substr(1);
  return rule;
}

const ordered_json* ModelKeys::find(std::string_view key) const {
  const ordered_json* map = &config_;
  for (;;) {
    const std::size_t dot = key.find('.');
    if (!map->is_object()) return nullptr;
    const auto found = map->find(std::string(key.substr(0, dot)));
    if (found == map->end()) return nullptr;
    if (dot == std::string_view::npos) return &*found;
    map = &*found;
    key.remove_prefix(dot + 1);
  }
}

bool ModelKeys::has(std::string_view key) const {
  const ordered_json* const value = find(key);
  return value != nullptr && !value->is_null();
}

/// The first spelling counts; others that say the same are read, too.
ordered_json ModelKeys::read(KeyKind kind, const KeyRule& rule,
                             const std::function<Value()>& fallback) {
  const ordered_json* first = nullptr;
  std::string_view name;
  for (const std::string& key : rule.spellings) {
    if (!has(key)) continue;
    const ordered_json* const found = find(key);
    if (first == nullptr) name = key;
    if (first == nullptr) first = found;
    if (*found == *first) read_.insert(key);
  }
  if (first == nullptr) return as_kind(kind, fallback());
  const std::string fault = fault_of(kind, *first, rule.most);
  if (fault.empty()) return as_kind(kind, *first);
  problems_.add(fmt::format("'{}{}' is {}, must be {}", prefix_, name, shown(*first), fault));
  return as_kind(kind, fallback());
}

ordered_json ModelKeys::part(const std::string& key) {
  read_.insert(key);
  const ordered_json* const value = find(key);
  return value != nullptr && value->is_object() ? *value : Value::object();
}

std::string ModelKeys::first_text(const std::string& key) {
  read_.insert(key);
  const ordered_json* const value = find(key);
  const bool is_there = value != nullptr && value->is_array() && !value->empty();
  return is_there && value->front().is_string() ? value->front().get<std::string>() : "";
}

void ModelKeys::take(const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) read_.emplace(key);
}

/// Of a map of which nothing is read its own name, of another its keys.
void ModelKeys::add_unread(std::vector<std::string>& unread, const Value& map,
                           const std::string& path, bool only_shapes) const {
  for (const auto& [key, value] : map.items()) {
    const std::string name = path + key;
    if (read_.contains(name)) continue;
    const auto below = read_.lower_bound(name + ".");
    if (value.is_object() && below != read_.end() && below->starts_with(name + ".")) {
      add_unread(unread, value, name + ".", only_shapes);
    } else if (!only_shapes || gives_shape(key, value)) {
      unread.push_back(prefix_ + name);
    }
  }
}

std::vector<std::string> ModelKeys::unread(bool only_shapes) const {
  std::vector<std::string> unread;
  add_unread(unread, config_, "", only_shapes);
  return unread;
}

}  // namespace stcsim
