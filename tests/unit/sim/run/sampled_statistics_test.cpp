#include <gtest/gtest.h>

#include "sim/run/sampling.hpp"

namespace stcsim {
namespace {

const DramConfig kDram{.burst_bytes = 64};

/// 4 x 2 tiles of 8 x 6 elements, down the rows first; the last row of tiles has 3 rows, the last
/// of five k-steps 4 bytes a row instead of 10.
KernelLaunch small_grid() {
  KernelLaunch launch;
  launch.tiles_m = launch.raster_group = 4;
  launch.tiles_n = 2;
  launch.k_steps = 5;
  launch.tile_m = 8;
  launch.edge_m = 3;
  launch.tile_n = launch.edge_n = 6;
  launch.a = {.strips = 4,
              .rows = 8,
              .edge_rows = 3,
              .row_bytes = 10,
              .edge_row_bytes = 4,
              .distinct_strips = 4,
              .distinct_slices = 5};
  launch.b = {.strips = 2,
              .rows = 6,
              .edge_rows = 6,
              .row_bytes = 10,
              .edge_row_bytes = 4,
              .distinct_strips = 2,
              .distinct_slices = 5};
  launch.epilogue.element_bytes = 2;
  return launch;
}

/// Of five CTAs, each of which does 7 instructions in a k-step.
LaunchStatistics five_ctas() {
  LaunchStatistics statistics;
  statistics.cycles = Cycles(1000);
  statistics.units = {
      {"sub_core", 2, {{"busy", Cycles(1501)}, {"idle", Cycles(499)}}, {{"instructions", "", 175}}},
      {"l2_cache",
       1,
       {},
       {{"l2_read_bytes", "byte", 2860},
        {"l2_hit_bytes", "byte", 100},
        {"l2_write_bytes", "byte", 420}}},
      {"dram", 1, {}, {{"dram_read_bytes", "byte", 50}, {"dram_write_bytes", "byte", 448}}}};
  return statistics;
}

/// CTAs 2 to 4 are left out: 8, 3 and 8 rows of A, three times 6 of B.
TEST(SampledStatistics, AreThoseOfTheWholeGrid) {
  const LaunchStatistics whole =
      with_left_out(kDram, small_grid(), {{2, 3, 300, 10.4, 33.4, 7}}, Cycles(1), five_ctas());
  EXPECT_EQ(whole.cycles, Cycles(1300));
  EXPECT_EQ(*whole.sampled, (SampledPart{1289, 1311, 5, 8}));
  EXPECT_EQ(whole.count("instructions"), 8 * 5 * 7);
  EXPECT_EQ(whole.count("l2_read_bytes"), 2 * (3 * 8 + 3) * 44 + 4 * 12 * 44);
  EXPECT_EQ(whole.count("l2_write_bytes"), (3 * 8 + 3) * 12 * 2);
  EXPECT_EQ(whole.count("l2_hit_bytes"), 133);
  EXPECT_EQ(whole.count("dram_read_bytes"), 57);
  EXPECT_EQ(whole.count("dram_write_bytes"), 11 * 64);  // 648 bytes
}

/// Two k slices: 8 CTAs of three k-steps and 8 of two, of which three of three are left out. Every
/// k-step moves 50 bytes into shared memory and 100 out of it, every CTA stages 48 elements of 8
/// bytes.
TEST(SampledStatistics, StageTheOutputOfEveryCtaWhateverItsSteps) {
  KernelLaunch grid = small_grid();
  grid.splits = 2;
  grid.epilogue.staging_bytes_per_element = 8;
  LaunchStatistics simulated;
  simulated.cycles = Cycles(1000);
  simulated.units = {{"shared_memory",
                      1,
                      {},
                      {{"shared_memory_read_bytes", "byte", 31 * 100 + 13 * 192},
                       {"shared_memory_write_bytes", "byte", 31 * 50 + 13 * 192}}}};
  const LaunchStatistics whole =
      with_left_out(kDram, grid, {{2, 3, 300, 0, 0, 0}}, Cycles(1), simulated);
  EXPECT_EQ(whole.count("shared_memory_read_bytes"), 40 * 100 + 16 * 192);
  EXPECT_EQ(whole.count("shared_memory_write_bytes"), 40 * 50 + 16 * 192);
}

TEST(SampledStatistics, PutEveryCycleIntoOneBucket) {
  const LaunchStatistics whole =
      with_left_out(kDram, small_grid(), {{2, 3, 300, 10, 0, 0}}, Cycles(1), five_ctas());
  const auto& buckets = whole.units.front().buckets;
  EXPECT_EQ(buckets[0].second, Cycles(1951));
  EXPECT_EQ(buckets[1].second, Cycles(649));
}

TEST(SampledStatistics, NeverGoBelowWhatTheLaunchTakesAtLeast) {
  const LaunchStatistics whole =
      with_left_out(kDram, small_grid(), {{2, 3, 300, 10, 0, 0}}, Cycles(1295), five_ctas());
  EXPECT_EQ(*whole.sampled, (SampledPart{1295, 1310, 5, 8}));
}

}  // namespace
}  // namespace stcsim
