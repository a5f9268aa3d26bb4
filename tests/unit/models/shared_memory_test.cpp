#include "models/shared_memory/shared_memory.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

/// 128 bytes per clk, latency 20, barrier 5.
SharedMemoryConfig config() {
  SharedMemoryConfig config;
  config.latency_cycles = 20;
  config.barrier_cycles = 5;
  return config;
}

/// Two warps that read 256 bytes each per k-step; two stages.
KernelLaunch kernel() {
  KernelLaunch launch;
  launch.k_steps = 4;
  launch.warps = 2;
  launch.stages = 2;
  launch.warp.fragment_bytes = 256;
  return launch;
}

class SharedMemoryTest : public testing::Test {
 protected:
  SharedMemoryTest() : core_(config(), 3, 1) {
    core_.fragments[0] = &fragments_;
    core_.barriers[0] = &barriers_;
    core_.freed = &freed_;
    core_.staged = &staged_;
    core_.launch(kernel());
    core_.starts.push(Cycle(0), 0, {0, {}});
  }

  void fill(std::int64_t at, std::int64_t step, std::int64_t bytes) {
    core_.fills.push(Cycle(at), 0, {3, 0, step, bytes});
  }
  void fetch(std::int64_t at, std::int64_t warp, std::int64_t group) {
    core_.fetches.push(Cycle(at), 0, {0, 0, warp, group});
  }
  std::vector<std::int64_t> run(std::int64_t until) {
    return run_core(core_, Cycle(0), Cycle(until));
  }

  SharedMemory core_;
  test::RecordingPort<FetchResponse> fragments_;
  test::RecordingPort<BarrierOpen> barriers_;
  test::RecordingPort<StageFree> freed_;
  test::RecordingPort<StagingResponse> staged_;
};

TEST_F(SharedMemoryTest, AStageWithOneOperandOnlyIsNotServed) {
  fetch(1, 0, 0);
  fill(10, 0, 512);
  run(1000);
  EXPECT_TRUE(fragments_.sent.empty());
  EXPECT_EQ(core_.waiting_for(), "shared memory of SM 3: warp 0 of CTA slot 0 waits for k-step 0");
}

/// A's 512 bytes fill the port from 10 to 14, B's 100 from 20 to 21: the stage is full at 21. Warp
/// 0 reads from 21 to 23, warp 1 from 23 to 25; data arrive 20 cycles after the last cycle of
/// reading began (42, 44). The stage is free at 25.
TEST_F(SharedMemoryTest, ServesAFullStageInOrderAndFreesItWhenAllHaveRead) {
  fetch(1, 0, 0);
  fetch(1, 1, 0);
  fill(10, 0, 512);
  fill(20, 0, 100);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), (std::vector<std::int64_t>{42, 44}));
  EXPECT_EQ(fragments_.sent[0].message.warp, 0);
  EXPECT_EQ(fragments_.sent[1].message.warp, 1);
  EXPECT_EQ(fragments_.sent[0].message.stage_full_at, Cycle(21));
  EXPECT_EQ(freed_.arrivals(), std::vector<std::int64_t>{25});
  const UnitBuckets buckets = core_.buckets(Cycle(100));
  EXPECT_EQ(bucket(buckets, "fill"), 5);
  EXPECT_EQ(bucket(buckets, "fetch"), 4);
  EXPECT_EQ(bucket(buckets, "staging"), 0);
  EXPECT_EQ(bucket(buckets, "idle"), 91);
  EXPECT_EQ(core_.written_bytes(), 612);
  EXPECT_EQ(core_.read_bytes(), 512);
  EXPECT_EQ(core_.waiting_for(), "");
}

/// Stage 1 is full early and stage 0 is read at 25, but warp 1 comes to the barrier only at 40. It
/// opens 5 cycles later: fragments are read 45 .. 47 .. 49.
TEST_F(SharedMemoryTest, TheNextStepWaitsForTheBarrier) {
  fill(2, 1, 128);
  fill(3, 1, 128);
  fill(10, 0, 512);
  fill(20, 0, 100);
  fetch(1, 0, 0);
  fetch(1, 0, 1);
  fetch(1, 1, 0);
  fetch(40, 1, 1);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), (std::vector<std::int64_t>{42, 44, 66, 68}));
  EXPECT_EQ(freed_.arrivals(), (std::vector<std::int64_t>{25, 49}));
  EXPECT_EQ(barriers_.arrivals(), std::vector<std::int64_t>{40 + 5});
}

TEST_F(SharedMemoryTest, WithoutTheOtherWarpTheBarrierStaysClosed) {
  for (const std::int64_t step : {0, 1}) {
    fill(2, step, 128);
    fill(3, step, 128);
  }
  fetch(4, 0, 0);
  fetch(4, 0, 1);
  run(1000);
  EXPECT_EQ(fragments_.sent.size(), 1U);
  EXPECT_TRUE(freed_.sent.empty());
}

/// A freed stage has to be filled again before it is served again.
TEST_F(SharedMemoryTest, AStageIsReusedAfterItWasFreed) {
  for (const std::int64_t step : {0, 1}) {
    fill(1, step, 128);
    fill(1, step, 128);
  }
  for (const std::int64_t step : {0, 1, 2}) {
    for (const std::int64_t warp : {0, 1}) fetch(2, warp, step);
  }
  fill(90, 2, 128);
  fill(91, 2, 128);
  run(89);
  EXPECT_EQ(fragments_.sent.size(), 4U);
  run_core(core_, Cycle(90), Cycle(1000));
  ASSERT_EQ(fragments_.sent.size(), 6U);
  EXPECT_EQ(fragments_.sent[4].at, Cycle(92 + 1 + 20));
}

TEST_F(SharedMemoryTest, ThePortServesInOrderOfArrival) {
  fill(10, 0, 1280);                        // 10 .. 20
  core_.staging.push(Cycle(11), 0, {256});  // 20 .. 22
  fill(12, 0, 128);                         // 22 .. 23
  fetch(1, 0, 0);                           // 23 .. 25
  run(1000);
  EXPECT_EQ(staged_.arrivals(), std::vector<std::int64_t>{22 - 1 + 20});
  EXPECT_EQ(fragments_.arrivals(), std::vector<std::int64_t>{25 - 1 + 20});
  EXPECT_EQ(fragments_.sent[0].message.stage_full_at, Cycle(23));
}

TEST_F(SharedMemoryTest, StagingIsHalfWritingHalfReading) {
  core_.staging.push(Cycle(5), 0, {1000});  // 7.8 cycles: 5 .. 13
  run(100);
  EXPECT_EQ(staged_.arrivals(), std::vector<std::int64_t>{32});
  EXPECT_EQ(core_.read_bytes(), 500);
  EXPECT_EQ(core_.written_bytes(), 500);
  EXPECT_EQ(bucket(core_.buckets(Cycle(40)), "staging"), 8);
}

TEST_F(SharedMemoryTest, LaunchForgetsTheLaunchBefore) {
  fill(10, 0, 512);
  fetch(1, 0, 0);
  run(1000);
  core_.launch(kernel());
  EXPECT_EQ(core_.waiting_for(), "");
  EXPECT_EQ(core_.written_bytes(), 0);
  EXPECT_EQ(bucket(core_.buckets(Cycle(40)), "idle"), 40);
  core_.starts.push(Cycle(0), 0, {0, {}});
  fill(10, 0, 128);
  fill(11, 0, 128);
  fetch(1, 0, 0);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), std::vector<std::int64_t>{12 + 1 + 20});
}

}  // namespace
}  // namespace stcsim
