#include "models/copy_engine/copy_engine.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::kLongAfter;
using test::run_core;

/// 400 bytes of A and 200 of B in a k-step, but less at the edges. Two stages.
KernelLaunch kernel() {
  KernelLaunch launch;
  launch.tiles_m = launch.tiles_n = 2;
  launch.stages = 2;
  launch.a = {2, 4, 1, 100, 25};
  launch.b = {2, 2, 1, 100, 25};
  return launch;
}

/// 100 bytes of requests per clk; 10 cycles to the cache.
class CopyEngineTest : public testing::Test {
 protected:
  CopyEngineTest() : core_(CopyEngineConfig{100}, 7, Cycles(10)) {
    core_.loads = &loads_;
    core_.launch(kernel());
  }
  void start(std::int64_t at, std::int64_t slot, std::int64_t steps) {
    core_.starts.push(Cycle(at), 0, {slot, steps});
  }
  void free(std::int64_t at, std::int64_t slot) { core_.freed.push(Cycle(at), 0, {slot}); }

  CopyEngine core_;
  test::RecordingPort<LoadRequest> loads_;
};

/// A takes 4 cycles of issue, B 2; the way to the cache 10. Step 2, the last,
/// waits for the stage freed at 30 and takes as long, whatever of it exists.
TEST_F(CopyEngineTest, RunsAheadByTheFreeStages) {
  start(5, 0, 3);
  run_core(core_, Cycle(5), Cycle(29));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 21, 25, 27}));
  EXPECT_EQ(core_.waiting_for(), "copy engine of SM 7 waits for a free stage");
  free(30, 0);
  run_core(core_, Cycle(30), Cycle(100));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 21, 25, 27, 44, 46}));
  EXPECT_EQ(core_.waiting_for(), "");
  core_.finish(Cycle(50));
  EXPECT_EQ(bucket(core_, kLongAfter, "idle"), 5 + 14);
  EXPECT_EQ(bucket(core_, kLongAfter, "issuing"), 12 + 6);
  EXPECT_EQ(bucket(core_, kLongAfter, "waiting_stage"), 13);  // 17 .. 30
}

TEST_F(CopyEngineTest, AsksForAThenBOfEveryStep) {
  start(5, 0, 3);
  free(30, 0);
  run_core(core_, Cycle(5), Cycle(100));
  ASSERT_EQ(loads_.sent.size(), 6U);
  for (std::size_t at = 0; at < loads_.sent.size(); ++at) {
    const LoadRequest& load = loads_.sent[at].message;
    const auto step = static_cast<std::int64_t>(at / 2);
    EXPECT_EQ(load.operand, at % 2 == 0 ? Operand::a : Operand::b);
    EXPECT_EQ(load.step, step);
    EXPECT_EQ(load.slot, 0);
  }
}

TEST_F(CopyEngineTest, TheOnlyStepTakesAsLongAsAny) {
  start(5, 0, 1);
  run_core(core_, Cycle(5), Cycle(100));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 21}));
}

TEST_F(CopyEngineTest, ACtaWithoutStepsLoadsNothing) {
  start(5, 0, 0);
  run_core(core_, Cycle(5), Cycle(100));
  EXPECT_TRUE(loads_.sent.empty());
  EXPECT_EQ(core_.waiting_for(), "");
}

TEST_F(CopyEngineTest, CtasTakeTurns) {
  KernelLaunch launch = kernel();
  launch.ctas_per_sm = 2;
  core_.launch(launch);
  start(5, 0, 3);
  start(5, 1, 3);
  run_core(core_, Cycle(5), Cycle(100));
  std::vector<std::pair<std::int64_t, std::int64_t>> order;
  for (const auto& load : loads_.sent) order.emplace_back(load.message.slot, load.message.step);
  EXPECT_EQ(order, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                       {0, 0}, {0, 0}, {1, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 1}, {1, 1}}));
}

/// Slot 0 has no stage left at 29: slot 1, started at 28, goes on alone.
TEST_F(CopyEngineTest, ACtaWithoutAFreeStageIsPassedOver) {
  KernelLaunch launch = kernel();
  launch.ctas_per_sm = 2;
  core_.launch(launch);
  start(5, 0, 5);   // 5 .. 17
  start(28, 1, 5);  // 28 .. 40
  run_core(core_, Cycle(5), Cycle(100));
  ASSERT_EQ(loads_.sent.size(), 8U);
  for (std::size_t at = 4; at < 8; ++at) EXPECT_EQ(loads_.sent[at].message.slot, 1);
  EXPECT_EQ(loads_.sent[7].at, Cycle(40 + 10));
}

TEST_F(CopyEngineTest, ANewCtaInASlotStartsWithAllStagesFree) {
  start(5, 0, 2);
  run_core(core_, Cycle(5), Cycle(99));
  start(100, 0, 2);
  run_core(core_, Cycle(100), Cycle(200));
  ASSERT_EQ(loads_.sent.size(), 8U);
  EXPECT_EQ(loads_.sent[4].message.step, 0);
  EXPECT_EQ(loads_.sent[4].at, Cycle(100 + 4 + 10));
  EXPECT_EQ(loads_.sent[7].message.step, 1);
}

TEST_F(CopyEngineTest, SaysHowFarEverySlotIs) {
  start(5, 0, 3);
  run_core(core_, Cycle(5), Cycle(5));
  EXPECT_EQ(core_.next_step(0), 1);
  EXPECT_EQ(core_.steps_left(0), 2);
  run_core(core_, Cycle(11), Cycle(29));
  EXPECT_EQ(core_.next_step(0), 2);
  EXPECT_EQ(core_.steps_left(0), 1);
}

/// The requests of a k-step leave when the engine has done with their bytes and those before: an
/// operand without bytes (stream kernels have no B) goes along with the one before.
TEST_F(CopyEngineTest, AnEmptyOperandTakesNoTime) {
  KernelLaunch launch = kernel();
  launch.b = OperandStream();
  core_.launch(launch);
  start(5, 0, 3);
  run_core(core_, Cycle(5), Cycle(29));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 19, 23, 23}));
}

/// Rows aligned to 2 bytes take eight times as many accesses as their bytes of 16 would, and
/// threads make fewer of them: 400 bytes of A count 3200, of which 50 go in a clk.
TEST(CopyEngine, LoadsNarrowRowsAsThreadsDo) {
  CopyEngineConfig config{100, 50};
  KernelLaunch launch = kernel();
  EXPECT_EQ(config.bytes_per_clk(launch), 100);
  EXPECT_EQ(CopyEngine::least_step_cycles(config, launch), Cycles(6));
  launch.b.access_bytes = 2;
  EXPECT_EQ(config.bytes_per_clk(launch), 50);
  EXPECT_EQ(CopyEngine::least_step_cycles(config, launch), Cycles((400 + 200 * 8) / 50));
  launch.a.access_bytes = 2;
  EXPECT_EQ(CopyEngine::least_step_cycles(config, launch), Cycles(600 * 8 / 50));
  config.thread_bytes_per_clk = 0;
  EXPECT_EQ(CopyEngine::least_step_cycles(config, launch), Cycles(600 * 8 / 100));
}

}  // namespace
}  // namespace stcsim
