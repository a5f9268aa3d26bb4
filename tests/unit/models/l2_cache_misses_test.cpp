#include "tests/unit/models/l2_cache_fixture.hpp"

namespace stcsim::test {
namespace {

/// Three slices: one request to DRAM, one batch on the read path, 50 .. 56.
TEST_F(L2CacheTest, WhatACycleMissesIsOneFill) {
  ask(10, 0, {0});
  ask(10, 2, {2});
  ask(10, 1, {1});
  run(10);
  ASSERT_EQ(dram_.arrivals(), std::vector<std::int64_t>{11});
  EXPECT_EQ(dram_.sent[0].message.bytes, 600);
  fill(50, 50, 0);
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{71, 71, 71}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{76, 76, 76}));
}

/// 201 bytes of a full strip and 195 of the last are 21 and 20 lines of 10.
TEST_F(L2CacheTest, EverySliceComesInWholeLines) {
  KernelLaunch uneven = kernel(201);
  uneven.a.edge_rows = 195;
  launch(uneven);
  ask(10, 0, {0}, 0);
  ask(10, 0, {0}, 1);
  run(10);
  EXPECT_EQ(dram_.sent[0].message.bytes, 210 + 200);
  EXPECT_EQ(count(core_, "l2_read_bytes"), 201 + 195);
}

/// A quarter of 300 bytes is distinct memory: 75, 8 lines.
TEST_F(L2CacheTest, AMissBringsInDistinctMemoryOnly) {
  KernelLaunch repeating = kernel(300);
  repeating.a.distinct_per_1024 = 256;
  launch(repeating);
  load(10, 0);
  EXPECT_EQ(dram_.sent[0].message.bytes, 80);
}

TEST_F(L2CacheTest, OperandsAndStripsAreDifferentSlices) {
  launch(kernel(10));
  ask(5, 3, {0}, 0, Operand::a);
  ask(5, 3, {0}, 1, Operand::a);
  ask(5, 3, {0}, 0, Operand::b);
  run(5);
  EXPECT_EQ(dram_.sent[0].message.bytes, 30);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 0);
}

/// Tiles (0, 0) and (1, 0) read the same B.
TEST_F(L2CacheTest, TilesOfAColumnShareTheirSlices) {
  launch(kernel(10));
  ask(5, 3, {0}, 0, Operand::b);
  ask(5, 3, {1}, 1, Operand::b);
  run(5);
  EXPECT_EQ(dram_.sent[0].message.bytes, 10);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 10);
}

/// SMs 0 and 2 are near: the fill of 400 bytes serves both, to 54.
TEST_F(L2CacheTest, SmsThatMissTheSameSliceInACycleFetchItOnce) {
  load(10, 0, {0, 2});
  ASSERT_EQ(dram_.sent.size(), 1U);
  EXPECT_EQ(dram_.sent[0].message.bytes, 200);
  EXPECT_EQ(count(core_, "l2_read_bytes"), 400);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 200);
  fill(50, 50, 0);
  ASSERT_EQ(responses_.sent.size(), 1U);
  EXPECT_EQ(sms_of(0), (SmNumbers{0, 2}));
  EXPECT_EQ(ends(), std::vector<std::int64_t>{54 + 20});
}

TEST_F(L2CacheTest, ASliceOnItsWayIsNotFetchedTwice) {
  load(10, 0, {0});
  load(20, 0, {1});
  EXPECT_EQ(dram_.sent.size(), 1U);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 200);
  EXPECT_TRUE(responses_.sent.empty());
  fill(50, 50, 0);
  ASSERT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{51 + 20, 51 + 50}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{54 + 20, 54 + 50}));
  EXPECT_EQ(sms_of(0), SmNumbers{0});
  EXPECT_EQ(sms_of(1), SmNumbers{1});
}

/// In cycle 20 one slice is on its way, one is there and one is missed.
TEST_F(L2CacheTest, ARequestMayHitWaitAndMissAtOnce) {
  bring_in(0, 0);
  load(15, 2);
  ask(20, 0, {0});
  ask(20, 2, {2});
  ask(20, 1, {1});
  run(20);
  EXPECT_EQ(ends(), std::vector<std::int64_t>{22 + 20});
  fill(50, 50, 1);  // for 15 and 20: 400 bytes
  fill(60, 60, 2);
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{42, 74, 74, 82}));
  EXPECT_EQ(sms_of(1), SmNumbers{0});
  EXPECT_EQ(sms_of(2), SmNumbers{2});
  EXPECT_EQ(sms_of(3), SmNumbers{1});
}

TEST_F(L2CacheTest, AFillServesThoseWhoWaitForItOnly) {
  load(10, 0);
  load(11, 2);
  EXPECT_EQ(core_.waiting_for(), "L2 cache: 2 fills are awaited from DRAM");
  fill(40, 40, 0);
  ASSERT_EQ(responses_.sent.size(), 1U);
  EXPECT_EQ(responses_.sent[0].message.step, 0);
  fill(50, 50, 1);
  ASSERT_EQ(responses_.sent.size(), 2U);
  EXPECT_EQ(responses_.sent[1].message.step, 2);
}

/// The fill arrives from 50 to 80. A hit of 60 is read from 60 to 62, but its last byte leaves at
/// 81 with the fill's; one of 80 finds all of it.
TEST_F(L2CacheTest, AHitOnAnArrivingFillEndsWithIt) {
  load(10, 0);
  fill(50, 80, 0);
  load(60, 0);
  load(80, 0);
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{51 + 20, 61 + 20, 81 + 20}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{81 + 20, 81 + 20, 82 + 20}));
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 400);
}

/// What came in before does not wait for the fill that is arriving.
TEST_F(L2CacheTest, AnArrivingFillDelaysItsOwnSlicesOnly) {
  bring_in(0, 2);
  load(20, 0);
  fill(50, 80, 1);
  load(60, 2);
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{81 + 20, 62 + 20}));
}

/// What is stored takes the place of a slice of 80 bytes, one eighth after the other.
TEST_F(L2CacheTest, EighthsOfASliceLeaveWhenTheirShareOfTheCapacityIsUsedUp) {
  const std::vector<std::int64_t> lives{1495, 2475, 3265, 4045, 4895, 5910, 7300, 9980};
  for (std::size_t eighth = 0; eighth < lives.size(); ++eighth) {
    for (const std::int64_t more : {0, 1}) {
      launch(kernel(80));
      bring_in(0, 0);
      store(20, lives[eighth] - 80 + more);
      run(20);
      const std::int64_t gone = static_cast<std::int64_t>(eighth) + more;
      EXPECT_EQ(missed(100, 0), 10 * gone) << eighth;
      EXPECT_EQ(count(core_, "l2_hit_bytes"), 80 - 10 * gone);
    }
  }
}

/// An eighth of 100 bytes is 13: 2 lines. It arrives with the fill that it is asked for with.
TEST_F(L2CacheTest, ASliceWaitsForTheEighthThatIsMissing) {
  launch(kernel(100));
  bring_in(0, 0);
  store(20, 1396);
  run(20);
  EXPECT_EQ(missed(100, 0), 20);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 87);
  EXPECT_TRUE(responses_.sent.empty());
  fill(150, 150, 1);
  EXPECT_EQ(ends(), std::vector<std::int64_t>{151 + 20});
}

/// Slice 0 is used again after 1 and 2 came in: it stays longer than they do.
TEST_F(L2CacheTest, TheLeastRecentlyUsedSliceLeavesFirst) {
  launch(kernel(90));
  for (const std::int64_t slice : {0, 1, 2}) bring_in(20 * slice, slice);
  EXPECT_TRUE(hits(60, 0));
  store(80, 1320);
  run(80);
  EXPECT_TRUE(hits(100, 2));
  EXPECT_TRUE(hits(101, 0));
  EXPECT_FALSE(hits(102, 1));
}

/// A slice used while a later fill is on its way does not count as used after that fill: 0 is as
/// old as 1, and leaves with it.
TEST_F(L2CacheTest, AUseCountsFromTheLastFillThatHasArrived) {
  launch(kernel(100));
  for (const std::int64_t slice : {0, 1}) bring_in(20 * slice, slice);
  load(40, 2);
  EXPECT_TRUE(hits(50, 0));
  fill(60, 60, 2);
  store(70, 1295);
  run(70);
  EXPECT_TRUE(hits(120, 1));
  store(130, 1);
  run(130);
  EXPECT_EQ(missed(160, 0), 20);
}

/// What is missed in one cycle is brought in as one: it leaves as one.
TEST_F(L2CacheTest, SlicesOfAFillLeaveTogether) {
  launch(kernel(100));
  ask(0, 0);
  ask(0, 1);
  run(0);
  fill(10, 10, 0);
  store(20, 1296);
  run(20);
  EXPECT_EQ(missed(120, 1), 20);
}

TEST_F(L2CacheTest, ASliceLargerThanTwiceTheCacheNeverStays) {
  launch(kernel(10000));
  bring_in(0, 0);
  EXPECT_EQ(missed(100, 0), 10000);
}

TEST_F(L2CacheTest, AnOperandJustWrittenHits) {
  KernelLaunch launch_after = kernel();
  launch_after.a.starts_in_l2 = true;
  launch(launch_after);
  EXPECT_TRUE(hits(10, 0));
  ask(20, 0, {0}, 0, Operand::b);
  run(20);
  EXPECT_EQ(dram_.sent.size(), 1U);
}

}  // namespace
}  // namespace stcsim::test
