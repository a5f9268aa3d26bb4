#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"
#include "tests/support/sub_core_hardware.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

/// One warp with two groups of one instruction; issue interval 4, latency 10. It starts at 5; the
/// first fragments come at 20, from a stage that was full at 15: issue 20 .. 24.
class SubCoreWaitingTest : public testing::Test {
 protected:
  SubCoreWaitingTest() : core_(hardware_, 0, 0) {
    DirectWires().connect_inside(core_);
    core_.warp_scheduler.fetches = &fetches_;
    core_.warp_scheduler.warps_done = &warps_done_;
    KernelLaunch launch;
    launch.warp.groups_per_step = 2;
    launch.warp.instructions_per_group = 1;
    launch.warp.instruction = test::sparse_instruction();
    core_.launch(launch);
    core_.warp_scheduler.starts.push(Cycle(5), 0, {0, 1});
    core_.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  }
  /// The second fragments come at 40. Beyond the first wait, 10 cycles for memory and 5 for shared
  /// memory, it waits so long for each.
  void expect_waits(Cycle stage_full_at, std::int64_t memory, std::int64_t shared_memory) {
    core_.warp_scheduler.fragments.push(Cycle(40), 0, {0, 0, stage_full_at});
    run_core(core_, Cycle(5), Cycle(100));
    core_.finish(Cycle(60));
    EXPECT_EQ(bucket(core_, Cycle(60), "tensor_core.waiting_memory"), 10 + memory);
    EXPECT_EQ(bucket(core_, Cycle(60), "tensor_core.waiting_shared_memory"), 5 + shared_memory);
    EXPECT_EQ(bucket(core_, Cycle(60), "tensor_core.waiting_dependency"), 0);
    EXPECT_EQ(test::sum_of_buckets(core_, Cycle(60), "tensor_core"), 60);
  }

  const StreamingMultiprocessorConfig hardware_ = test::sub_core_hardware();
  SubCore core_;
  test::RecordingPort<FetchRequest> fetches_;
  test::RecordingPort<WarpDone> warps_done_;
};

TEST_F(SubCoreWaitingTest, UntilItsStageWasFullItWaitedForMemory) {
  expect_waits(Cycle(30), 30 - 24, 40 - 30);
}

/// The stage was full when it was asked for: nothing of the wait is memory's.
TEST_F(SubCoreWaitingTest, WithoutAWaitForTheStageItWaitedForSharedMemory) {
  expect_waits(kNever, 0, 40 - 24);
}

TEST_F(SubCoreWaitingTest, AStageThatWasFullBeforeItWaitedIsNoWaitForMemory) {
  expect_waits(Cycle(22), 0, 40 - 24);
}

TEST_F(SubCoreWaitingTest, AStageThatWasFullAtTheEndIsAllWaitForMemory) {
  expect_waits(Cycle(40), 40 - 24, 0);
}

}  // namespace
}  // namespace stcsim
