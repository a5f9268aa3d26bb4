#include "models/l2_cache/l2_cache.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

/// 1000 bytes, 100 bytes/clk read, 50 written; hits after 60 and 90 cycles with hops of 20.
L2CacheConfig config() {
  return {1000, 100, 50, 60, 90, 400};
}

/// Two strips of A with four slices and one of B.
KernelLaunch kernel() {
  KernelLaunch launch;
  launch.a.distinct_strips = 2;
  launch.a.distinct_slices = launch.b.distinct_slices = 4;
  return launch;
}

class L2CacheTest : public testing::Test {
 protected:
  L2CacheTest() : core_(config(), Cycles(20)) {
    core_.responses = &responses_;
    core_.dram = &dram_;
    core_.stores_done = &stores_done_;
    core_.launch(kernel());
  }

  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }
  void load(std::int64_t at, std::int64_t slice, std::int64_t bytes, std::int64_t sm = 0) {
    core_.loads.push(Cycle(at), sm, {sm, 0, Operand::a, 0, 0, slice, bytes, bytes});
    run(at);
  }
  /// Answers the request to DRAM of that number.
  void fill(std::int64_t at, std::size_t request) {
    const auto& [name, bytes, write] = dram_.sent[request].message;
    core_.fills.push(Cycle(at), 0, {name});
    run(at);
  }
  /// Loads a slice that is not there and brings it in 10 cycles later.
  void bring_in(std::int64_t at, std::int64_t slice, std::int64_t bytes) {
    load(at, slice, bytes);
    fill(at + 10, dram_.sent.size() - 1);
  }
  /// Whether loading the slice asks DRAM for nothing.
  bool hits(std::int64_t at, std::int64_t slice, std::int64_t bytes) {
    const std::size_t before = dram_.sent.size();
    load(at, slice, bytes);
    return dram_.sent.size() == before;
  }

  L2Cache core_;
  test::RecordingPort<LoadResponse> responses_;
  test::RecordingPort<DramRequest> dram_;
  test::RecordingPort<StoreDone> stores_done_;
};

/// The fill of 50 leaves the read path at 52; of the 60 cycles of a near hit two hops are spent
/// elsewhere.
TEST_F(L2CacheTest, AMissIsServedWhenItsFillArrives) {
  load(10, 0, 200);
  ASSERT_EQ(dram_.arrivals(), std::vector<std::int64_t>{11});
  EXPECT_EQ(dram_.sent[0].message.bytes, 200);
  EXPECT_FALSE(dram_.sent[0].message.write);
  EXPECT_TRUE(responses_.sent.empty());
  EXPECT_EQ(core_.waiting_for(), "L2 cache: 1 requests wait for DRAM");
  fill(50, 0);
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{52 + 60 - 40});
  EXPECT_EQ(core_.hit_bytes(), 0);
  EXPECT_EQ(core_.read_bytes(), 200);
  EXPECT_EQ(core_.waiting_for(), "");
}

TEST_F(L2CacheTest, AHitTakesTheNearOrTheFarLatency) {
  bring_in(10, 0, 200);
  bring_in(30, 1, 200);
  responses_.sent.clear();
  load(100, 0, 200, 0);  // strip 0, slice 0, SM 0: near
  load(200, 1, 200, 0);
  load(300, 1, 200, 1);
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{102 + 20, 202 + 50, 302 + 20}));
  EXPECT_EQ(core_.hit_bytes(), 600);
}

/// More bytes than one interleave unit lie in both partitions: the far one decides.
TEST_F(L2CacheTest, ALargeSliceIsFar) {
  bring_in(10, 0, 401);
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{25 + 50});
  bring_in(100, 2, 400);
  EXPECT_EQ(responses_.sent[1].at, Cycle(114 + 20));
}

TEST_F(L2CacheTest, LoadsShareTheReadPath) {
  bring_in(10, 0, 250);
  responses_.sent.clear();
  core_.loads.push(Cycle(100), 0, {0, 0, Operand::a, 0, 0, 0, 250, 250});
  core_.loads.push(Cycle(100), 2, {2, 0, Operand::a, 0, 0, 0, 250, 250});
  run(100);
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{103 + 20, 105 + 20}));
  EXPECT_EQ(bucket(core_.read_buckets(Cycle(200)), "busy"), 8);  // 750 bytes
  EXPECT_EQ(bucket(core_.read_buckets(Cycle(200)), "idle"), 192);
}

TEST_F(L2CacheTest, ASliceOnItsWayIsNotFetchedTwice) {
  load(10, 0, 200, 0);
  load(20, 0, 200, 2);
  EXPECT_EQ(dram_.sent.size(), 1U);
  EXPECT_EQ(core_.hit_bytes(), 200);
  fill(50, 0);
  ASSERT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{52 + 20, 54 + 20}));
  EXPECT_EQ(responses_.sent[0].message.sm, 0);
  EXPECT_EQ(responses_.sent[1].message.sm, 2);
}

/// Other slices' fills leave a waiting request waiting.
TEST_F(L2CacheTest, AFillServesItsOwnSliceOnly) {
  load(10, 0, 100);
  load(10, 2, 100);
  fill(40, 1);
  ASSERT_EQ(responses_.sent.size(), 1U);
  fill(50, 0);
  EXPECT_EQ(responses_.sent.size(), 2U);
}

TEST_F(L2CacheTest, OperandsAndStripsAreDifferentSlices) {
  core_.loads.push(Cycle(5), 0, {0, 0, Operand::a, 0, 0, 3, 10, 10});
  core_.loads.push(Cycle(5), 0, {0, 0, Operand::a, 0, 1, 3, 10, 10});
  core_.loads.push(Cycle(5), 0, {0, 0, Operand::b, 0, 0, 3, 10, 10});
  run(5);
  EXPECT_EQ(dram_.sent.size(), 3U);
  EXPECT_EQ(core_.hit_bytes(), 0);
}

/// First in, first out: a hit does not prolong a slice's stay.
TEST_F(L2CacheTest, TheOldestSliceLeavesWhenTheCapacityIsUsedUp) {
  bring_in(0, 0, 300);
  bring_in(20, 1, 300);
  bring_in(40, 2, 300);
  EXPECT_TRUE(hits(60, 0, 300));
  bring_in(80, 3, 300);
  EXPECT_TRUE(hits(100, 1, 300));
  EXPECT_TRUE(hits(101, 3, 300));
  EXPECT_FALSE(hits(102, 0, 300));
}

TEST_F(L2CacheTest, ASliceLargerThanTheCacheNeverStays) {
  bring_in(0, 0, 1200);
  EXPECT_FALSE(hits(100, 0, 1200));
}

TEST_F(L2CacheTest, OutputPushesOperandsOut) {
  bring_in(0, 0, 300);
  core_.stores.push(Cycle(20), 0, {0, 0, 900, false});
  run(20);
  EXPECT_FALSE(hits(100, 0, 300));
}

/// 120 bytes at 50 bytes/clk: visible, and on their way to DRAM, 2.4 cycles later.
TEST_F(L2CacheTest, StoresAreWrittenThrough) {
  core_.stores.push(Cycle(10), 0, {0, 0, 120, false});
  run(10);
  ASSERT_EQ(dram_.arrivals(), std::vector<std::int64_t>{13});
  EXPECT_TRUE(dram_.sent[0].message.write);
  EXPECT_EQ(dram_.sent[0].message.bytes, 120);
  ASSERT_EQ(stores_done_.arrivals(), std::vector<std::int64_t>{13});
  EXPECT_EQ(stores_done_.sent[0].message.bytes, 120);
  EXPECT_EQ(core_.written_bytes(), 120);
  EXPECT_EQ(bucket(core_.write_buckets(Cycle(100)), "busy"), 3);
}

TEST_F(L2CacheTest, WorkspaceStaysAsLongAsItFits) {
  core_.stores.push(Cycle(10), 0, {0, 0, 1000, true});
  run(10);
  EXPECT_TRUE(dram_.sent.empty());
  core_.stores.push(Cycle(100), 0, {0, 0, 1, true});
  run(100);
  EXPECT_EQ(dram_.sent.size(), 1U);
  EXPECT_EQ(stores_done_.sent.size(), 2U);
}

TEST_F(L2CacheTest, AnOperandJustWrittenHits) {
  KernelLaunch launch = kernel();
  launch.a.starts_in_l2 = true;
  core_.launch(launch);
  EXPECT_TRUE(hits(10, 0, 200));
  core_.loads.push(Cycle(20), 0, {0, 0, Operand::b, 0, 0, 0, 10, 10});
  run(20);
  EXPECT_EQ(dram_.sent.size(), 1U);
}

TEST_F(L2CacheTest, NoBytesAreNoMiss) {
  load(10, 0, 0);
  EXPECT_TRUE(dram_.sent.empty());
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{30});
}

TEST_F(L2CacheTest, LaunchEmptiesTheCache) {
  bring_in(0, 0, 100);
  core_.launch(kernel());
  EXPECT_EQ(core_.read_bytes(), 0);
  EXPECT_FALSE(hits(10, 0, 100));
}

}  // namespace
}  // namespace stcsim
