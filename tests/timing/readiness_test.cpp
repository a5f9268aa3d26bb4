#include <gtest/gtest.h>

#include "models/copy_engine/copy_engine.hpp"
#include "models/cta_scheduler/cta_scheduler.hpp"
#include "models/dram/dram.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/l2_cache/l2_cache.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

/// Not at clk - 1, at clk. Units may be activated at any cycle, also at those they did not ask for.

/// Activates the core at `at`, and before at every cycle from `from` on.
template <class Core>
void activate(Core& core, std::int64_t from, std::int64_t at) {
  for (std::int64_t now = from; now <= at; ++now) (void)core.advance(Cycle(now));
}

TEST(Readiness, ACtaIsDispatchedWhenTheLaunchIsOver) {
  CtaScheduler core(CtaSchedulerConfig{50, 7, 0}, 1);
  test::RecordingPort<CtaAssignment> sm;
  core.sms = {&sm};
  KernelLaunch kernel;
  kernel.tiles_m = 2;
  kernel.ctas_per_sm = 2;
  core.launch(kernel);
  activate(core, 1, 49);
  EXPECT_EQ(sm.sent.size(), 0U);
  activate(core, 50, 50);
  EXPECT_EQ(sm.sent.size(), 1U);
  activate(core, 51, 56);
  EXPECT_EQ(sm.sent.size(), 1U);
  activate(core, 57, 57);
  EXPECT_EQ(sm.sent.size(), 2U);
}

TEST(Readiness, TheCopyEngineWorksOnOneKStepAtATime) {
  CopyEngine core(CopyEngineConfig{100}, 0, Cycles(10));
  test::RecordingPort<LoadRequest> loads;
  core.loads = &loads;
  KernelLaunch kernel;
  kernel.k_steps = 2;
  kernel.a.strips = kernel.b.strips = 1;
  kernel.a.rows = kernel.a.edge_rows = 6;
  kernel.b.rows = kernel.b.edge_rows = 2;
  for (OperandStream* stream : {&kernel.a, &kernel.b}) {
    stream->row_bytes = stream->edge_row_bytes = 100;
  }
  core.launch(kernel);
  core.starts.push(Cycle(20), 0, {0, {}});
  activate(core, 1, 19);
  EXPECT_EQ(loads.sent.size(), 0U);
  activate(core, 20, 20);
  EXPECT_EQ(loads.sent.size(), 2U);
  activate(core, 21, 27);  // 6 cycles for A, 2 for B
  EXPECT_EQ(loads.sent.size(), 2U);
  activate(core, 28, 28);
  EXPECT_EQ(loads.sent.size(), 4U);
}

TEST(Readiness, AFullStageIsReadWhenItsLastByteIsIn) {
  SharedMemoryConfig config;
  config.latency_cycles = 20;
  SharedMemory core(config, 0, 1);
  test::RecordingPort<FetchResponse> fragments;
  test::RecordingPort<StageFree> freed;
  test::RecordingPort<BarrierOpen> barriers;
  core.fragments[0] = &fragments;
  core.barriers[0] = &barriers;
  core.freed = &freed;
  KernelLaunch kernel;
  kernel.k_steps = 2;
  kernel.warp.fragment_bytes = 128;
  core.launch(kernel);
  core.starts.push(Cycle(1), 0, {0, {}});
  core.fetches.push(Cycle(2), 0, {0, 0, 0, 0});
  core.fetches.push(Cycle(2), 0, {0, 0, 0, 1});
  core.fills.push(Cycle(10), 0, {0, 0, 0, 1280});  // until 20
  core.fills.push(Cycle(11), 0, {0, 0, 0, 128});   // until 21
  core.fills.push(Cycle(12), 0, {0, 0, 1, 128});   // until 22
  core.fills.push(Cycle(12), 0, {0, 0, 1, 128});   // until 23
  activate(core, 1, 20);
  EXPECT_EQ(fragments.sent.size(), 0U);
  activate(core, 21, 21);
  EXPECT_EQ(fragments.sent.size(), 1U);
  // Step 0 is read from 23, when the port is free, to 24.
  EXPECT_EQ(freed.arrivals(), std::vector<std::int64_t>{24});
  activate(core, 22, 23);
  EXPECT_EQ(fragments.sent.size(), 1U);
  activate(core, 24, 24);
  EXPECT_EQ(fragments.sent.size(), 2U);
}

TEST(Readiness, AGroupStartsWhenItsAccumulatorsAreReady) {
  SubCore core(0, 0, 1);
  test::RecordingPort<FetchRequest> fetches;
  test::RecordingPort<WarpDone> warps_done;
  core.fetches = &fetches;
  core.warps_done = &warps_done;
  KernelLaunch kernel;
  kernel.k_steps = 1;
  kernel.warp.groups_per_step = 2;
  kernel.warp.instructions_per_group = 1;
  kernel.warp.interval = Cycles(4);
  kernel.warp.latency = Cycles(10);
  core.launch(kernel);
  core.starts.push(Cycle(1), 0, {0, {}});
  core.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  core.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  for (const std::int64_t now : {1, 20, 24, 30}) (void)core.advance(Cycle(now));
  EXPECT_EQ(core.instructions_issued(), 1);
  (void)core.advance(Cycle(31));
  EXPECT_EQ(core.instructions_issued(), 2);
}

TEST(Readiness, TheFirstChunkIsStagedWhenTheSetupIsOver) {
  Epilogue core(EpilogueConfig{10, 1000}, 0);
  test::RecordingPort<StagingRequest> staging;
  core.staging = &staging;
  core.launch(KernelLaunch());
  core.starts.push(Cycle(5), 0, {0, 100});
  activate(core, 1, 14);
  EXPECT_EQ(staging.sent.size(), 0U);
  activate(core, 15, 15);
  EXPECT_EQ(staging.sent.size(), 1U);
}

TEST(Readiness, MemoryServesWhenTheRequestIsThere) {
  Dram dram(DramConfig{1 << 30, 4, 40, 100, 64});
  test::RecordingPort<DramResponse> responses;
  dram.responses = &responses;
  dram.launch();
  dram.requests.push(Cycle(10), 0, {0, 64, false});
  activate(dram, 1, 9);
  EXPECT_EQ(responses.sent.size(), 0U);
  activate(dram, 10, 10);
  EXPECT_EQ(responses.sent.size(), 1U);
}

TEST(Readiness, AWaitingLoadIsServedWithItsFill) {
  L2Cache cache(L2CacheConfig{1000, 100, 50, 60, 90, 400}, Cycles(20));
  test::RecordingPort<LoadResponse> responses;
  test::RecordingPort<DramRequest> dram;
  cache.responses = &responses;
  cache.dram = &dram;
  cache.launch(KernelLaunch());
  cache.loads.push(Cycle(5), 0, {0, 0, Operand::a, 0, 0, 0, 100, 100});
  cache.fills.push(Cycle(40), 0, {0});
  activate(cache, 1, 39);
  EXPECT_EQ(dram.sent.size(), 1U);
  EXPECT_EQ(responses.sent.size(), 0U);
  activate(cache, 40, 40);
  EXPECT_EQ(responses.sent.size(), 1U);
}

}  // namespace
}  // namespace stcsim
