#include "models/dram/dram.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::count;
using test::run_core;

/// Four channels with 40 bytes/clk together, latency 100, bursts of 64 bytes; up to
/// `write_queue_bytes` of writes wait.
DramConfig config(std::int64_t write_queue_bytes) {
  return {1 << 30, 4, 40, 100, 64, write_queue_bytes};
}

class DramTest : public testing::Test {
 protected:
  explicit DramTest(std::int64_t write_queue_bytes = 0) : core_(config(write_queue_bytes)) {
    core_.responses = &responses_;
    core_.launch();
  }
  void read(std::int64_t at, std::int64_t fill, std::int64_t bytes) {
    core_.requests.push(Cycle(at), 0, {fill, bytes, false});
  }
  void write(std::int64_t at, std::int64_t bytes) {
    core_.requests.push(Cycle(at), 0, {0, bytes, true});
  }
  void run() { run_core(core_, Cycle(0), Cycle(100000)); }
  /// Arrivals of the last bytes.
  [[nodiscard]] std::vector<std::int64_t> ends() const {
    std::vector<std::int64_t> all;
    for (const auto& response : responses_.sent) all.push_back(response.message.last.index());
    return all;
  }
  /// Ends the launch and says how long the channels were busy.
  [[nodiscard]] std::int64_t busy_at_end(std::int64_t end) {
    core_.finish(Cycle(end));
    EXPECT_EQ(test::sum_of_buckets(core_, Cycle(end)), end);
    return bucket(core_, Cycle(end), "busy");
  }

  Dram core_;
  test::RecordingPort<DramResponse> responses_;
};

/// One burst uses one channel of 10 bytes/clk: 6.4 cycles; four bursts all four: 6.4 cycles too.
/// Of five, one channel has two: 12.8 cycles, as with eight.
TEST_F(DramTest, ARequestIsThereWhenTheChannelWithMostOfItsBurstsIsDone) {
  for (const auto& [bytes, cycles] : {std::pair(64, 7), std::pair(128, 7), std::pair(256, 7),
                                      std::pair(257, 13), std::pair(512, 13)}) {
    core_.launch();
    responses_.sent.clear();
    read(10, 0, bytes);
    run();
    EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{10 + 7 + 100}) << bytes;
    EXPECT_EQ(ends(), std::vector<std::int64_t>{10 + cycles + 100}) << bytes;
  }
}

TEST_F(DramTest, RequestsAreRoundedUpToBursts) {
  read(0, 0, 1);
  read(0, 1, 65);
  run();
  EXPECT_EQ(count(core_, "dram_read_bytes"), 64 + 128);
}

/// 640 bytes, ten bursts, take 16 cycles of all channels, though two channels have three of them:
/// 19.2 cycles. The burst behind them starts at 16 and takes 6.4 cycles of one channel.
TEST_F(DramTest, RequestsQueueForTheBandwidth) {
  read(0, 5, 640);
  read(0, 6, 64);
  run();
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{107, 123}));
  EXPECT_EQ(ends(), (std::vector<std::int64_t>{120, 123}));
  EXPECT_EQ(responses_.sent[0].message.fill, 5);
  EXPECT_EQ(responses_.sent[1].message.fill, 6);
  EXPECT_EQ(bucket(core_, Cycle(200), "busy"), 18);
  EXPECT_EQ(bucket(core_, Cycle(200), "idle"), 182);
  EXPECT_EQ(bucket(core_, Cycle(10), "busy"), 10);
}

/// Tiles get half of the bandwidth: 640 bytes take 32 cycles of all channels instead of 16. A burst
/// alone is as fast as before.
TEST_F(DramTest, TilesGetTheirShareOfTheBandwidthStreamsGetAll) {
  DramConfig shared = config(0);
  shared.tile_share = 0.5;
  EXPECT_EQ(shared.bytes_per_clk_of(true), 20);
  EXPECT_EQ(shared.bytes_per_clk_of(false), 40);
  core_.change(shared);
  KernelLaunch launch;
  for (const bool reads_tiles : {false, true}) {
    if (reads_tiles) launch.warp.instruction = MmaInstruction();
    core_.launch(launch);
    responses_.sent.clear();
    read(0, 5, 640);
    read(0, 6, 64);
    run();
    const std::int64_t second = reads_tiles ? 32 : 16;
    EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{107, second + 7 + 100}));
    EXPECT_EQ(ends(), (std::vector<std::int64_t>{reads_tiles ? 132 : 120, second + 7 + 100}));
  }
}

TEST_F(DramTest, WritesAreCollectedIntoBursts) {
  for (const std::int64_t at : {0, 10, 20}) write(at, 16);
  run();
  EXPECT_EQ(count(core_, "dram_write_bytes"), 64);
  write(30, 17);
  write(40, 200);
  run();
  EXPECT_EQ(count(core_, "dram_write_bytes"), 5 * 64);  // 265 bytes
}

/// Without a queue: 63 bursts of writing, 100.8 cycles; the read behind them from 101 on.
TEST_F(DramTest, WritesWithoutAQueueTakeTheirTurn) {
  write(0, 4000);
  read(1, 1, 64);
  run();
  EXPECT_EQ(count(core_, "dram_write_bytes"), 63 * 64);
  EXPECT_EQ(count(core_, "dram_read_bytes"), 64);
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{101 + 7 + 100});
  EXPECT_EQ(ends(), std::vector<std::int64_t>{101 + 7 + 100});
  EXPECT_EQ(busy_at_end(200), 103);
}

TEST_F(DramTest, LaunchForgetsTheLaunchBefore) {
  write(0, 4000);
  read(0, 1, 64);
  run();
  core_.launch();
  EXPECT_EQ(count(core_, "dram_read_bytes") + count(core_, "dram_write_bytes"), 0);
  EXPECT_EQ(busy_at_end(100), 0);
}

KernelLaunch kernel_that_stores(std::int64_t bytes) {
  KernelLaunch kernel;
  kernel.edge_m = bytes;
  kernel.edge_n = 1;
  kernel.epilogue.element_bytes = 1;
  return kernel;
}

/// 400 bytes of writes may wait.
class DramWriteQueueTest : public DramTest {
 protected:
  DramWriteQueueTest() : DramTest(400) {}
};

/// The kernel before could have left 320 bytes: 8 cycles, which come before the kernel's own. It
/// leaves nothing itself, so that only its own 192 bytes, 5 cycles, count.
TEST_F(DramWriteQueueTest, StartsWithWhatAKernelLikeItHasLeft) {
  core_.launch(kernel_that_stores(320));
  EXPECT_EQ(core_.path().take_backlog().bytes, 320);
  write(4, 192);  // 160 of the 320 are written by then
  run();
  EXPECT_EQ(core_.path().take_backlog().bytes, 160 + 192);
  EXPECT_EQ(count(core_, "dram_write_bytes"), 192);
  EXPECT_EQ(busy_at_end(30), 13 - 8);
}

TEST_F(DramWriteQueueTest, StartsWithNoMoreThanMayWait) {
  core_.launch(kernel_that_stores(100000));
  EXPECT_EQ(core_.path().take_backlog().bytes, 400);
}

/// Reading from 0 to 16; only then the 320 bytes that came first, in 8 cycles.
TEST_F(DramWriteQueueTest, ReadsGoFirst) {
  write(0, 320);
  read(0, 1, 640);
  run();
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{107});
  EXPECT_EQ(ends(), std::vector<std::int64_t>{120});
  EXPECT_EQ(busy_at_end(30), 16 + 8);
}

/// Of 640 bytes 240 are too many: they are written from 0 to 6 and the read waits.
TEST_F(DramWriteQueueTest, TooManyWritesPushAhead) {
  write(0, 640);
  read(1, 1, 64);  // 6 .. 8
  run();
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{113});
  EXPECT_EQ(ends(), std::vector<std::int64_t>{113});
  EXPECT_EQ(busy_at_end(8), 8);
}

/// 384 bytes wait behind a read until 16; 128 more at 3 make 112 too many, written 16 .. 19.
TEST_F(DramWriteQueueTest, TheQueueHoldsWhatSeveralWritesBring) {
  read(0, 1, 640);
  write(2, 384);
  write(3, 128);
  read(4, 2, 64);  // 19 .. 21
  run();
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{107, 126}));
  EXPECT_EQ(busy_at_end(100), 21 + 10);  // the other 400 bytes
}

/// 384 bytes at 0: 200 are written until the read of 5 .. 7, 40 until the one of 8 .. 10, the other
/// 144 from 10 to 14.
TEST_F(DramWriteQueueTest, WritesUseTheCyclesBetweenReads) {
  write(0, 384);
  read(5, 1, 64);
  read(8, 2, 64);
  run();
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{112, 115}));
  EXPECT_EQ(busy_at_end(20), 14);
}

TEST_F(DramWriteQueueTest, NoWriteIsServedBeforeItsArrival) {
  read(0, 1, 64);  // 0 .. 2
  write(10, 384);
  run();
  EXPECT_EQ(busy_at_end(12), 2 + 2);
}

/// The first write is over at 2: the second still waits for its arrival.
TEST_F(DramWriteQueueTest, AWriteAfterAPauseDoesNotUseThePause) {
  write(0, 64);  // 0 .. 2
  write(10, 384);
  run();
  EXPECT_EQ(busy_at_end(13), 2 + 3);
}

/// 64 bytes were found; 320 more come. Behind the read, from 16 on, as many as these are written:
/// 8 cycles. 64 are left to the next kernel.
TEST_F(DramWriteQueueTest, AKernelEndsWhenAsManyWaitAsItHasFound) {
  core_.launch(kernel_that_stores(64));
  read(0, 1, 640);
  write(1, 320);
  run();
  EXPECT_EQ(core_.ends_at(), Cycle(16 + 8));
  EXPECT_EQ(busy_at_end(24), 24);
  EXPECT_EQ(core_.path().take_backlog().bytes, 64);
}

/// What was found is written while nothing is read: the kernel need not wait for its own.
TEST_F(DramWriteQueueTest, WhatWasWrittenBeforeNeedNotBeWaitedFor) {
  core_.launch(kernel_that_stores(320));
  read(10, 1, 640);
  write(20, 320);
  run();
  EXPECT_EQ(core_.ends_at(), Cycle(10 + 16));
  EXPECT_EQ(busy_at_end(26), 8 + 16);
  EXPECT_EQ(core_.path().take_backlog().bytes, 320);
}

/// Looking at the state in between changes nothing.
TEST_F(DramWriteQueueTest, SettlingIsNotVisible) {
  for (const bool settles : {false, true}) {
    core_.launch();
    responses_.sent.clear();
    write(0, 384);
    run();
    if (settles) {
      for (const std::int64_t now : {1, 4, 5}) core_.settle(Cycle(now));
    }
    read(6, 1, 64);  // 6 .. 8
    run_core(core_, Cycle(6), Cycle(100));
    EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{113});
    EXPECT_EQ(busy_at_end(30), 6 + 2 + 4);  // 240 bytes, the read, 144 bytes
  }
}

}  // namespace
}  // namespace stcsim
