#include "models/sub_core/sub_core.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"
#include "tests/support/sub_core_hardware.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::count;
using test::kLongAfter;
using test::run_core;

/// `warps` warps with `groups` groups of `instructions`; issue interval 4, latency 10.
KernelLaunch kernel(std::int64_t warps, std::int64_t groups, std::int64_t instructions) {
  KernelLaunch launch;
  launch.warps = warps;
  launch.warp.groups_per_step = groups;
  launch.warp.instructions_per_group = instructions;
  launch.warp.instruction = test::sparse_instruction();
  return launch;
}

CtaStart start(std::int64_t steps = 1) {
  return {0, steps};
}

class SubCoreTest : public testing::Test {
 protected:
  void wire(SubCore& core) {
    DirectWires().connect_inside(core);
    core.warp_scheduler.fetches = &fetches_;
    core.warp_scheduler.warps_done = &warps_done_;
  }

  const StreamingMultiprocessorConfig hardware_ = test::sub_core_hardware();
  test::RecordingPort<FetchRequest> fetches_;
  test::RecordingPort<WarpDone> warps_done_;
};

TEST_F(SubCoreTest, AsksForAsManyGroupsAsThereAreFragmentBuffers) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 3, 1));
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  run_core(core, Cycle(5), Cycle(100));
  ASSERT_EQ(fetches_.arrivals(), (std::vector<std::int64_t>{6, 6}));
  EXPECT_EQ(fetches_.sent[1].message.group, 1);
  // The first group is issued at 20 and leaves its buffer at 24.
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  run_core(core, Cycle(20), Cycle(100));
  ASSERT_EQ(fetches_.arrivals(), (std::vector<std::int64_t>{6, 6, 25}));
  EXPECT_EQ(fetches_.sent[2].message.group, 2);
}

/// Group 0 issues at 20, 25, 30 (interval 4, bubble 1) and ends at 34; group 1 at 34, 39, 44. The
/// last instruction's result is there 10 cycles after its issue.
TEST_F(SubCoreTest, RunsOneWarpToTheCycle) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 2, 3));
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  run_core(core, Cycle(5), Cycle(100));
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  core.warp_scheduler.fragments.push(Cycle(22), 0, {0, 0, Cycle(15)});
  run_core(core, Cycle(20), Cycle(100));
  EXPECT_EQ(warps_done_.arrivals(), std::vector<std::int64_t>{54});
  EXPECT_EQ(count(core, "instructions"), 6);
  EXPECT_EQ(core.warp_scheduler.waiting_for(), "");
  core.finish(Cycle(60));
  EXPECT_EQ(bucket(core, Cycle(60), "tensor_core.waiting_memory"), 10);        // 5 .. 15
  EXPECT_EQ(bucket(core, Cycle(60), "tensor_core.waiting_shared_memory"), 5);  // 15 .. 20
  EXPECT_EQ(bucket(core, Cycle(60), "tensor_core.busy"), 6 * 4);
  EXPECT_EQ(bucket(core, Cycle(60), "tensor_core.issue_gap"), 4);  // 20 .. 48 less busy
  EXPECT_EQ(bucket(core, Cycle(60), "tensor_core.waiting_dependency"), 0);
  EXPECT_EQ(bucket(core, Cycle(60), "tensor_core.idle"), 5 + 12);
  // Instructions come every 4 cycles: the register file is done with each after 3, the selector
  // after 2.
  EXPECT_EQ(bucket(core, Cycle(60), "register_file.busy"), 6 * 3);
  EXPECT_EQ(bucket(core, Cycle(60), "register_file.blocked"), 6);
  EXPECT_EQ(bucket(core, Cycle(60), "register_file.starved"), 60 - 6 * 4);
  EXPECT_EQ(bucket(core, Cycle(60), "operand_selector.busy"), 6 * 2);
  EXPECT_EQ(bucket(core, Cycle(60), "operand_selector.blocked"), 6 * 2);
}

/// The next group adds to the same accumulators: it starts a latency after the one before.
TEST_F(SubCoreTest, AGroupWaitsForTheAccumulators) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 2, 1));
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(20)});
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(20)});
  run_core(core, Cycle(5), Cycle(100));
  EXPECT_EQ(warps_done_.arrivals(), std::vector<std::int64_t>{40});  // issued at 20 and 30
  core.finish(Cycle(40));
  EXPECT_EQ(bucket(core, kLongAfter, "tensor_core.waiting_dependency"), 6);  // 24 .. 30
  EXPECT_EQ(bucket(core, kLongAfter, "tensor_core.busy"), 8);
}

/// Two k-steps of two groups. Group 1, the last of the first k-step, waits for the barrier at 50;
/// group 3, the last of all, for none. Groups issue at 20, 50, 60 and 70: waits of 24 .. 50 and 64
/// .. 70 for it and for the accumulators.
TEST_F(SubCoreTest, TheLastGroupOfAStepWaitsForTheBarrier) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 2, 1));
  core.warp_scheduler.starts.push(Cycle(5), 0, start(2));
  for (const std::int64_t at : {20, 20, 60, 60}) {
    core.warp_scheduler.fragments.push(Cycle(at), 0, {0, 0, Cycle(20)});
  }
  core.warp_scheduler.barriers.push(Cycle(50), 0, {0});
  run_core(core, Cycle(5), Cycle(100));
  EXPECT_EQ(warps_done_.arrivals(), std::vector<std::int64_t>{80});
  core.finish(Cycle(80));
  EXPECT_EQ(bucket(core, kLongAfter, "tensor_core.busy"), 16);
  EXPECT_EQ(bucket(core, kLongAfter, "tensor_core.waiting_dependency"), 26 + 6);
}

/// Two warps hide each other's bubbles: 20, 24, 28, ... 40. The last of warp 0 is at 36.
TEST_F(SubCoreTest, TwoWarpsTakeTurns) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(2, 1, 3));
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(20)});
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 1, Cycle(20)});
  run_core(core, Cycle(5), Cycle(100));
  EXPECT_EQ(warps_done_.arrivals(), (std::vector<std::int64_t>{46, 50}));
  core.finish(Cycle(50));
  EXPECT_EQ(bucket(core, kLongAfter, "tensor_core.issue_gap"), 0);
  EXPECT_EQ(test::sum_of_buckets(core, kLongAfter, "tensor_core"), 50);
}

TEST_F(SubCoreTest, WarpsAreDealtOutToSubCores) {
  for (const std::int64_t index : {0, 1, 2}) {
    const StreamingMultiprocessorConfig hardware = test::sub_core_hardware(3);
    SubCore core(hardware, 0, index);
    wire(core);
    fetches_.sent.clear();
    core.launch(kernel(5, 1, 1));
    core.warp_scheduler.starts.push(Cycle(1), 0, start());
    run_core(core, Cycle(1), Cycle(10));
    std::vector<std::int64_t> warps;
    for (const auto& fetch : fetches_.sent) {
      warps.push_back(fetch.message.warp);
      EXPECT_EQ(fetch.message.sub_core, index);
    }
    const std::vector<std::int64_t> expected =
        index < 2 ? std::vector<std::int64_t>{index, index + 3} : std::vector<std::int64_t>{2};
    EXPECT_EQ(warps, expected);
  }
}

/// Three CTAs of two warps on four sub-cores: the SM's warps are 0 and 1, 2 and 3, 4 and 5, so each
/// CTA finds sub-cores of its own as long as there are any.
TEST_F(SubCoreTest, SmallCtasShareTheSubCores) {
  using Dealt = std::vector<std::pair<std::int64_t, std::int64_t>>;  // slot, warp
  const std::vector<Dealt> expected{{{0, 0}, {2, 0}}, {{0, 1}, {2, 1}}, {{1, 0}}, {{1, 1}}};
  const StreamingMultiprocessorConfig hardware = test::sub_core_hardware(4);
  for (const std::int64_t index : {0, 1, 2, 3}) {
    SubCore core(hardware, 0, index);
    wire(core);
    fetches_.sent.clear();
    KernelLaunch launch = kernel(2, 1, 1);
    launch.ctas_per_sm = 3;
    core.launch(launch);
    for (const std::int64_t slot : {0, 1, 2}) {
      core.warp_scheduler.starts.push(Cycle(1 + slot), 0, {slot, 1});
    }
    run_core(core, Cycle(1), Cycle(10));
    Dealt dealt;
    for (const auto& fetch : fetches_.sent)
      dealt.emplace_back(fetch.message.slot, fetch.message.warp);
    EXPECT_EQ(dealt, expected[static_cast<std::size_t>(index)]) << index;
  }
}

/// Three warps a CTA on two sub-cores: the second CTA's first warp is the SM's warp 3, on sub-core
/// 1, and the answer to its fetch finds it there.
TEST_F(SubCoreTest, AWarpIsFoundWhereverItsSlotBegins) {
  const StreamingMultiprocessorConfig hardware = test::sub_core_hardware(2);
  SubCore core(hardware, 0, 1);
  wire(core);
  KernelLaunch launch = kernel(3, 1, 1);
  launch.ctas_per_sm = 2;
  core.launch(launch);
  core.warp_scheduler.starts.push(Cycle(5), 0, {1, 1});
  core.warp_scheduler.fragments.push(Cycle(20), 0, {1, 0, Cycle(20)});
  core.warp_scheduler.fragments.push(Cycle(40), 0, {1, 2, Cycle(40)});
  run_core(core, Cycle(5), Cycle(100));
  EXPECT_EQ(warps_done_.arrivals(), (std::vector<std::int64_t>{30, 50}));
  EXPECT_EQ(core.warp_scheduler.waiting_for(), "");
}

TEST_F(SubCoreTest, ASubCoreWithoutWarpsStaysIdle) {
  const StreamingMultiprocessorConfig hardware = test::sub_core_hardware(4);
  SubCore core(hardware, 0, 3);
  wire(core);
  core.launch(kernel(2, 1, 1));
  core.warp_scheduler.starts.push(Cycle(1), 0, start());
  run_core(core, Cycle(1), Cycle(10));
  core.finish(Cycle(10));
  EXPECT_TRUE(fetches_.sent.empty());
  EXPECT_TRUE(warps_done_.sent.empty());
  EXPECT_EQ(bucket(core, kLongAfter, "tensor_core.idle"), 10);
}

TEST_F(SubCoreTest, AWarpWithoutKStepsIsDoneAtOnce) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(2, 1, 1));
  core.warp_scheduler.starts.push(Cycle(7), 0, start(0));
  run_core(core, Cycle(7), Cycle(20));
  EXPECT_EQ(warps_done_.arrivals(), (std::vector<std::int64_t>{8, 8}));
  EXPECT_TRUE(fetches_.sent.empty());
}

/// A slot's next CTA may have another number of k-steps, as splits do.
TEST_F(SubCoreTest, ASlotsNextCtaHasItsOwnLength) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 1, 1));
  core.warp_scheduler.starts.push(Cycle(5), 0, start(2));
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(20)});
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(20)});
  core.warp_scheduler.barriers.push(Cycle(15), 0, {0});
  run_core(core, Cycle(5), Cycle(99));
  EXPECT_EQ(warps_done_.arrivals(), std::vector<std::int64_t>{40});  // issued at 20 and 30
  core.warp_scheduler.starts.push(Cycle(100), 0, start(1));
  core.warp_scheduler.fragments.push(Cycle(110), 0, {0, 0, Cycle(110)});
  run_core(core, Cycle(100), Cycle(200));
  EXPECT_EQ(warps_done_.arrivals(), (std::vector<std::int64_t>{40, 120}));
  EXPECT_EQ(count(core, "instructions"), 3);
}

/// Group 0 of warp 0 issues from 20 to 34 and ends; nothing that comes for the warp matters before.
TEST_F(SubCoreTest, AWarpAwaitsNothingWhileItIssues) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(2, 2, 3));
  const FetchResponse of_warp_0{0, 0, Cycle(20)};
  const FetchResponse of_warp_1{0, 1, Cycle(20)};
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  core.warp_scheduler.fragments.push(Cycle(20), 0, of_warp_0);
  (void)core.advance(Cycle(5));
  EXPECT_TRUE(core.awaits(of_warp_0));
  (void)core.advance(Cycle(20));
  EXPECT_FALSE(core.awaits(of_warp_0));
  EXPECT_TRUE(core.awaits(of_warp_1));
  EXPECT_TRUE(core.awaits(BarrierOpen{0}));  // warp 1 might
  (void)core.advance(Cycle(34));
  EXPECT_TRUE(core.awaits(of_warp_0));
}

TEST_F(SubCoreTest, ABarrierIsAwaitedByWarpsThatDoNotIssue) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 1, 3));
  EXPECT_FALSE(core.awaits(BarrierOpen{0}));  // no CTA
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  (void)core.advance(Cycle(5));
  EXPECT_TRUE(core.awaits(BarrierOpen{0}));
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(20)});
  (void)core.advance(Cycle(20));
  EXPECT_FALSE(core.awaits(BarrierOpen{0}));
}

/// The second group's fragments come at 22, while the first issues: it is not woken for them, and
/// takes them at 34, when the first ends.
TEST_F(SubCoreTest, WhatIsNotAwaitedDoesNotWakeIt) {
  SubCore core(hardware_, 0, 0);
  wire(core);
  core.launch(kernel(1, 2, 3));
  core.warp_scheduler.starts.push(Cycle(5), 0, start());
  core.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, Cycle(15)});
  core.warp_scheduler.fragments.push(Cycle(22), 0, {0, 0, Cycle(15)});
  EXPECT_EQ(run_core(core, Cycle(5), Cycle(100)), (std::vector<std::int64_t>{5, 20, 34, 48}));
  EXPECT_EQ(warps_done_.arrivals(), std::vector<std::int64_t>{54});
}

TEST_F(SubCoreTest, SaysWhatItWaitsFor) {
  const StreamingMultiprocessorConfig hardware = test::sub_core_hardware(2);
  SubCore core(hardware, 4, 1);
  wire(core);
  core.launch(kernel(4, 2, 1));
  core.warp_scheduler.starts.push(Cycle(1), 0, start());
  run_core(core, Cycle(1), Cycle(10));
  EXPECT_EQ(core.warp_scheduler.waiting_for(),
            "sub-core 1 of SM 4: warp 1 of CTA slot 0 waits for the fragments of group 0 of 2");
}

}  // namespace
}  // namespace stcsim
