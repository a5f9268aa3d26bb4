#include <utility>
#include <vector>

#include "tests/unit/models/shared_memory_fixture.hpp"

namespace stcsim::test {
namespace {

class Watch : public ProgressObserver {
 public:
  void step_read(std::int64_t sm, std::int64_t slot) override { read.emplace_back(sm, slot); }
  void cta_dispatched(std::int64_t) override {}
  std::vector<std::pair<std::int64_t, std::int64_t>> read;
};

TEST_F(SharedMemoryTest, AStageThatWasNotFilledIsNotServed) {
  fetch(1, 0, 0);
  fill(10, 12, 1);
  run(1000);
  EXPECT_TRUE(fragments_.sent.empty());
  EXPECT_EQ(core_.waiting_for(), "shared memory of SM 3: warp 0 of CTA slot 0 waits for k-step 0");
}

/// The port takes the 612 bytes from 10 to 15, but the last of them come at 21: the stage is full.
/// Warp 0 reads from 21 to 23, warp 1 from 23 to 25; data arrive 20 cycles after the last cycle of
/// reading began (42, 44). The stage is free at 25.
TEST_F(SharedMemoryTest, ServesAFullStageInOrderAndFreesItWhenAllHaveRead) {
  launch(612);
  fetch(1, 0, 0);
  fetch(1, 1, 0);
  fill(10, 21, 0);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), (std::vector<std::int64_t>{42, 44}));
  EXPECT_EQ(fragments_.sent[0].message.warp, 0);
  EXPECT_EQ(fragments_.sent[1].message.warp, 1);
  EXPECT_EQ(full_at(0), Cycle(21));
  EXPECT_EQ(freed_.arrivals(), std::vector<std::int64_t>{25});
  EXPECT_EQ(bucket(core_, Cycle(100), "fill"), 5);
  EXPECT_EQ(bucket(core_, Cycle(100), "fetch"), 4);
  EXPECT_EQ(bucket(core_, Cycle(100), "staging"), 0);
  EXPECT_EQ(bucket(core_, Cycle(100), "idle"), 91);
  EXPECT_EQ(count(core_, "shared_memory_write_bytes"), 612);
  EXPECT_EQ(count(core_, "shared_memory_read_bytes"), 512);
  EXPECT_EQ(core_.waiting_for(), "");
}

/// 1280 bytes that came from 10 to 12 keep the port busy from 10 to 20.
TEST_F(SharedMemoryTest, AFillMayTakeLongerThanItsBytesCame) {
  launch(1280);
  fetch(1, 0, 0);
  fill(10, 12, 0);
  run(1000);
  EXPECT_EQ(full_at(0), Cycle(20));
  EXPECT_EQ(fragments_.arrivals(), std::vector<std::int64_t>{22 - 1 + 20});
}

/// 128 bytes more of the warp's share are turned first: the port is read from 20 to 23, and the
/// data are there three round trips later. The next group of the k-step has nothing to turn.
TEST_F(SharedMemoryTest, WhatIsTurnedIsReadAndWrittenBeforeAKStep) {
  KernelLaunch turning = kernel(1280);
  turning.warp.turned_bytes = 128;
  turning.warp.groups_per_step = 2;
  core_.launch(turning);
  start(0, 4);
  fetch(1, 0, 0);
  fetch(100, 0, 1);
  fill(10, 12, 0);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), (std::vector<std::int64_t>{23 - 1 + 3 * 20, 102 - 1 + 20}));
  EXPECT_EQ(count(core_, "shared_memory_read_bytes"), 2 * 256 + 128);
}

/// Staging has the port from 11 to 13. Of the fill's 10 cycles those before its end count too, from
/// 10 on, but they queue: 13 .. 23.
TEST_F(SharedMemoryTest, AFillQueuesBehindWhatThePortHasServedMeanwhile) {
  launch(1280);
  fetch(1, 0, 0);
  stage_output(11, 256);
  fill(10, 12, 0);
  run(1000);
  EXPECT_EQ(staged_.arrivals(), std::vector<std::int64_t>{13 - 1 + 20});
  EXPECT_EQ(full_at(0), Cycle(23));
}

/// What comes in takes the port by what it delivers in a clock, 64 bytes here, not by its width.
TEST_F(SharedMemoryTest, ACopyTakesThePortAsLongAsItsBytesCome) {
  SharedMemoryConfig narrow = config();
  narrow.fill_bytes_per_clk = 64;
  SharedMemory core(narrow, 0);
  core.launch(kernel(640));
  core.starts.push(Cycle(0), 0, {0, 1});
  core.fills.push(Cycle(11), 0, {0, 0, Cycle(10)});
  run_core(core, Cycle(0), Cycle(40));
  EXPECT_EQ(bucket(core, Cycle(40), "fill"), 10);
  EXPECT_EQ(bucket(core, Cycle(40), "idle"), 30);
}

/// A fill of 14 .. 30 leaves the port to others after the 2 cycles that it takes.
TEST_F(SharedMemoryTest, ASlowFillLeavesThePortToOthers) {
  fill(14, 30, 0);
  run(30);
  stage_output(30, 256);  // 30 .. 32, as if the port had never been used
  run_core(core_, Cycle(30), Cycle(1000));
  EXPECT_EQ(staged_.arrivals(), std::vector<std::int64_t>{32 - 1 + 20});
  EXPECT_EQ(bucket(core_, Cycle(40), "idle"), 36);
}

/// Stage 1 is full early and stage 0 is read at 25, but warp 1 comes to the barrier only at 40, one
/// issue interval after its last instruction. The barrier of 5 cycles opens 4 later: fragments are
/// read 44 .. 46 .. 48.
TEST_F(SharedMemoryTest, TheNextStepWaitsForTheBarrier) {
  launch(612);
  fill(2, 4, 1);
  fill(10, 21, 0);
  fetch(1, 0, 0);
  fetch(1, 0, 1);
  fetch(1, 1, 0);
  fetch(40, 1, 1);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), (std::vector<std::int64_t>{42, 44, 65, 67}));
  EXPECT_EQ(freed_.arrivals(), (std::vector<std::int64_t>{25, 48}));
  EXPECT_EQ(barriers_.arrivals(), std::vector<std::int64_t>{40 + 4});
}

TEST_F(SharedMemoryTest, WithoutTheOtherWarpTheBarrierStaysClosed) {
  for (const std::int64_t step : {0, 1}) fill(2, 3, step);
  fetch(4, 0, 0);
  fetch(4, 0, 1);
  run(1000);
  EXPECT_EQ(fragments_.sent.size(), 1U);
  EXPECT_TRUE(freed_.sent.empty());
}

/// A freed stage has to be filled again before it is served again: full at 92, read until 94.
TEST_F(SharedMemoryTest, AStageIsReusedAfterItWasFreed) {
  for (const std::int64_t step : {0, 1}) fill(1, 2, step);
  for (const std::int64_t step : {0, 1, 2}) {
    for (const std::int64_t warp : {0, 1}) fetch(2, warp, step);
  }
  fill(90, 91, 2);
  run(89);
  EXPECT_EQ(fragments_.sent.size(), 4U);
  run_core(core_, Cycle(90), Cycle(1000));
  ASSERT_EQ(fragments_.sent.size(), 6U);
  EXPECT_EQ(fragments_.sent[4].at, Cycle(94 - 1 + 20));
}

TEST_F(SharedMemoryTest, OutputGoesBeforeCopiesInOrderOfArrival) {
  launch(1280);
  fill(10, 11, 0);        // would take 10 .. 20; 3 cycles go to the output
  stage_output(11, 256);  // 11 .. 13
  stage_output(12, 128);  // 13 .. 14
  fetch(1, 0, 0);         // full at 23, read 23 .. 25
  run(1000);
  EXPECT_EQ(staged_.arrivals(), (std::vector<std::int64_t>{13 - 1 + 20, 14 - 1 + 20}));
  EXPECT_EQ(fragments_.arrivals(), std::vector<std::int64_t>{25 - 1 + 20});
  EXPECT_EQ(full_at(0), Cycle(23));
}

/// As above, but what comes in has a port of its own: 10 .. 20, read 20 .. 22.
TEST_F(SharedMemoryTest, FillsWithAPortOfTheirOwnWaitForNothing) {
  SharedMemoryConfig separate = config();
  separate.has_fill_port = true;
  SharedMemory core(separate, 3);
  core.fragments.get() = {&fragments_};
  core.barriers.get() = {&barriers_};
  core.freed = &freed_;
  core.staged = &staged_;
  core.launch(kernel(1280));
  core.starts.push(Cycle(0), 0, {0, 4});
  core.fills.push(Cycle(11), 0, {0, 0, Cycle(10)});
  core.staging.push(Cycle(11), 0, {256});
  core.staging.push(Cycle(12), 0, {128});
  core.fetches.push(Cycle(1), 0, {0, 0, 0, 0, kOneCycle});
  run_core(core, Cycle(0), Cycle(1000));
  EXPECT_EQ(staged_.arrivals(), (std::vector<std::int64_t>{13 - 1 + 20, 14 - 1 + 20}));
  EXPECT_EQ(full_at(0), Cycle(20));
  EXPECT_EQ(fragments_.arrivals(), std::vector<std::int64_t>{22 - 1 + 20});
  EXPECT_EQ(bucket(core, Cycle(100), "fill"), 0);
}

TEST_F(SharedMemoryTest, StagingIsHalfWritingHalfReading) {
  stage_output(5, 1000);  // 7.8 cycles: 5 .. 13
  run(100);
  EXPECT_EQ(staged_.arrivals(), std::vector<std::int64_t>{32});
  EXPECT_EQ(count(core_, "shared_memory_read_bytes"), 500);
  EXPECT_EQ(count(core_, "shared_memory_write_bytes"), 500);
  EXPECT_EQ(bucket(core_, Cycle(40), "staging"), 8);
}

TEST_F(SharedMemoryTest, TellsItsObserverWhenAStepHasBeenRead) {
  Watch watch;
  core_.observer = &watch;
  fill(1, 2, 0);
  fetch(3, 0, 0);
  run(100);
  EXPECT_TRUE(watch.read.empty());
  fetch(101, 1, 0);
  run_core(core_, Cycle(101), Cycle(200));
  EXPECT_EQ(watch.read, (std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 0}}));
}

TEST_F(SharedMemoryTest, LaunchForgetsTheLaunchBefore) {
  fill(10, 14, 0);
  fetch(1, 1, 1);
  run(1000);
  core_.launch(kernel(256));
  EXPECT_EQ(core_.waiting_for(), "");
  EXPECT_EQ(count(core_, "shared_memory_write_bytes"), 0);
  EXPECT_EQ(bucket(core_, Cycle(40), "idle"), 40);
  start(0, 1);
  fill(10, 12, 0);
  fetch(1, 0, 0);
  run(1000);
  EXPECT_EQ(fragments_.arrivals(), std::vector<std::int64_t>{14 - 1 + 20});
}

}  // namespace
}  // namespace stcsim::test
