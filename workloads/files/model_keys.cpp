#include "workloads/files/model_keys.hpp"

#include <algorithm>

#include <fmt/format.h>

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

bool ModelKeys::has(std::string_view spellings) const {
  return std::ranges::any_of(words_in(spellings), [&](std::string_view key) {
    const auto found = config_.find(std::string(key));
    return found != config_.end() && !found->is_null();
  });
}

/// The first spelling counts; others that say the same are read, too.
const ordered_json* ModelKeys::find(std::string_view spellings, std::string_view* as) const {
  const ordered_json* first = nullptr;
  for (const std::string_view key : words_in(spellings)) {
    const auto found = config_.find(std::string(key));
    if (found == config_.end() || found->is_null()) continue;
    if (first == nullptr && as != nullptr) *as = key;
    if (first == nullptr) first = &*found;
    if (*found == *first) read_.emplace(key);
  }
  return first;
}

std::int64_t ModelKeys::checked(std::string_view key, const ordered_json& value, std::int64_t most,
                                std::int64_t fallback) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= kMostRows) &&
                    value.get<std::int64_t>() >= 1 && value.get<std::int64_t>() <= most;
  if (fits) return value.get<std::int64_t>();
  problems_.add(
      fmt::format("'{}' is {}, must be a whole number from 1 to {}", key, shown(value), most));
  return fallback;
}

std::int64_t ModelKeys::size(std::string_view spellings, std::int64_t fallback, std::int64_t most) {
  std::string_view key = spellings.substr(0, spellings.find(' '));
  if (const ordered_json* const value = find(spellings, &key)) {
    return checked(key, *value, most, fallback);
  }
  defaults_.push_back(fmt::format("{} {}", key, fallback));
  return fallback;
}

bool ModelKeys::flag(std::string_view key, bool fallback) {
  const ordered_json* const value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  problems_.add(fmt::format("'{}' is {}, must be true or false", key, shown(*value)));
  return fallback;
}

bool ModelKeys::is_above_zero(std::string_view spellings, bool fallback) {
  std::string_view key = spellings.substr(0, spellings.find(' '));
  const ordered_json* const value = find(spellings, &key);
  if (value == nullptr) return fallback;
  if (value->is_number() && value->get<double>() >= 0 && value->get<double>() < 1) {
    return value->get<double>() > 0;
  }
  problems_.add(fmt::format("'{}' is {}, must be a share from 0 to below 1", key, shown(*value)));
  return fallback;
}

std::string ModelKeys::text(std::string_view spellings, const std::string& fallback) {
  std::string_view key = spellings.substr(0, spellings.find(' '));
  const ordered_json* const value = find(spellings, &key);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->get<std::string>();
  problems_.add(fmt::format("'{}' is {}, must be a text", key, shown(*value)));
  return fallback;
}

std::optional<std::int64_t> ModelKeys::entries(std::string_view key) const {
  const ordered_json* const value = find(key);
  if (value == nullptr || !value->is_structured()) return std::nullopt;
  return static_cast<std::int64_t>(value->size());
}

std::pair<std::int64_t, std::int64_t> ModelKeys::pixels(std::string_view key,
                                                        std::int64_t fallback) {
  const ordered_json* const value = find(key);
  if (value == nullptr || !value->is_array()) {
    const std::int64_t both = size(key, fallback);
    return {both, both};
  }
  if (value->size() != 2) {
    problems_.add(fmt::format("'{}' has {} numbers, must be one or two", key, value->size()));
    return {fallback, fallback};
  }
  return {checked(key, value->at(0), kMostSize, fallback),
          checked(key, value->at(1), kMostSize, fallback)};
}

std::string ModelKeys::first_text(std::string_view key) const {
  const ordered_json* const value = find(key);
  const bool is_there = value != nullptr && value->is_array() && !value->empty();
  return is_there && value->front().is_string() ? value->front().get<std::string>() : "";
}

std::vector<std::string> ModelKeys::texts(std::string_view key) {
  std::vector<std::string> all;
  const ordered_json* const value = find(key);
  if (value == nullptr) return all;
  const bool is_list = value->is_array() && std::ranges::all_of(*value, [](const auto& item) {
                         return item.is_string();
                       });
  if (is_list) return value->get<std::vector<std::string>>();
  problems_.add(fmt::format("'{}' is {}, must be a list of texts", key, shown(*value)));
  return all;
}

std::vector<std::string> ModelKeys::unread(bool only_shapes) const {
  std::vector<std::string> unread;
  for (const auto& [key, value] : config_.items()) {
    if (read_.contains(key) || (only_shapes && !gives_shape(key, value))) continue;
    unread.push_back(key);
  }
  return unread;
}

}  // namespace stcsim
