#include "sim/kernel/kernel_estimate.hpp"

#include <gtest/gtest.h>

#include "tests/support/gemm_on.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

constexpr double kTiny = 1e-3;

/// The tiny machine with a memory that is never in the way; a tile is 16 x 8, a k-step 16 deep: one
/// instruction, 8 cycles to its result. The barrier to the next k-step opens after two messages.
class KernelEstimateTest : public testing::Test {
 protected:
  KernelEstimateTest() : machine_(test::tiny_machine()) {
    test::remove_latencies(machine_);
    AcceleratorConfig& hardware = machine_.accelerator;
    hardware.memory_bus.sm_read_bytes_per_clk = 4096;
    hardware.l2_cache.read_bytes_per_clk = 4096;
    hardware.dram.bytes_per_clk = kAtOnce;
    hardware.sm.shared_memory.fill_bytes_per_clk = 4096;
    hardware.sm.shared_memory.banks = 1024;
    machine_.kernels.front().max_ctas_per_sm = 1;
    machine_.kernels.front().stages = 8;
  }
  [[nodiscard]] double estimate(std::int64_t m, std::int64_t k) const {
    return estimate_cycles(machine_, test::gemm_on(machine_, test::make_problem(m, 8, k)));
  }

  static constexpr std::int64_t kAtOnce = 1'000'000'000'000;
  static constexpr double kStep = 8 + 2;
  static constexpr double kNotHidden = 0.05;  // of the shorter of what overlaps with DRAM
  MachineConfig machine_;
};

/// One more k-step is one more instruction, in each of one or three CTAs that run one by one.
TEST_F(KernelEstimateTest, AKStepTakesWhatItsInstructionsTake) {
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), kStep, kTiny);
  EXPECT_NEAR(estimate(48, 816) - estimate(48, 800), 3 * kStep, kTiny);
}

/// Results come after 8 cycles, the barrier opens after 32: the difference is lost, unless other
/// CTAs multiply meanwhile.
TEST_F(KernelEstimateTest, ALoneCtaWaitsAtItsBarriers) {
  machine_.accelerator.sm.shared_memory.barrier_cycles = 32;
  constexpr double kWaits = 8 + 1 + (32 - 8);
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), kWaits, kTiny);
  machine_.kernels.front().max_ctas_per_sm = 4;
  EXPECT_NEAR(estimate(32, 816) - estimate(32, 800), kWaits, kTiny);
  machine_.accelerator.sm.shared_memory.barrier_cycles = 8;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), kStep, kTiny);
  EXPECT_NEAR(estimate(32, 816) - estimate(32, 800), 2 * 8, kTiny);
}

/// A k-step's instruction adds to the results of the one before.
TEST_F(KernelEstimateTest, InstructionsWaitForTheOnesBefore) {
  for (MmaInstruction& one : machine_.accelerator.sm.tensor_core.instructions) {
    one.latency_cycles = 30;
  }
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), 30, kTiny);
}

/// Every stage is filled again once in as many k-steps as there are stages, and each time waits for
/// the L2 cache and, as what is asked for is new, for DRAM.
TEST_F(KernelEstimateTest, StagesShareLatency) {
  const auto eight_steps = [&] { return estimate(16, 1600 + 8 * 16) - estimate(16, 1600); };
  AcceleratorConfig& hardware = machine_.accelerator;
  hardware.l2_cache.near_hit_cycles = hardware.dram.latency_cycles = 1000;  // limit from the first
  for (const std::int64_t stages : {1, 2, 4, 8}) {
    machine_.kernels.front().stages = stages;
    const double before = eight_steps();
    for (std::int64_t* const latency :
         {&hardware.l2_cache.near_hit_cycles, &hardware.dram.latency_cycles}) {
      *latency += 700;
      EXPECT_NEAR(eight_steps() - before, 700.0 * 8 / static_cast<double>(stages), kTiny);
      *latency -= 700;
    }
  }
}

/// One more k-step is 16 rows of A and 8 of B, 32 bytes each, which a slow DRAM brings in alone.
TEST_F(KernelEstimateTest, AKStepTakesWhatDramTakesToBringItIn) {
  machine_.accelerator.dram.bytes_per_clk = 4;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), (16 + 8) * 32 / 4.0 + kNotHidden * kStep,
              kTiny);
}

/// Without what is read from DRAM: the same where that takes no time, less where it limits.
TEST_F(KernelEstimateTest, IsAtLeastWhatItIsWithoutReadingFromDram) {
  for (const std::int64_t bytes_per_clk : {std::int64_t{1}, kAtOnce}) {
    machine_.accelerator.dram.bytes_per_clk = bytes_per_clk;
    for (const std::int64_t m : {1, 15, 16, 17, 48, 200}) {
      const KernelLaunch launch = test::gemm_on(machine_, test::make_problem(m, 40, 800));
      for (const Waves waves : {Waves::as_they_are, Waves::whole}) {
        const double least = least_estimate_cycles(machine_, launch, waves);
        const double estimate = estimate_cycles(machine_, launch, waves);
        EXPECT_LE(least, estimate);
        EXPECT_EQ(least + kTiny < estimate, bytes_per_clk == 1) << bytes_per_clk << " " << m;
      }
    }
  }
}

/// 768 bytes in and 768 out: 24 cycles at 32 bytes a clk each, one after the other or side by side.
TEST_F(KernelEstimateTest, FillsAndReadsTakeTurnsAtOnePort) {
  SharedMemoryConfig& memory = machine_.accelerator.sm.shared_memory;
  memory.banks = 8;
  memory.fill_bytes_per_clk = 32;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), 24 + 24, kTiny);
  memory.has_fill_port = true;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), 24, kTiny);
}

TEST_F(KernelEstimateTest, TilesGetTheirShareOfDram) {
  machine_.accelerator.dram.bytes_per_clk = 8;
  machine_.accelerator.dram.tile_share = 0.25;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800),
              (16 + 8) * 32 / (8 * 0.25) + kNotHidden * kStep, kTiny);
}

TEST_F(KernelEstimateTest, OneReadOfTheCacheServesACluster) {
  machine_.accelerator.l2_cache.read_bytes_per_clk = 4;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), (16 + 8) * 32 / 4.0, kTiny);
  machine_.kernels.front().multicast_b = 2;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), (16 + 8 / 2.0) * 32 / 4.0, kTiny);
  machine_.kernels.front().multicast_a = 2;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), (16 + 8) * 32 / 8.0, kTiny);
}

/// Bubbles of the machine are filled by other warps, those of the kernel are not.
TEST_F(KernelEstimateTest, BubblesOfAKernelAreBetweenAllInstructions) {
  machine_.accelerator.sm.tensor_core.same_warp_bubble = Millicycles(4000);
  machine_.kernels.front().max_ctas_per_sm = 2;
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), 8 + 4, kTiny);
  EXPECT_NEAR(estimate(32, 816) - estimate(32, 800), 2 * 8, kTiny);
  machine_.kernels.front().bubble = Millicycles(2500);
  EXPECT_NEAR(estimate(16, 816) - estimate(16, 800), 8 + 2.5, kTiny);
  EXPECT_NEAR(estimate(32, 816) - estimate(32, 800), 2 * (8 + 2.5), kTiny);
}

/// Five CTAs where four run at a time: the fifth alone takes 10 cycles a k-step; as a whole
/// wave 32. A grid that leaves SMs idle counts as it is: three CTAs read 768 bytes each a k-step.
TEST_F(KernelEstimateTest, ALastWaveMayCountAsAWholeOne) {
  machine_.kernels.front().max_ctas_per_sm = 4;
  const auto a_step = [&](std::int64_t m, Waves waves) {
    const auto cycles = [&](std::int64_t k) {
      const KernelLaunch launch = test::gemm_on(machine_, test::make_problem(m, 8, k));
      return estimate_cycles(machine_, launch, waves);
    };
    return cycles(816) - cycles(800);
  };
  EXPECT_NEAR(a_step(5 * 16, Waves::as_they_are), 32 + kStep, kTiny);
  EXPECT_NEAR(a_step(5 * 16, Waves::whole), 32 + 32, kTiny);
  EXPECT_NEAR(a_step(8 * 16, Waves::whole), 32 + 32, kTiny);
  EXPECT_NEAR(a_step(16, Waves::whole), kStep, kTiny);
  machine_.accelerator.num_sms = 4;
  machine_.accelerator.l2_cache.read_bytes_per_clk = 16;
  EXPECT_NEAR(a_step(3 * 16, Waves::whole), 3 * 768 / 16.0, kTiny);
}

/// Two rows of four columns, one CTA after the other: the second row's wave after wave brings in B
/// again where the cache does not hold it, and every wave A.
TEST_F(KernelEstimateTest, AWaveTakesWhatDramTakesForWhatTheCacheHasLost) {
  machine_.accelerator.dram.bytes_per_clk = 4;
  const KernelLaunch launch = test::gemm_on(machine_, test::make_problem(32, 32, 800));
  ASSERT_EQ(launch.raster_group, 1);
  const double kept = estimate_cycles(machine_, launch);
  machine_.accelerator.l2_cache.capacity_bytes = 19'000;
  const double lost = estimate_cycles(machine_, launch);
  EXPECT_NEAR(lost - kept, (4 * 8 + 6 * 16) * 1600 / 4.0 - 3 * (50 * 8 + 48 * 2), kTiny);
}

/// What is not a k-step's comes once for every CTA, if an SM holds one, and once for every two, and
/// once for the last ones, if it holds two.
TEST_F(KernelEstimateTest, CtasOfAnSmHideEachOthersEnds) {
  const auto pair = [&] { return estimate(64, 800) - estimate(32, 800); };
  const double apart = pair() - 2 * (50 * 8 + 48 * 2);
  machine_.kernels.front().max_ctas_per_sm = 2;
  const double together = pair() - 2 * 50 * 8;
  EXPECT_GT(together, apart / 4);
  EXPECT_LT(together, apart / 1.5);
}

/// The rest of a grid is put on few SMs: two CTAs more than a wave of eight, both on one SM.
TEST_F(KernelEstimateTest, TheRestOfAGridIsPutOnFewSms) {
  machine_.accelerator.num_sms = 4;
  machine_.kernels.front().max_ctas_per_sm = 2;
  const double one_more = estimate(9 * 16, 8000) - estimate(8 * 16, 8000);
  const double two_more = estimate(10 * 16, 8000) - estimate(8 * 16, 8000);
  EXPECT_GT(two_more, 1.5 * one_more);
  EXPECT_NEAR(estimate(12 * 16, 8000), estimate(10 * 16, 8000), kTiny);
}

}  // namespace
}  // namespace stcsim
