#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/workloads/model_configs.hpp"
#include "tests/unit/workloads/sample_layers.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

TEST(HuggingFace, AnotherClassIsRefusedWithItsKeysAndTheWayOn) {
  ordered_json config = llama_config("llama9", "Llama9ForCausalLM", 64, 2, 4, 2, 128, 1000);
  const std::string text = refusal_of_config(config);
  EXPECT_THAT(text, HasSubstr("model type 'llama9' is not known; llama has its keys; write its "
                              "layers as YAML (docs/workloads.md) or export it to ONNX, or set "
                              "\"model_type\" to \"llama\" where its class computes the same"));
  config["qk_layernorm"] = true;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("has its keys but qk_layernorm;"));
  config["model_type"] = "llama";
  EXPECT_THAT(refusal_of_config(config),
              HasSubstr("may change its products and are not read: qk_layernorm; write"));
  config["qk_layernorm"] = false;
  EXPECT_EQ(read_config(config).network.layers.size(), 11U);
}

TEST(HuggingFace, OfSeveralPartsNoneIsLeftOutInSilence) {
  const ordered_json llama = llama_config("llama", "LlamaForCausalLM", 64, 2, 4, 2, 128, 1000);
  ordered_json part = llama;
  part.erase("architectures");
  ordered_json config{{"model_type", "looker"},
                      {"architectures", {"LookerForConditionalGeneration"}},
                      {"text_config", part},
                      {"vision_config", {{"hidden_size", 32}}}};
  EXPECT_THAT(refusal_of_config(config),
              HasSubstr("not read: vision_config; write its layers as YAML (docs/workloads.md) or "
                        "export it to ONNX; to read its language model alone, save 'text_config' "
                        "as a config.json"));
  config.erase("vision_config");
  const ImportedNetwork alone = read_config(config);
  EXPECT_EQ(products_of(alone.network, 1), products_of(read_config(llama).network, 1));
  EXPECT_THAT(alone.summary(), HasSubstr("all but the language model"));
}

TEST(HuggingFace, AnUnknownTypeSaysWhatIsKnown) {
  const std::string text =
      refusal_of_config({{"model_type", "phi3v"}, {"n_embd", 64}, {"n_layer", 2}});
  EXPECT_THAT(text, HasSubstr("not usable as Hugging Face config"));
  EXPECT_THAT(text, HasSubstr("'phi3v' is not known, must be one of "));
  EXPECT_THAT(text, HasSubstr(" that 'stcsim list models' shows, such as phi3, "));
  EXPECT_THAT(text, HasSubstr("write its layers as YAML (docs/workloads.md) or export it to ONNX"));
  EXPECT_THAT(text, Not(HasSubstr("lacks")));
}

/// A published configuration that differs from the known ones, and the key that says so.
struct OtherModel {
  const char* key;
  ordered_json config;
};

std::vector<OtherModel> other_models() {
  const auto llama = [](const char* type, const char* key, const ordered_json& value) {
    return llama_config(type, "LlamaForCausalLM", 2304, 26, 8, 4, 9216, 256000, {{key, value}});
  };
  ordered_json untied = llama("gemma9", "attn_logit_softcapping", 50.0);
  untied["architectures"] = {"Gemma9ForCausalLM"};
  untied.erase("tie_word_embeddings");
  ordered_json bert = bert_config("BertModel", 768, 12);
  bert["add_cross_attention"] = true;
  return {
      {"tie_word_embeddings (missing", untied},
      {"attn_logit_softcapping", untied},
      {"cross_attention_layers", llama("llama", "cross_attention_layers", {3, 8, 13})},
      {"linear_conv_kernel_dim", llama("qwen3", "linear_conv_kernel_dim", 4)},
      {"'layer_types' must have full_attention and sliding_attention only",
       llama("llama", "layer_types", std::vector<std::string>(26, "linear_attention"))},
      {"kv_lora_rank", llama("llama", "kv_lora_rank", 512)},
      {"shared_expert_intermediate_size",
       llama("qwen3_moe", "shared_expert_intermediate_size", 5632)},
      {"ffn_config.router",
       {{"model_type", "dbrx"}, {"ffn_config", {{"router_rank", 8}, {"moe_top_k", 1}}}}},
      {"vision_config.vision_use_gate",
       {{"model_type", "siglip"}, {"vision_config", {{"vision_use_gate", true}}}}},
      {"'conv_kernel_size' must be 0", {{"model_type", "deberta-v2"}, {"conv_kernel_size", 3}}},
      {"'depths' is 3, must be a list", {{"model_type", "swin"}, {"depths", 3}}},
      {"a list of 1 has no item 1, of 'widths[s]' (vision.yaml:",
       {{"model_type", "convnext"}, {"hidden_sizes", {96}}}},
      {"add_cross_attention", bert},
      {"'hybrid_override_pattern' must have M, * or - for each of the 3 layers",
       {{"model_type", "nemotron_h"},
        {"num_hidden_layers", 3},
        {"hybrid_override_pattern", "M*E"}}},
      {"'layer_types' must have mamba or attention for each of the 32 layers",
       {{"model_type", "granitemoehybrid"}, {"layer_types", {"mamba"}}}},
      {"'layer_types' must be stated beside 'sliding_window_pattern'",
       {{"model_type", "exaone4"}, {"sliding_window_pattern", "LLLG"}}},
      {"'attn_type_list' must have 1, full attention, only",
       {{"model_type", "minimax_m2"}, {"attn_type_list", {1, 0}}}},
      {"'moe_intermediate_size' must be 'intermediate_size', 64, in all layers",
       {{"model_type", "hunyuan_v1_moe"},
        {"intermediate_size", 64},
        {"moe_intermediate_size", {64, 32}}}},
      {"'vision_output_dim' must be 7680, of 6 layers",
       {{"model_type", "mllama_vision_model"}, {"vision_output_dim", 1280}}},
      {"'tie_word_embeddings' is true, of 'text_config' false: state it in both",
       {{"model_type", "qwen3_vl"}, {"tie_word_embeddings", true}}},
  };
}

TEST(HuggingFace, ModelsThatAreNotReadAreRefusedWithTheirKeys) {
  for (const OtherModel& model : other_models()) {
    EXPECT_THAT(refusal_of_config(model.config), HasSubstr(model.key)) << model.config.dump();
  }
}

/// Keys of saved files that change no product: as flan-T5's, and what transformers writes of
/// PretrainedConfig.
TEST(HuggingFace, AllErrorsAreReportedAtOnce) {
  ordered_json config = bert_config("BertModel", 768, 12);
  config["hidden_size"] = "wide";
  config["num_hidden_layers"] = 0;
  config["vocab_size"] = -3;
  config["hidden_dropout_prob"] = 7;
  const std::string text = refusal_of_config(config);
  EXPECT_THAT(text, HasSubstr("'hidden_size' is \"wide\", must be a whole number from 1"));
  EXPECT_THAT(text, HasSubstr("'num_hidden_layers' is 0"));
  EXPECT_THAT(text, HasSubstr("'vocab_size' is -3"));
  EXPECT_THAT(text, HasSubstr("'hidden_dropout_prob' is 7, must be a share"));
  EXPECT_THAT(refusal_of_config(llama_config("llama", "", 65, 1, 4, 3, 8, 9)),
              HasSubstr("must divide the 4 heads; hidden size 65 must be a multiple"));
  EXPECT_THAT(refusal_of_config(gpt2_config(64, 1, 1), {1, 2000, {}}),
              HasSubstr("positions for 1024 tokens, 2000 were asked for"));
  EXPECT_THAT(refusal_of_config({{"model_type", "llama4_text"}}, {1, 8193, {}}),
              HasSubstr("8193 tokens must be a multiple of 'attention_chunk_size', 8192"));
}

}  // namespace
}  // namespace stcsim
