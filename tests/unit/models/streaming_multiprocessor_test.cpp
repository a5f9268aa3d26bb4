#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::run_core;

class MockDatapath : public Datapath {
 public:
  MOCK_METHOD(void, begin_cta, (std::int64_t, std::int64_t, const CtaCoordinates&), (override));
  MOCK_METHOD(void, fill_stage, (std::int64_t, std::int64_t, std::int64_t), (override));
  MOCK_METHOD(void, fetch_fragments,
              (std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t), (override));
  MOCK_METHOD(void, execute_mma,
              (std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t), (override));
  MOCK_METHOD(void, release_stage, (std::int64_t, std::int64_t, std::int64_t), (override));
  MOCK_METHOD(void, store_tile, (std::int64_t, std::int64_t), (override));
};

/// 3 x 2 tiles of 8 x 16 elements of 2 bytes; k = 100 in steps of 32, two splits; two warps.
KernelLaunch kernel() {
  KernelLaunch launch;
  launch.tiles_m = 3;
  launch.tiles_n = 2;
  launch.splits = 2;
  launch.k = 100;
  launch.tile_k = 32;
  launch.k_steps = 4;
  launch.ctas_per_sm = 2;
  launch.warps = 2;
  launch.tile_m = 8;
  launch.tile_n = launch.edge_n = 16;
  launch.edge_m = 3;
  return launch;
}

/// SM 6; 5 cycles from assignment to start.
class StreamingMultiprocessorTest : public testing::Test {
 protected:
  StreamingMultiprocessorTest() : core_(6, Cycles(5)) {
    core_.starts = {&units_[0], &units_[1]};
    core_.epilogue = &epilogue_;
    core_.ctas_done = &ctas_done_;
    core_.launch(kernel());
  }
  void assign(std::int64_t at, const CtaPosition& position) {
    core_.assignments.push(Cycle(at), 0, {position});
    run(at);
  }
  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }

  StreamingMultiprocessor core_;
  test::RecordingPort<CtaStart> units_[2];
  test::RecordingPort<EpilogueStart> epilogue_;
  test::RecordingPort<CtaDone> ctas_done_;
};

TEST_F(StreamingMultiprocessorTest, StartsAllUnitsAfterTheSetup) {
  assign(10, {0, 1, 2, 1});
  for (const auto& unit : units_) {
    ASSERT_EQ(unit.arrivals(), std::vector<std::int64_t>{15});
    EXPECT_EQ(unit.sent[0].message.slot, 0);
    EXPECT_EQ(unit.sent[0].message.position, (CtaPosition{0, 1, 2, 1}));
  }
  EXPECT_EQ(core_.waiting_for(), "SM 6 waits for 2 warps of the CTA at tile (2, 1)");
}

/// From the last warp to the epilogue, and from its end to the scheduler, one cycle each.
TEST_F(StreamingMultiprocessorTest, FollowsACtaToItsEnd) {
  assign(10, {0, 0, 2, 0});
  core_.warps_done.push(Cycle(100), 0, {0});
  run(100);
  EXPECT_TRUE(epilogue_.sent.empty());
  core_.warps_done.push(Cycle(120), 1, {0});
  run(120);
  ASSERT_EQ(epilogue_.arrivals(), std::vector<std::int64_t>{121});
  EXPECT_EQ(epilogue_.sent[0].message.bytes, 3 * 16 * 2);
  EXPECT_EQ(core_.waiting_for(), "");
  core_.epilogues_done.push(Cycle(150), 0, {0});
  run(150);
  ASSERT_EQ(ctas_done_.arrivals(), std::vector<std::int64_t>{151});
  EXPECT_EQ(ctas_done_.sent[0].message.sm, 6);
}

TEST_F(StreamingMultiprocessorTest, UsesTheLowestFreeSlot) {
  assign(10, {});
  assign(11, {});
  core_.epilogues_done.push(Cycle(50), 0, {0});
  core_.assignments.push(Cycle(50), 0, {});
  run(50);
  ASSERT_EQ(units_[0].sent.size(), 3U);
  EXPECT_EQ(units_[0].sent[1].message.slot, 1);
  EXPECT_EQ(units_[0].sent[2].message.slot, 0);
}

TEST_F(StreamingMultiprocessorTest, RefusesMoreCtasThanSlots) {
  assign(10, {});
  assign(10, {});
  core_.assignments.push(Cycle(11), 0, {});
  EXPECT_THROW((void)core_.advance(Cycle(11)), SimulationError);
}

TEST_F(StreamingMultiprocessorTest, TellsTheDatapathWhereTheCtaWorks) {
  testing::StrictMock<MockDatapath> datapath;
  core_.datapath = &datapath;
  const auto is_second_half = [](const CtaCoordinates& at) {
    return at.batch == 0 && at.tile_m == 1 && at.tile_n == 1 && at.split == 1 && at.k_begin == 64 &&
           at.k_end == 100;  // not 128: k ends inside the last step
  };
  EXPECT_CALL(datapath, begin_cta(6, 0, testing::Truly(is_second_half)));
  assign(10, {0, 1, 1, 1});
  EXPECT_CALL(datapath, store_tile(6, 0));
  core_.warps_done.push(Cycle(100), 0, {0});
  core_.warps_done.push(Cycle(100), 1, {0});
  run(100);
}

}  // namespace
}  // namespace stcsim
