#include <cstdio>

#include <gtest/gtest.h>

#include "tests/property/every_number.hpp"
#include "tests/property/random_machines.hpp"
#include "tests/property/sampled_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// SystemC wants all machines before the first run, so a process does as many pairs at a time: with
/// five GEMMs each 500 cases in all; `make soak` takes 5000.
constexpr std::int64_t kPairsPerProcess = 50;
constexpr int kHardwareProcesses = 2;

class HardwareTest : public testing::TestWithParam<int> {
 protected:
  static std::uint64_t seed() { return seed_or(20261122) + static_cast<std::uint64_t>(GetParam()); }
};

TEST_P(HardwareTest, MoreOfItNeverHurts) {
  const CountedCases few = expect_hardware_never_hurts(seed(), kPairsPerProcess);
  std::printf("%lld of %lld counted cases are dearer, by %.1f %% at most\n",
              static_cast<long long>(few.dearer), static_cast<long long>(few.cases),
              few.most_percent);
  EXPECT_LE(few.dearer, kMostDearer);
  EXPECT_LE(few.most_percent, kMostCountedPercent);
}
INSTANTIATE_TEST_SUITE_P(Seeds, HardwareTest, testing::Range(0, kHardwareProcesses));

class HardwareRanking : public HardwareTest {};

TEST_P(HardwareRanking, AddsNoMoreThanItsRegret) {
  const Regret regret = expect_ranking_adds_its_regret(seed(), kPairsPerProcess);
  std::printf("%.2f %% longer in the mean, %.1f %% at most: %s\n", regret.mean_percent(),
              regret.most_percent, regret.worst.c_str());
  EXPECT_LE(regret.mean_percent(), kMostMeanRegretPercent);
  EXPECT_LE(regret.most_percent, kMostRegretPercent);
}
INSTANTIATE_TEST_SUITE_P(Seeds, HardwareRanking, testing::Range(0, 1));

constexpr std::int64_t kCasesPerProcess = 100;
constexpr int kProcesses = 1;

class AnyValueTest : public testing::TestWithParam<int> {};

TEST_P(AnyValueTest, OfAnyNumberIsSimulatedOrRefused) {
  const auto process = static_cast<std::uint64_t>(GetParam());
  expect_results_or_refusals(seed_or(20261122) + process, kCasesPerProcess);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyValueTest, testing::Range(0, kProcesses));

/// SystemC wants all machines before the first run, so a process does as many at a time: 600 GEMMs
/// and as many stream kernels in all.
constexpr std::int64_t kMachinesPerProcess = 50;
constexpr int kPhysicsProcesses = 2;

class PhysicsTest : public testing::TestWithParam<int> {};

TEST_P(PhysicsTest, NoLaunchIsFasterThanWhatItMovesAndMultipliesAllows) {
  const auto process = static_cast<std::uint64_t>(GetParam());
  expect_physics_on_random_machines(seed_or(20261122) + process, kMachinesPerProcess);
}
INSTANTIATE_TEST_SUITE_P(Seeds, PhysicsTest, testing::Range(0, kPhysicsProcesses));

TEST(Sampled, HoldsTheTrueCyclesInsideItsBound) {
  constexpr std::int64_t kCases = 3;  // `make soak` takes 500
  constexpr double kWidth = 0.01;
  const std::uint64_t seed = seed_or(20261123);
  SCOPED_TRACE(seed);
  SampledCases cases(seed);
  const SampledSummary summary = sample_cases(cases, kCases);
  EXPECT_EQ(summary.inside, kCases);
  EXPECT_LE(summary.median_width, kWidth);
  EXPECT_EQ(summary.in_vain, 0);
  EXPECT_LT(2 * summary.sampled_events, summary.exact_events);
}

/// Every number of a machine whose instructions read shared memory does what the table of its field
/// says; rtx3090 is among the fast tests, every_number_soak_test.cpp takes all machines.
TEST(EveryNumberHeavy, OfTheH100DoesSomething) {
  const ChangedMachines machines("h100_sxm");
  EXPECT_GT(machines.numbers().size(), 70U);
  for (const std::string& wrong : machines.check_all(machines.numbers())) ADD_FAILURE() << wrong;
}

}  // namespace
}  // namespace stcsim::test
