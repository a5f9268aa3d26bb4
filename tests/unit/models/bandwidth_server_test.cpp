#include "models/base/bandwidth_server.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(BandwidthServer, TakesTheTimeOfTheBytesRoundedUp) {
  for (const std::int64_t bytes : {1, 9, 10, 11, 20, 21, 1000}) {
    BandwidthServer server(10);
    EXPECT_EQ(server.reserve(Cycle(5), bytes), Cycle(5 + (bytes + 9) / 10)) << bytes;
  }
}

/// Ten transfers of 3 bytes over 10 bytes/clk end exactly when one of 30 bytes does: 0.3, 0.6, ...,
/// 3.0 cycles after the start, each seen at the next whole cycle.
TEST(BandwidthServer, LosesNothingToRounding) {
  BandwidthServer server(10);
  for (std::int64_t transfer = 1; transfer <= 10; ++transfer) {
    EXPECT_EQ(server.reserve(Cycle(100), 3), Cycle(100 + (3 * transfer + 9) / 10));
  }
  EXPECT_EQ(server.reserve(Cycle(100), 10), Cycle(104));
}

/// The part of a cycle that a transfer leaves is used by the next only if that one is there in
/// time.
TEST(BandwidthServer, AnIdleGapIsLost) {
  BandwidthServer server(10);
  EXPECT_EQ(server.reserve(Cycle(0), 5), Cycle(1));
  EXPECT_EQ(server.reserve(Cycle(1), 10), Cycle(2));
  EXPECT_EQ(server.reserve(Cycle(1), 1), Cycle(3));
}

TEST(BandwidthServer, NoBytesTakeNoTimeButWaitTheirTurn) {
  BandwidthServer server(10);
  EXPECT_EQ(server.reserve(Cycle(4), 0), Cycle(4));
  EXPECT_EQ(server.reserve(Cycle(4), 25), Cycle(7));
  EXPECT_EQ(server.reserve(Cycle(5), 0), Cycle(7));
}

TEST(BandwidthServer, BusyTimeIsTheBytesCarried) {
  BandwidthServer server(10);
  EXPECT_EQ(server.busy_until(Cycle(50)), Cycles(0));
  (void)server.reserve(Cycle(2), 30);
  (void)server.reserve(Cycle(20), 1);
  EXPECT_EQ(server.busy_until(Cycle(50)), Cycles(4));  // 3.1 cycles
}

TEST(BandwidthServer, BusyTimeEndsWhereTheLaunchEnds) {
  BandwidthServer server(10);
  (void)server.reserve(Cycle(2), 100);
  EXPECT_EQ(server.busy_until(Cycle(2)), Cycles(0));
  EXPECT_EQ(server.busy_until(Cycle(3)), Cycles(1));
  EXPECT_EQ(server.busy_until(Cycle(11)), Cycles(9));
  EXPECT_EQ(server.busy_until(Cycle(12)), Cycles(10));
  EXPECT_EQ(server.busy_until(Cycle(13)), Cycles(10));
}

TEST(BandwidthServer, ResetForgetsEverything) {
  BandwidthServer server(10);
  (void)server.reserve(Cycle(0), 1000);
  server.reset();
  EXPECT_EQ(server.busy_until(Cycle(1000)), Cycles(0));
  EXPECT_EQ(server.reserve(Cycle(0), 10), Cycle(1));
}

}  // namespace
}  // namespace stcsim
