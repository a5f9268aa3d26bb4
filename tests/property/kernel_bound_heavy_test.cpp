#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "tests/property/fast_forward_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// Machines have to be built before the first run, so a process does as many cases at a time.
constexpr std::uint64_t kBoundCasesOfBlock = 100;
constexpr int kBoundBlocks = 4;

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
