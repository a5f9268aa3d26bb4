#include "models/dram/dram.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

/// Four channels with 40 bytes/clk together, latency 100, bursts of 64 bytes.
class DramTest : public testing::Test {
 protected:
  DramTest() : core_(DramConfig{1 << 30, 4, 40, 100, 64}) {
    core_.responses = &responses_;
    core_.launch();
  }
  void request(std::int64_t at, std::int64_t tag, std::int64_t bytes, bool write = false) {
    core_.requests.push(Cycle(at), 0, {tag, bytes, write});
  }
  void run() { run_core(core_, Cycle(0), Cycle(100000)); }

  Dram core_;
  test::RecordingPort<DramResponse> responses_;
};

/// One burst uses one channel of 10 bytes/clk: 6.4 cycles; four bursts all four: 6.4 cycles too;
/// eight 12.8.
TEST_F(DramTest, ARequestUsesAsManyChannelsAsItHasBursts) {
  for (const auto& [bytes, cycles] :
       {std::pair(64, 7), std::pair(128, 7), std::pair(256, 7), std::pair(512, 13)}) {
    core_.launch();
    responses_.sent.clear();
    request(10, 0, bytes);
    run();
    EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{10 + cycles + 100}) << bytes;
  }
}

TEST_F(DramTest, RequestsAreRoundedUpToBursts) {
  request(0, 0, 1);
  request(0, 1, 65);
  run();
  EXPECT_EQ(core_.read_bytes(), 64 + 128);
}

/// 640 bytes take 16 cycles of all channels; the burst behind them ends at 17.6.
TEST_F(DramTest, RequestsQueueForTheBandwidth) {
  request(0, 5, 640);
  request(0, 6, 64);
  run();
  EXPECT_EQ(responses_.arrivals(), (std::vector<std::int64_t>{116, 118}));
  const auto& [first] = responses_.sent[0].message;
  const auto& [second] = responses_.sent[1].message;
  EXPECT_EQ(first, 5);
  EXPECT_EQ(second, 6);
  EXPECT_EQ(bucket(core_.buckets(Cycle(200)), "busy"), 18);
  EXPECT_EQ(bucket(core_.buckets(Cycle(200)), "idle"), 182);
  EXPECT_EQ(bucket(core_.buckets(Cycle(10)), "busy"), 10);
}

TEST_F(DramTest, WritesTakeBandwidthAndAreNotAnswered) {
  request(0, 0, 4000, true);  // 63 bursts: 4032 bytes, 100.8 cycles
  request(1, 1, 64);
  run();
  EXPECT_EQ(core_.written_bytes(), 4032);
  EXPECT_EQ(core_.read_bytes(), 64);
  EXPECT_EQ(responses_.arrivals(), std::vector<std::int64_t>{103 + 100});
}

}  // namespace
}  // namespace stcsim
