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

/// Configurations that differ from the known ones, and what is said of them.
TEST(HuggingFace, ModelsThatAreNotReadAreRefusedWithTheirKeys) {
  for (const ordered_json& model : rows_of("refused_models.jsonl")) {
    ImportOptions options;
    if (model.contains("tokens")) options.tokens = model["tokens"].get<std::int64_t>();
    EXPECT_THAT(refusal_of_config(model["config"], options),
                HasSubstr(model["says"].get<std::string>()))
        << model["config"].dump();
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
