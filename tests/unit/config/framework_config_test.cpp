#include <gtest/gtest.h>

#include "tests/unit/config/experiment_folder.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

/// Frameworks as files of the folder, named by experiments.
class FrameworkConfig : public ExperimentFolder {
 protected:
  std::string error_of_framework(const std::string& text) {
    folder_.write("frameworks/f.yaml", "name: f\n" + text);
    return error_in(kExperiment + "framework: f\n");
  }
};

TEST_F(FrameworkConfig, IsThatOfPytorch2UnlessAnExperimentNamesOne) {
  folder_.write("frameworks/mine.yaml", "name: mine\nlaunch: {host_us: 3}\n");
  EXPECT_EQ(load(kExperiment).framework.name, "pytorch_2_eager");
  EXPECT_EQ(load(kExperiment + "framework: MINE\n").framework.launch.host_us, 3);
  const Framework changed = load(kExperiment, {"framework.launch.host_us=2.5"}).framework;
  EXPECT_EQ(changed.name, "pytorch_2_eager");
  EXPECT_EQ(changed.launch.host_us, 2.5);
}

TEST_F(FrameworkConfig, ExtendsMergesOperationByOperation) {
  folder_.write("frameworks/base.yaml",
                "name: base\noperations:\n  relu: {forward: [{name: relu, reads: x}]}\n"
                "  gelu: {forward: [{name: gelu, reads: x}]}\n");
  folder_.write("frameworks/more.yaml",
                "extends: base\nname: more\noperations:\n  relu: {forward: []}\n");
  const Framework framework = load(kExperiment + "framework: more\n").framework;
  const auto kernels_after = [&](StreamOp op) {
    return framework.operations.after.at(static_cast<std::size_t>(op))->forward.size();
  };
  EXPECT_EQ(kernels_after(StreamOp::gelu), 1U);
  EXPECT_EQ(kernels_after(StreamOp::relu), 0U);
}

TEST_F(FrameworkConfig, LongerSequencesComeFirst) {
  folder_.write("frameworks/f.yaml",
                "name: f\nrules:\n  - {operations: relu, layers: conv}\n"
                "  - {operations: batch_norm+relu}\n  - {operations: bias+relu}\n");
  const auto rules = load(kExperiment + "framework: f\n").framework.rules;
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].operations, (std::vector{StreamOp::batch_norm, StreamOp::relu}));
  EXPECT_EQ(rules[1].operations, (std::vector{StreamOp::bias, StreamOp::relu}));
  EXPECT_EQ(rules[2].layers, LayerKind::conv);
}

TEST_F(FrameworkConfig, SaysWhatStaysInMemory) {
  folder_.write("frameworks/f.yaml",
                "name: f\nrules:\n  - {operations: batch_norm+relu, saved: x + 2 mask.bit}\n"
                "operations: {relu: {saved: none}, softmax: {on_chip: true}}\n");
  const Framework framework = load(kExperiment + "framework: f\n").framework;
  ASSERT_EQ(framework.rules.size(), 1U);
  ASSERT_TRUE(framework.rules[0].kernels.saved.has_value());
  EXPECT_EQ(to_string(*framework.rules[0].kernels.saved), "x + 2 mask.bit");
  const auto& after = framework.operations.after;
  const OperationKernels& relu = after.at(static_cast<std::size_t>(StreamOp::relu)).value();
  EXPECT_EQ(relu.saved, std::vector<Pass>());
  EXPECT_FALSE(relu.on_chip);
  const OperationKernels& softmax = after.at(static_cast<std::size_t>(StreamOp::softmax)).value();
  EXPECT_EQ(softmax.saved, std::nullopt);
  EXPECT_TRUE(softmax.on_chip);
  EXPECT_EQ(error_of_framework("operations:\n  relu: {saved: dx}\n"),
            "frameworks/f.yaml:3:17: error: 'saved' is 'dx', must be passes like '2 x + mask.fp32' "
            "over x, z, y, mask, as fp32, fp16, int64, int32, byte or bit");
}

TEST_F(FrameworkConfig, GridsThatCannotBeAreRefused) {
  const auto error_of_relu = [&](const std::string& keys) {
    return error_of_framework("operations: {relu: {forward: [{name: k, " + keys + "}]}}\n");
  };
  EXPECT_EQ(error_of_relu("reads: x, cta_threads: 40"),
            "frameworks/f.yaml:2:64: error: 'cta_threads' is 40, must be a multiple of 32");
  EXPECT_EQ(error_of_relu("reads: x, cta_per_row: true, channels_per_cta: 1"),
            "frameworks/f.yaml:2:64: error: 'cta_per_row' and 'channels_per_cta' exclude each "
            "other, must be one of them");
  EXPECT_EQ(error_of_relu("writes: x, cta_per_row: true"),
            "frameworks/f.yaml:2:65: error: 'cta_per_row' is true of a kernel that reads nothing, "
            "must be of one that has 'reads'");
  EXPECT_EQ(error_of_relu("reads: x, least_columns: 9, most_columns: 8"),
            "frameworks/f.yaml:2:66: error: 'least_columns' is 9, must be at most 'most_columns', "
            "which is 8");
}

TEST_F(FrameworkConfig, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(error_of_framework("operations:\n  relu:\n    forward: [{name: k, reads: 2 q}]\n"),
            "frameworks/f.yaml:4:32: error: 'reads' is '2 q', must be passes like '2 x + "
            "mask.fp32' over x, dx, z, dz, y, dy, channel, mask, as fp32, fp16, int64, int32, byte "
            "or bit");
  EXPECT_EQ(error_of_framework("layers: {weights: {forward: [{name: k, writes: x}]}}\n"),
            "frameworks/f.yaml:2:48: error: 'writes' is 'x', must be passes like '2 w + g.fp32' "
            "over w, channel, g, as fp32, fp16, int64, int32, byte or bit");
  EXPECT_EQ(error_of_framework("layers: {opening: {forward: [{name: k, reads: x, "
                               "rows_per_cta: 4}]}}\n"),
            "frameworks/f.yaml:2:64: error: 'rows_per_cta' is of CTAs that share channels, must "
            "have 'channels_per_cta' beside it");
  EXPECT_EQ(error_of_framework("optimizers: {adam: [{name: k}]}\n"),
            "frameworks/f.yaml:2:28: error: kernel 'k' moves nothing, must have reads or writes");
  EXPECT_EQ(error_of_framework("rules: [{operations: batch_norm+rely}]\n"),
            "frameworks/f.yaml:2:22: error: 'operations' is 'batch_norm+rely', must be operations "
            "with + between them, like batch_norm+relu; 'rely' is none; did you mean 'relu'?");
  EXPECT_EQ(error_of_framework("rules: [{operations: relu, layers: thick}]\n"),
            "frameworks/f.yaml:2:36: error: 'layers' is 'thick', must be one of conv, linear, bmm, "
            "embedding");
  EXPECT_EQ(error_of_framework("rules: [{operations: relu, layers: dense}]\n"),
            "frameworks/f.yaml:2:36: error: 'layers' is 'dense': here it is linear");
  EXPECT_EQ(error_of_framework("layers: {conv: {backward: [{name: k, kind: cast, reads: x}]}}\n"),
            "frameworks/f.yaml:2:44: error: 'kind' is 'cast', must be one of normalisation, "
            "activation, softmax, dropout, residual, pooling, bias, loss, casts, layout, "
            "optimizer, pruning, launches; did you mean 'casts'?");
  EXPECT_EQ(
      error_of_framework("operations: {rely: {}}\n"),
      "frameworks/f.yaml:2:14: error: unknown key 'rely' in 'operations'; did you mean 'relu'?");
}

}  // namespace
}  // namespace stcsim
