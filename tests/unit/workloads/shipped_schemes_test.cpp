#include <map>
#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "tests/unit/workloads/shipped_configs.hpp"

namespace stcsim {
namespace {

/// "weight 2:4", "output_gradient 2:4 right", "dense fp8_e5m2", "dense: why".
std::string describe(const SparsityRequest& request) {
  std::string text(request.pattern.is_dense() ? "dense" : to_string(request.tensor));
  if (!request.pattern.is_dense()) text += " " + request.pattern.to_string();
  if (request.on_right) text += " right";
  if (request.dtype) text += " " + std::string(to_string(*request.dtype));
  if (!request.reason.empty()) text += ": " + request.reason;
  return text;
}

struct Expectation {
  std::string forward;
  std::string dgrad;
  std::string wgrad;
  double share = 1.0;
};

/// What each publication makes sparse, on a layer all schemes of its kind prune.
const std::map<std::string, Expectation> kExpectations{
    {"dense", {"dense", "dense", "dense"}},
    {"asp", {"weight 2:4", "dense", "dense"}},
    {"sr-ste", {"weight 2:4", "dense", "dense"}},
    {"slidesparse", {"weight 6:8", "dense", "dense"}},
    {"step", {"weight 2:4", "dense", "dense", 0.5}},
    {"transposable", {"weight 4:8", "weight 4:8", "dense"}},
    {"transposable-2-4", {"weight 2:4", "weight 2:4", "dense"}},
    {"bi-mask", {"weight 2:4", "weight 2:4", "dense"}},
    {"bdwp", {"weight 2:8", "weight 2:8", "dense"}},
    {"slope", {"weight 2:4", "weight 2:4", "dense"}},
    {"sdgp", {"dense", "output_gradient 2:4 right", "dense"}},
    {"mvue-1-2", {"dense", "dense", "output_gradient 1:2"}},
    {"mvue-2-4", {"dense", "dense", "output_gradient 2:4"}},
    {"mvue-transposable", {"weight 4:8", "weight 4:8", "output_gradient 2:4"}},
    {"fst", {"weight 2:4", "weight 2:4", "output_gradient 2:4", 0.8333}},
    {"s-ste", {"weight 2:4 fp8_e4m3", "dense fp8_e5m2", "output_gradient 2:4 fp8_e5m2"}},
    {"s-ste-fp16", {"weight 2:4", "dense", "output_gradient 2:4"}},
    {"torchao-semisparse", {"weight 2:4", "weight 2:4", "dense"}},
    {"torchao-activations", {"activation 2:4 right", "dense", "activation 2:4 right"}},
    {"activations-2-4", {"dense", "output_gradient 2:4 right", "output_gradient 2:4"}},
    {"beyond-2-4",
     {"weight 2:4", "output_gradient 64:2:8 right", "output_gradient 64:2:8", 0.8333}},
    {"chts-1-4", {"weight 1:4", "dense", "dense"}},
    {"dfss", {"activation 2:4 right", "dense: dfss does not prune this layer", "dense"}},
};

TEST(ShippedSchemes, DoWhatTheirPublicationSays) {
  const std::vector<std::string> names = shipped_names("schemes");
  ASSERT_EQ(names.size(), kExpectations.size());
  Layer ffn = linear_layer(1024, 4096, 128);
  ffn.role = LayerRole::ffn;
  Layer second = linear_layer(4096, 1024, 128);
  second.role = LayerRole::ffn;
  const Layer conv = conv_layer(64, 128, 56, 3, 1, 1);
  const Layer values = bmm_layer(64, 128, 128, 12);
  for (const std::string& name : names) {
    ASSERT_TRUE(kExpectations.contains(name)) << name;
    const Scheme scheme = load_scheme(name);
    const Expectation& expected = kExpectations.at(name);
    const bool is_of_second = name == "torchao-activations";
    const Layer& layer = name == "sdgp"   ? conv
                         : name == "dfss" ? values
                         : is_of_second   ? second
                                          : ffn;
    EXPECT_EQ(scheme.name, name);
    EXPECT_EQ(describe(request_for(scheme, layer, Phase::forward)), expected.forward) << name;
    EXPECT_EQ(describe(request_for(scheme, layer, Phase::dgrad)), expected.dgrad) << name;
    EXPECT_EQ(describe(request_for(scheme, layer, Phase::wgrad)), expected.wgrad) << name;
    EXPECT_DOUBLE_EQ(scheme.share_of_training, expected.share) << name;
  }
}

/// In dgrad the other product of attention is sparse.
TEST(ShippedSchemes, GradientsOfScoresAreSparseWhereScoresComeFrom) {
  Layer scores = bmm_layer(128, 128, 64, 12);
  scores.after = {StreamOp::softmax};
  const Scheme dfss = load_scheme("dfss");
  EXPECT_EQ(describe(request_for(dfss, scores, Phase::dgrad)), "output_gradient 2:4 right");
  EXPECT_EQ(describe(request_for(dfss, scores, Phase::wgrad)), "dense");
}

/// The activation between the FFN's products, and the gradient that comes back to it.
TEST(ShippedSchemes, ActivationsAreSparseInBothProductsOfTheFfn) {
  Layer second = linear_layer(4096, 1024, 128);
  second.role = LayerRole::ffn;
  for (const auto& [name, pattern] :
       {std::pair("activations-2-4", "2:4"), {"beyond-2-4", "64:2:8"}}) {
    const Scheme scheme = load_scheme(name);
    const std::string activation = std::string("activation ") + pattern + " right";
    EXPECT_EQ(describe(request_for(scheme, second, Phase::forward)), activation);
    EXPECT_EQ(describe(request_for(scheme, second, Phase::dgrad)), "dense");
    EXPECT_EQ(describe(request_for(scheme, second, Phase::wgrad)), activation);
  }
  second.role = LayerRole::attention;
  EXPECT_EQ(describe(request_for(load_scheme("activations-2-4"), second, Phase::forward)),
            "dense: activations-2-4 does not prune this layer");
}

TEST(ShippedSchemes, HaveADescriptionAndASource) {
  for (const std::string& name : shipped_names("schemes")) {
    const Scheme scheme = load_scheme(name);
    EXPECT_NE(scheme.description, "") << name;
    EXPECT_EQ(scheme.source.empty(), name == "dense") << name;
  }
}

/// Names of the layers of a network that a scheme leaves alone.
std::vector<std::string> unpruned(const std::string& scheme_name, const std::string& network) {
  const Scheme scheme = load_scheme(scheme_name);
  std::vector<std::string> names;
  for (const Layer& layer : load_network(network).layers) {
    if (!scheme.of(layer).layers.matches(layer)) names.push_back(layer.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ShippedSchemes, SkipTheLayersTheirAuthorsSkip) {
  EXPECT_EQ(unpruned("sdgp", "resnet50"), (Names{"conv1", "fc"}));
  EXPECT_EQ(unpruned("asp", "resnet50"), (Names{"conv1"}));
  EXPECT_EQ(unpruned("asp", "regnetx_400mf"), (Names{"stem"}));
  EXPECT_EQ(unpruned("asp", "gpt2_124m"),
            (Names{"wte", "wpe", "blk.attn_qk", "blk.attn_av", "lm_head"}));
  EXPECT_EQ(unpruned("sr-ste", "resnet18"), (Names{"fc"}));
  EXPECT_EQ(unpruned("step", "resnet18"), (Names{"fc"}));
  EXPECT_EQ(unpruned("step", "gpt2_124m"),
            (Names{"wte", "wpe", "blk.attn_qk", "blk.attn_av", "lm_head"}));
  EXPECT_EQ(unpruned("bi-mask", "resnet18"), (Names{"conv1", "fc"}));
  EXPECT_EQ(unpruned("fst", "gpt2_124m"), (Names{"wte", "wpe", "blk.c_attn", "blk.attn_qk",
                                                 "blk.attn_av", "blk.c_proj", "lm_head"}));
  EXPECT_EQ(unpruned("slope", "gpt2_124m"),
            (Names{"wte", "wpe", "blk.attn_qk", "blk.attn_av", "lm_head"}));
  EXPECT_EQ(unpruned("activations-2-4", "gpt2_124m"), unpruned("fst", "gpt2_124m"));
  EXPECT_EQ(unpruned("torchao-activations", "gpt2_124m"),
            (Names{"wte", "wpe", "blk.c_attn", "blk.attn_qk", "blk.attn_av", "blk.c_proj",
                   "blk.mlp.c_fc", "lm_head"}));
  EXPECT_EQ(unpruned("transposable", "resnet50"), Names{});
}

}  // namespace
}  // namespace stcsim
