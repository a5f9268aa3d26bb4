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
  ordered_json config = llama_config("olmo2", "Olmo2ForCausalLM", 64, 2, 4, 2, 128, 1000);
  const std::string text = refusal_of_config(config);
  EXPECT_THAT(text, HasSubstr("model type 'olmo2' is not known; llama has its keys; write its "
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
  ordered_json config{{"model_type", "llava"},
                      {"architectures", {"LlavaForConditionalGeneration"}},
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
      refusal_of_config({{"model_type", "mamba"}, {"n_embd", 64}, {"n_layer", 2}});
  EXPECT_THAT(text, HasSubstr("not usable as Hugging Face config"));
  EXPECT_THAT(text, HasSubstr("'mamba' is not known, must be one of bert, deit, distilbert"));
  EXPECT_THAT(text, HasSubstr("write its layers as YAML (docs/workloads.md) or export it to ONNX"));
  EXPECT_THAT(text, Not(HasSubstr("lacks")));
}

/// A published configuration that differs from the known ones, and the key that says so.
struct OtherModel {
  const char* key;
  ordered_json config;
};

std::vector<OtherModel> other_models() {
  ordered_json gptj = gpt2_config(4096, 28, 16);
  gptj.update({{"model_type", "gptj"}, {"architectures", {"GPTJForCausalLM"}}, {"rotary_dim", 64}});
  const ordered_json experts{{"num_local_experts", 32},
                             {"num_experts_per_tok", 4},
                             {"sliding_window", 128},
                             {"layer_types", {"sliding_attention", "full_attention"}},
                             {"attention_bias", true}};
  ordered_json gemma2 = llama_config("gemma2", "Gemma2ForCausalLM", 2304, 26, 8, 4, 9216, 256000,
                                     {{"head_dim", 256},
                                      {"query_pre_attn_scalar", 256},
                                      {"attn_logit_softcapping", 50.0},
                                      {"sliding_window", 4096}});
  gemma2.erase("tie_word_embeddings");
  const ordered_json linear{{"layer_types", {"linear_attention", "full_attention"}},
                            {"linear_conv_kernel_dim", 4},
                            {"linear_num_value_heads", 32},
                            {"attn_output_gate", true}};
  return {
      {"tie_word_embeddings (missing", gemma2},
      {"attn_logit_softcapping", gemma2},
      {"sliding_window_pattern", llama_config("gemma3_text", "Gemma3ForCausalLM", 1152, 26, 4, 1,
                                              6912, 262144, {{"sliding_window_pattern", 6}})},
      {"linear_conv_kernel_dim",
       llama_config("qwen3_5_text", "Qwen3_5ForCausalLM", 4096, 32, 16, 4, 12288, 248320, linear)},
      {"'layer_types' has 'linear_attention'",
       llama_config("llama", "LlamaForCausalLM", 4096, 32, 16, 4, 12288, 248320, linear)},
      {"vision_config", llama_config("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", 3584, 28,
                                     28, 4, 18944, 152064, {{"vision_config", {{"depth", 32}}}})},
      {"by 'layer_types' some layers have the window of 128 tokens",
       llama_config("gpt_oss", "GptOssForCausalLM", 2880, 24, 64, 8, 2880, 201088, experts)},
      {"rotary_dim", gptj},
      {"kv_lora_rank, n_routed_experts",
       llama_config("deepseek_v3", "DeepseekV3ForCausalLM", 7168, 61, 128, 128, 18432, 129280,
                    {{"kv_lora_rank", 512}, {"n_routed_experts", 256}})},
      {"shared_expert_intermediate_size",
       llama_config("qwen2_moe", "Qwen2MoeForCausalLM", 2048, 24, 16, 16, 5632, 151936,
                    {{"num_experts", 60}, {"shared_expert_intermediate_size", 5632}})},
      {"add_cross_attention",
       [] {
         ordered_json bert = bert_config("BertModel", 768, 12);
         bert["add_cross_attention"] = true;
         return bert;
       }()},
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
}

}  // namespace
}  // namespace stcsim
