#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/unit/config/scratch_folder.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {

/// Configurations of published models as Hugging Face writes them, from the values that papers and
/// checkpoints state.

/// @param architecture "BertModel", ...
inline nlohmann::ordered_json bert_config(const char* architecture, std::int64_t hidden,
                                          std::int64_t blocks, std::int64_t words = 30522) {
  return {{"architectures", {architecture}},
          {"model_type", "bert"},
          {"hidden_act", "gelu"},
          {"hidden_size", hidden},
          {"intermediate_size", 4 * hidden},
          {"max_position_embeddings", 512},
          {"num_attention_heads", hidden / 64},
          {"num_hidden_layers", blocks},
          {"type_vocab_size", 2},
          {"vocab_size", words}};
}

inline nlohmann::ordered_json gpt2_config(std::int64_t width, std::int64_t blocks,
                                          std::int64_t heads) {
  return {{"architectures", {"GPT2LMHeadModel"}},
          {"model_type", "gpt2"},
          {"activation_function", "gelu_new"},
          {"n_embd", width},
          {"n_head", heads},
          {"n_inner", nullptr},
          {"n_layer", blocks},
          {"n_positions", 1024},
          {"vocab_size", 50257}};
}

inline nlohmann::ordered_json opt_config(std::int64_t width, std::int64_t blocks,
                                         std::int64_t heads) {
  return {{"architectures", {"OPTForCausalLM"}},
          {"model_type", "opt"},
          {"activation_function", "relu"},
          {"do_layer_norm_before", true},
          {"ffn_dim", 4 * width},
          {"hidden_size", width},
          {"max_position_embeddings", 2048},
          {"num_attention_heads", heads},
          {"num_hidden_layers", blocks},
          {"vocab_size", 50272},
          {"word_embed_proj_dim", width}};
}

/// A model like LLaMA with grouped queries; `more` is merged over it.
inline nlohmann::ordered_json llama_config(const char* type, const char* architecture,
                                           std::int64_t width, std::int64_t blocks,
                                           std::int64_t heads, std::int64_t kv_heads,
                                           std::int64_t inner, std::int64_t words,
                                           const nlohmann::ordered_json& more = {}) {
  nlohmann::ordered_json config{{"architectures", {architecture}},
                                {"model_type", type},
                                {"hidden_act", "silu"},
                                {"hidden_size", width},
                                {"intermediate_size", inner},
                                {"num_attention_heads", heads},
                                {"num_hidden_layers", blocks},
                                {"num_key_value_heads", kv_heads},
                                {"rms_norm_eps", 1e-5},
                                {"tie_word_embeddings", false},
                                {"vocab_size", words}};
  if (!more.is_null()) config.update(more);
  return config;
}

/// DeiT without distillation is a ViT to transformers, too.
inline nlohmann::ordered_json vit_config(std::int64_t width, std::int64_t blocks,
                                         std::int64_t pixels, const char* type = "vit",
                                         const char* architecture = "ViTForImageClassification") {
  return {{"architectures", {architecture}},
          {"model_type", type},
          {"hidden_size", width},
          {"image_size", pixels},
          {"intermediate_size", 4 * width},
          {"num_attention_heads", width / 64},
          {"num_hidden_layers", blocks},
          {"num_labels", 1000},
          {"patch_size", 16},
          {"qkv_bias", true}};
}

/// The rows of a file beside this one.
inline std::vector<nlohmann::ordered_json> rows_of(const std::string& name) {
  std::ifstream file(STCSIM_SOURCE_DIR "/tests/unit/workloads/" + name);
  std::vector<nlohmann::ordered_json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(nlohmann::ordered_json::parse(line));
  }
  return rows;
}

inline ImportedNetwork read_config(const nlohmann::ordered_json& config,
                                   const ImportOptions& options = {}) {
  return read_hugging_face(config, "config.json", "model", options);
}

inline std::string refusal_of_config(const nlohmann::ordered_json& config,
                                     const ImportOptions& options = {}) {
  return error_of([&] { (void)read_config(config, options); });
}

}  // namespace stcsim
