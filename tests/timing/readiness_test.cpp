#include <gtest/gtest.h>

#include "models/copy_engine/copy_engine.hpp"
#include "models/cta_scheduler/cta_scheduler.hpp"
#include "models/dram/dram.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/l2_cache/l2_cache.hpp"
#include "models/memory_bus/memory_bus.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"
#include "tests/support/recording_port.hpp"
#include "tests/support/sub_core_hardware.hpp"

namespace stcsim {
namespace {

/// Not at clk - 1, at clk. Units may be activated at any cycle, also at those they did not ask for.

/// Activates the core at `at`, and before at every cycle from `from` on.
template <class Core>
void activate(Core& core, std::int64_t from, std::int64_t at) {
  for (std::int64_t now = from; now <= at; ++now) (void)core.advance(Cycle(now));
}

TEST(Readiness, CtasAreDispatchedWhenTheLaunchIsOver) {
  const SmSets sets(1);
  ResidentCtas resident;
  CtaScheduler core(CtaSchedulerConfig{50, 0}, sets, resident);
  test::RecordingPort<CtaAssignment> assignments;
  core.assignments = &assignments;
  KernelLaunch kernel;
  kernel.tiles_m = 3;
  kernel.ctas_per_sm = 2;
  core.launch(kernel);
  activate(core, 1, 49);
  EXPECT_EQ(assignments.sent.size(), 0U);
  activate(core, 50, 50);
  EXPECT_EQ(assignments.sent.size(), 2U);
}

TEST(Readiness, AFreeSlotIsFilledWhenTheSchedulerKnowsOfIt) {
  const SmSets sets(1);
  ResidentCtas resident;
  CtaScheduler core(CtaSchedulerConfig{50, 0}, sets, resident);
  test::RecordingPort<CtaAssignment> assignments;
  core.assignments = &assignments;
  KernelLaunch kernel;
  kernel.tiles_m = 2;
  core.launch(kernel);
  core.ctas_done.push(Cycle(80), 0, {0, SmSets::alone(0)});
  activate(core, 1, 79);
  EXPECT_EQ(assignments.sent.size(), 1U);
  activate(core, 80, 80);
  EXPECT_EQ(assignments.arrivals(), (std::vector<std::int64_t>{51, 81}));
}

TEST(Readiness, TheCopyEngineWorksOnOneKStepAtATime) {
  CopyEngine core(CopyEngineConfig{100}, 0, Cycles(10));
  test::RecordingPort<LoadRequest> loads;
  core.loads = &loads;
  KernelLaunch kernel;
  kernel.a = {1, 6, 6, 100, 100};
  kernel.b = {1, 2, 2, 100, 100};
  core.launch(kernel);
  core.starts.push(Cycle(20), 0, {0, 2});
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
  SharedMemory core(config, 0);
  test::RecordingPort<FetchResponse> fragments;
  test::RecordingPort<StageFree> freed;
  test::RecordingPort<BarrierOpen> barriers;
  core.fragments.get() = {&fragments};
  core.barriers.get() = {&barriers};
  core.freed = &freed;
  KernelLaunch kernel;
  kernel.warp.fragments.a = 128;
  kernel.a = {1, 1, 1, 640, 640};
  core.launch(kernel);
  core.starts.push(Cycle(1), 0, {0, 2});
  core.fetches.push(Cycle(2), 0, {0, 0, 0, 0});
  core.fetches.push(Cycle(2), 0, {0, 0, 0, 1});
  core.fills.push(Cycle(17), 0, {0, 0, Cycle(16)});  // 16 .. 21
  core.fills.push(Cycle(19), 0, {0, 1, Cycle(18)});  // 21 .. 26, and a cycle for step 0
  activate(core, 1, 20);
  EXPECT_EQ(fragments.sent.size(), 0U);
  activate(core, 21, 21);
  EXPECT_EQ(fragments.sent.size(), 1U);
  // Step 0 is read at once, before the rest of step 1 comes in.
  EXPECT_EQ(freed.arrivals(), std::vector<std::int64_t>{22});
  activate(core, 22, 26);
  EXPECT_EQ(fragments.sent.size(), 1U);
  activate(core, 27, 27);
  EXPECT_EQ(fragments.sent.size(), 2U);
}

TEST(Readiness, AGroupStartsWhenItsAccumulatorsAreReady) {
  const StreamingMultiprocessorConfig hardware = test::sub_core_hardware();
  SubCore core(hardware, 0, 0);
  DirectWires().connect_inside(core);
  test::RecordingPort<FetchRequest> fetches;
  test::RecordingPort<WarpDone> warps_done;
  core.warp_scheduler.fetches = &fetches;
  core.warp_scheduler.warps_done = &warps_done;
  KernelLaunch kernel;
  kernel.warp.groups_per_step = 2;
  kernel.warp.instructions_per_group = 1;
  kernel.warp.instruction = test::sparse_instruction();
  core.launch(kernel);
  core.warp_scheduler.starts.push(Cycle(1), 0, {0, 1});
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  for (const std::int64_t now : {1, 20, 24, 30}) (void)core.advance(Cycle(now));
  EXPECT_EQ(core.warp_scheduler.instructions_issued(), 1);
  (void)core.advance(Cycle(31));
  EXPECT_EQ(core.warp_scheduler.instructions_issued(), 2);
}

TEST(Readiness, TheFirstChunkIsStagedWhenTheSetupIsOver) {
  Epilogue core(EpilogueConfig{10, field::kMostBytesPerClk, 0, 1000}, {}, 0);
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

TEST(Readiness, WritesFillTheCyclesBeforeARead) {
  Dram dram(DramConfig{1 << 30, 4, 64, 100, 64, 640});
  test::RecordingPort<DramResponse> responses;
  dram.responses = &responses;
  dram.launch();
  dram.requests.push(Cycle(10), 0, {0, 640, true});  // 10 cycles to write
  // Written by then; a burst takes 4 cycles of a channel.
  dram.requests.push(Cycle(20), 0, {1, 64, false});
  dram.requests.push(Cycle(30), 0, {0, 640, true});  // 30 .. 39 and 40 .. 41
  dram.requests.push(Cycle(39), 0, {2, 64, false});  // 39 .. 40
  activate(dram, 1, 39);
  EXPECT_EQ(responses.arrivals(), (std::vector<std::int64_t>{124, 143}));
}

TEST(Readiness, AStageIsAnnouncedWhenItsSecondOperandBegins) {
  KernelLaunch kernel;
  kernel.a = kernel.b = {1, 1, 1, 50, 50};
  SmSets sets(1);
  ResidentCtas resident;
  resident.launch(kernel, 1);
  resident.assign(0, 0, {kernel, 0});
  MemoryBus core(MemoryBusConfig{10, 50, 20}, sets, resident);
  test::RecordingPort<StageFill> fills;
  core.to_shared_memory = &fills;
  core.launch(kernel);
  core.load_data.push(Cycle(5), 0, {0, Operand::a, 0, Cycle(30), SmSets::alone(0)});
  core.load_data.push(Cycle(8), 0, {0, Operand::b, 0, Cycle(8), SmSets::alone(0)});
  activate(core, 1, 7);
  EXPECT_EQ(fills.sent.size(), 0U);
  activate(core, 8, 8);
  EXPECT_EQ(fills.arrivals(), std::vector<std::int64_t>{31 + 10});
}

TEST(Readiness, AWaitingLoadIsServedWithItsFill) {
  SmSets sets(1);
  ResidentCtas resident;
  L2Cache cache({1000, 100, 50, 60, 90, 400}, Cycles(20), {.burst_bytes = 10}, sets, resident);
  test::RecordingPort<LoadResponse> responses;
  test::RecordingPort<DramRequest> dram;
  cache.responses = &responses;
  cache.dram = &dram;
  KernelLaunch kernel;
  kernel.a = {1, 1, 1, 100, 100};
  cache.launch(kernel);
  resident.launch(kernel, 1);
  resident.assign(0, 0, {kernel, 0});
  cache.loads.push(Cycle(5), 0, {0, Operand::a, 0, SmSets::alone(0)});
  activate(cache, 1, 5);
  ASSERT_EQ(dram.sent.size(), 1U);
  cache.fills.push(Cycle(40), 0, {dram.sent[0].message.fill, Cycle(50)});
  activate(cache, 6, 39);
  EXPECT_EQ(responses.sent.size(), 0U);
  activate(cache, 40, 40);
  EXPECT_EQ(responses.sent.size(), 1U);
}

}  // namespace
}  // namespace stcsim
