#include "workloads/pruning_kernels.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "tests/unit/workloads/shipped_configs.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kBatch = 4;

/// 128 -> 64 features, 32 tokens: in a batch of 4 as many outputs as weights, 8192, and twice as
/// many inputs. At 2:4 a tensor of 8192 elements of 16 bits has 16384 bytes, 8192 of kept values
/// and 1024 of metadata; a mask has 1024.
Layer ffn_layer() {
  Layer layer = linear_layer(128, 64, 32);
  layer.role = LayerRole::ffn;
  return layer;
}

/// On a machine that stores what it has use for in the scheme's own pattern.
PruningContext context_of(const Scheme& scheme, const Layer& layer,
                          PruningKernels kernels = PruningKernels::separate) {
  PruningContext context;
  context.batch = kBatch;
  context.kernels = kernels;
  for (const Phase phase : kPhases) {
    OperandUse& use = context.uses.at(static_cast<std::size_t>(phase));
    use.exists = true;
    use.pruned = prunes(scheme, layer, phase);
    if (use.pruned) use.stored = use.kept = scheme.rule(phase).sparsity->pattern;
    use.dtype = scheme.rule(phase).dtype.value_or(DataType::fp16);
  }
  return context;
}

std::string moved(const StreamWork& work) {
  return " r" + std::to_string(work.read_bytes) + " w" + std::to_string(work.write_bytes) + " v" +
         std::to_string(work.vector_ops);
}

/// "prune weights r1 w2 v3 update every 40"
std::vector<std::string> lines(const std::vector<SchemeKernel>& kernels) {
  std::vector<std::string> result;
  for (const SchemeKernel& one : kernels) {
    result.push_back(one.kernel.name + moved(one.kernel.work) + (one.per_update ? " update" : "") +
                     (one.every > 1 ? " every " + std::to_string(one.every) : ""));
  }
  return result;
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& scheme_name, const Layer& layer = ffn_layer()) {
  const Scheme scheme = load_scheme(scheme_name);
  return lines(pruning_kernels(scheme, layer, context_of(scheme, layer)));
}

/// 64 -> 32 channels, 16 x 16 pixels: 32768 outputs in a batch of 4.
Layer conv() {
  return conv_layer(64, 32, 16, 3, 1, 1);
}

/// The same tensor pruned for another product costs the same, but for what scaling takes.
TEST(PruningKernels, ReadATensorOnceAndWriteItCompressed) {
  EXPECT_EQ(lines_of("mvue-2-4", conv()), (Lines{"prune gradients r65536 w36864 v983040"}));
  EXPECT_EQ(lines_of("sdgp", conv()), (Lines{"prune gradients r65536 w36864 v262144",
                                             "rescale gradients r32768 w32768 v32768"}));
}

/// What forward prunes along C_in, dgrad multiplies with its zeros.
TEST(PruningKernels, WriteTheZerosForADenseProductOfAWeight) {
  EXPECT_EQ(lines_of("step"), (Lines{"prune weights r16384 w25600 v65536 update"}));
  const Scheme scheme = load_scheme("step");
  PruningContext forward_only = context_of(scheme, ffn_layer());
  forward_only.uses[1] = forward_only.uses[2] = {};
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), forward_only)),
            (Lines{"prune weights r16384 w9216 v65536 update"}));
}

TEST(PruningKernels, WriteOneOrientationForEachSparseProduct) {
  EXPECT_EQ(lines_of("torchao-semisparse"), (Lines{"prune weights r16384 w18432 v409600 update"}));
  // Two choices, which differ: 1:4 of the values, 4 of 64 bits of metadata.
  EXPECT_EQ(lines_of("bdwp"), (Lines{"prune weights r16384 w9728 v131072 update"}));
}

/// Its masks have a byte per element.
TEST(PruningKernels, OfAspMaskAndCompressInEveryStep) {
  EXPECT_EQ(lines_of("asp"), (Lines{"prune weights r24576 w25600 v8192 update",
                                    "mask gradients of weights r24576 w16384 v8192 update"}));
}

TEST(PruningKernels, KeepAMaskBetweenChoices) {
  EXPECT_EQ(lines_of("fst"), (Lines{"choose masks of weights r16384 w1024 v737280 update every 40",
                                    "prune weights r17408 w18432 v8192 update",
                                    "prune gradients r16384 w9216 v450560",
                                    "decay of weights r33792 w16384 v24576 update"}));
}

/// Six operands of three products. Of pruned ones the kept values are cast, without looking for the
/// largest once more; dgrad's weight is pruned too.
TEST(PruningKernels, OfSSteCastSixOperands) {
  EXPECT_EQ(lines_of("s-ste"), (Lines{"prune weights r16384 w25600 v65536 update",
                                      "prune gradients r16384 w9216 v450560",
                                      "cast weights for forward r8192 w4096 v8192 update",
                                      "cast activations for forward r65536 w16384 v49152",
                                      "cast weights for dgrad r16384 w8192 v16384 update",
                                      "cast gradients for dgrad r32768 w8192 v24576",
                                      "cast gradients for wgrad r8192 w4096 v8192",
                                      "cast activations for wgrad r65536 w16384 v49152"}));
  EXPECT_EQ(lines_of("s-ste-fp16").size(), 2U);
}

/// Forward's weights are what is updated; only dgrad's are pruned, from them.
TEST(PruningKernels, OfSlopeWorkOnKeptWeights) {
  EXPECT_EQ(lines_of("slope"), (Lines{"choose masks of weights r8192 w1024 v65536 update every 100",
                                      "prune weights r9216 w9216 v8192 update",
                                      "compress gradients of weights r17408 w8192 v8192 update"}));
  const Scheme scheme = load_scheme("slope");
  PruningContext context = context_of(scheme, ffn_layer());
  EXPECT_EQ(kept_weights(scheme, context), 0.5);
  // No gradients but those that are kept have been computed.
  context.uses[2].stored = {2, 4, 1, 0, 0, true};
  EXPECT_EQ(pruning_kernels(scheme, ffn_layer(), context).size(), 2U);
  context.uses[0].pruned = false;
  EXPECT_EQ(kept_weights(scheme, context), 1.0);
}

/// Three channels cannot be grouped by four, whatever the filter of layers says.
TEST(PruningKernels, AreNoneWhereNothingIsPruned) {
  Layer stem = conv_layer(3, 64, 32, 7, 2, 3);
  stem.role = LayerRole::stem;
  for (const char* const name : {"sr-ste", "bi-mask", "asp", "step"}) {
    EXPECT_EQ(lines_of(name, stem), Lines{}) << name;
    for (const Phase phase : kPhases) {
      EXPECT_TRUE(scheme_kernels(load_scheme(name), stem, phase, kBatch).empty()) << name;
    }
  }
  EXPECT_EQ(lines_of("fst", linear_layer(128, 64, 32)), Lines{});
  Scheme before = load_scheme("sr-ste");
  before.pruned_before = {Tensor::weight};
  EXPECT_EQ(lines(pruning_kernels(before, ffn_layer(), context_of(before, ffn_layer()))),
            (Lines{"decay of weights r32768 w16384 v81920 update"}));
}

/// A machine that has no use for the pattern multiplies the zeros.
TEST(PruningKernels, WriteNothingCompressedForDenseHardware) {
  for (const char* const name : {"transposable", "mvue-2-4"}) {
    const Scheme scheme = load_scheme(name);
    PruningContext context = context_of(scheme, ffn_layer());
    for (OperandUse& use : context.uses) use.stored = kDense;
    const auto kernels = pruning_kernels(scheme, ffn_layer(), context);
    EXPECT_EQ(kernels.back().kernel.work.write_bytes, 16384) << name;
  }
}

/// 1:4 on 2:4 hardware is stored as 2:4.
TEST(PruningKernels, StoreTheHardwaresPattern) {
  Scheme scheme = load_scheme("mvue-2-4");
  scheme.set_pattern({1, 4});
  PruningContext context = context_of(scheme, ffn_layer());
  context.uses[2].stored = {2, 4};
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), context)), lines_of("mvue-2-4"));
}

/// 16384 inputs, 1.5 rows read of each: copied in 16 bits, or written so by the cast to 8.
TEST(PruningKernels, CopyTheRowsBesideWindows) {
  const Scheme scheme = load_scheme("slidesparse");
  PruningContext context = context_of(scheme, ffn_layer());
  OperandUse& forward = context.uses.front();
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), context)).size(), 2U);
  forward.copies = 1.5;
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), context)).at(1),
            "copy rows of activations r32768 w49152 v0");
  forward.dtype = DataType::fp8_e4m3;
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), context)).at(2),
            "cast activations for forward r65536 w24576 v49152");
  forward.dtype = DataType::nvfp4;  // half of it, and a byte of scale for each 8 of that
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), context)).at(2),
            "cast activations for forward r65536 w13824 v49152");
}

/// 16384 inputs of which half stay, in 8 bits, and two bits for each; the weights are read once.
TEST(PruningKernels, WithAScaleARowPackAndCastAtOnce) {
  Scheme scheme = load_scheme("torchao-activations");
  scheme.layers = {};
  scheme.phases[0].dtype = DataType::fp8_e4m3;
  PruningContext context = context_of(scheme, ffn_layer());
  context.uses[2].pruned = false;
  const Lines apart = lines(pruning_kernels(scheme, ffn_layer(), context));
  EXPECT_EQ(apart, (Lines{"prune activations r32768 w18432 v819200",
                          "cast weights for forward r32768 w8192 v24576 update",
                          "cast activations for forward r16384 w8192 v16384"}));
  scheme.phases[0].has_row_scales = true;
  EXPECT_EQ(lines(pruning_kernels(scheme, ffn_layer(), context)),
            (Lines{"prune activations r32768 w10240 v868352",
                   "cast weights for forward r16384 w8192 v24576 update"}));
}

/// 16384 inputs, of which lanes compare 8 times each: the largest, and none that is drawn.
TEST(PruningKernels, AUnitChoosesTheLargestWhereTheKernelBeforePrunes) {
  Scheme scheme = load_scheme("torchao-activations");
  scheme.phases[2].sparsity.reset();
  PhaseSparsity& rule = *scheme.phases[0].sparsity;
  rule.cost = {8, false, false, true};
  PruningContext context = context_of(scheme, ffn_layer());
  const auto pruned = [&] { return lines(pruning_kernels(scheme, ffn_layer(), context)); };
  context.unit_ops = 2;
  EXPECT_EQ(pruned(), (Lines{"prune activations r32768 w18432 v131072"})) << "not fused";
  rule.fused = true;
  EXPECT_EQ(pruned(), (Lines{"prune activations r0 w18432 v32768"}));
  EXPECT_EQ(pruning_kernels(scheme, ffn_layer(), context).front().kernel.work.integer_ops, 0);
  rule.cost.keeps_largest = false;
  EXPECT_EQ(pruned(), (Lines{"prune activations r0 w18432 v131072"}));
  EXPECT_TRUE(load_scheme("sdgp").phases[1].sparsity->cost.keeps_largest);
  EXPECT_FALSE(load_scheme("mvue-2-4").phases[2].sparsity->cost.keeps_largest);
  EXPECT_FALSE(load_scheme("fst").phases[0].sparsity->cost.keeps_largest) << "one mask for both";
}

TEST(PruningKernels, AsPartsOfOthersReadNothingDense) {
  const auto added = [](const std::string& name) {
    const Scheme scheme = load_scheme(name);
    const PruningContext context = context_of(scheme, ffn_layer(), PruningKernels::fused);
    Lines result;
    for (const SchemeKernel& one : pruning_kernels(scheme, ffn_layer(), context)) {
      if (one.part_of != Producer::none) result.push_back(one.kernel.name + moved(one.added));
    }
    return result;
  };
  EXPECT_EQ(added("mvue-2-4"), (Lines{"prune gradients r0 w9216 v245760"}));
  EXPECT_EQ(added("sr-ste"),
            (Lines{"prune weights r0 w25600 v65536", "decay of weights r0 w0 v81920"}));
  EXPECT_EQ(added("asp"), (Lines{"prune weights r8192 w25600 v8192",
                                 "mask gradients of weights r8192 w0 v8192"}));
  const Scheme scheme = load_scheme("s-ste");
  const auto kernels =
      pruning_kernels(scheme, ffn_layer(), context_of(scheme, ffn_layer(), PruningKernels::fused));
  EXPECT_EQ(lines(kernels).at(3), "cast activations for forward r32768 w16384 v32768");
}

}  // namespace
}  // namespace stcsim
