#include "models/copy_engine/copy_engine.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

/// Two strips of A (4 and 3 rows), one of B (2 rows), 100 bytes a row and k-step, half of it in the
/// last of three k-steps. Two stages.
KernelLaunch kernel() {
  KernelLaunch launch;
  launch.tiles_m = 2;
  launch.k_steps = 3;
  launch.stages = 2;
  launch.a.strips = launch.a.distinct_strips = 2;
  launch.a.rows = 4;
  launch.a.edge_rows = 3;
  launch.a.row_bytes = 100;
  launch.a.edge_row_bytes = 50;
  launch.a.metadata_row_bytes = 20;
  launch.a.distinct_slices = 3;
  launch.b.strips = launch.b.distinct_strips = 1;
  launch.b.rows = launch.b.edge_rows = 2;
  launch.b.row_bytes = 100;
  launch.b.edge_row_bytes = 50;
  launch.b.distinct_slices = 3;
  return launch;
}

class CopyEngineTest : public testing::Test {
 protected:
  CopyEngineTest() : core_(CopyEngineConfig{100}, 7, Cycles(10)) { core_.loads = &loads_; }

  [[nodiscard]] std::vector<std::int64_t> steps_of_slot(std::int64_t slot) const {
    std::vector<std::int64_t> steps;
    for (const auto& load : loads_.sent) {
      if (load.message.slot == slot) steps.push_back(load.message.step);
    }
    return steps;
  }

  CopyEngine core_;
  test::RecordingPort<LoadRequest> loads_;
};

/// A takes 4 cycles of issue, B 2; the way to the cache 10. Step 2 waits for the stage freed at 30
/// and is half as long.
TEST_F(CopyEngineTest, RunsAheadByTheFreeStages) {
  core_.launch(kernel());
  core_.starts.push(Cycle(5), 0, {0, {0, 0, 0, 0}});
  run_core(core_, Cycle(5), Cycle(29));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 21, 25, 27}));
  EXPECT_EQ(core_.waiting_for(), "copy engine of SM 7 waits for a free stage");
  core_.freed.push(Cycle(30), 0, {0});
  run_core(core_, Cycle(30), Cycle(100));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 21, 25, 27, 42, 43}));
  EXPECT_EQ(core_.waiting_for(), "");
  core_.finish(Cycle(50));
  EXPECT_EQ(bucket(core_.buckets(), "idle"), 5 + 17);
  EXPECT_EQ(bucket(core_.buckets(), "issuing"), 12 + 3);
  EXPECT_EQ(bucket(core_.buckets(), "waiting_stage"), 13);  // 17 .. 30
}

TEST_F(CopyEngineTest, AsksForAThenBOfEveryStep) {
  core_.launch(kernel());
  core_.starts.push(Cycle(5), 0, {0, {0, 0, 0, 0}});
  core_.freed.push(Cycle(30), 0, {0});
  run_core(core_, Cycle(5), Cycle(100));
  ASSERT_EQ(loads_.sent.size(), 6U);
  for (std::size_t at = 0; at < loads_.sent.size(); ++at) {
    const LoadRequest& load = loads_.sent[at].message;
    const auto step = static_cast<std::int64_t>(at / 2);
    EXPECT_EQ(load.operand, at % 2 == 0 ? Operand::a : Operand::b);
    EXPECT_EQ(load.step, step);
    EXPECT_EQ(load.slice, step);
    EXPECT_EQ(load.sm, 7);
    EXPECT_EQ(load.bytes, (at % 2 == 0 ? 4 : 2) * (step == 2 ? 50 : 100));
  }
}

TEST_F(CopyEngineTest, EdgeTilesMoveTheirOwnBytesOnly) {
  core_.launch(kernel());
  core_.starts.push(Cycle(5), 0, {0, {0, 0, 1, 0}});
  core_.freed.push(Cycle(30), 0, {0});
  run_core(core_, Cycle(5), Cycle(100));
  ASSERT_EQ(loads_.sent.size(), 6U);
  EXPECT_EQ(loads_.sent[0].message.bytes, 3 * 100);
  EXPECT_EQ(loads_.sent[0].message.strip, 1);
  EXPECT_EQ(loads_.sent[4].message.bytes, 3 * 50);
  // A fifth of A's bytes is metadata.
  EXPECT_EQ(core_.metadata_bytes(), 60 + 60 + 30);
}

TEST_F(CopyEngineTest, SplitsLoadTheirOwnSteps) {
  KernelLaunch launch = kernel();
  launch.splits = 2;  // steps 0, 1 and step 2
  core_.launch(launch);
  core_.starts.push(Cycle(5), 0, {0, {0, 1, 0, 0}});
  run_core(core_, Cycle(5), Cycle(100));
  ASSERT_EQ(loads_.sent.size(), 2U);
  EXPECT_EQ(loads_.sent[0].message.step, 0);
  EXPECT_EQ(loads_.sent[0].message.slice, 2);
  EXPECT_EQ(loads_.sent[0].message.bytes, 4 * 50);
}

TEST_F(CopyEngineTest, CtasTakeTurns) {
  KernelLaunch launch = kernel();
  launch.ctas_per_sm = 2;
  core_.launch(launch);
  core_.starts.push(Cycle(5), 0, {0, {0, 0, 0, 0}});
  core_.starts.push(Cycle(5), 0, {1, {0, 0, 1, 0}});
  run_core(core_, Cycle(5), Cycle(100));
  std::vector<std::int64_t> slots;
  for (const auto& load : loads_.sent) slots.push_back(load.message.slot);
  EXPECT_EQ(slots, (std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(steps_of_slot(1), (std::vector<std::int64_t>{0, 0, 1, 1}));
}

/// Strips and slices wrap around where the memory behind them repeats; batches do not share.
TEST_F(CopyEngineTest, NamesDistinctMemory) {
  KernelLaunch launch = kernel();
  launch.batch_count = 2;
  launch.stages = 3;
  launch.a.distinct_strips = 1;
  launch.a.distinct_slices = 2;
  launch.a.distinct_per_1024 = 256;
  core_.launch(launch);
  core_.starts.push(Cycle(5), 0, {0, {1, 0, 1, 0}});
  run_core(core_, Cycle(5), Cycle(100));
  ASSERT_EQ(loads_.sent.size(), 6U);
  EXPECT_EQ(loads_.sent[0].message.strip, 1);  // batch 1's only one
  EXPECT_EQ(loads_.sent[0].message.fill_bytes, 300 / 4);
  EXPECT_EQ(loads_.sent[2].message.slice, 1);
  EXPECT_EQ(loads_.sent[4].message.slice, 0);
  EXPECT_EQ(loads_.sent[5].message.slice, 2);
  EXPECT_EQ(loads_.sent[5].message.fill_bytes, loads_.sent[5].message.bytes);
}

/// An operand without bytes (stream kernels have no B) still takes its turn of one cycle.
TEST_F(CopyEngineTest, AnEmptyOperandTakesOneCycle) {
  KernelLaunch launch = kernel();
  launch.b = OperandStream();
  core_.launch(launch);
  core_.starts.push(Cycle(5), 0, {0, {0, 0, 0, 0}});
  run_core(core_, Cycle(5), Cycle(29));
  EXPECT_EQ(loads_.arrivals(), (std::vector<std::int64_t>{19, 20, 24, 25}));
  EXPECT_EQ(loads_.sent[1].message.bytes, 0);
}

}  // namespace
}  // namespace stcsim
