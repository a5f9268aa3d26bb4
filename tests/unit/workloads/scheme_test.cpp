#include "workloads/scheme.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "tests/unit/workloads/sample_layers.hpp"

namespace stcsim {
namespace {

Scheme scheme_with(Phase phase, PhaseSparsity sparsity) {
  Scheme scheme;
  scheme.name = "mine";
  scheme.phases.at(static_cast<std::size_t>(phase)).sparsity = sparsity;
  return scheme;
}

const Layer kLinear = linear_layer(1024, 4096, 128);

struct LegalCase {
  Phase phase;
  Tensor tensor;
  GroupAxis axis;
  bool on_right;
};

TEST(RequestFor, EveryLegalChoiceOfOperand) {
  const LegalCase cases[] = {
      {Phase::forward, Tensor::weight, GroupAxis::c_in, false},
      {Phase::forward, Tensor::activation, GroupAxis::c_in, true},
      {Phase::dgrad, Tensor::weight, GroupAxis::c_out, false},
      {Phase::dgrad, Tensor::output_gradient, GroupAxis::c_out, true},
      {Phase::wgrad, Tensor::output_gradient, GroupAxis::tokens, false},
      {Phase::wgrad, Tensor::activation, GroupAxis::tokens, true},
  };
  for (const LegalCase& test : cases) {
    const Scheme scheme = scheme_with(test.phase, {test.tensor, test.axis, {2, 8}});
    const SparsityRequest request = request_for(scheme, kLinear, test.phase);
    EXPECT_EQ(request.pattern, (Pattern{2, 8}));
    EXPECT_EQ(request.tensor, test.tensor);
    EXPECT_EQ(request.on_right, test.on_right);
    EXPECT_EQ(request.reason, "");
  }
}

/// Rows of the weights' gradients lie along C_in, as forward's mask does.
TEST(RequestFor, OutputsAreOfTheWeightsGradients) {
  Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  scheme.phases.at(static_cast<std::size_t>(Phase::wgrad)).output = Pattern{2, 4};
  const SparsityRequest request = request_for(scheme, kLinear, Phase::wgrad);
  EXPECT_EQ(request.pattern.to_string(), "2:4 outputs");
  EXPECT_EQ(request.tensor, Tensor::weight);
  EXPECT_FALSE(request.on_right);
  EXPECT_FALSE(prunes(scheme, kLinear, Phase::wgrad)) << "no operand is pruned";
  const SparsityRequest first = request_for(scheme, conv_layer(3, 64, 224, 7, 2, 3), Phase::wgrad);
  EXPECT_TRUE(first.pattern.is_dense());
  EXPECT_NE(first.reason.find("straddle filter taps"), std::string::npos) << first.reason;
  scheme.set_pattern({1, 8});
  EXPECT_EQ(request_for(scheme, kLinear, Phase::wgrad).pattern.to_string(), "1:8 outputs");
  scheme.layers.kinds = {LayerKind::conv};
  EXPECT_TRUE(request_for(scheme, kLinear, Phase::wgrad).pattern.is_dense());
}

TEST(RequestFor, ALayersOwnPatternIsTheLastOfItsName) {
  Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  scheme.layer_patterns = {{"enc.*", {1, 8}}, {"*.ff2", kDense}};
  Layer layer = kLinear;
  const auto pattern_of = [&](const char* name) {
    layer.name = name;
    EXPECT_EQ(prunes(scheme, layer, Phase::forward),
              !request_for(scheme, layer, Phase::forward).pattern.is_dense());
    return request_for(scheme, layer, Phase::forward).pattern;
  };
  EXPECT_EQ(pattern_of("pooler"), (Pattern{2, 4}));
  EXPECT_EQ(pattern_of("enc.ff1"), (Pattern{1, 8}));
  EXPECT_EQ(pattern_of("enc.ff2"), kDense);
  EXPECT_EQ(request_for(scheme, layer, Phase::forward).reason, "");
  EXPECT_FALSE(scheme.is_dense());
  scheme.set_pattern({4, 8});
  EXPECT_EQ(pattern_of("enc.ff2"), (Pattern{4, 8}));
}

/// Layers whose own pattern straddles their channels are left out, not the others.
TEST(RequestFor, ALayersOwnPatternHasToFitIt) {
  Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  scheme.layer_patterns = {{"wide", {4, 32}}};
  Layer layer = conv_layer(48, 64, 14, 3, 1, 1);
  layer.name = "narrow";
  EXPECT_EQ(request_for(scheme, layer, Phase::forward).pattern, (Pattern{2, 4}));
  layer.name = "wide";
  EXPECT_NE(request_for(scheme, layer, Phase::forward).reason.find("groups of 32 straddle"),
            std::string::npos);
}

struct IllegalCase {
  Phase phase;
  Tensor tensor;
  GroupAxis axis;
  const char* reason;
};

TEST(RequestFor, SaysWhyAnOperandIsOfNoUse) {
  const IllegalCase cases[] = {
      {Phase::dgrad, Tensor::weight, GroupAxis::c_in,
       "groups run along c_in, but dgrad reduces over c_out"},
      {Phase::wgrad, Tensor::output_gradient, GroupAxis::c_out,
       "groups run along c_out, but wgrad reduces over tokens"},
      {Phase::forward, Tensor::activation, GroupAxis::tokens,
       "groups run along tokens, but forward reduces over c_in"},
      {Phase::wgrad, Tensor::weight, GroupAxis::c_in, "weight is not an operand of wgrad"},
      {Phase::dgrad, Tensor::activation, GroupAxis::c_out, "activation is not an operand of dgrad"},
      {Phase::forward, Tensor::output_gradient, GroupAxis::c_in,
       "output_gradient is not an operand of forward"},
  };
  for (const IllegalCase& test : cases) {
    const Scheme scheme = scheme_with(test.phase, {test.tensor, test.axis, {2, 4}});
    const SparsityRequest request = request_for(scheme, kLinear, test.phase);
    EXPECT_EQ(request.reason, test.reason);
    EXPECT_TRUE(request.pattern.is_dense());
    EXPECT_FALSE(request.on_right);
  }
}

TEST(RequestFor, APhaseMeantDenseNeedsNoReason) {
  const Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  EXPECT_EQ(request_for(scheme, kLinear, Phase::dgrad).reason, "");
  EXPECT_TRUE(request_for(scheme, kLinear, Phase::dgrad).pattern.is_dense());
}

TEST(RequestFor, ALayerTheSchemeSkipsStaysDenseInItsType) {
  Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  scheme.layers.roles = {LayerRole::ffn};
  scheme.phases[0].dtype = DataType::fp8_e4m3;
  const SparsityRequest skipped = request_for(scheme, kLinear, Phase::forward);
  EXPECT_EQ(skipped.reason, "mine does not prune this layer");
  EXPECT_EQ(skipped.not_asked, NotAsked::left_out);
  EXPECT_TRUE(skipped.pattern.is_dense());
  EXPECT_EQ(skipped.dtype, std::nullopt);
  EXPECT_EQ(request_for(scheme, kLinear, Phase::wgrad).reason, "");
  EXPECT_EQ(request_for(scheme, kLinear, Phase::wgrad).not_asked, NotAsked::none);

  Layer ffn = kLinear;
  ffn.role = LayerRole::ffn;
  const SparsityRequest pruned = request_for(scheme, ffn, Phase::forward);
  EXPECT_EQ(pruned.pattern, (Pattern{2, 4}));
  EXPECT_EQ(pruned.dtype, DataType::fp8_e4m3);
  EXPECT_EQ(pruned.not_asked, NotAsked::none);
}

TEST(RequestFor, ADensePhaseMayHaveATypeOfItsOwn) {
  Scheme scheme;
  scheme.phases[1].dtype = DataType::fp8_e5m2;
  const SparsityRequest request = request_for(scheme, kLinear, Phase::dgrad);
  EXPECT_TRUE(request.pattern.is_dense());
  EXPECT_EQ(request.dtype, DataType::fp8_e5m2);
  EXPECT_EQ(request.reason, "");
}

TEST(RequestFor, NoSchemePrunesAttentionProducts) {
  const Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  EXPECT_EQ(request_for(scheme, bmm_layer(128, 128, 64, 12), Phase::forward).reason,
            "mine does not prune this layer");
}

/// Of the product with the values forward's right operand, the scores, along what it reduces over.
TEST(RequestFor, OnlyScoresOfAttentionArePruned) {
  const Layer values = bmm_layer(64, 128, 128, 12);
  Scheme scheme = scheme_with(Phase::forward, {Tensor::activation, GroupAxis::c_in, {2, 4}});
  scheme.phases[0].sparsity->fused = true;
  scheme.layers.kinds = {LayerKind::bmm};
  EXPECT_TRUE(request_for(scheme, values, Phase::forward).on_right);
  Layer scores = bmm_layer(128, 128, 64, 12);
  scores.after = {StreamOp::softmax};
  Network network;
  network.layers = {scores, values};
  const Layer& first = network.layers.front();
  const Layer& last = network.layers.back();
  scheme.phases[1].sparsity = {Tensor::output_gradient, GroupAxis::c_out, {2, 4}};
  scheme.phases[1].sparsity->fused = true;
  for (const auto& [phase, writer, reader] :
       {std::tuple(Phase::forward, &first, &last), std::tuple(Phase::dgrad, &last, &first)}) {
    EXPECT_EQ(reader_of_pruned_scores(network, scheme, *writer, phase), reader);
    EXPECT_EQ(reader_of_pruned_scores(network, scheme, *reader, phase), nullptr);
    EXPECT_TRUE(prunes(scheme, *reader, phase));
    EXPECT_FALSE(prunes(scheme, *writer, phase));
  }
  EXPECT_EQ(reader_of_pruned_scores(network, scheme, first, Phase::wgrad), nullptr);
  scheme.phases[0].sparsity->fused = false;
  EXPECT_EQ(reader_of_pruned_scores(network, scheme, first, Phase::forward), nullptr);
  scheme.phases[0].sparsity->tensor = Tensor::weight;
  EXPECT_EQ(request_for(scheme, values, Phase::forward).reason,
            "of attention only scores can be pruned, forward's activation, and their gradients, "
            "dgrad's output_gradient");
}

TEST(RequestFor, ChannelGroupsMustNotStraddleTapsOrConvolutionGroups) {
  const Scheme scheme =
      scheme_with(Phase::dgrad, {Tensor::output_gradient, GroupAxis::c_out, {4, 32}});
  Layer grouped = conv_layer(160, 160, 14, 3, 1, 1);
  EXPECT_EQ(request_for(scheme, grouped, Phase::dgrad).pattern, (Pattern{4, 32}));
  grouped.groups = 10;
  EXPECT_EQ(request_for(scheme, grouped, Phase::dgrad).reason,
            "groups of 32 straddle filter taps: the layer has 16 channels along c_out");
  // A plain product has one run of channels; its last group may be short.
  EXPECT_EQ(request_for(scheme, conv_layer(160, 400, 7, 1, 1, 0), Phase::dgrad).reason, "");

  const Scheme forward = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 4}});
  EXPECT_EQ(request_for(forward, conv_layer(3, 64, 224, 7, 2, 3), Phase::forward).reason,
            "groups of 4 straddle filter taps: the layer has 3 channels along c_in");

  const Scheme tokens =
      scheme_with(Phase::wgrad, {Tensor::output_gradient, GroupAxis::tokens, {4, 32}});
  EXPECT_EQ(request_for(tokens, grouped, Phase::wgrad).reason, "");
}

TEST(RequestFor, PrunedWeightsRunSparseWhereTheSchemeIsDense) {
  Layer layer = kLinear;
  layer.weight_pattern = Pattern{1, 4};
  const SparsityRequest request = request_for(Scheme{}, layer, Phase::forward);
  EXPECT_EQ(request.pattern, (Pattern{1, 4}));
  EXPECT_EQ(request.tensor, Tensor::weight);
  EXPECT_FALSE(request.on_right);
  EXPECT_TRUE(request_for(Scheme{}, layer, Phase::dgrad).pattern.is_dense());
  EXPECT_TRUE(request_for(Scheme{}, layer, Phase::wgrad).pattern.is_dense());

  Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::c_in, {2, 8}});
  EXPECT_EQ(request_for(scheme, layer, Phase::forward).pattern, (Pattern{2, 8}));
  scheme.layers.kinds = {LayerKind::conv};
  EXPECT_EQ(request_for(scheme, layer, Phase::forward).pattern, (Pattern{1, 4}));
  EXPECT_EQ(request_for(scheme, layer, Phase::forward).reason, "");
}

TEST(RequestFor, ADenseWeightPatternChangesNothing) {
  Layer layer = kLinear;
  layer.weight_pattern = kDense;
  const Scheme scheme = scheme_with(Phase::forward, {Tensor::weight, GroupAxis::tokens, {2, 4}});
  EXPECT_EQ(request_for(scheme, layer, Phase::forward).reason,
            "groups run along tokens, but forward reduces over c_in");
}

/// Whether a filter with one condition, set by `restrict_to`, lets the layer through.
bool matches(const Layer& layer, const std::function<void(LayerFilter&)>& restrict_to) {
  LayerFilter filter;
  restrict_to(filter);
  return filter.matches(layer);
}

TEST(LayerFilter, WithoutConditionsMatchesWhateverHasWeights) {
  EXPECT_TRUE(LayerFilter{}.matches(conv_layer(3, 5, 8, 3, 1, 1)));
  EXPECT_TRUE(LayerFilter{}.matches(kLinear));
  EXPECT_FALSE(LayerFilter{}.matches(bmm_layer(1, 1, 1, 1)));
  const LayerFilter of_bmm{.kinds = {LayerKind::bmm}};
  EXPECT_TRUE(of_bmm.matches(bmm_layer(1, 1, 1, 1)));
  Layer scores = bmm_layer(1, 1, 1, 1);
  scores.after = {StreamOp::softmax};
  EXPECT_TRUE(of_bmm.matches(scores)) << "whose gradients may be pruned";
}

TEST(LayerFilter, EveryConditionCounts) {
  using Filter = LayerFilter;
  const Layer layer = conv_layer(16, 24, 8, 3, 1, 1);
  EXPECT_TRUE(matches(layer, [](Filter& f) { f.kinds = {LayerKind::conv}; }));
  EXPECT_FALSE(matches(layer, [](Filter& f) { f.kinds = {LayerKind::linear}; }));
  EXPECT_TRUE(matches(layer, [](Filter& f) { f.roles = {LayerRole::stem, LayerRole::body}; }));
  EXPECT_FALSE(matches(layer, [](Filter& f) { f.roles = {LayerRole::stem}; }));
  EXPECT_TRUE(matches(layer, [](Filter& f) { f.min_in_channels = 16; }));
  EXPECT_FALSE(matches(layer, [](Filter& f) { f.min_in_channels = 17; }));
  EXPECT_TRUE(matches(layer, [](Filter& f) { f.rows_multiple_of = 8; }));
  EXPECT_FALSE(matches(layer, [](Filter& f) { f.rows_multiple_of = 16; }));
  EXPECT_TRUE(matches(layer, [](Filter& f) { f.reduction_multiple_of = 16; }));
  EXPECT_FALSE(matches(layer, [](Filter& f) { f.reduction_multiple_of = 32; }));
}

TEST(LayerFilter, ReductionIsThatOfOneConvolutionGroup) {
  Layer layer = conv_layer(32, 32, 8, 3, 1, 1);
  layer.groups = 4;
  EXPECT_TRUE(matches(layer, [](LayerFilter& f) { f.reduction_multiple_of = 8; }));
  EXPECT_FALSE(matches(layer, [](LayerFilter& f) { f.reduction_multiple_of = 16; }));
}

/// The first of the others that matches; a layer's own pattern comes on top.
TEST(Scheme, OfALayerHasTheLayersRulesAlone) {
  Scheme scheme = scheme_with(Phase::forward, {Tensor::activation, GroupAxis::c_in, {2, 4}});
  scheme.layers.narrowing = true;
  scheme.work = {{.name = "main"}};
  LayerRules wide;
  wide.layers.min_in_channels = 64;
  wide.phases[1].sparsity = PhaseSparsity{Tensor::output_gradient, GroupAxis::c_out, {2, 4}};
  wide.work = {{.name = "other"}};
  LayerRules rest;
  rest.phases[2].sparsity = PhaseSparsity{Tensor::output_gradient, GroupAxis::tokens, {2, 4}};
  scheme.others = {wide, rest};
  scheme.layer_patterns = {{"wide", {1, 8}}};

  const auto rules_of = [&](std::int64_t in, std::int64_t out, const std::string& name) {
    Layer layer = linear_layer(in, out, 8);
    layer.name = name;
    const Scheme own = scheme.of(layer);
    EXPECT_TRUE(own.others.empty() && own.layer_patterns.empty());
    EXPECT_EQ(own.of(layer).phases, own.phases);
    std::string text = own.work.empty() ? "" : own.work.front().name;
    for (const Phase phase : kPhases) {
      if (own.rule(phase).sparsity) {
        text += " " + std::string(to_string(phase)) + " " +
                own.rule(phase).sparsity->pattern.to_string();
      }
      EXPECT_EQ(prunes(scheme, layer, phase), own.rule(phase).sparsity.has_value());
    }
    return text;
  };
  EXPECT_EQ(rules_of(128, 64, "down"), "main forward 2:4");
  EXPECT_EQ(rules_of(64, 128, "up"), "other dgrad 2:4");
  EXPECT_EQ(rules_of(64, 128, "wide"), "other dgrad 1:8");
  EXPECT_EQ(rules_of(32, 128, "up"), " wgrad 2:4");
  scheme.set_pattern(kDense);
  EXPECT_TRUE(scheme.is_dense());
}

TEST(Scheme, ChannelsThatStayDenseAreAMultipleOfSixteen) {
  EXPECT_EQ(dense_channels(0, 1024), 0);
  EXPECT_EQ(dense_channels(0.05, 320), 16);
  EXPECT_EQ(dense_channels(0.05, 321), 32);
  EXPECT_EQ(dense_channels(0.05, 3072), 160);
  EXPECT_EQ(dense_channels(0.5, 8), 8);
}

TEST(Scheme, SetPatternReplacesSparsePhasesOnly) {
  Scheme scheme = scheme_with(Phase::dgrad, {Tensor::weight, GroupAxis::c_out, {2, 4}});
  EXPECT_FALSE(scheme.is_dense());
  scheme.set_pattern({1, 8});
  EXPECT_EQ(scheme.rule(Phase::dgrad).sparsity->pattern, (Pattern{1, 8}));
  EXPECT_FALSE(scheme.rule(Phase::forward).sparsity.has_value());
  scheme.set_pattern(kDense);
  EXPECT_TRUE(scheme.is_dense());
}

}  // namespace
}  // namespace stcsim
