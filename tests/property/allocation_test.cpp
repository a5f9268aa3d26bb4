#include <cstdint>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/property/counted_allocations.hpp"
#include "tests/support/gemm_on.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim::test {
namespace {

/// Simulating takes no memory for events, once a machine has simulated something as large. Nothing
/// recurs: 16 SMs, several CTAs at a time in each, tiles of two sizes.
class AllocationTest : public testing::Test {
 protected:
  struct Work {
    std::int64_t events = 0;
    std::int64_t allocations = 0;
  };

  static MachineConfig machine() {
    MachineConfig config = load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config;
    config.accelerator.num_sms = 16;
    config.accelerator.dram.tile_share = 1;
    return config;
  }
  /// So many rows of 128 x 128 tiles, 7 in each, the last of them 8 wide.
  Work run(std::int64_t rows, bool fast_forward) {
    const KernelLaunch launch =
        gemm_on(runner_.machine(), make_problem(100 + 128 * rows, 776, 320));
    runner_.set_fast_forward(fast_forward);
    (void)runner_.run(launch);
    const std::int64_t before = counted_allocations();
    const LaunchStatistics statistics = runner_.run(launch);
    return {statistics.events, counted_allocations() - before};
  }

  MachineRunner runner_{machine()};
};

TEST_F(AllocationTest, ThePlainEngineTakesNoMemoryForEvents) {
  const Work few = run(4, false);
  const Work many = run(40, false);
  EXPECT_GT(many.events, 6 * few.events);
  EXPECT_EQ(many.allocations, few.allocations);
}

/// What is kept for comparison lies in memory used before, now and then in a larger piece of it.
TEST_F(AllocationTest, LookingForRecurrenceTakesNoneEither) {
  const Work few = run(4, true);
  const Work many = run(40, true);
  EXPECT_GT(many.events, 6 * few.events);
  EXPECT_LT(many.allocations, few.allocations + (many.events - few.events) / 1000);
}

}  // namespace
}  // namespace stcsim::test
