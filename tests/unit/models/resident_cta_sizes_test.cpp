#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/resident_ctas.hpp"

namespace stcsim {
namespace {

/// 3 x 2 tiles of 8 x 16 elements of 2 bytes, of the last ones 5 rows and 3 columns; 7 k-steps, the
/// last one a quarter as long. CTA (split * 3 + tile_m) * 2 + tile_n.
KernelLaunch sized_kernel(std::int64_t splits = 1) {
  KernelLaunch launch;
  launch.tiles_m = 3;
  launch.tiles_n = 2;
  launch.splits = splits;
  launch.k_steps = 7;
  launch.tile_m = 8;
  launch.edge_m = 5;
  launch.tile_n = 16;
  launch.edge_n = 3;
  launch.a = {3, 8, 5, 40, 10, 3, 7};
  launch.b = {2, 16, 3, 40, 10, 2, 7};
  return launch;
}

TEST(ResidentCtaSizes, AFullTileLoadsFullStripsUntilTheLastStep) {
  const KernelLaunch launch = sized_kernel();
  const ResidentCta cta(launch, 0);
  EXPECT_EQ(cta.steps, 7);
  EXPECT_EQ(cta.store_bytes, 8 * 16 * 2);
  for (const std::int64_t step : {0, 3, 5}) {
    EXPECT_EQ(cta.load_bytes(launch, Operand::a, step), 8 * 40) << step;
    EXPECT_EQ(cta.load_bytes(launch, Operand::b, step), 16 * 40) << step;
  }
  EXPECT_EQ(cta.load_bytes(launch, Operand::a, 6), 8 * 10);
  EXPECT_EQ(cta.load_bytes(launch, Operand::b, 6), 16 * 10);
}

TEST(ResidentCtaSizes, EdgeTilesLoadAndStoreWhatExists) {
  const KernelLaunch launch = sized_kernel();
  const ResidentCta low(launch, 4);     // tile (2, 0)
  const ResidentCta narrow(launch, 1);  // tile (0, 1)
  const ResidentCta corner(launch, 5);
  EXPECT_EQ(low.load_bytes(launch, Operand::a, 0), 5 * 40);
  EXPECT_EQ(low.load_bytes(launch, Operand::b, 0), 16 * 40);
  EXPECT_EQ(low.store_bytes, 5 * 16 * 2);
  EXPECT_EQ(narrow.load_bytes(launch, Operand::a, 0), 8 * 40);
  EXPECT_EQ(narrow.load_bytes(launch, Operand::b, 0), 3 * 40);
  EXPECT_EQ(narrow.store_bytes, 8 * 3 * 2);
  EXPECT_EQ(corner.load_bytes(launch, Operand::a, 6), 5 * 10);
  EXPECT_EQ(corner.load_bytes(launch, Operand::b, 6), 3 * 10);
  EXPECT_EQ(corner.store_bytes, 5 * 3 * 2);
}

/// 7 steps in 3 parts: 3, 2 and 2. Only the last one's last step is short.
TEST(ResidentCtaSizes, OnlyTheLastPartOfKHasTheShortStep) {
  const KernelLaunch launch = sized_kernel(3);
  EXPECT_EQ(ResidentCta(launch, 0).load_bytes(launch, Operand::a, 2), 8 * 40);
  EXPECT_EQ(ResidentCta(launch, 6).load_bytes(launch, Operand::a, 1), 8 * 40);
  EXPECT_EQ(ResidentCta(launch, 12).load_bytes(launch, Operand::a, 0), 8 * 40);
  EXPECT_EQ(ResidentCta(launch, 12).load_bytes(launch, Operand::a, 1), 8 * 10);
}

/// A strip that repeats another one's memory is still as low as the edge of the grid.
TEST(ResidentCtaSizes, ARepeatedStripHasTheRowsOfItsTile) {
  KernelLaunch launch = sized_kernel();
  launch.a.distinct_strips = 2;
  const ResidentCta cta(launch, 4);
  EXPECT_EQ(cta.strip(Operand::a), 0);
  EXPECT_EQ(cta.load_bytes(launch, Operand::a, 0), 5 * 40);
}

/// Of the 256 bytes of the tile 160 are valid: of every 8 bytes 5.
TEST(ResidentCtaSizes, ValidBytesAreSpreadOverTheTile) {
  const KernelLaunch launch = sized_kernel();
  const ResidentCta low(launch, 4);
  EXPECT_EQ(low.valid_bytes(launch, 0, 64), 40);
  EXPECT_EQ(low.valid_bytes(launch, 64, 64), 40);
  EXPECT_EQ(low.valid_bytes(launch, 248, 8), 5);
  EXPECT_EQ(ResidentCta(launch, 0).valid_bytes(launch, 64, 64), 64);
}

/// Whatever the chunks: their valid bytes are those of the tile, and never more than the chunk's.
void expect_all_valid_bytes(const KernelLaunch& launch, std::int64_t cta) {
  const ResidentCta resident(launch, cta);
  const std::int64_t all = launch.output_bytes();
  for (const std::int64_t chunk : {1, 2, 3, 7, 64, 97, 8192}) {
    std::int64_t valid = 0;
    for (std::int64_t offset = 0; offset < all; offset += chunk) {
      const std::int64_t bytes = std::min(chunk, all - offset);
      const std::int64_t part = resident.valid_bytes(launch, offset, bytes);
      EXPECT_GE(part, 0);
      EXPECT_LE(part, bytes);
      valid += part;
    }
    EXPECT_EQ(valid, resident.store_bytes) << "CTA " << cta << ", chunks of " << chunk;
  }
}

TEST(ResidentCtaSizes, ValidBytesOfAllChunksAreThoseOfTheTile) {
  const KernelLaunch launch = sized_kernel();
  for (std::int64_t cta = 0; cta < launch.ctas(); ++cta) expect_all_valid_bytes(launch, cta);
}

TEST(ResidentCtaSizes, ValidBytesOfATileOfOneElement) {
  KernelLaunch launch = sized_kernel();
  launch.edge_m = launch.edge_n = 1;
  launch.epilogue.element_bytes = 1;
  expect_all_valid_bytes(launch, 5);
  launch.epilogue.element_bytes = 4;
  expect_all_valid_bytes(launch, 5);
}

/// Nothing divides anything: tiles of 13 x 11, edges of 7 x 5, elements of 3 bytes.
TEST(ResidentCtaSizes, ValidBytesOfPrimeTiles) {
  KernelLaunch launch = sized_kernel();
  launch.tile_m = 13;
  launch.edge_m = 7;
  launch.tile_n = 11;
  launch.edge_n = 5;
  launch.epilogue.element_bytes = 3;
  for (std::int64_t cta = 0; cta < launch.ctas(); ++cta) expect_all_valid_bytes(launch, cta);
}

/// A tile that is an edge because it is the only one is full.
TEST(ResidentCtaSizes, ASingleTileIsAllValid) {
  KernelLaunch launch = sized_kernel();
  launch.tiles_m = launch.tiles_n = 1;
  launch.a.strips = launch.b.strips = 1;
  EXPECT_EQ(ResidentCta(launch, 0).valid_bytes(launch, 7, 9), 9);
  expect_all_valid_bytes(launch, 0);
}

bool same_sizes(const KernelLaunch& launch, std::int64_t a, std::int64_t b) {
  const bool same = ResidentCta(launch, a).has_sizes_of(launch, ResidentCta(launch, b));
  EXPECT_EQ(ResidentCta(launch, b).has_sizes_of(launch, ResidentCta(launch, a)), same);
  return same;
}

TEST(ResidentCtaSizes, TilesDifferAtTheEdgesOfMAndN) {
  const KernelLaunch launch = sized_kernel();
  EXPECT_TRUE(same_sizes(launch, 0, 0));
  EXPECT_TRUE(same_sizes(launch, 0, 2));  // tiles (0, 0) and (1, 0)
  EXPECT_TRUE(same_sizes(launch, 1, 3));  // both at the edge of N
  EXPECT_FALSE(same_sizes(launch, 0, 1));
  EXPECT_FALSE(same_sizes(launch, 0, 4));
  EXPECT_FALSE(same_sizes(launch, 4, 5));
  EXPECT_FALSE(same_sizes(launch, 1, 4));
}

TEST(ResidentCtaSizes, BatchesHaveTheSameSizes) {
  KernelLaunch launch = sized_kernel();
  launch.batch_count = 2;
  EXPECT_TRUE(same_sizes(launch, 0, 6));
  EXPECT_TRUE(same_sizes(launch, 5, 11));
  EXPECT_FALSE(same_sizes(launch, 4, 6));
}

/// 6 full steps and a short one in 3 parts of 3, 2 and 2: the last two have as many steps, but one
/// of them ends with K.
TEST(ResidentCtaSizes, PartsOfKDifferInTheirStepsAndInTheirEnd) {
  const KernelLaunch launch = sized_kernel(3);
  EXPECT_FALSE(same_sizes(launch, 0, 6));
  EXPECT_FALSE(same_sizes(launch, 6, 12));
  EXPECT_TRUE(same_sizes(launch, 12, 14));
  EXPECT_TRUE(same_sizes(launch, 6, 8));
}

/// An edge tile as low as a full one is none.
TEST(ResidentCtaSizes, AnEdgeThatIsFullIsTheSame) {
  KernelLaunch launch = sized_kernel();
  launch.a.edge_rows = 8;
  launch.edge_m = 8;
  EXPECT_TRUE(same_sizes(launch, 0, 4));
}

}  // namespace
}  // namespace stcsim
