#include "models/epilogue/epilogue.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::kLongAfter;
using test::run_core;

KernelLaunch kernel(std::int64_t staging_bytes_per_element) {
  KernelLaunch launch;
  launch.epilogue = {2, staging_bytes_per_element};
  return launch;
}

constexpr std::int64_t kUnlimited = field::kMostBytesPerClk;

/// Set-up of 10 cycles, chunks of 1000 bytes.
class EpilogueTest : public testing::Test {
 protected:
  EpilogueTest() : core_(EpilogueConfig{10, kUnlimited, 0, 1000}, {}, 2) {
    core_.staging = &staging_;
    core_.stores = &stores_;
    core_.done = &done_;
    core_.accumulators_free = &accumulators_free_;
  }

  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }
  void stage_at(std::int64_t at) {
    core_.staged.push(Cycle(at), 0, {});
    run(at);
  }
  void accept_at(std::int64_t at) {
    core_.accepted.push(Cycle(at), 0, {0});
    run(at);
  }
  [[nodiscard]] std::vector<std::int64_t> stored() const {
    std::vector<std::int64_t> bytes;
    for (const auto& store : stores_.sent) bytes.push_back(store.message.bytes);
    return bytes;
  }
  [[nodiscard]] std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> offsets;
    for (const auto& store : stores_.sent) offsets.push_back(store.message.offset);
    return offsets;
  }

  Epilogue core_;
  test::RecordingPort<StagingRequest> staging_;
  test::RecordingPort<StoreRequest> stores_;
  test::RecordingPort<EpilogueDone> done_;
  test::RecordingPort<AccumulatorsFree> accumulators_free_;
};

/// 2500 bytes = 1250 elements in chunks of 500, 500 and 250, staged with 8 bytes an element. While
/// a chunk is on the bus the next one is staged.
TEST_F(EpilogueTest, StagesAndStoresChunkByChunk) {
  core_.launch(kernel(8));
  core_.starts.push(Cycle(5), 0, {3, 2500});
  run(5);
  EXPECT_EQ(staging_.arrivals(), std::vector<std::int64_t>{16});
  EXPECT_EQ(core_.waiting_for(), "epilogue of SM 2 waits for shared memory");
  stage_at(60);
  stage_at(100);
  stage_at(130);
  EXPECT_EQ(staging_.arrivals(), (std::vector<std::int64_t>{16, 61, 101}));
  EXPECT_EQ(staging_.sent[0].message.bytes, 4000);
  EXPECT_EQ(staging_.sent[2].message.bytes, 2000);
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{61, 101, 131}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{1000, 1000, 500}));
  EXPECT_EQ(offsets(), (std::vector<std::int64_t>{0, 1000, 2000}));
  EXPECT_EQ(stores_.sent[0].message.slot, 3);
  EXPECT_EQ(core_.waiting_for(), "epilogue of SM 2 waits for the memory bus");
  accept_at(140);
  accept_at(145);
  EXPECT_TRUE(done_.sent.empty());
  accept_at(150);
  ASSERT_EQ(done_.arrivals(), std::vector<std::int64_t>{151});
  EXPECT_EQ(done_.sent[0].message.slot, 3);
  core_.finish(Cycle(200));
  EXPECT_EQ(bucket(core_, kLongAfter, "idle"), 5 + 50);
  EXPECT_EQ(bucket(core_, kLongAfter, "setup"), 10);
  EXPECT_EQ(bucket(core_, kLongAfter, "waiting_shared_memory"), 115);  // 15 .. 130
  EXPECT_EQ(bucket(core_, kLongAfter, "waiting_bus"), 20);
  EXPECT_EQ(core_.waiting_for(), "");
}

TEST_F(EpilogueTest, WithoutStagingChunksGoStraightToTheBus) {
  core_.launch(kernel(0));
  core_.starts.push(Cycle(5), 0, {0, 2001});
  run(5);
  EXPECT_TRUE(staging_.sent.empty());
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{16, 16, 16}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{1000, 1000, 1}));
  EXPECT_EQ(offsets(), (std::vector<std::int64_t>{0, 1000, 2000}));
  for (const std::int64_t at : {20, 21, 22}) accept_at(at);
  EXPECT_EQ(done_.arrivals(), std::vector<std::int64_t>{23});
}

TEST_F(EpilogueTest, NothingToStoreIsDoneAfterTheSetup) {
  core_.launch(kernel(8));
  core_.starts.push(Cycle(5), 0, {0, 0});
  run(5);
  EXPECT_TRUE(stores_.sent.empty());
  EXPECT_EQ(done_.arrivals(), std::vector<std::int64_t>{16});
}

/// The second is prepared while the first is on the bus.
TEST_F(EpilogueTest, CtasAreStoredOneAfterTheOther) {
  core_.launch(kernel(0));
  core_.starts.push(Cycle(5), 0, {0, 100});
  core_.starts.push(Cycle(6), 0, {1, 200});
  run(5);
  EXPECT_EQ(stored(), std::vector<std::int64_t>{100});
  accept_at(40);
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{100, 200}));
  EXPECT_EQ(offsets(), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(stores_.sent[1].at, Cycle(40 + 1));
  EXPECT_EQ(stores_.sent[1].message.slot, 1);
  accept_at(60);
  EXPECT_EQ(done_.arrivals(), (std::vector<std::int64_t>{41, 61}));
}

TEST_F(EpilogueTest, ASetupOfZeroCyclesTakesOne) {
  Epilogue core(EpilogueConfig{0, kUnlimited, 0, 1000}, {}, 0);
  core.stores = &stores_;
  core.done = &done_;
  core.launch(kernel(0));
  core.starts.push(Cycle(5), 0, {0, 10});
  run_core(core, Cycle(5), Cycle(100));
  EXPECT_EQ(stores_.arrivals(), std::vector<std::int64_t>{7});
}

TEST_F(EpilogueTest, ASecondCtaIsPreparedInItsOwnTime) {
  core_.launch(kernel(0));
  core_.starts.push(Cycle(5), 0, {0, 100});
  core_.starts.push(Cycle(12), 0, {1, 200});
  run(5);
  accept_at(17);
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{16, 12 + 10 + 1}));
}

TEST_F(EpilogueTest, TilesWithoutBytesAllEndAtOnce) {
  core_.launch(kernel(8));
  for (const std::int64_t slot : {0, 1, 2}) core_.starts.push(Cycle(5), slot, {slot, 0});
  run(5);
  EXPECT_EQ(done_.arrivals(), (std::vector<std::int64_t>{16, 16, 16}));
}

/// Waits for a tile of C once, before its first chunk.
TEST_F(EpilogueTest, WaitsForCBeforeTheFirstChunk) {
  KernelLaunch reading = kernel(8);
  reading.epilogue.source_wait = Cycles(30);
  core_.launch(reading);
  core_.starts.push(Cycle(5), 0, {0, 2000});
  run(5);
  EXPECT_EQ(staging_.arrivals(), std::vector<std::int64_t>{5 + 10 + 30 + 1});
  stage_at(60);
  EXPECT_EQ(staging_.arrivals(), (std::vector<std::int64_t>{46, 61}));
  core_.finish(Cycle(70));
  EXPECT_EQ(bucket(core_, kLongAfter, "waiting_source"), 30);
}

/// 12 of set-up; 4 trips with two barriers of 7 and two latencies of 3 each; 64 x 32 elements, 25
/// in a clk.
TEST(EpilogueTime, IsThatOfSetupTripsAndElements) {
  SharedMemoryConfig memory;
  memory.barrier_cycles = 7;
  memory.latency_cycles = 3;
  KernelLaunch launch = kernel(8);
  launch.tile_m = 64;
  launch.tile_n = 32;
  launch.epilogue.trips = 4;
  EXPECT_EQ(Epilogue::preparation({12, 25, 8192}, memory, launch), Cycles(12 + 4 * 20 + 81));
  EXPECT_EQ(Epilogue::preparation({12, kUnlimited, 8192}, memory, launch), Cycles(12 + 4 * 20));
  launch.epilogue.elements_per_clk = 5;
  EXPECT_EQ(Epilogue::preparation({12, 25, 8192}, memory, launch), Cycles(12 + 4 * 20 + 409));
  launch.epilogue.warp_groups = 2;  // one of them has half of the elements in a clk
  EXPECT_EQ(Epilogue::preparation({12, 25, 8192}, memory, launch), Cycles(12 + 4 * 20 + 819));
  launch.epilogue.trips = 0;
  EXPECT_EQ(Epilogue::preparation({12, 25, 8192}, memory, launch), Cycles(12));
  EXPECT_EQ(Epilogue::preparation({0, 25, 8192}, memory, launch), Cycles(1));
}

/// Tiles that arrive at once, each prepared in 10 cycles: one group of warps takes one after the
/// other, two take two at a time.
TEST_F(EpilogueTest, GroupsOfWarpsPrepareTilesSideBySide) {
  const auto stores_from = [&](std::int64_t first, std::int64_t groups) {
    KernelLaunch launch = kernel(0);
    launch.persistent = true;
    launch.epilogue.warp_groups = groups;
    core_.launch(launch);
    stores_.sent.clear();
    for (int tile = 0; tile < 3; ++tile) core_.starts.push(Cycle(first), 0, {0, 1000});
    run(first);
    accept_at(first + 15);
    accept_at(first + 25);
    return stores_.arrivals();
  };
  EXPECT_EQ(stores_from(5, 1), (std::vector<std::int64_t>{16, 26, 36}));
  EXPECT_EQ(stores_from(105, 2), (std::vector<std::int64_t>{116, 121, 131}));
}

TEST_F(EpilogueTest, KnowsOfItsStoresOnTheBus) {
  core_.launch(kernel(0));
  EXPECT_FALSE(core_.has_stores_on_bus());
  core_.starts.push(Cycle(5), 0, {0, 2000});
  run(5);
  EXPECT_TRUE(core_.has_stores_on_bus());
  accept_at(40);
  EXPECT_TRUE(core_.has_stores_on_bus());
  accept_at(50);
  EXPECT_FALSE(core_.has_stores_on_bus());
}

}  // namespace
}  // namespace stcsim
