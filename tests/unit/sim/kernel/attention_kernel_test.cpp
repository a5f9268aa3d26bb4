#include "sim/kernel/attention_kernel.hpp"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

AttentionShape shape_of(std::int64_t tokens, std::int64_t head_size, bool causal = false) {
  AttentionShape shape;
  shape.batch = 2;
  shape.heads = shape.kv_heads = 3;
  shape.queries = shape.keys = tokens;
  shape.head_size = head_size;
  shape.causal = causal;
  return shape;
}

/// K-steps of each CTA of one head.
std::vector<std::int64_t> steps(const KernelLaunch& launch) {
  std::vector<std::int64_t> all;
  CtaPosition at;
  for (at.tile_m = 0; at.tile_m < launch.tiles_m; ++at.tile_m) all.push_back(launch.steps_of(at));
  return all;
}

/// Matrix instructions m16n8k16 of all CTAs.
std::int64_t instructions(const KernelLaunch& launch) {
  return launch.column_steps() * launch.batch_count * launch.warps *
         launch.warp.instructions_per_step();
}

/// FlashAttention-2 on an A100: 128 x 128 at heads of 64, 128 x 64 at 128; backward 128 x 128 and
/// 64 x 128 (flash_fwd_launch_template.h, flash_bwd_launch_template.h).
TEST(AttentionKernel, TilesAreTheLibrarys) {
  const MachineConfig a100 = load_machine("a100").config;
  const auto tile = [&](std::int64_t head, bool backward) {
    const AttentionTile of =
        attention_tile(a100, {AttentionKernel::flash2, backward, shape_of(1024, head)});
    return std::vector{of.queries, of.keys, of.warps};
  };
  EXPECT_EQ(tile(64, false), (std::vector<std::int64_t>{128, 128, 4}));
  EXPECT_EQ(tile(128, false), (std::vector<std::int64_t>{128, 64, 4}));
  EXPECT_EQ(tile(256, false), (std::vector<std::int64_t>{128, 64, 8}));
  EXPECT_EQ(tile(64, true), (std::vector<std::int64_t>{128, 128, 8}));
  EXPECT_EQ(tile(128, true), (std::vector<std::int64_t>{64, 128, 8}));
}

/// Eight CTAs of four warps have registers and memory without limit.
TEST(AttentionKernel, AnSmHasNoMoreCtasThanItHolds) {
  MachineConfig ideal = load_machine("ideal").config;
  const auto ctas = [&] {
    return attention_launch(ideal, {AttentionKernel::flash2, false, shape_of(1024, 64)})
        .ctas_per_sm;
  };
  EXPECT_EQ(ctas(), 8);
  ideal.accelerator.sm.max_warps = 15;
  EXPECT_EQ(ctas(), 3);
}

/// m128n512k128: rows of 128, a head's columns; a warp has one of each product.
TEST(AttentionKernel, TilesAreOfWholeInstructions) {
  const MachineConfig machine = load_machine("trainium3_nm").config;
  for (const auto& [head, warps] : {std::pair{64, 2}, {80, 2}, {128, 1}}) {
    const AttentionWork work{AttentionKernel::flash2, true, shape_of(1024, head)};
    const AttentionTile tile = attention_tile(machine, work);
    EXPECT_EQ(std::vector({tile.queries, tile.keys, tile.warps}),
              (std::vector<std::int64_t>{128, 128, warps}));
    const KernelLaunch launch = attention_launch(machine, work);
    EXPECT_EQ(launch.warp.instruction.value().n, head);
    EXPECT_EQ(launch.warp.instructions_per_step(), 5);
  }
}

/// Two products forward, five backward, each of queries x keys x head size.
TEST(AttentionKernel, MultipliesTwiceAndFiveTimes) {
  constexpr std::int64_t kOne = 16 * 8 * 16;
  for (const char* const name : {"a100", "h100_sxm"}) {
    const MachineConfig machine = load_machine(name).config;
    for (const AttentionKernel kernel : {AttentionKernel::flash2, AttentionKernel::cudnn}) {
      for (const std::int64_t head : {64, 128}) {
        const AttentionShape shape = shape_of(1024, head);
        const std::int64_t product = 2 * 3 * 1024 * 1024 * head / kOne;
        EXPECT_EQ(instructions(attention_launch(machine, {kernel, false, shape})), 2 * product);
        EXPECT_EQ(instructions(attention_launch(machine, {kernel, true, shape})), 5 * product);
      }
    }
  }
}

/// On 16 of 32 lanes one and a half operations of a score take two rounds forward, one backward: of
/// 128x128 and 64x128 scores, of which a lane of 8 warps has 64 and 32.
TEST(AttentionKernel, MaximaAndConversionsTakeTheLanesOfComparisons) {
  MachineConfig machine = load_machine("h100_sxm").config;
  const auto vector_instructions = [&](bool backward) {
    const AttentionWork work{AttentionKernel::cudnn, backward, shape_of(1024, 64)};
    const KernelLaunch launch = attention_launch(machine, work);
    return std::ranges::find(launch.warp.all_phases(), true, &WarpPhase::is_vector)->instructions;
  };
  const std::int64_t forward = vector_instructions(false);
  const std::int64_t backward = vector_instructions(true);
  machine.accelerator.sm.integer_lanes_per_sub_core = 32;
  EXPECT_EQ(forward - vector_instructions(false), 96);
  EXPECT_EQ(backward - vector_instructions(true), 32);
}

/// Of 2:4 scores forward's second product is half and one of backward's five, and so is what
/// softmax does; a lane of 4 warps has 128 scores of a block. Lanes compare 8 times for each, a
/// unit takes 32 exponentials' clk for so many elements.
TEST(AttentionKernel, PrunedScoresHalveWhatFollows) {
  MachineConfig machine = load_machine("a100").config;
  const auto launch = [&](bool backward, Pattern scores) {
    AttentionShape shape = shape_of(1024, 64);
    shape.scores = scores;
    return attention_launch(machine, {AttentionKernel::flash2, backward, shape});
  };
  using Vector = std::pair<std::int64_t, std::int64_t>;
  const auto vector = [&](bool backward, Pattern scores) {
    const KernelLaunch of = launch(backward, scores);
    const WarpPhase phase = *std::ranges::find(of.warp.all_phases(), true, &WarpPhase::is_vector);
    return Vector(phase.instructions, phase.exponentials);
  };
  const std::int64_t product = instructions(launch(false, kDense)) / 2;
  EXPECT_EQ(instructions(launch(false, {2, 4})), product + product / 2);
  EXPECT_EQ(instructions(launch(true, {2, 4})), 4 * product + product / 2);
  EXPECT_EQ(vector(false, kDense), Vector(128 * 4, 128)) << "3.5 and half a rescaling";
  EXPECT_EQ(vector(false, {2, 4}), Vector(128 * 9 / 4 + 128 * 8, 64));
  machine.accelerator.sm.epilogue.compress_elements_per_clk = 64;
  EXPECT_EQ(vector(false, {2, 4}), Vector(128 * 9 / 4, 64 + 128 * 16 / 64));
  EXPECT_EQ(vector(true, kDense).first - vector(true, {2, 4}).first, 64 * 2);
  machine.accelerator.sm.vector_lanes_per_sub_core = 128;
  machine.accelerator.sm.special_lanes_per_sub_core = 64;
  EXPECT_EQ(vector(false, kDense), Vector(32 * 4, 64)) << "of four warps, and of two";
}

/// Blocks above the diagonal are left out, those on it are not.
TEST(AttentionKernel, CausalCtasEndOrBeginAtTheDiagonal) {
  const MachineConfig a100 = load_machine("a100").config;
  const auto launch = [&](bool backward, AttentionShape shape) {
    return attention_launch(a100, {AttentionKernel::flash2, backward, shape});
  };
  EXPECT_EQ(steps(launch(false, shape_of(512, 64, true))), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(steps(launch(false, shape_of(512, 128, true))),
            (std::vector<std::int64_t>{2, 4, 6, 8}));
  EXPECT_EQ(steps(launch(true, shape_of(512, 64, true))), (std::vector<std::int64_t>{4, 3, 2, 1}));
  EXPECT_EQ(steps(launch(true, shape_of(512, 128, true))), (std::vector<std::int64_t>{8, 6, 4, 2}));
  AttentionShape windowed = shape_of(1024, 64, true);
  windowed.window = 128;
  EXPECT_EQ(steps(launch(false, windowed)), (std::vector<std::int64_t>{1, 2, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(steps(launch(true, windowed)), (std::vector<std::int64_t>{3, 3, 3, 3, 3, 3, 2, 1}));
}

TEST(AttentionKernel, HasEdgesAndSharedHeads) {
  const MachineConfig a100 = load_machine("a100").config;
  AttentionShape shape = shape_of(197, 64);
  shape.kv_heads = 1;
  const KernelLaunch launch = attention_launch(a100, {AttentionKernel::flash2, false, shape});
  EXPECT_EQ(launch.tiles_m, 2 * 3);
  EXPECT_EQ(launch.batch_count, 2);
  EXPECT_EQ(launch.edge_m, 197 - 128);
  EXPECT_EQ(launch.k_steps, 2);
  EXPECT_EQ(launch.b.bytes(0, true), (197 - 128) * 2 * 64 * 2) << "keys and values";
  EXPECT_EQ(attention_sum(shape).read_bytes, 2 * 3 * 197 * 64 * 2);
  EXPECT_EQ(beside_attention({AttentionKernel::flash2, true, shape}).size(), 4U);
}

/// A block of 128 x 128 of the mask comes with every block of keys; of memory it is read once for
/// all 16 heads, by eight blocks of queries.
TEST(AttentionKernel, ReadsAMaskThatHeadsShare) {
  const MachineConfig h100 = load_machine("h100_sxm").config;
  AttentionShape shape = shape_of(1024, 64);
  shape.heads = shape.kv_heads = 16;
  const auto launch = [&](bool backward) {
    return attention_launch(h100, {AttentionKernel::cudnn, backward, shape});
  };
  const KernelLaunch plain = launch(true);
  EXPECT_EQ(launch(false).metadata.strips, 0);
  shape.mask = true;
  const OperandStream mask = launch(false).metadata;
  EXPECT_EQ(mask.bytes(0, false), 128 * 128 * 2);
  EXPECT_EQ(mask.distinct_per_1024, 1024 * 8 / 16);
  EXPECT_EQ(launch(true).metadata.bytes(0, false), plain.metadata.bytes(0, false) + 64 * 128 * 2);
}

TEST(AttentionKernel, RefusesWhatNoKernelDoes) {
  const MachineConfig tiny = test::tiny_machine();
  AttentionWork work{AttentionKernel::flash2, false, shape_of(64, 256)};
  EXPECT_NO_THROW((void)attention_launch(tiny, work));
  work.shape.head_size = 257;
  EXPECT_THAT(test::message_of<ConfigError>([&] { (void)attention_launch(tiny, work); }),
              testing::HasSubstr("heads of 257 are larger than 256"));
  work.shape = shape_of(64, 64);
  work.shape.scores = {1, 8};
  EXPECT_THAT(test::message_of<ConfigError>([&] { (void)attention_launch(tiny, work); }),
              testing::HasSubstr("no 1:8 bf16 instruction for scores"));
}

}  // namespace
}  // namespace stcsim
