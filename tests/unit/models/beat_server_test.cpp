#include "models/base/beat_server.hpp"

#include <ostream>

#include <gtest/gtest.h>

namespace stcsim {

void PrintTo(const Transfer& transfer, std::ostream* out) {
  *out << transfer.first.index() << " .. " << transfer.last.index();
}

namespace {

/// Data that arrive from cycle `first` to cycle `last`.
Transfer span(std::int64_t first, std::int64_t last) {
  return {Cycle(first), Cycle(last)};
}
/// Data that are all there at once.
Transfer at(std::int64_t cycle) {
  return span(cycle, cycle);
}

/// The first beat leaves a cycle after it came, the others one by one behind it.
TEST(BeatServer, TakesTheTimeOfTheBytesInWholeCycles) {
  for (const std::int64_t bytes : {1, 9, 10, 11, 20, 21, 1000}) {
    BeatServer server(10);
    EXPECT_EQ(server.reserve(at(5), bytes), span(6, 5 + (bytes + 9) / 10)) << bytes;
  }
}

/// The rest of a transfer's last beat is not given to the next.
TEST(BeatServer, EveryTransferHasItsOwnBeats) {
  BeatServer server(10);
  EXPECT_EQ(server.reserve(at(100), 3), span(101, 101));
  EXPECT_EQ(server.reserve(at(100), 3), span(102, 102));
  EXPECT_EQ(server.reserve(at(100), 11), span(103, 104));
  EXPECT_EQ(server.free_at(), Cycle(104));
}

TEST(BeatServer, ServesInTheOrderOfReserving) {
  BeatServer server(10);
  EXPECT_EQ(server.reserve(at(4), 50), span(5, 9));
  EXPECT_EQ(server.reserve(at(6), 20), span(10, 11));
  EXPECT_EQ(server.reserve(at(5), 10), span(12, 12));
}

TEST(BeatServer, StartsWithTheFirstByteAfterAPause) {
  BeatServer server(10);
  EXPECT_EQ(server.reserve(at(4), 50), span(5, 9));
  EXPECT_EQ(server.reserve(at(9), 10), span(10, 10));
  EXPECT_EQ(server.reserve(at(30), 10), span(31, 31));
}

/// What comes more slowly than the path could carry it leaves a cycle after it came.
TEST(BeatServer, PassesOnSlowDataAsTheyCome) {
  BeatServer server(10);
  EXPECT_EQ(server.reserve(span(10, 30), 50), span(11, 31));
}

/// 50 bytes come within 2 cycles and take 5.
TEST(BeatServer, FastDataWaitForTheirBeats) {
  BeatServer server(10);
  EXPECT_EQ(server.reserve(span(10, 12), 50), span(11, 15));
}

/// The beats between those of slow data are free: the path is taken for 5 cycles, not for 20.
TEST(BeatServer, SlowDataLeaveRoomForOthers) {
  BeatServer server(10);
  (void)server.reserve(span(10, 30), 50);
  EXPECT_EQ(server.free_at(), Cycle(15));
  EXPECT_EQ(server.reserve(at(12), 20), span(16, 17));
  EXPECT_EQ(server.busy_until(Cycle(100)), Cycles(7));
}

/// Behind a queue until 20 the first beat leaves at 21; the last still not before it has come.
TEST(BeatServer, SlowDataBehindAQueueEndAtTheLaterOfBoth) {
  BeatServer server(10);
  (void)server.reserve(at(0), 200);
  EXPECT_EQ(server.reserve(span(10, 40), 50), span(21, 41));
  EXPECT_EQ(server.reserve(span(11, 22), 50), span(26, 30));
}

TEST(BeatServer, NoBytesTakeNoBeatAndDoNotQueue) {
  BeatServer server(10);
  EXPECT_EQ(server.reserve(span(4, 7), 0), span(5, 8));
  EXPECT_EQ(server.reserve(at(4), 25), span(5, 7));
  EXPECT_EQ(server.reserve(at(5), 0), span(6, 6));
  EXPECT_EQ(server.free_at(), Cycle(7));
  EXPECT_EQ(server.busy_until(Cycle(50)), Cycles(3));
}

TEST(BeatServer, BusyTimeIsTheBeatsCarried) {
  BeatServer server(10);
  EXPECT_EQ(server.busy_until(Cycle(50)), Cycles(0));
  (void)server.reserve(at(2), 30);
  (void)server.reserve(at(20), 1);
  EXPECT_EQ(server.busy_until(Cycle(50)), Cycles(4));
}

TEST(BeatServer, BusyTimeEndsWhereTheLaunchEnds) {
  BeatServer server(10);
  (void)server.reserve(at(2), 100);
  EXPECT_EQ(server.busy_until(Cycle(2)), Cycles(0));
  EXPECT_EQ(server.busy_until(Cycle(3)), Cycles(1));
  EXPECT_EQ(server.busy_until(Cycle(11)), Cycles(9));
  EXPECT_EQ(server.busy_until(Cycle(12)), Cycles(10));
  EXPECT_EQ(server.busy_until(Cycle(13)), Cycles(10));
}

TEST(BeatServer, RestsWithoutBeingBusy) {
  BeatServer server(10);
  server.rest_until(Cycle(8));
  EXPECT_EQ(server.reserve(at(3), 10), span(9, 9));
  EXPECT_EQ(server.busy_until(Cycle(50)), Cycles(1));
}

TEST(BeatServer, ARestDoesNotCutShortWhatIsQueued) {
  BeatServer server(10);
  (void)server.reserve(at(0), 100);
  server.rest_until(Cycle(4));
  EXPECT_EQ(server.free_at(), Cycle(10));
}

TEST(BeatServer, ResetForgetsEverything) {
  BeatServer server(10);
  (void)server.reserve(at(0), 1000);
  server.reset();
  EXPECT_EQ(server.busy_until(Cycle(1000)), Cycles(0));
  EXPECT_EQ(server.reserve(at(0), 10), span(1, 1));
}

/// Four parts, lines of 32 bytes, 64 bytes per clk together: a line takes its part 2 cycles.
TEST(InterleavedPart, TheOneWithMostLinesSaysHowLongARequestTakes) {
  const InterleavedPart part(4, 32, 64);
  EXPECT_EQ(part.busiest(0), Cycles(0));
  EXPECT_EQ(part.busiest(1), Cycles(2));
  EXPECT_EQ(part.busiest(32), Cycles(2));
  EXPECT_EQ(part.busiest(4 * 32), Cycles(2));
  EXPECT_EQ(part.busiest(4 * 32 + 1), Cycles(4));
}

/// Of one part, whole lines at the whole bandwidth.
TEST(InterleavedPart, AloneItHasAllOfTheBandwidth) {
  EXPECT_EQ(InterleavedPart(1, 32, 64).busiest(33), Cycles(1));
  EXPECT_EQ(InterleavedPart(1, 32, 64).busiest(65), Cycles(2));
}

}  // namespace
}  // namespace stcsim
