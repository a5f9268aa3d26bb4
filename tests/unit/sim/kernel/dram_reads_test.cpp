#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "sim/kernel/kernel_estimate.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "tests/support/gemm_on.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// Two SMs with one CTA each; tiles are 16 x 8, so that strips of A are 512 bytes per k-step of 16
/// and strips of B 256. K is four k-steps.
class DramReadsTest : public testing::Test {
 protected:
  static constexpr std::int64_t kA = 4 * 16 * 32;
  static constexpr std::int64_t kB = 4 * 8 * 32;
  static constexpr std::int64_t kStored = 16 * 8 * 2;  // by a CTA

  DramReadsTest() : machine_(test::tiny_machine()) {
    machine_.accelerator.num_sms = 2;
    machine_.kernels.front().max_ctas_per_sm = 1;
  }
  [[nodiscard]] KernelLaunch grid(std::int64_t rows, std::int64_t columns,
                                  std::int64_t raster_group, std::int64_t splits = 1) const {
    KernelLaunch launch =
        test::gemm_on(machine_, test::make_problem(16 * rows, 8 * columns, 64), splits);
    launch.raster_group = raster_group;
    return launch;
  }
  [[nodiscard]] std::vector<double> reads(const KernelLaunch& launch, std::int64_t capacity) {
    machine_.accelerator.l2_cache.capacity_bytes = capacity;
    return estimate_dram_reads(machine_, launch);
  }

  /// Capacity of the cache that loses nothing of what was used so many bytes ago.
  static std::int64_t least_that_keeps(std::int64_t bytes) { return (bytes * 1000 + 298) / 299; }

  MachineConfig machine_;
};

constexpr std::int64_t kAll = 1 << 30;

/// Two rows, three columns, a column at a time: the rows' strips come once if they fit.
TEST_F(DramReadsTest, WhatStillIsInTheCacheIsNotReadAgain) {
  EXPECT_EQ(reads(grid(2, 3, 2), kAll), (std::vector<double>{2 * kA + kB, kB, kB}));
}

/// Two partitions: of what lies there a third is there twice.
TEST_F(DramReadsTest, CopiesTakeTheirRoom) {
  L2CacheConfig& cache = machine_.accelerator.l2_cache;
  cache.far_hit_cycles = cache.near_hit_cycles + 1;
  const std::int64_t keeps = least_that_keeps(2 * kA + kB);
  EXPECT_EQ(reads(grid(2, 3, 2), keeps + keeps / 2), (std::vector<double>{2 * kA + kB, kB, kB}));
  EXPECT_EQ(reads(grid(2, 3, 2), keeps + keeps / 2 - 3),
            (std::vector<double>{2 * kA + kB, 2 * kA / 8 + kB, kB}));
}

/// The wave itself is what is brought in until the next one asks for its rows; of these an eighth
/// comes again, and with it less until the third wave.
TEST_F(DramReadsTest, OfWhatHardlyFitsAnEighthIsReadAgain) {
  const std::int64_t keeps = least_that_keeps(2 * kA + kB);
  EXPECT_EQ(reads(grid(2, 3, 2), keeps), (std::vector<double>{2 * kA + kB, kB, kB}));
  EXPECT_EQ(reads(grid(2, 3, 2), keeps - 1),
            (std::vector<double>{2 * kA + kB, 2 * kA / 8 + kB, kB}));
}

TEST_F(DramReadsTest, WhatDoesNotFitIsReadByEveryWave) {
  EXPECT_EQ(reads(grid(2, 3, 2), (2 * kA + kB) / 2),
            (std::vector<double>{2 * kA + kB, 2 * kA + kB, 2 * kA + kB}));
}

/// One row after the other, two columns at a time: row 0 and row 1 of the second wave share none of
/// the columns; of those of the first wave an eighth comes again for row 1 unless all of row 0
/// fits, with what its CTAs store but for the last.
TEST_F(DramReadsTest, ColumnsComeAgainForTheNextRows) {
  const std::int64_t keeps = least_that_keeps(kA + 4 * kB + 2 * kStored);
  EXPECT_EQ(reads(grid(2, 4, 1), keeps), (std::vector<double>{kA + 2 * kB, 2 * kB, kA, 0}));
  EXPECT_EQ(reads(grid(2, 4, 1), keeps - 1),
            (std::vector<double>{kA + 2 * kB, 2 * kB, kA + 2 * kB / 8, 0}));
}

/// The last CTAs of a group and the first of the next run together.
TEST_F(DramReadsTest, WavesGoAcrossGroupsOfRows) {
  EXPECT_EQ(reads(grid(3, 1, 1), kAll), (std::vector<double>{2 * kA + kB, kA}));
  EXPECT_EQ(reads(grid(3, 3, 2), kAll), (std::vector<double>{2 * kA + kB, kB, kB, kA, 0}));
}

/// K slices read apart from each other; each reads its own steps.
TEST_F(DramReadsTest, SplitsReadWhatIsTheirs) {
  EXPECT_EQ(reads(grid(2, 1, 2, 2), kAll), (std::vector<double>{kA + kB / 2, kA + kB / 2}));
}

/// Implicit im2col with two k-steps of memory: all four read them if the cache keeps two.
TEST_F(DramReadsTest, MemoryThatRecursAlongKComesOnceIfItFits) {
  KernelLaunch launch = grid(1, 1, 1);
  launch.a.distinct_slices = 2;
  const std::int64_t keeps = least_that_keeps(kA / 2 + kB / 2);
  EXPECT_EQ(reads(launch, keeps), std::vector<double>{kA / 2 + kB});
  EXPECT_EQ(reads(launch, keeps - 1), std::vector<double>{kA / 2 + kA / 2 / 8 + kB});
  EXPECT_EQ(reads(launch, (kA + kB) / 4), std::vector<double>{kA + kB});
}

/// Strips beyond the distinct ones are the first ones' memory.
TEST_F(DramReadsTest, StripsThatShareMemoryComeOnce) {
  KernelLaunch launch = grid(4, 1, 4);
  launch.a.distinct_strips = 2;
  EXPECT_EQ(reads(launch, kAll), (std::vector<double>{2 * kA + kB, 0}));
}

/// An operand that is there at launch is read when it has been displaced.
TEST_F(DramReadsTest, WhatIsThereAtLaunchMayBeDisplaced) {
  KernelLaunch launch = grid(2, 3, 2);
  launch.a.starts_in_l2 = true;
  EXPECT_EQ(reads(launch, kAll), (std::vector<double>{kB, kB, kB}));
  launch.b.starts_in_l2 = true;
  EXPECT_EQ(reads(launch, kAll), (std::vector<double>{0, 0, 0}));
}

TEST_F(DramReadsTest, BatchesShareNothing) {
  const KernelLaunch launch =
      test::gemm_on(machine_, test::make_problem(16, 8, 64, 3, DataType::fp16, kDense));
  EXPECT_EQ(reads(launch, kAll), (std::vector<double>{2 * (kA + kB), kA + kB}));
}

/// What every wave reads first, counted from the positions of its CTAs one by one.
std::vector<double> first_reads(const KernelLaunch& launch, std::int64_t running) {
  std::set<std::tuple<bool, std::int64_t, std::int64_t>> seen;  // A or B, strip, split
  std::vector<double> all;
  for (std::int64_t cta = 0; cta < launch.ctas(); ++cta) {
    if (cta % running == 0) all.push_back(0);
    const CtaPosition at = launch.position(cta);
    for (const Operand operand : launch.operands()) {
      const std::int64_t strip = launch.distinct_strip(operand, at);
      if (!seen.emplace(operand == Operand::a, strip, at.split).second) continue;
      const std::int64_t first = launch.first_step(at.split);
      for (std::int64_t slice = first; slice < first + launch.steps_of(at.split); ++slice) {
        all.back() += static_cast<double>(
            launch.fill_bytes(operand, strip % launch.stream(operand).strips, slice));
      }
    }
  }
  return all;
}

TEST_F(DramReadsTest, FollowsTheOrderOfTheCtas) {
  const std::uint64_t seed = test::seed_or(7);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  for (int round = 0; round < 300; ++round) {
    machine_.accelerator.num_sms = dice.between(3, 9);
    KernelLaunch launch =
        test::gemm_on(machine_,
                      test::make_problem(dice.between(1, 90), dice.between(1, 60),
                                         dice.between(40, 90), dice.between(1, 2)),
                      dice.between(1, 3));
    launch.raster_group = dice.between(1, launch.tiles_m);
    const std::int64_t running = machine_.accelerator.num_sms * launch.ctas_per_sm;
    const std::vector<double> all = reads(launch, kAll);
    if (all.size() > 32) continue;
    EXPECT_EQ(all, first_reads(launch, running)) << round;
  }
}

/// More waves than are followed one by one: each row's 200 waves of two columns read 2 B, as the
/// cache does not hold a row.
TEST_F(DramReadsTest, ManyWavesGoOnLikeTheFirst) {
  const std::vector<double> all = reads(grid(1, 401, 1), 4 * (kA + 3 * kB));
  ASSERT_EQ(all.size(), 201U);
  EXPECT_EQ(all[1], 2.0 * kB);
  EXPECT_EQ(all[199], 2.0 * kB);
  EXPECT_EQ(all[200], 1.0 * kB);
}

/// A stream kernel reads every byte once, wherever it is cut, or none that is there.
TEST_F(DramReadsTest, StreamKernelsReadOnce) {
  const StreamWork work{1 << 20, 1 << 16, 0};
  const KernelLaunch launch = stream_launch(machine_, work);
  const std::vector<double> all = reads(launch, 1000);
  EXPECT_EQ(all.size(), static_cast<std::size_t>((launch.ctas() + 2 * launch.ctas_per_sm - 1) /
                                                 (2 * launch.ctas_per_sm)));
  EXPECT_NEAR(std::accumulate(all.begin(), all.end(), 0.0), 1 << 20, 0.01 * (1 << 20));
}

}  // namespace
}  // namespace stcsim
