#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/workloads/model_configs.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "workloads/files/model_family.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

ProductCounts products_of(const Network& network) {
  return products_of(network, network.batch);
}

struct ShippedModel {
  const char* network;
  ordered_json config;
  ImportOptions options;
};

ImportOptions step(std::int64_t batch, std::int64_t tokens, std::int64_t masked = 0) {
  ImportOptions options{batch, tokens, {}};
  if (masked > 0) options.sizes["masked"] = masked;
  return options;
}

const ordered_json kOfMistral{{"sliding_window", nullptr}, {"max_position_embeddings", 32768}};

std::vector<ShippedModel> shipped_models() {
  return {
      {"bert_base_s128", bert_config("BertModel", 768, 12), step(64, 128)},
      {"bert_base_s384", bert_config("BertForQuestionAnswering", 768, 12), step(32, 384)},
      {"bert_large_s128", bert_config("BertModel", 1024, 24), step(64, 128)},
      {"bert_large_s384", bert_config("BertForQuestionAnswering", 1024, 24), step(0, 384)},
      {"bert_large_pretraining_s128", bert_config("BertForPreTraining", 1024, 24, 30528),
       step(0, 128, 20)},
      {"bert_large_pretraining_s256", bert_config("BertForPreTraining", 1024, 24, 30528),
       step(0, 256, 40)},
      {"bert_large_pretraining_s512", bert_config("BertForPreTraining", 1024, 24, 30528),
       step(0, 512, 80)},
      {"gpt2_124m", gpt2_config(768, 12, 12), step(8, 1024)},
      {"gpt2_350m", gpt2_config(1024, 24, 16), step(8, 1024)},
      {"gpt2_774m", gpt2_config(1280, 36, 20), step(8, 1024)},
      {"gpt2_1558m", gpt2_config(1600, 48, 25), step(0, 1024)},
      {"opt_2_7b", opt_config(2560, 32, 32), step(1, 2048)},
      {"opt_6_7b", opt_config(4096, 32, 32), step(1, 2048)},
      {"opt_13b", opt_config(5120, 40, 40), step(1, 2048)},
      {"opt_30b", opt_config(7168, 48, 56), step(1, 2048)},
      {"opt_66b", opt_config(9216, 64, 72), step(1, 2048)},
      {"llama3_8b", llama_config("llama", "LlamaForCausalLM", 4096, 32, 32, 8, 14336, 128256),
       step(1, 2048)},
      {"mistral_7b",
       llama_config("mistral", "MistralForCausalLM", 4096, 32, 32, 8, 14336, 32768, kOfMistral),
       step(1, 2048)},
      {"vit_base_r384", vit_config(768, 12, 384), {}},
      {"vit_large", vit_config(1024, 24, 224), {}},
      {"deit_tiny", vit_config(192, 12, 224), {}},
      {"deit_small", vit_config(384, 12, 224), {}},
      {"deit_base", vit_config(768, 12, 224), {}},
  };
}

TEST(HuggingFace, ShippedNetworksComeOutProductByProduct) {
  for (ShippedModel& model : shipped_models()) {
    const Network shipped = load_network(model.network);
    model.options.batch = shipped.batch;
    const Network read_network = read_config(model.config, model.options).network;
    EXPECT_EQ(read_network.parameters(), shipped.parameters()) << model.network;
    EXPECT_EQ(products_of(read_network), products_of(shipped)) << model.network;
  }
}

/// STCSIM_MODEL_SAMPLES: a folder with the config.json of bert-base-uncased and gpt2, called so.
TEST(HuggingFace, FilesOfTheHubAreRead) {
  const char* const folder = std::getenv("STCSIM_MODEL_SAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "STCSIM_MODEL_SAMPLES is not set";
  const std::string prefix = std::string(folder) + "/hf_";
  const Network bert =
      import_network(prefix + "bert_base_uncased.config.json", step(64, 128)).network;
  const Network shipped = load_network("bert_base_s128");
  EXPECT_EQ(bert.name, "hf_bert_base_uncased");
  EXPECT_EQ(products_of(bert), products_of(shipped));
  EXPECT_EQ(bert.parameters(), shipped.parameters());
  const Network gpt2 = import_network(prefix + "gpt2.config.json", step(8, 1024)).network;
  // Three words more than the published table.
  EXPECT_EQ(gpt2.parameters(), load_network("gpt2_124m").parameters() + 3 * 768);
}

TEST(HuggingFace, AChangedSizeIsSeen) {
  ordered_json config = bert_config("BertModel", 768, 12);
  config["intermediate_size"] = 3071;
  const Network shipped = load_network("bert_base_s128");
  const Network changed = read_config(config, step(shipped.batch, 128)).network;
  EXPECT_NE(products_of(changed), products_of(shipped));
  EXPECT_NE(changed.parameters(), shipped.parameters());
}

ordered_json encoder_config(const char* type, const char* architecture, const ordered_json& more) {
  ordered_json config{{"architectures", {architecture}}, {"model_type", type}};
  config.update(more);
  return config;
}

/// Products of a token with weights, whose layers all have as many tokens.
std::int64_t products_of_token(const Network& network) {
  std::int64_t products = 0;
  for (const Layer& layer : network.layers) {
    if (layer.kind == LayerKind::linear) {
      products += layer.repeat * layer.forward_macs() / (layer.height * layer.width);
    }
  }
  return products;
}

/// Repositories of Hugging Face, what their weights count, and the values of their config.json; of
/// some the weights that a token meets.
TEST(HuggingFace, PublishedModelsHaveTheirParameters) {
  std::set<std::string> types;
  for (const ordered_json& model : rows_of("published_models.jsonl")) {
    types.insert(model["config"]["model_type"].get<std::string>());
    const Network network = read_config(model["config"]).network;
    EXPECT_EQ(network.parameters(), model["parameters"].get<std::int64_t>()) << model["model"];
    EXPECT_GT(network.forward_macs(), 0) << model["model"];
    if (model.contains("met")) {
      EXPECT_EQ(products_of_token(network), model["met"].get<std::int64_t>()) << model["model"];
    }
  }
  EXPECT_GE(types.size(), 50U);
}

TEST(HuggingFace, EveryTypeReadsWithItsClassesDefaults) {
  ASSERT_GE(model_families().size(), 80U);
  for (const auto& [type, family] : model_families()) {
    const ImportedNetwork network = read_config({{"model_type", type}});
    EXPECT_GT(network.network.layers.size(), 4U) << type;
    EXPECT_THAT(network.summary(), HasSubstr("the class's")) << type;
  }
}

TEST(HuggingFace, ARenamedTypeIsReadByItsClassOrItsKeys) {
  ordered_json config = llama_config("llama", "LlamaForCausalLM", 64, 2, 4, 2, 128, 1000);
  const Network named = read_config(config).network;
  config["model_type"] = "my_llama";
  const ImportedNetwork renamed = read_config(config);
  EXPECT_EQ(products_of(renamed.network), products_of(named));
  EXPECT_THAT(renamed.summary(), HasSubstr("model type 'my_llama' is not known: read as llama"));
  config.erase("model_type");
  config.erase("architectures");
  EXPECT_EQ(products_of(read_config(config).network), products_of(named));
  ordered_json mixed = bert_config("BertModel", 64, 2);
  mixed.erase("model_type");
  mixed.erase("architectures");
  EXPECT_THAT(read_config(mixed).summary(),
              HasSubstr("its model type is not stated: read as bert"));
}

/// A class of one's own does what nobody knows, with whatever keys.
TEST(HuggingFace, SavedDefaultsGiveNoShape) {
  const ordered_json saved{{"add_cross_attention", false},
                           {"chunk_size_feed_forward", 0},
                           {"cross_attention_hidden_size", nullptr},
                           {"dense_act_fn", "gelu_new"},
                           {"encoder_no_repeat_ngram_size", 0},
                           {"id2label", {{"0", "LABEL_0"}, {"1", "LABEL_1"}}},
                           {"is_decoder", false},
                           {"is_encoder_decoder", true},
                           {"is_gated_act", true},
                           {"layer_norm_epsilon", 1e-6},
                           {"num_beam_groups", 1},
                           {"output_hidden_states", true},
                           {"pruned_heads", ordered_json::object()},
                           {"relative_attention_max_distance", 128},
                           {"task_specific_params", {{"summarization", {{"num_beams", 4}}}}},
                           {"tie_encoder_decoder", false}};
  ordered_json plain = encoder_config("t5", "T5ForConditionalGeneration",
                                      {{"d_model", 768},
                                       {"num_layers", 12},
                                       {"num_heads", 12},
                                       {"d_ff", 2048},
                                       {"feed_forward_proj", "gated-gelu"},
                                       {"tie_word_embeddings", false}});
  ordered_json full = plain;
  full.update(saved);
  EXPECT_EQ(read_config(full).network.layers, read_config(plain).network.layers);
  EXPECT_EQ(read_config(full).network.parameters(), 247'577'856);  // flan-T5-base
}

TEST(HuggingFace, WindowsAreThoseOfEachLayer) {
  /// Windows of scores and in how many blocks.
  const auto windows = [](const char* type, const ordered_json& more, std::int64_t tokens) {
    const ordered_json config = llama_config(type, "", 64, 2, 4, 2, 128, 1000, more);
    std::map<std::int64_t, std::int64_t> blocks;
    for (const Layer& layer : read_config(config, step(1, tokens)).network.layers) {
      if (layer.is_scores()) blocks[layer.window] += layer.repeat;
    }
    return blocks;
  };
  using Blocks = std::map<std::int64_t, std::int64_t>;
  const auto of = [](const char* first, const char* second) {
    return ordered_json{{"sliding_window", 128}, {"layer_types", {first, second}}};
  };
  const ordered_json both = of("sliding_attention", "full_attention");
  const ordered_json sliding = of("sliding_attention", "sliding_attention");
  EXPECT_EQ(windows("mistral", both, 128), (Blocks{{0, 2}}));
  EXPECT_EQ(windows("mistral", both, 512), (Blocks{{0, 1}, {128, 1}}));
  EXPECT_EQ(windows("mistral", of("full_attention", "full_attention"), 512), (Blocks{{0, 2}}));
  EXPECT_EQ(windows("mistral", sliding, 512), (Blocks{{128, 2}}));
  EXPECT_EQ(windows("qwen3", sliding, 512), (Blocks{{128, 2}}));
  EXPECT_EQ(windows("gemma2", {{"sliding_window", 128}}, 512), (Blocks{{0, 1}, {128, 1}}));
  EXPECT_EQ(windows("gemma3_text", {{"sliding_window", 128}}, 512), (Blocks{{128, 2}}));
  ordered_json late{
      {"sliding_window", 128}, {"use_sliding_window", true}, {"max_window_layers", 2}};
  EXPECT_EQ(windows("qwen2", late, 512), (Blocks{{0, 2}}));
  late["max_window_layers"] = 1;
  EXPECT_EQ(windows("qwen2", late, 512), (Blocks{{0, 1}, {128, 1}}));
  late["use_sliding_window"] = false;
  EXPECT_EQ(windows("qwen2", late, 512), (Blocks{{0, 2}}));
  EXPECT_THAT(error_of([&] {
                (void)windows("llama", {{"layer_types", {"full_attention"}}}, 512);
              }),
              HasSubstr("'layer_types' has 1 entries, must have one for each of the 2 layers"));
}

/// Rows say of all scores their heads of pieces, keys, queries, window and blocks, and how many
/// blocks rotate their queries.
TEST(HuggingFace, BlocksAttendAsTheirClassDoes) {
  for (const ordered_json& model : rows_of("blocks_of_models.jsonl")) {
    const ImportOptions options = step(1, model["tokens"].get<std::int64_t>());
    std::multiset<std::vector<std::int64_t>> scores;
    std::int64_t rotating = 0;
    for (const Layer& layer : read_config(model["config"], options).network.layers) {
      const std::int64_t ropes = std::ranges::count(layer.after, StreamOp::rope);
      if (layer.name.ends_with(".q")) rotating += layer.repeat * ropes;
      if (!layer.is_scores()) continue;
      scores.insert({layer.count, layer.bmm_m, layer.bmm_n, layer.window, layer.repeat});
    }
    EXPECT_EQ(ordered_json(scores), model["scores"]) << model.dump();
    EXPECT_EQ(rotating, model["rotating"].get<std::int64_t>()) << model.dump();
  }
}

/// fairseq's RoBERTa counts positions from 2.
TEST(HuggingFace, RobertaHasTwoPositionsThatNoTokenTakes) {
  const ordered_json config =
      encoder_config("roberta", "RobertaModel", {{"max_position_embeddings", 514}});
  EXPECT_EQ(read_config(config, step(1, 512)).network.layers.front().height, 512);
  EXPECT_THAT(refusal_of_config(config, step(1, 513)),
              HasSubstr("it has positions for 512 tokens, 513 were asked for"));
}

/// GaLore's llama_1b.json.
TEST(HuggingFace, TokensFollowTheLengthOfASequence) {
  const ordered_json config = llama_config("llama", "LLaMAForCausalLM", 2048, 24, 32, 32, 5461,
                                           32000, {{"max_sequence_length", 1024}});
  EXPECT_THAT(read_config(config).assumed, testing::Contains("1024 tokens a sample"));
}

TEST(HuggingFace, WordsOfTheConfigurationAreInTheLayers) {
  const Network gemma = read_config({{"model_type", "gemma"}}, step(1, 128)).network;
  std::map<std::string, Layer> layers;
  for (const Layer& layer : gemma.layers) layers[layer.name] = layer;
  EXPECT_EQ(layers.at("blk.gate").after, std::vector{StreamOp::gelu_tanh});
  EXPECT_EQ(layers.at("blk.up").after, std::vector{StreamOp::mul});
  EXPECT_EQ(layers.at("blk.q").after, std::vector{StreamOp::rope});
  EXPECT_TRUE(layers.at("blk.v").after.empty());
  EXPECT_TRUE(layers.at("lm_head").tied);
  ordered_json squared = gpt2_config(64, 2, 2);
  squared["activation_function"] = "relu2";
  const ImportedNetwork from_squared = read_config(squared, step(1, 128));
  const auto is_squared = [](const Layer& layer) {
    return std::ranges::count(layer.after, StreamOp::relu_squared) == 1;
  };
  EXPECT_EQ(std::ranges::count_if(from_squared.network.layers, is_squared), 1);
  EXPECT_THAT(from_squared.assumed, Not(Contains(HasSubstr("relu2"))));
  const Network phi = read_config({{"model_type", "phi3"}}, step(1, 128)).network;
  EXPECT_EQ(phi.layers.at(1).out_channels, 3 * 3072);
  EXPECT_EQ(phi.layers.at(5).after, std::vector{StreamOp::swiglu});
  const Network mistral = read_config({{"model_type", "mistral"}}, step(1, 8192)).network;
  for (const Layer& layer : mistral.layers) {
    const bool attends = layer.kind == LayerKind::bmm;
    EXPECT_EQ(layer.window, attends ? 4096 : 0) << layer.name;
    EXPECT_EQ(layer.shared_by, attends ? 4 : 1) << layer.name;
  }
}

TEST(HuggingFace, WhatIsAssumedAndLeftOutIsSaid) {
  const ImportedNetwork bert = read_config(bert_config("BertModel", 768, 12), step(32, 384));
  EXPECT_EQ(bert.recognised,
            "Hugging Face config, BertModel: 12 blocks of width 768, 12 heads and an FFN of 3072, "
            "109.5 M parameters");
  EXPECT_THAT(bert.left_out, testing::ElementsAre("the pooler's product"));
  EXPECT_TRUE(bert.assumed.empty());
  EXPECT_THAT(read_config(bert_config("BertModel", 768, 12)).assumed,
              testing::ElementsAre("512 tokens a sample", "batch 32"));
}

}  // namespace
}  // namespace stcsim
