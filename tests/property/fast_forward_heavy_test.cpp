#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "tests/property/fast_forward_case.hpp"
#include "tests/support/physics_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// Machines have to be built before the first run, so a process does as many cases at a time.
constexpr int kCasesOfBlock = 50;
constexpr int kBlocks = 2;

/// Overrides the seed: STCSIM_SEED=n repeats a failure.
std::uint64_t base_seed() {
  const char* text = std::getenv("STCSIM_SEED");
  return text == nullptr ? 20261121 : std::strtoull(text, nullptr, 10);
}

LaunchStatistics run(MachineRunner& runner, const KernelLaunch& launch, bool fast_forward) {
  runner.set_fast_forward(fast_forward);
  return runner.run(launch);
}

/// With exactly the time it takes, a launch is simulated to its end; with less, it is given up.
void expect_given_up_in_time(MachineRunner& runner, const KernelLaunch& launch,
                             const LaunchStatistics& result) {
  EXPECT_LE(least_cycles(runner.machine().accelerator, launch), result.cycles);
  const auto in_time = runner.run_within(launch, result.cycles);
  ASSERT_TRUE(in_time.has_value());
  EXPECT_EQ(difference(result, *in_time), "");
  EXPECT_FALSE(runner.run_within(launch, result.cycles - kOneCycle).has_value());
}

/// A kernel that streams B reads it behind the A of both of its groups: a bound that took the first
/// group's B for done was 4 % above what this launch takes.
TEST(FastForwardCases, ABoundKnowsThatStreamedBComesLast) {
  const FastForwardCase drawn = draw_fast_forward_case(19764);
  for (const KernelLaunch& launch : drawn.launches) {
    EXPECT_LE(least_cycles(drawn.runner->machine().accelerator, launch),
              run(*drawn.runner, launch, true).cycles)
        << drawn.text;
  }
}

class FastForwardTest : public testing::TestWithParam<int> {};

TEST_P(FastForwardTest, GivesTheSameStatisticsAsSimulatingEveryCycle) {
  const std::uint64_t first = base_seed() + static_cast<std::uint64_t>(GetParam()) * kCasesOfBlock;
  std::vector<FastForwardCase> cases;
  for (std::uint64_t at = 0; at < kCasesOfBlock; ++at) {
    cases.push_back(draw_fast_forward_case(first + at));
  }
  std::array<std::int64_t, 2> events_off{};  // random machines, shipped machines
  std::array<std::int64_t, 2> events_on{};
  for (FastForwardCase& drawn : cases) {
    for (const KernelLaunch& launch : drawn.launches) {
      const LaunchStatistics off = run(*drawn.runner, launch, false);
      const LaunchStatistics on = run(*drawn.runner, launch, true);
      EXPECT_EQ(difference(off, on), "") << drawn.text;
      SCOPED_TRACE(drawn.text);
      expect_ports_carry(ports_of(drawn.runner->machine().accelerator), off.cycles.count(),
                         off.counters(),
                         launch.metadata_in_registers ? off.count("metadata_bytes") : 0);
      expect_given_up_in_time(*drawn.runner, launch, off);
      events_off[drawn.is_shipped ? 1 : 0] += off.events;
      events_on[drawn.is_shipped ? 1 : 0] += on.events;
    }
  }
  // Something has to be skipped, or this test would show nothing.
  EXPECT_LT(events_on[0], events_off[0]);
  EXPECT_LT(events_on[1], events_off[1]);
  std::printf("seeds %llu to %llu: events %lld off, %lld on; on shipped machines %lld and %lld\n",
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + kCasesOfBlock - 1),
              static_cast<long long>(events_off[0]), static_cast<long long>(events_on[0]),
              static_cast<long long>(events_off[1]), static_cast<long long>(events_on[1]));
}

/// One stage and three fragment buffers: warps ask for their CTA's last k-step while the copy
/// engine still has loads left.
TEST(FastForwardEnds, SeesTheEndOfACtaThatItsWarpsSeeFirst) {
  FastForwardCase drawn = draw_fast_forward_case(101242);
  for (const KernelLaunch& launch : drawn.launches) {
    const LaunchStatistics off = run(*drawn.runner, launch, false);
    const LaunchStatistics on = run(*drawn.runner, launch, true);
    EXPECT_EQ(difference(off, on), "") << drawn.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FastForwardTest, testing::Range(0, kBlocks));

/// Machines have to be built before the first run, so a process does as many cases at a time.
constexpr std::uint64_t kBoundCasesOfBlock = 100;
constexpr int kBoundBlocks = 2;

class LeastCycles : public testing::TestWithParam<int> {};

/// No launch is faster than its bound: of random machines and shipped ones, all their kernels, with
/// every number of slots that they were drawn with, and stream kernels.
TEST_P(LeastCycles, IsNeverAboveWhatALaunchTakes) {
  const std::uint64_t first =
      seed_or(5'000'000) + static_cast<std::uint64_t>(GetParam()) * kBoundCasesOfBlock;
  std::vector<FastForwardCase> cases;
  for (std::uint64_t at = 0; at < kBoundCasesOfBlock; ++at) {
    cases.push_back(draw_fast_forward_case(first + at));
  }
  std::vector<double> shares;
  for (const FastForwardCase& drawn : cases) {
    const AcceleratorConfig& machine = drawn.runner->machine().accelerator;
    for (const KernelLaunch& launch : drawn.launches) {
      const std::int64_t cycles = drawn.runner->run(launch).cycles.count();
      const std::int64_t least = least_cycles(machine, launch).count();
      EXPECT_LE(least, cycles) << drawn.text;
      if (launch.reads_tiles()) {
        shares.push_back(static_cast<double>(least) / static_cast<double>(cycles));
      }
    }
  }
  std::sort(shares.begin(), shares.end());
  std::printf("seeds %llu to %llu: the bound is %.3f of the cycles in the median, %.3f at least\n",
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + kBoundCasesOfBlock - 1),
              shares[shares.size() / 2], shares.front());
}

INSTANTIATE_TEST_SUITE_P(Seeds, LeastCycles, testing::Range(0, kBoundBlocks));

}  // namespace
}  // namespace stcsim::test
