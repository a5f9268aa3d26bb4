#include "models/base/kernel_launch.hpp"

#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

KernelLaunch grid(std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t splits,
                  std::int64_t batches, std::int64_t raster_group) {
  KernelLaunch launch;
  launch.tiles_m = tiles_m;
  launch.tiles_n = tiles_n;
  launch.splits = splits;
  launch.batch_count = batches;
  launch.raster_group = raster_group;
  return launch;
}

void expect_every_tile_once(const KernelLaunch& launch) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (std::int64_t cta = 0; cta < launch.ctas(); ++cta) {
    const CtaPosition at = launch.position(cta);
    ASSERT_TRUE(at.tile_m >= 0 && at.tile_m < launch.tiles_m) << cta;
    ASSERT_TRUE(at.tile_n >= 0 && at.tile_n < launch.tiles_n) << cta;
    ASSERT_TRUE(at.split >= 0 && at.split < launch.splits) << cta;
    ASSERT_TRUE(at.batch >= 0 && at.batch < launch.batch_count) << cta;
    ASSERT_TRUE(seen.emplace(at.batch, at.split, at.tile_m, at.tile_n).second) << cta;
  }
}

TEST(KernelLaunch, VisitsEveryTileOnce) {
  for (std::int64_t tiles_m = 1; tiles_m <= 9; ++tiles_m) {
    for (std::int64_t tiles_n = 1; tiles_n <= 7; ++tiles_n) {
      for (const std::int64_t group : {1, 2, 3, 4, 8, 16}) {
        for (const std::int64_t splits : {1, 3}) {
          for (const std::int64_t batches : {1, 2}) {
            SCOPED_TRACE(testing::Message() << tiles_m << "x" << tiles_n << " group " << group
                                            << " splits " << splits << " batch " << batches);
            expect_every_tile_once(grid(tiles_m, tiles_n, splits, batches, group));
          }
        }
      }
    }
  }
}

/// 3 x 2 tiles in groups of two rows: down both rows, then along n; the last group has one row.
TEST(KernelLaunch, RastersGroupsOfRows) {
  const KernelLaunch launch = grid(3, 2, 1, 1, 2);
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected{{0, 0}, {1, 0}, {0, 1},
                                                                    {1, 1}, {2, 0}, {2, 1}};
  for (std::size_t cta = 0; cta < expected.size(); ++cta) {
    const CtaPosition at = launch.position(static_cast<std::int64_t>(cta));
    EXPECT_EQ(std::pair(at.tile_m, at.tile_n), expected[cta]) << cta;
  }
}

TEST(KernelLaunch, BatchesAreOutermostThenSplits) {
  const KernelLaunch launch = grid(2, 1, 2, 2, 1);
  for (std::int64_t cta = 0; cta < launch.ctas(); ++cta) {
    const CtaPosition at = launch.position(cta);
    EXPECT_EQ(at.batch, cta / 4);
    EXPECT_EQ(at.split, cta / 2 % 2);
    EXPECT_EQ(at.tile_m, cta % 2);
    EXPECT_EQ(at.tile_n, 0);
  }
}

TEST(KernelLaunch, SplitsShareTheKStepsEvenly) {
  for (std::int64_t k_steps = 0; k_steps <= 40; ++k_steps) {
    for (std::int64_t splits = 1; splits <= 12; ++splits) {
      KernelLaunch launch = grid(1, 1, splits, 1, 1);
      launch.k_steps = k_steps;
      std::int64_t next = 0;
      for (std::int64_t split = 0; split < splits; ++split) {
        EXPECT_EQ(launch.first_step(split), next) << k_steps << " steps, split " << split;
        EXPECT_GE(launch.steps_of(split), k_steps / splits);
        EXPECT_LE(launch.steps_of(split), k_steps / splits + 1);
        next += launch.steps_of(split);
      }
      EXPECT_EQ(next, k_steps) << splits << " splits";
    }
  }
}

TEST(KernelLaunch, EdgeTilesStoreLess) {
  KernelLaunch launch = grid(2, 3, 1, 1, 1);
  launch.tile_m = 8;
  launch.tile_n = 16;
  launch.edge_m = 5;
  launch.edge_n = 1;
  launch.epilogue.element_bytes = 4;
  EXPECT_EQ(launch.store_bytes({0, 0, 0, 0}), 8 * 16 * 4);
  EXPECT_EQ(launch.store_bytes({0, 0, 1, 1}), 5 * 16 * 4);
  EXPECT_EQ(launch.store_bytes({0, 0, 0, 2}), 8 * 1 * 4);
  EXPECT_EQ(launch.store_bytes({0, 0, 1, 2}), 5 * 1 * 4);
}

/// 2 x 2 tiles of 8 x 16, k = 7 steps, the last one a quarter as long.
KernelLaunch shaped() {
  KernelLaunch launch = grid(2, 2, 1, 1, 1);
  launch.k_steps = 7;
  launch.tile_m = 8;
  launch.tile_n = 16;
  launch.edge_m = 5;
  launch.edge_n = 3;
  launch.epilogue.element_bytes = 2;
  launch.a = {2, 8, 5, 40, 10, 2, 7};
  launch.b = {2, 16, 3, 40, 10, 2, 7};
  return launch;
}

/// Edge tiles occupy an SM like full ones.
TEST(KernelLaunch, StagesAndTilesOfCAreThoseOfAFullTile) {
  const KernelLaunch launch = shaped();
  EXPECT_EQ(launch.stage_bytes(Operand::a), 8 * 40);
  EXPECT_EQ(launch.stage_bytes(Operand::b), 16 * 40);
  EXPECT_EQ(launch.output_bytes(), 8 * 16 * 2);
}

/// Where the grid has one tile along an axis, all tiles are as small as that one.
TEST(KernelLaunch, ASingleTileIsAsSmallAsItIs) {
  KernelLaunch launch = shaped();
  launch.tiles_m = 1;
  EXPECT_EQ(launch.output_bytes(), 5 * 16 * 2);
  launch.tiles_n = 1;
  EXPECT_EQ(launch.output_bytes(), 5 * 3 * 2);
  launch.tiles_m = 2;
  EXPECT_EQ(launch.output_bytes(), 8 * 3 * 2);
}

TEST(KernelLaunch, AMissBringsInWhatExistsOfTheSlice) {
  const KernelLaunch launch = shaped();
  EXPECT_EQ(launch.fill_bytes(Operand::a, 0, 0), 8 * 40);
  EXPECT_EQ(launch.fill_bytes(Operand::a, 0, 6), 8 * 10);
  EXPECT_EQ(launch.fill_bytes(Operand::a, 1, 5), 5 * 40);
  EXPECT_EQ(launch.fill_bytes(Operand::a, 1, 6), 5 * 10);
  EXPECT_EQ(launch.fill_bytes(Operand::b, 0, 6), 16 * 10);
  EXPECT_EQ(launch.fill_bytes(Operand::b, 1, 0), 3 * 40);
}

/// Strips of a batch are numbered through: 2 and 3 are the second one's.
TEST(KernelLaunch, EveryBatchHasAnEdge) {
  const KernelLaunch launch = shaped();
  EXPECT_EQ(launch.fill_bytes(Operand::a, 2, 0), 8 * 40);
  EXPECT_EQ(launch.fill_bytes(Operand::a, 3, 0), 5 * 40);
}

/// Memory that is read again is read by full tiles, or in full k-steps, too.
TEST(KernelLaunch, RepeatedMemoryIsBroughtInInFull) {
  KernelLaunch launch = shaped();
  launch.a.distinct_strips = 1;
  launch.b.distinct_slices = 6;
  EXPECT_EQ(launch.fill_bytes(Operand::a, 0, 0), 8 * 40);
  EXPECT_EQ(launch.fill_bytes(Operand::a, 1, 0), 8 * 40);  // of the second batch
  for (std::int64_t slice = 0; slice < 6; ++slice) {
    EXPECT_EQ(launch.fill_bytes(Operand::b, 0, slice), 16 * 40) << slice;
  }
}

/// Of a slice that is a quarter distinct memory a miss brings in a quarter, but at least a byte.
TEST(KernelLaunch, AMissBringsInWhatIsDistinct) {
  KernelLaunch launch = shaped();
  launch.a.distinct_per_1024 = 256;
  EXPECT_EQ(launch.fill_bytes(Operand::a, 0, 0), 80);
  EXPECT_EQ(launch.fill_bytes(Operand::a, 1, 6), 12);  // of 50
  EXPECT_EQ(launch.fill_bytes(Operand::b, 0, 0), 640);
  launch.a.distinct_per_1024 = 1;
  EXPECT_EQ(launch.fill_bytes(Operand::a, 0, 0), 1);
}

TEST(OperandStream, EdgeStripsAndSlicesAreSmaller) {
  OperandStream stream;
  stream.strips = 3;
  stream.rows = 16;
  stream.edge_rows = 7;
  stream.row_bytes = 72;
  stream.edge_row_bytes = 18;
  EXPECT_EQ(stream.bytes(0, false), 16 * 72);
  EXPECT_EQ(stream.bytes(0, true), 16 * 18);
  EXPECT_EQ(stream.bytes(2, false), 7 * 72);
  EXPECT_EQ(stream.bytes(2, true), 7 * 18);
}

}  // namespace
}  // namespace stcsim
