#include "models/base/resident_ctas.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

/// 3 x 2 tiles, 7 k-steps in 2 splits (4 and 3), 2 batches: CTA = ((batch * 2 + split) * 3 +
/// tile_m)
/// * 2 + tile_n.
KernelLaunch resident_kernel() {
  KernelLaunch launch;
  launch.tiles_m = 3;
  launch.tiles_n = 2;
  launch.splits = 2;
  launch.batch_count = 2;
  launch.k_steps = 7;
  launch.ctas_per_sm = 2;
  launch.a.distinct_strips = 3;
  launch.b.distinct_strips = 2;
  launch.a.distinct_slices = launch.b.distinct_slices = 7;
  return launch;
}

TEST(ResidentCta, ReadsTheStripsOfItsTile) {
  const ResidentCta cta(resident_kernel(), 5);  // tile (2, 1)
  EXPECT_EQ(cta.cta, 5);
  EXPECT_EQ(cta.strip(Operand::a), 2);
  EXPECT_EQ(cta.strip(Operand::b), 1);
  EXPECT_EQ(cta.first_step, 0);
}

TEST(ResidentCta, CountsSlicesFromTheFirstStepOfItsSplit) {
  const KernelLaunch launch = resident_kernel();
  const ResidentCta cta(launch, 6 + 5);
  EXPECT_EQ(cta.first_step, 4);
  EXPECT_EQ(cta.slice(launch, Operand::a, 0), 4);
  EXPECT_EQ(cta.slice(launch, Operand::b, 2), 6);
}

TEST(ResidentCta, BatchesHaveMemoryOfTheirOwn) {
  const ResidentCta cta(resident_kernel(), 12 + 5);
  EXPECT_EQ(cta.strip(Operand::a), 3 + 2);
  EXPECT_EQ(cta.strip(Operand::b), 2 + 1);
}

/// Implicit im2col: the same memory is read again.
TEST(ResidentCta, StripsAndSlicesWrapAroundWhereMemoryRepeats) {
  KernelLaunch launch = resident_kernel();
  launch.a.distinct_strips = 2;
  launch.a.distinct_slices = 3;
  const ResidentCta cta(launch, 12 + 6 + 5);  // batch 1, split 1, tile (2, 1)
  EXPECT_EQ(cta.strip(Operand::a), 2 + 0);
  EXPECT_EQ(cta.strip(Operand::b), 2 + 1);
  EXPECT_EQ(cta.slice(launch, Operand::a, 0), 1);  // k-step 4 of 3 distinct ones
  EXPECT_EQ(cta.slice(launch, Operand::a, 2), 0);
  EXPECT_EQ(cta.slice(launch, Operand::b, 2), 6);
}

/// What a slot remembers is what the launch says of the CTA.
TEST(ResidentCta, AgreesWithTheLaunch) {
  KernelLaunch launch = resident_kernel();
  launch.a.distinct_strips = 2;
  launch.b.distinct_slices = 5;
  for (std::int64_t number = 0; number < launch.ctas(); ++number) {
    const ResidentCta cta(launch, number);
    const CtaPosition at = launch.position(number);
    for (const Operand operand : {Operand::a, Operand::b}) {
      EXPECT_EQ(cta.strip(operand), launch.distinct_strip(operand, at)) << number;
      EXPECT_EQ(cta.slice(launch, operand, 1),
                (launch.first_step(at.split) + 1) % launch.stream(operand).distinct_slices)
          << number;
    }
  }
}

TEST(ResidentCtas, RemembersTheLastCtaOfEverySlot) {
  const KernelLaunch launch = resident_kernel();
  ResidentCtas resident;
  resident.launch(launch, 3);
  resident.assign(0, 1, ResidentCta(launch, 4));
  resident.assign(2, 0, ResidentCta(launch, 7));
  resident.assign(2, 1, ResidentCta(launch, 8));
  resident.assign(2, 0, ResidentCta(launch, 9));
  EXPECT_EQ(resident.at(0, 1).cta, 4);
  EXPECT_EQ(resident.at(2, 0).cta, 9);
  EXPECT_EQ(resident.at(2, 1).cta, 8);
  EXPECT_EQ(resident.at(1, 0).cta, ResidentCta::kNone);
}

TEST(ResidentCtas, LaunchForgetsTheLaunchBefore) {
  KernelLaunch launch = resident_kernel();
  ResidentCtas resident;
  resident.launch(launch, 2);
  resident.assign(1, 1, ResidentCta(launch, 8));
  launch.ctas_per_sm = 3;
  resident.launch(launch, 2);
  for (const std::int64_t slot : {0, 1, 2}) {
    EXPECT_EQ(resident.at(1, slot).cta, ResidentCta::kNone);
  }
}

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
