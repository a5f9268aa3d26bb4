#include <algorithm>
#include <vector>

#include "tests/unit/models/shared_memory_fixture.hpp"

namespace stcsim::test {
namespace {

/// Fragments say when their stage was full if, and only if, they were asked for before that. A fill
/// of 1280 bytes that came from 10 to 12 makes its stage full at 20.

TEST_F(SharedMemoryTest, ARequestWhileTheFillHasThePortWaitedForTheStage) {
  launch(1280);
  fill(10, 12, 0);
  fetch(12, 0, 0);
  fetch(19, 1, 0);
  run(1000);
  ASSERT_EQ(fragments_.sent.size(), 2U);
  EXPECT_EQ(full_at(0), Cycle(20));
  EXPECT_EQ(full_at(1), Cycle(20));
}

TEST_F(SharedMemoryTest, ARequestForAFullStageDidNotWaitForIt) {
  launch(1280);
  fill(10, 12, 0);
  fetch(20, 0, 0);
  fetch(25, 1, 0);
  run(1000);
  ASSERT_EQ(fragments_.sent.size(), 2U);
  EXPECT_EQ(full_at(0), std::nullopt);
  EXPECT_EQ(full_at(1), std::nullopt);
}

/// Warp 0 asks for step 1 when its stage is full, and then waits for warp 1 and the barrier.
TEST_F(SharedMemoryTest, WaitingForTheBarrierIsNotWaitingForTheStage) {
  for (const std::int64_t step : {0, 1}) fill(1, 2, step);   // full at 3 and, after step 0 is
  for (const std::int64_t warp : {0, 1}) fetch(1, warp, 0);  // read until 7, at 9
  fetch(9, 0, 1);
  fetch(40, 1, 1);
  run(1000);
  ASSERT_EQ(fragments_.arrivals(),
            (std::vector<std::int64_t>{5 - 1 + 20, 7 - 1 + 20, 46 - 1 + 20, 48 - 1 + 20}));
  EXPECT_EQ(full_at(0), Cycle(3));
  EXPECT_EQ(full_at(1), Cycle(3));
  EXPECT_EQ(full_at(2), std::nullopt);
  EXPECT_EQ(full_at(3), std::nullopt);
}

/// With room for three groups of fragments a warp asks for steps 1 and 2 before it has step 0's.
/// When the last of those is read, from 20 to 22, the barriers before both are open: step 1 is read
/// then, in the order in which it was asked for.
TEST_F(SharedMemoryTest, WarpsMayBeTwoBarriersAhead) {
  for (const std::int64_t step : {0, 1}) fill(1, 2, step);
  fetch(6, 0, 0);
  for (const std::int64_t step : {1, 2}) fetch(10, 0, step);
  for (const std::int64_t step : {0, 1, 2}) fetch(20, 1, step);
  const std::vector<std::int64_t> active = run_core(core_, Cycle(0), Cycle(1000));
  EXPECT_TRUE(std::is_sorted(active.begin(), active.end()));
  EXPECT_EQ(fragments_.arrivals(),
            (std::vector<std::int64_t>{8 - 1 + 20, 22 - 1 + 20, 24 - 1 + 20, 26 - 1 + 20}));
  EXPECT_EQ(fragments_.sent[2].message.warp, 0);
  EXPECT_EQ(fragments_.sent[3].message.warp, 1);
}

/// The stage was awaited until 9, though the barrier opened much later.
TEST_F(SharedMemoryTest, AStageMayBeAwaitedBeforeTheBarrier) {
  for (const std::int64_t step : {0, 1}) fill(1, 2, step);
  for (const std::int64_t warp : {0, 1}) fetch(1, warp, 0);
  fetch(4, 0, 1);
  fetch(40, 1, 1);
  run(1000);
  ASSERT_EQ(fragments_.sent.size(), 4U);
  EXPECT_EQ(full_at(2), Cycle(9));
  EXPECT_EQ(full_at(3), std::nullopt);
}

/// Step 2 will lie where step 0 does. Asked for at 2, it waits for its own fill, not for step 0's.
TEST_F(SharedMemoryTest, AStageOfAnEarlierStepIsNotTheOneAwaited) {
  for (const std::int64_t step : {0, 1}) fill(1, 2, step);
  for (const std::int64_t step : {0, 1, 2}) {
    for (const std::int64_t warp : {0, 1}) fetch(2, warp, step);
  }
  fill(90, 91, 2);
  run(1000);
  ASSERT_EQ(fragments_.sent.size(), 6U);
  EXPECT_EQ(full_at(4), Cycle(92));
  EXPECT_EQ(full_at(5), Cycle(92));
}

/// Warp 1 asks for step 2 after its fill, at 95: it did not wait for what warp 0 waited for.
TEST_F(SharedMemoryTest, EveryRequestHasAWaitOfItsOwn) {
  for (const std::int64_t step : {0, 1}) fill(1, 2, step);
  for (const std::int64_t step : {0, 1}) {
    for (const std::int64_t warp : {0, 1}) fetch(2, warp, step);
  }
  fetch(50, 0, 2);
  fill(90, 91, 2);
  fetch(95, 1, 2);
  run(1000);
  ASSERT_EQ(fragments_.sent.size(), 6U);
  EXPECT_EQ(fragments_.sent[4].message.warp, 0);
  EXPECT_EQ(full_at(4), Cycle(92));
  EXPECT_EQ(full_at(5), std::nullopt);
}

/// Full stages are written, whatever part of them came from memory.
TEST_F(SharedMemoryTest, AFillWritesAFullStage) {
  KernelLaunch edges = kernel(1280);
  edges.tiles_m = 2;
  edges.a.strips = 2;
  edges.a.edge_rows = edges.b.edge_rows = 1;
  edges.a.edge_row_bytes = edges.b.edge_row_bytes = 1;
  core_.launch(edges);
  start(0, 1);
  fill(10, 12, 0);
  run(1000);
  EXPECT_EQ(count(core_, "shared_memory_write_bytes"), 1280);
  EXPECT_EQ(bucket(core_, Cycle(100), "fill"), 10);
}

}  // namespace
}  // namespace stcsim::test
