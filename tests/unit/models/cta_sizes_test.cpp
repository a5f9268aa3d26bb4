#include <gtest/gtest.h>

#include "models/base/resident_ctas.hpp"

namespace stcsim {
namespace {

/// 4 x 3 tiles, down the rows first; the last row of tiles and the last of three k slices are
/// smaller.
KernelLaunch edged_launch() {
  KernelLaunch launch;
  launch.tiles_m = launch.raster_group = 4;
  launch.tiles_n = 3;
  launch.splits = 3;
  launch.k_steps = 11;  // 4, 4 and 3
  launch.tile_m = launch.edge_n = launch.tile_n = 8;
  launch.edge_m = 5;
  launch.a = {.strips = 4, .rows = 8, .edge_rows = 5, .distinct_strips = 4, .distinct_slices = 11};
  launch.b = {.strips = 3, .rows = 8, .edge_rows = 8, .distinct_strips = 3, .distinct_slices = 11};
  return launch;
}

/// The answer, one CTA after the other.
std::int64_t first_unlike(const KernelLaunch& launch, std::int64_t first, std::int64_t end,
                          std::int64_t apart) {
  for (std::int64_t cta = first; cta < end; ++cta) {
    const ResidentCta later(launch, cta + apart);
    if (!later.has_sizes_of(launch, ResidentCta(launch, cta))) return cta;
  }
  return end;
}

TEST(CtaSizes, FindsTheFirstCtaThatDiffers) {
  const KernelLaunch launch = edged_launch();
  CtaSizes sizes;
  sizes.launch(launch);
  EXPECT_EQ(sizes.first_unlike(0, 32, 4), 20);  // 20 + 4 is of the short slice
  EXPECT_EQ(sizes.first_unlike(0, 20, 4), 20);
  EXPECT_EQ(sizes.first_unlike(0, 33, 3), 0);  // 3 is of the last row of tiles
  EXPECT_EQ(sizes.first_unlike(9, 5, 4), 5);
  for (std::int64_t apart = 1; apart < 13; ++apart) {
    for (std::int64_t first = 0; first + apart < launch.ctas(); ++first) {
      const std::int64_t end = launch.ctas() - apart;
      EXPECT_EQ(sizes.first_unlike(first, end, apart), first_unlike(launch, first, end, apart))
          << first << ", " << apart;
    }
  }
}

TEST(CtaSizes, AreOfTheGridThatWasNamedLast) {
  CtaSizes sizes;
  sizes.launch(edged_launch());
  EXPECT_EQ(sizes.first_unlike(0, 32, 4), 20);
  KernelLaunch even = edged_launch();
  even.k_steps = even.a.distinct_slices = even.b.distinct_slices = 12;
  sizes.launch(even);
  EXPECT_EQ(sizes.first_unlike(0, 20, 4), 20);
  EXPECT_EQ(sizes.first_unlike(0, 32, 4), 20);  // the last slice holds the end of K
}

}  // namespace
}  // namespace stcsim
