#include "models/l2_cache/l2_cache.hpp"

#include "tests/unit/models/l2_cache_fixture.hpp"

namespace stcsim::test {
namespace {

/// Of the 60 cycles of a near hit two hops, 40, are spent elsewhere; so 20 follow the read path.
/// The fill of 50 .. 53 leaves the path from 51 to 54.
TEST_F(L2CacheTest, AMissIsServedWhenItsFillArrives) {
  load(10, 0);
  ASSERT_EQ(dram_.arrivals(), std::vector<std::int64_t>{11});
  EXPECT_EQ(dram_.sent[0].message.bytes, 200);
  EXPECT_FALSE(dram_.sent[0].message.write);
  EXPECT_TRUE(responses_.sent.empty());
  EXPECT_EQ(core_.waiting_for(), "L2 cache: 1 fills are awaited from DRAM");
  fill(50, 53, 0);
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{51 + 20});
  EXPECT_EQ(ends(), std::vector<std::int64_t>{54 + 20});
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 0);
  EXPECT_EQ(count(core_, "l2_read_bytes"), 200);
  EXPECT_EQ(core_.waiting_for(), "");
}

/// Two cycles on the read path, then 20 or, far, 50 more.
TEST_F(L2CacheTest, AHitTakesTheNearOrTheFarLatency) {
  bring_in(10, 0);
  bring_in(30, 1);
  load(100, 0, {0});  // strip 0, slice 0, SM 0: near
  load(200, 1, {0});
  load(300, 1, {1});
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{121, 251, 321}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{122, 252, 322}));
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 600);
}

TEST_F(L2CacheTest, TheStripAlsoSelectsThePartition) {
  ask(10, 0, {0}, 1);
  run(10);
  fill(20, 20, 0);
  EXPECT_EQ(ends(), std::vector<std::int64_t>{22 + 50});
}

/// More bytes than one interleave unit lie in both partitions: the far one decides.
TEST_F(L2CacheTest, ALargeSliceIsFar) {
  launch(kernel(401));
  load(10, 0);
  fill(20, 20, 0);
  launch(kernel(400));
  load(100, 2);
  fill(110, 110, 1);
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{25 + 50, 114 + 20}));
}

/// Two requests of a cycle are served side by side: 500 bytes, 100 .. 105, both to the end. The one
/// of the next cycle comes after them.
TEST_F(L2CacheTest, RequestsOfACycleShareTheReadPath) {
  launch(kernel(250));
  bring_in(10, 0);
  ask(100, 0, {0});
  ask(100, 0, {2});
  ask(101, 0, {0});
  run(100);
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{121, 121, 126}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{125, 125, 128}));
  EXPECT_EQ(bucket(core_.read_path(), Cycle(200), "busy"), 3 + 5 + 3);
  EXPECT_EQ(bucket(core_.read_path(), Cycle(200), "idle"), 189);
}

/// Clusters of two: each byte that is read serves two CTAs, 250 of 500 bytes pass the read path.
/// DRAM brings in what is missing whole.
TEST_F(L2CacheTest, OneReadServesTheCtasOfACluster) {
  KernelLaunch clusters = kernel(250);
  clusters.ctas_per_read_of_a = clusters.ctas_per_read_of_b = 2;
  launch(clusters);
  bring_in(10, 0);
  EXPECT_EQ(dram_.sent[0].message.bytes, 250);
  ask(100, 0, {0});
  ask(100, 0, {2});
  run(100);
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{100 + 3 + 20, 100 + 3 + 20}));
  EXPECT_EQ(bucket(core_.read_path(), Cycle(200), "busy"), 2 + 3);
  EXPECT_EQ(count(core_, "l2_read_bytes"), (250 + 500) / 2);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 500 / 2);
}

/// Twenty slices of lines of 10 bytes, 5 bytes/clk each: of 210 bytes one slice has two lines.
TEST_F(L2CacheTest, AnAnswerIsCompleteWhenTheSliceWithMostOfItsLinesIs) {
  L2CacheConfig config = core_.config();
  config.slices = 20;
  L2Cache sliced(config, Cycles(20), kDram, sets_, resident_);
  sliced.responses = &responses_;
  launch(kernel(210));
  sliced.launch([] {
    KernelLaunch launch = kernel(210);
    launch.a.starts_in_l2 = true;
    return launch;
  }());
  sliced.loads.push(Cycle(100), 0, {0, Operand::a, 0, sets_.find({0})});
  run_core(sliced, Cycle(100), Cycle(1000));
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{121});
  EXPECT_EQ(ends(), std::vector<std::int64_t>{100 + 4 + 20});
}

TEST_F(L2CacheTest, SmsWithTheSameAnswerAreAnsweredTogether) {
  bring_in(10, 0);
  load(100, 0, {0, 2});
  ASSERT_EQ(responses_.arrivals(), std::vector<std::int64_t>{121});
  EXPECT_EQ(ends(), std::vector<std::int64_t>{124});  // 400 bytes
  EXPECT_EQ(sms_of(0), (SmNumbers{0, 2}));
  EXPECT_EQ(count(core_, "l2_read_bytes"), 600);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 400);
}

TEST_F(L2CacheTest, NearAndFarSmsAreAnsweredApart) {
  bring_in(10, 0);
  load(100, 0, {0, 1, 3});
  ASSERT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{121, 151}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{126, 156}));  // 600 bytes
  EXPECT_EQ(sms_of(0), SmNumbers{0});
  EXPECT_EQ(sms_of(1), (SmNumbers{1, 3}));
}

TEST_F(L2CacheTest, ResponsesSayWhoseTheyAre) {
  ask(10, 3, {2}, 1, Operand::b);
  run(10);
  fill(20, 20, 0);
  ASSERT_EQ(responses_.sent.size(), 1U);
  EXPECT_EQ(responses_.sent[0].message.slot, 1);
  EXPECT_EQ(responses_.sent[0].message.operand, Operand::b);
  EXPECT_EQ(responses_.sent[0].message.step, 3);
  EXPECT_EQ(sms_of(0), SmNumbers{2});
}

TEST_F(L2CacheTest, NoBytesAreNoMiss) {
  launch(kernel(0));
  load(10, 0);
  EXPECT_TRUE(dram_.sent.empty());
  EXPECT_EQ(responses_.sent.size(), 1U);
  EXPECT_EQ(count(core_, "l2_read_bytes"), 0);
}

/// SM 0 has the full tile in slot 0 and SM 1 the edge tile: 16 and 7 rows of one byte of metadata,
/// but in the last of four k-steps two.
TEST_F(L2CacheTest, MetadataAreLoadsOfTheirOwn) {
  KernelLaunch sparse = kernel();
  sparse.metadata = {2, 16, 7, 1, 2, 2, 4};
  launch(sparse);
  resident_.assign(1, 0, {sparse, 1});
  const auto load_metadata = [&](std::int64_t at, std::int64_t slice, const SmNumbers& sms) {
    ask(at, slice, sms, 0, Operand::metadata);
    run(at);
  };
  load_metadata(10, 0, {0});
  EXPECT_EQ(count(core_, "metadata_bytes"), 16);
  load_metadata(20, 0, {1});
  EXPECT_EQ(count(core_, "metadata_bytes"), 16 + 7);
  load_metadata(30, 1, {0, 1});
  load(40, 0, {0, 1});
  EXPECT_EQ(count(core_, "metadata_bytes"), 2 * (16 + 7));
  EXPECT_EQ(count(core_, "l2_read_bytes"), 2 * (16 + 7) + 2 * 200);
  EXPECT_EQ(count(core_, "l2_hit_bytes"), 0);  // values of A are not its metadata
  load_metadata(50, 3, {0});
  EXPECT_EQ(count(core_, "metadata_bytes"), 2 * (16 + 7) + 16 * 2);
  launch(sparse);
  EXPECT_EQ(count(core_, "metadata_bytes"), 0);
}

TEST_F(L2CacheTest, LaunchEmptiesTheCache) {
  bring_in(0, 0);
  launch(kernel());
  EXPECT_EQ(count(core_, "l2_read_bytes"), 0);
  EXPECT_FALSE(hits(10, 0));
}

/// 120 bytes at 50 bytes/clk take 3 cycles: then they are visible, and at DRAM.
TEST_F(L2CacheTest, StoresAreWrittenThrough) {
  store(10, 120);
  run(10);
  ASSERT_EQ(dram_.arrivals(), std::vector<std::int64_t>{13});
  EXPECT_TRUE(dram_.sent[0].message.write);
  EXPECT_EQ(dram_.sent[0].message.bytes, 120);
  ASSERT_EQ(stores_done_.arrivals(), std::vector<std::int64_t>{13});
  EXPECT_EQ(stores_done_.sent[0].message.bytes, 120);
  EXPECT_EQ(count(core_, "l2_write_bytes"), 120);
  EXPECT_EQ(bucket(core_.write_path(), Cycle(100), "busy"), 3);
}

/// 180 + 20 bytes: 4 cycles, one write, one answer. Others queue behind them.
TEST_F(L2CacheTest, StoresOfACycleAreOneWrite) {
  store(10, 180);
  store(10, 20);
  store(11, 50);
  run(10);
  EXPECT_EQ(dram_.arrivals(), (std::vector<std::int64_t>{14, 15}));
  EXPECT_EQ(dram_.sent[0].message.bytes, 200);
  EXPECT_EQ(stores_done_.arrivals(), (std::vector<std::int64_t>{14, 15}));
  EXPECT_EQ(stores_done_.sent[0].message.bytes, 200);
}

/// 120 bytes that come and go take 3 cycles of the read path, 10 to 13, before a load of 200; or,
/// where they may wait, 10 to 11 and two more behind it.
TEST_F(L2CacheTest, StoresMayTakeTheWayOfLoads) {
  for (const auto& [may_wait, end] : {std::pair(0, 15), std::pair(500, 13)}) {
    L2CacheConfig config = core_.config();
    config.write_passes = 2;
    const DramConfig dram{.burst_bytes = 10, .write_queue_bytes = may_wait};
    L2Cache shared(config, Cycles(20), dram, sets_, resident_);
    shared.responses = &responses_;
    shared.dram = &dram_;
    shared.stores_done = &stores_done_;
    KernelLaunch here = kernel();
    here.a.starts_in_l2 = true;
    shared.launch(here);
    shared.stores.push(Cycle(10), 0, {120});
    shared.loads.push(Cycle(11), 0, {0, Operand::a, 0, sets_.find({0})});
    run_core(shared, Cycle(10), Cycle(1000));
    shared.finish(Cycle(40));
    EXPECT_EQ(ends().back(), end + 20) << may_wait;
    EXPECT_EQ(bucket(shared.read_path(), Cycle(40), "busy"), 5);
  }
}

}  // namespace
}  // namespace stcsim::test
