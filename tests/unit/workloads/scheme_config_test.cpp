#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/scratch_folder.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

Scheme parse_scheme(const std::string& text) {
  const YamlDocument document = parse_yaml(text, "scheme.yaml");
  MapReader map(document);
  return read_scheme(map);
}

std::string scheme_error(const std::string& text) {
  return error_of([&] { parse_scheme(text); });
}

TEST(SchemeConfig, ANameAloneIsTheDenseScheme) {
  const Scheme scheme = parse_scheme("name: mine\n");
  EXPECT_EQ(scheme.name, "mine");
  EXPECT_TRUE(scheme.is_dense());
  EXPECT_EQ(scheme.share_of_training, 1.0);
  EXPECT_EQ(scheme.layers.min_in_channels, 0);
  EXPECT_TRUE(scheme.layers.kinds.empty());
}

TEST(SchemeConfig, WhatItSaysOfTraining) {
  const SchemeTraining usual = parse_scheme("name: mine\n").training;
  EXPECT_FALSE(usual.freezes_variance);
  EXPECT_EQ(usual.decay_strength, 2e-4);
  EXPECT_FALSE(usual.scale.has_value());
  const Scheme scheme = parse_scheme(
      "name: mine\ndense_steps: before\n"
      "training: {freeze_variance: true, decay_strength: 0.5, scale: 1.5}\n");
  EXPECT_EQ(scheme.dense_steps, DenseSteps::before);
  EXPECT_TRUE(scheme.training.freezes_variance);
  EXPECT_EQ(scheme.training.decay_strength, 0.5);
  EXPECT_EQ(scheme.training.scale, 1.5);
  EXPECT_NE(scheme_error("name: mine\ntraining: {scal: 1}\n").find("unknown key 'scal'"),
            std::string::npos);
}

TEST(SchemeConfig, LayersCanHavePatternsOfTheirOwn) {
  const std::string head = "name: mine\nforward: {tensor: weight, axis: c_in, pattern: \"2:4\"}\n";
  const Scheme scheme =
      parse_scheme(head +
                   "layer_patterns: [{layers: \"enc.ff*\", pattern: \"1:8\"}, {layers: enc.ff2, "
                   "pattern: dense}]\n");
  EXPECT_EQ(scheme.layer_patterns,
            (std::vector<LayerPattern>{{"enc.ff*", {1, 8}}, {"enc.ff2", kDense}}));
  const std::string alone = "name: a\nlayer_patterns: [{layers: \"*\", pattern: \"1:8\"}]\n";
  EXPECT_EQ(scheme_error(alone).find("scheme.yaml:2:17: error: 'layer_patterns' is of what"), 0U)
      << scheme_error(alone);
  EXPECT_NE(scheme_error(head + "layer_patterns: [{layers: a}]\n").find("'pattern'"),
            std::string::npos);
}

TEST(SchemeConfig, OtherLayersHaveRulesOfTheirOwn) {
  const std::string head = "name: mine\nlayers: {narrowing: true}\nothers:\n  - ";
  const Scheme scheme = parse_scheme(
      head +
      "wgrad: {tensor: output_gradient, axis: tokens, pattern: \"2:4\", prune: "
      "mvue-approximate, dense_share: 0.1}\n    work: [{name: sort, phase: wgrad, tensor: "
      "output_gradient, reads: 1}]\n");
  ASSERT_EQ(scheme.others.size(), 1U);
  const PhaseSparsity& wgrad = *scheme.others.front().rule(Phase::wgrad).sparsity;
  EXPECT_DOUBLE_EQ(wgrad.dense_share, 0.1);
  EXPECT_GT(wgrad.cost.ops, 8) << "as the pruning library says of mvue-approximate";
  EXPECT_EQ(scheme.others.front().work.front().name, "sort");
  EXPECT_FALSE(scheme.is_dense());
  EXPECT_NE(scheme_error(head + "forward: {tensor: weight, axis: c_in, pattern: \"2:4\", "
                                "dense_share: 0.1}\n")
                .find("'dense_share' is of wgrad"),
            std::string::npos);
  const std::string fused =
      "forward: {tensor: activation, axis: c_in, pattern: \"2:4\", fused: true}\n";
  for (const char* const layers : {"{types: [bmm]}", "{roles: [ffn]}"}) {
    EXPECT_TRUE(parse_scheme("name: of any\nlayers: " + std::string(layers) + "\n" + fused)
                    .rule(Phase::forward)
                    .sparsity->fused);
  }
  EXPECT_NE(scheme_error(head + "work: [{name: none, phase: wgrad, tensor: weight}]\n")
                .find("work 'none' moves nothing"),
            std::string::npos);
  EXPECT_NE(scheme_error(head + "forwards: dense\n").find("unknown key 'forwards'"),
            std::string::npos);
}

TEST(SchemeConfig, EveryKey) {
  const Scheme scheme = parse_scheme(
      "name: mine\n"
      "description: text\n"
      "source: somewhere\n"
      "layers: {types: [conv, linear], roles: [ffn], min_in_channels: 4, rows_multiple_of: 8, "
      "reduction_multiple_of: 16, narrowing: true}\n"
      "share_of_training: 0.25\n"
      "forward: {tensor: activation, axis: c_in, pattern: \"2:8\", prune: s-ste, dtype: fp8_e4m3}\n"
      "dgrad: {dtype: bf16}\n"
      "wgrad: {tensor: output_gradient, axis: tokens, pattern: 1:2}\n");
  EXPECT_EQ(scheme.description, "text");
  EXPECT_EQ(scheme.source, "somewhere");
  EXPECT_EQ(scheme.layers.kinds, (std::vector{LayerKind::conv, LayerKind::linear}));
  EXPECT_EQ(scheme.layers.roles, std::vector{LayerRole::ffn});
  EXPECT_EQ(scheme.layers.min_in_channels, 4);
  EXPECT_EQ(scheme.layers.rows_multiple_of, 8);
  EXPECT_EQ(scheme.layers.reduction_multiple_of, 16);
  EXPECT_TRUE(scheme.layers.narrowing);
  EXPECT_EQ(scheme.share_of_training, 0.25);
  EXPECT_EQ(scheme.rule(Phase::forward).sparsity->tensor, Tensor::activation);
  EXPECT_EQ(scheme.rule(Phase::forward).sparsity->axis, GroupAxis::c_in);
  EXPECT_EQ(scheme.rule(Phase::forward).sparsity->pattern, (Pattern{2, 8}));
  EXPECT_EQ(scheme.rule(Phase::forward).sparsity->prune, "s-ste");
  EXPECT_EQ(scheme.rule(Phase::forward).dtype, DataType::fp8_e4m3);
  EXPECT_FALSE(scheme.rule(Phase::dgrad).sparsity.has_value());
  EXPECT_EQ(scheme.rule(Phase::dgrad).dtype, DataType::bf16);
  EXPECT_EQ(scheme.rule(Phase::wgrad).sparsity->axis, GroupAxis::tokens);
  EXPECT_EQ(scheme.rule(Phase::wgrad).sparsity->pattern, (Pattern{1, 2}));
  EXPECT_EQ(scheme.rule(Phase::wgrad).sparsity->prune, "magnitude");
  EXPECT_EQ(scheme.rule(Phase::wgrad).dtype, std::nullopt);
}

/// What choosing costs belongs to the function.
TEST(SchemeConfig, WhatPruningTakes) {
  const Scheme scheme = parse_scheme(
      "name: mine\n"
      "forward: {tensor: weight, axis: c_in, pattern: \"2:4\", prune: transposable-greedy, "
      "mask_every: 0}\n"
      "dgrad: {tensor: output_gradient, axis: c_out, pattern: \"2:4\", prune: rescaled-magnitude, "
      "mask_every: 7}\n"
      "decay: true\nmask_gradients: true\nupdates_kept: true\n");
  EXPECT_EQ(scheme.rule(Phase::forward).sparsity->mask_every, 0);
  EXPECT_TRUE(scheme.rule(Phase::forward).sparsity->cost.one_mask);
  EXPECT_FALSE(scheme.rule(Phase::forward).sparsity->cost.rescales);
  EXPECT_EQ(scheme.rule(Phase::forward).sparsity->cost.ops, 50);
  EXPECT_EQ(scheme.rule(Phase::dgrad).sparsity->mask_every, 7);
  EXPECT_TRUE(scheme.rule(Phase::dgrad).sparsity->cost.rescales);
  EXPECT_TRUE(scheme.decay && scheme.masks_gradients);
  const std::string gradients =
      "name: a\nwgrad: {tensor: output_gradient, axis: tokens, pattern: \"2:4\"}\n";
  for (const char* const key : {"decay", "mask_gradients"}) {
    EXPECT_NE(scheme_error(gradients + key + ": true\n").find("prunes none"), std::string::npos);
  }
  const std::string changing =
      "name: a\nforward: {tensor: weight, axis: c_in, pattern: \"2:4\", mask_every: 9}\n"
      "updates_kept: true\n";
  EXPECT_NE(scheme_error(changing).find("'mask_every: 0'"), std::string::npos)
      << scheme_error(changing);
}

/// Wanted results follow forward's mask, which is known before.
TEST(SchemeConfig, OutputsNeedAMaskThatHolds) {
  const std::string forward = "name: a\nforward: {tensor: weight, axis: c_in, pattern: \"2:4\"";
  const std::string held = forward + ", mask_every: 0}\n";
  const Scheme scheme = parse_scheme(held + "wgrad: {output: \"2:4\"}\n");
  EXPECT_EQ(scheme.rule(Phase::wgrad).output, (Pattern{2, 4}));
  EXPECT_FALSE(scheme.rule(Phase::wgrad).sparsity.has_value());
  const auto expect_error = [](const std::string& text, const char* what) {
    EXPECT_NE(scheme_error(text).find(what), std::string::npos) << scheme_error(text);
  };
  expect_error(forward + "}\nwgrad: {output: \"2:4\"}\n", "holds for several steps");
  expect_error("name: a\nwgrad: {output: \"2:4\"}\n", "holds for several steps");
  expect_error(held + "wgrad: {output: \"1:4\"}\n", "'output' is 1:4, must be forward's 2:4");
  expect_error(held + "dgrad: {output: \"2:4\"}\n", "'output' is of wgrad alone");
  expect_error(
      held + "wgrad: {output: \"2:4\", tensor: activation, axis: tokens, pattern: \"2:4\"}\n",
      "'output' needs dense operands");
  expect_error("name: a\nforward: {tensor: weight, axis: c_in, pattern: \"2:4 outputs\"}\n",
               "'pattern' is of an operand");
  expect_error(held + "layer_patterns: [{layers: \"*\", pattern: \"2:4 outputs\"}]\n",
               "must be of operands");
}

TEST(SchemeConfig, AWayOfPruningIsOneOfThePruningLibrary) {
  const std::string error = scheme_error(
      "name: a\nforward: {tensor: weight, axis: c_in, pattern: \"2:4\", prune: magnitud}\n");
  EXPECT_EQ(error.find("scheme.yaml:2:62: error: 'prune' is 'magnitud'"), 0U) << error;
  EXPECT_NE(error.find("'magnitude'"), std::string::npos) << error;
  EXPECT_NE(scheme_error("name: a\nforward: {prune: mvue}\n").find("'tensor'"), std::string::npos);
}

TEST(SchemeConfig, SaysWhatItKeepsOfItsMasks) {
  EXPECT_EQ(parse_scheme("name: a\n").mask_bits, 0);
  EXPECT_EQ(parse_scheme("name: a\nmask_bits: 8\n").mask_bits, 8);
  EXPECT_TRUE(scheme_error("name: a\nmask_bits: -1\n").starts_with("scheme.yaml:2:12: error: "));
}

TEST(SchemeConfig, ANameIsNoPathAsFoldersAreCalledByIt) {
  for (const std::string name : {"../../evil", "/abs/path", "./dense", "a/b", "..", "."}) {
    EXPECT_EQ(scheme_error("name: " + name + "\n"),
              "scheme.yaml:1:7: error: 'name' is '" + name +
                  "', must be the name of a file: no '/', not . or ..");
  }
  for (const std::string name : {"...", ".hidden", "a..b", "sdgp-2:4", "it's mine"}) {
    EXPECT_EQ(parse_scheme("name: " + name + "\n").name, name);
  }
}

TEST(SchemeConfig, AnUnfinishedSparsityNamesTheMissingKey) {
  EXPECT_NE(scheme_error("name: a\nforward: {tensor: weight, axis: c_in}\n").find("'pattern'"),
            std::string::npos);
  EXPECT_NE(scheme_error("name: a\nforward: {tensor: weight, pattern: \"2:4\"}\n").find("'axis'"),
            std::string::npos);
  EXPECT_NE(scheme_error("name: a\nforward: {pattern: \"2:4\", axis: c_in}\n").find("'tensor'"),
            std::string::npos);
}

TEST(SchemeConfig, ValuesOutOfRangeAreRefusedWhereTheyStand) {
  const std::string cases[][2] = {
      {"name: a\nshare_of_training: 0\n", "scheme.yaml:2:20: error: "},
      {"name: a\nshare_of_training: 1.1\n", "scheme.yaml:2:20: error: "},
      {"name: a\nlayers: {types: [embedding]}\n", "scheme.yaml:2:18: error: "},
      {"name: a\nlayers: {rows_multiple_of: 0}\n", "scheme.yaml:2:28: error: "},
      {"name: a\nforward: {tensor: weights, axis: c_in, pattern: 2:4}\n",
       "scheme.yaml:2:19: error: "},
      {"name: a\nforward: {tensor: weight, axis: c_in, pattern: \"5:4\"}\n",
       "scheme.yaml:2:48: error: "},
      {"name: a\nforwards: {dtype: fp16}\n", "scheme.yaml:2:1: error: "},
  };
  for (const auto& [text, start] : cases) {
    EXPECT_TRUE(scheme_error(text).starts_with(start)) << scheme_error(text);
  }
}

}  // namespace
}  // namespace stcsim
