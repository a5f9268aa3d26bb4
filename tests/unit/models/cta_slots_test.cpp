#include "models/cta_slots/cta_slots.hpp"

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

/// 3 x 2 tiles of 8 x 16 elements of 2 bytes; k = 95 in steps of 20, split into 3 and 2 steps; two
/// warps. CTA (split * 3 + tile_m) * 2 + tile_n.
KernelLaunch slots_kernel() {
  KernelLaunch launch;
  launch.tiles_m = 3;
  launch.tiles_n = 2;
  launch.splits = 2;
  launch.k = 95;
  launch.tile_k = 20;
  launch.k_steps = 5;
  launch.ctas_per_sm = 2;
  launch.warps = 2;
  launch.tile_m = 8;
  launch.tile_n = launch.edge_n = 16;
  launch.edge_m = 3;
  return launch;
}

/// SM 6; 5 cycles from assignment to start.
class CtaSlotsTest : public testing::Test {
 protected:
  CtaSlotsTest() : core_(6, Cycles(5)) {
    core_.starts.get() = {&units_[0], &units_[1]};
    core_.epilogue = &epilogue_;
    core_.ctas_done = &ctas_done_;
    core_.launch(slots_kernel());
  }
  void assign(std::int64_t at, std::int64_t slot, std::int64_t cta) {
    const KernelLaunch launch = slots_kernel();
    core_.assignments.push(Cycle(at), 0,
                           {6, slot, launch.steps_of(launch.position(cta).split), cta});
    run(at);
  }
  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }

  CtaSlots core_;
  test::RecordingPort<CtaStart> units_[2];
  test::RecordingPort<EpilogueStart> epilogue_;
  test::RecordingPort<CtaDone> ctas_done_;
};

TEST_F(CtaSlotsTest, StartsAllUnitsAfterTheSetup) {
  assign(10, 1, 11);
  for (const auto& unit : units_) {
    ASSERT_EQ(unit.arrivals(), std::vector<std::int64_t>{15});
    EXPECT_EQ(unit.sent[0].message.slot, 1);
    EXPECT_EQ(unit.sent[0].message.steps, 2);
  }
  EXPECT_EQ(core_.waiting_for(), "SM 6 waits for 2 warps of the CTA at tile (2, 1)");
}

TEST_F(CtaSlotsTest, ASetupOfZeroCyclesTakesOne) {
  CtaSlots core(6, Cycles(0));
  core.starts.get() = {&units_[0]};
  core.launch(slots_kernel());
  core.assignments.push(Cycle(10), 0, {6, 0, 3, 0});
  run_core(core, Cycle(10), Cycle(100));
  EXPECT_EQ(units_[0].arrivals(), std::vector<std::int64_t>{11});
}

/// From the last warp to the epilogue, and from its end to the scheduler, one cycle each. Tile (2,
/// 0) has 3 rows of C, but goes through the epilogue like a full one.
TEST_F(CtaSlotsTest, FollowsACtaToItsEnd) {
  assign(10, 1, 4);
  core_.warps_done.push(Cycle(100), 0, {1});
  run(100);
  EXPECT_TRUE(epilogue_.sent.empty());
  core_.warps_done.push(Cycle(120), 1, {1});
  run(120);
  ASSERT_EQ(epilogue_.arrivals(), std::vector<std::int64_t>{121});
  EXPECT_EQ(epilogue_.sent[0].message.slot, 1);
  EXPECT_EQ(epilogue_.sent[0].message.bytes, 8 * 16 * 2);
  EXPECT_EQ(core_.waiting_for(), "");
  core_.epilogues_done.push(Cycle(150), 0, {1});
  run(150);
  ASSERT_EQ(ctas_done_.arrivals(), std::vector<std::int64_t>{151});
  EXPECT_EQ(ctas_done_.sent[0].message.slot, 1);
}

TEST_F(CtaSlotsTest, CtasInDifferentSlotsAreFollowedApart) {
  assign(10, 0, 0);
  assign(11, 1, 4);
  core_.warps_done.push(Cycle(100), 0, {0});
  core_.warps_done.push(Cycle(100), 1, {1});
  run(100);
  EXPECT_TRUE(epilogue_.sent.empty());
  core_.warps_done.push(Cycle(110), 0, {1});
  run(110);
  ASSERT_EQ(epilogue_.arrivals(), std::vector<std::int64_t>{111});
  EXPECT_EQ(epilogue_.sent[0].message.slot, 1);
}

/// Persistent, three tiles on an SM: warps begin one tile after the other, as soon as accumulators
/// are free.
class AccumulatorsTest : public CtaSlotsTest {
 protected:
  /// Tiles 0, 1 and 2 come; the warps of 0 end at 100, those of 1 at 200.
  void take_three(bool has_spare) {
    KernelLaunch launch = slots_kernel();
    launch.persistent = true;
    launch.ctas_per_sm = 3;
    launch.has_spare_accumulators = has_spare;
    core_.warp_starts.get() = {&warps_};
    core_.launch(launch);
    for (const std::int64_t slot : {0, 1, 2}) assign(10 + slot, slot, slot);
  }
  void end_warps(std::int64_t at, std::int64_t slot) {
    for (const std::int64_t warp : {0, 1}) core_.warps_done.push(Cycle(at), warp, {slot});
    run(at);
  }
  void free_accumulators(std::int64_t at, std::int64_t slot) {
    core_.accumulators_free.push(Cycle(at), 0, {slot});
    run(at);
  }

  test::RecordingPort<CtaStart> warps_;
};

TEST_F(AccumulatorsTest, OfOneTileHoldUpTheNextUntilTheyAreStored) {
  take_three(false);
  end_warps(100, 0);
  EXPECT_EQ(warps_.arrivals(), std::vector<std::int64_t>{15});
  free_accumulators(150, 0);
  EXPECT_EQ(warps_.arrivals(), (std::vector<std::int64_t>{15, 151}));
}

TEST_F(AccumulatorsTest, OfTwoTilesHoldUpTheThird) {
  take_three(true);
  end_warps(100, 0);
  EXPECT_EQ(warps_.arrivals(), (std::vector<std::int64_t>{15, 101}));
  end_warps(200, 1);
  EXPECT_EQ(warps_.arrivals(), (std::vector<std::int64_t>{15, 101})) << "both are being stored";
  free_accumulators(250, 0);
  ASSERT_EQ(warps_.arrivals(), (std::vector<std::int64_t>{15, 101, 251}));
  EXPECT_EQ(warps_.sent[2].message.slot, 2);
}

TEST_F(AccumulatorsTest, ThatAreFreeLetATileBeginOnceNoneIsMultiplied) {
  take_three(true);
  free_accumulators(50, 0);
  EXPECT_EQ(warps_.arrivals(), std::vector<std::int64_t>{15});
  end_warps(100, 0);
  EXPECT_EQ(warps_.arrivals(), (std::vector<std::int64_t>{15, 101}));
}

TEST_F(CtaSlotsTest, ASlotIsTakenAgainInTheCycleItIsFree) {
  assign(10, 0, 0);
  core_.epilogues_done.push(Cycle(50), 0, {0});
  assign(50, 0, 1);
  ASSERT_EQ(units_[0].arrivals(), (std::vector<std::int64_t>{15, 55}));
  EXPECT_EQ(core_.waiting_for(), "SM 6 waits for 2 warps of the CTA at tile (0, 1)");
}

TEST_F(CtaSlotsTest, RefusesACtaForASlotThatIsNotFree) {
  assign(10, 1, 0);
  core_.assignments.push(Cycle(11), 0, {6, 1, 3, 1});
  EXPECT_THROW((void)core_.advance(Cycle(11)), SimulationError);
}

TEST_F(CtaSlotsTest, KnowsWhetherASlotIsFree) {
  EXPECT_TRUE(core_.has_free_slot());
  assign(10, 0, 0);
  EXPECT_TRUE(core_.has_free_slot());
  assign(11, 1, 1);
  EXPECT_FALSE(core_.has_free_slot());
  core_.epilogues_done.push(Cycle(50), 0, {1});
  run(50);
  EXPECT_TRUE(core_.has_free_slot());
}

TEST_F(CtaSlotsTest, LaunchFreesTheSlots) {
  assign(10, 0, 0);
  core_.launch(slots_kernel());
  EXPECT_EQ(core_.waiting_for(), "");
  assign(10, 0, 0);
  EXPECT_EQ(units_[0].arrivals(), (std::vector<std::int64_t>{15, 15}));
}

TEST_F(CtaSlotsTest, TellsTheDatapathWhereTheCtaWorks) {
  testing::StrictMock<MockDatapath> datapath;
  core_.datapath = &datapath;
  const auto is_second_half = [](const CtaCoordinates& at) {
    return at.batch == 0 && at.tile_m == 1 && at.tile_n == 1 && at.split == 1 && at.k_begin == 60 &&
           at.k_end == 95;  // k ends inside the last step
  };
  EXPECT_CALL(datapath, begin_cta(6, 0, testing::Truly(is_second_half)));
  assign(10, 0, 9);
  EXPECT_CALL(datapath, store_tile(6, 0));
  core_.warps_done.push(Cycle(100), 0, {0});
  core_.warps_done.push(Cycle(100), 1, {0});
  run(100);
}

}  // namespace
}  // namespace stcsim
