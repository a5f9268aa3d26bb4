#include "workloads/files/shape_keys.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "common/io/problems.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

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

}  // namespace stcsim
