#include <gtest/gtest.h>

#include "sim/study/study_rows.hpp"
#include "tests/support/row_phase.hpp"

namespace stcsim {
namespace {

constexpr double kClockMhz = 1000;

/// A row of kernels that take `us` each.
ResultRow row(const std::string& scheme, const std::string& phase, std::int64_t repeat,
              std::int64_t launches, std::int64_t us) {
  ResultRow row;
  row.scheme = scheme;
  row.phase = test::row_phase_named(phase);
  row.repeat = repeat;
  row.launches = row.dense_launches = launches;
  row.cycles = row.dense_cycles = 1000 * us;
  row.counters = {{"dram_read_bytes", "byte", 64}};
  return row;
}

TEST(HostTime, IsWhatLaunchingTakesLongerThanRunning) {
  std::vector<ResultRow> rows{row("dense", "forward", 10, 2, 9), row("dense", "other", 1, 1, 100)};
  EXPECT_TRUE(host_rows(rows, {9, false}, kClockMhz).empty());
  const auto waits = host_rows(rows, {10, false}, kClockMhz);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].cycles, 20'000);
  EXPECT_EQ(waits[0].dense_cycles, 20'000);
  EXPECT_EQ(waits[0].time_us, 20);
  EXPECT_EQ(waits[0].kind, StreamKind::launches);
  EXPECT_EQ(waits[0].phase, RowPhase::other);
  EXPECT_EQ(waits[0].counters, (std::vector<Counter>{{"dram_read_bytes", "byte", 0}}));
}

TEST(HostTime, HidesNothingOfTheOptimizerBehindTheGradientsThatTheHostReads) {
  const std::vector<ResultRow> rows{row("dense", "forward", 1, 1, 1000),
                                    row("dense", "optimizer", 5, 1, 4)};
  EXPECT_TRUE(host_rows(rows, {10, false}, kClockMhz).empty());
  const auto waits = host_rows(rows, {10, true}, kClockMhz);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].phase, RowPhase::optimizer);
  EXPECT_EQ(waits[0].cycles, 30'000);
}

/// Faster products leave the host less to hide behind, and a scheme's own kernels have to be
/// launched too.
TEST(HostTime, OfTheSchemeAndOfTheDenseStepInItsPlace) {
  std::vector<ResultRow> rows{row("sparse", "forward", 1, 1, 12), row("sparse", "other", 1, 1, 3)};
  rows[0].cycles = 6'000;
  rows[1].dense_launches = rows[1].dense_cycles = 0;
  const auto waits = host_rows(rows, {10, false}, kClockMhz);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].cycles, 11'000);
  EXPECT_EQ(waits[0].dense_cycles, 0);
  rows[0].dense_launches = 2;
  EXPECT_EQ(host_rows(rows, {10, false}, kClockMhz)[0].dense_cycles, 8'000);
}

/// A library whose sparse product makes its descriptors in every call: dense ones do not wait.
TEST(HostTime, OfSparseProductsIsAbove) {
  std::vector<ResultRow> rows{row("sparse", "forward", 2, 1, 12),
                              row("sparse", "forward", 1, 1, 9)};
  rows[0].ran_sparse = true;
  const auto waits = host_rows(rows, {10, false, 100}, kClockMhz);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].cycles, 1000 * (2 * 110 + 10 - 2 * 12 - 9));
  EXPECT_EQ(waits[0].dense_cycles, 0);
  EXPECT_EQ(waits[0].kind, StreamKind::sparse_calls);
  EXPECT_EQ(host_rows(rows, {0, false, 100}, kClockMhz)[0].cycles, 1000 * (2 * 100 - 2 * 12 - 9));
  const auto both = host_rows(rows, {20, false, 100}, kClockMhz);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].kind, StreamKind::launches);
  EXPECT_EQ(both[0].cycles, 1000 * (3 * 20 - 2 * 12 - 9));
  EXPECT_EQ(both[0].dense_cycles, both[0].cycles);
  EXPECT_EQ(both[1].cycles, 1000 * 2 * 100);
  EXPECT_EQ(both[1].dense_cycles, 0);
}

TEST(HostTime, CountsWhatRunsEveryFewSteps) {
  std::vector<ResultRow> rows{row("dense", "optimizer", 4, 1, 2)};
  rows[0].every = 2;
  EXPECT_EQ(host_rows(rows, {10, true}, kClockMhz)[0].cycles, 16'000);
}

}  // namespace
}  // namespace stcsim
