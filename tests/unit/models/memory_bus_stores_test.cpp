#include "tests/unit/models/memory_bus_fixture.hpp"

namespace stcsim::test {
namespace {

/// The epilogue goes on when its bytes have left the SM; the cache sees them a hop later.
TEST_F(MemoryBusTest, StoresTakeTheWritePort) {
  store(5, 0, 0, 100, {0});  // 5 .. 10
  store(6, 1, 0, 40, {0});   // 10 .. 12
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{10, 12}));
  EXPECT_EQ(accepted_.sent[0].message.slot, 0);
  EXPECT_EQ(accepted_.sent[1].message.slot, 1);
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{20, 22}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{100, 40}));
  EXPECT_EQ(bucket(core_.write_port(0), Cycle(100), "busy"), 7);
  EXPECT_EQ(bucket(core_.read_port(0), Cycle(100), "busy"), 0);
}

/// SM 1 is still sending until 9: of three equal stores two are through at 11, the third at 15. The
/// cache is told of all bytes that come at the same time at once.
TEST_F(MemoryBusTest, EqualStoresAreSentTogetherAndOthersApart) {
  store(4, 1, 0, 100, {1});
  store(5, 0, 0, 120, {0, 1, 2});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{9, 11, 15}));
  EXPECT_EQ(accepted(1), (SmNumbers{0, 2}));
  EXPECT_EQ(accepted(2), SmNumbers{1});
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{19, 21, 25}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{100, 2 * 120, 120}));
}

/// SM 1's tile has 600 of 1000 bytes: of either half 300, 15 cycles of the port instead of 25.
TEST_F(MemoryBusTest, OfAnEdgeTileTheValidBytesAreStored) {
  give(1, 0, 50, 50, 600);
  store(0, 0, 0, 500, {0, 1});
  store(100, 0, 500, 500, {0, 1});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{15, 25, 115, 125}));
  EXPECT_EQ(accepted(0), SmNumbers{1});
  EXPECT_EQ(accepted(1), SmNumbers{0});
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{25, 35, 125, 135}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{300, 500, 300, 500}));
  EXPECT_EQ(bucket(core_.write_port(0), Cycle(200), "busy"), 50);
  EXPECT_EQ(bucket(core_.write_port(1), Cycle(200), "busy"), 30);
}

/// 100 bytes and, of the edge tile, 90 take the port for 5 cycles each: the SMs stay together, and
/// the cache gets 290 bytes.
TEST_F(MemoryBusTest, AnEdgeTileThatTakesAsLongStaysWithTheOthers) {
  give(1, 0, 50, 50, 900);
  store(0, 0, 300, 100, {0, 1, 2});
  run();
  ASSERT_EQ(accepted_.arrivals(), std::vector<std::int64_t>{5});
  EXPECT_EQ(accepted(0), (SmNumbers{0, 1, 2}));
  EXPECT_EQ(stores_.arrivals(), std::vector<std::int64_t>{15});
  EXPECT_EQ(stored(), std::vector<std::int64_t>{100 + 90 + 100});
}

/// Slots are told apart, also where they are through at the same time; the cache does not care.
TEST_F(MemoryBusTest, StoresOfDifferentSlotsAreAcceptedApart) {
  store(0, 0, 0, 100, {0});
  store(0, 1, 0, 100, {1});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(accepted(0), SmNumbers{0});
  EXPECT_EQ(accepted(1), SmNumbers{1});
  EXPECT_EQ(stored(), std::vector<std::int64_t>{200});
}

/// The only byte of a tile of 1000 leaves with the last chunk. A chunk without any takes a cycle,
/// and nothing of it comes to the cache.
TEST_F(MemoryBusTest, AChunkWithoutValidBytesIsOnlyAccepted) {
  give(0, 0, 50, 50, 1);
  store(0, 0, 0, 500, {0});
  store(10, 0, 500, 500, {0});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{1, 11}));
  EXPECT_EQ(stores_.arrivals(), std::vector<std::int64_t>{11 + 10});
  EXPECT_EQ(stored(), std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace stcsim::test
