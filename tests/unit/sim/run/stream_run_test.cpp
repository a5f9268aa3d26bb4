#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

TEST(StreamLaunch, MovesEveryByteOnce) {
  const MachineConfig machine = test::tiny_machine();
  MachineRunner runner(machine);
  for (const StreamWork& work : {StreamWork{1, 1, 1}, StreamWork{100000, 50001, 1000},
                                 StreamWork{65536 * 3 + 7, 0, 5}, StreamWork{0, 70000, 0}}) {
    const LaunchResult result = run_stream(runner, work);
    EXPECT_EQ(result.count("l2_read_bytes"), work.read_bytes);
    EXPECT_EQ(result.count("l2_write_bytes"), work.write_bytes);
    EXPECT_EQ(result.mma_instructions, 0);
    EXPECT_EQ(result.kernel.name, "stream");
    test::expect_buckets_sum(result);
  }
}

/// Three bytes for four CTAs: each moves one.
TEST(StreamLaunch, OfFewerBytesThanCtasEachMovesOne) {
  const MachineConfig machine = test::tiny_machine();
  constexpr std::int64_t kMany = 16384 * 4 - 3;
  MachineRunner runner(machine);
  for (const StreamWork& work : {StreamWork{3, kMany, 1000}, StreamWork{kMany, 3, 1000}}) {
    ASSERT_EQ(stream_launch(machine, work).ctas(), 4);
    const LaunchResult result = run_stream(runner, work);
    EXPECT_EQ(result.count("l2_read_bytes"), work.read_bytes == 3 ? 4 : kMany);
    EXPECT_EQ(result.count("l2_write_bytes"), work.write_bytes == 3 ? 4 : kMany);
  }
}

StreamWork looping(std::int64_t read_bytes, const StreamGrid& grid) {
  return {.read_bytes = read_bytes, .write_bytes = 4096, .vector_ops = 100, .grid = grid};
}

TEST(StreamLaunch, CtasThatLoopWaitForEachTrip) {
  const MachineConfig machine = test::tiny_machine();
  MachineRunner runner(machine);
  constexpr std::int64_t kBytes = 64 * 1024;
  const LaunchResult one = run_stream(runner, looping(kBytes, {1, 256, 1024, 1}));
  EXPECT_EQ(one.count("l2_read_bytes"), kBytes);
  EXPECT_EQ(one.count("dram_read_bytes"), kBytes);
  EXPECT_EQ(one.count("l2_write_bytes"), 4096);
  // 64 trips, each at least as long as the way to DRAM and back.
  const std::int64_t way = 130 + 200;
  EXPECT_GE(one.cycles, 64 * way);
  EXPECT_LE(one.cycles, 64 * (way + 300));
  // Twice as much under way halves the trips; so does a second CTA.
  const LaunchResult wider = run_stream(runner, looping(kBytes, {1, 256, 2048, 1}));
  const LaunchResult two = run_stream(runner, looping(kBytes, {2, 256, 1024, 1}));
  EXPECT_LT(wider.cycles, one.cycles * 2 / 3);
  EXPECT_LT(two.cycles, one.cycles * 2 / 3);
  test::expect_buckets_sum(one);
}

/// A sum over eight warps before each pass but the first: 32 values from one bank for each of them,
/// their sums one by one and a first load, at 20 cycles.
TEST(StreamLaunch, CtasThatLoopAddUpBetweenPasses) {
  const MachineConfig machine = test::tiny_machine();
  const auto wait_of = [&](std::int64_t passes) {
    return stream_launch(machine, looping(1 << 20, {2, 256, 4096, passes})).index_wait;
  };
  EXPECT_EQ(wait_of(1), Cycles(0));
  EXPECT_EQ(wait_of(3), Cycles(2 * (8 * 32 + 9 * 20)));
}

/// 3000 of 5000 operations on a quarter of the lanes are 12000; without lanes of their own 3000.
TEST(StreamLaunch, ComparisonsHaveTheLanesOfIntegers) {
  MachineConfig machine = test::tiny_machine();
  const auto instructions = [&](std::int64_t vector_ops, std::int64_t integer_ops) {
    return stream_launch(machine, {.vector_ops = vector_ops, .integer_ops = integer_ops})
        .warp.instructions_per_group;
  };
  const std::int64_t all = instructions(5000, 3000);
  EXPECT_EQ(all, instructions(5000, 0));
  machine.accelerator.sm.integer_lanes_per_sub_core =
      machine.accelerator.sm.vector_lanes_per_sub_core / 4;
  EXPECT_EQ(instructions(5000, 3000), instructions(14000, 0));
  EXPECT_GT(instructions(5000, 3000), 2 * all);
  EXPECT_EQ(instructions(5000, 0), all);
}

/// 2^20 operations in eight warps of 64 CTAs: 64 for each thread, and on 128 lanes an instruction
/// does those of four warps. Loops also do eight of every thread.
TEST(StreamLaunch, MoreLanesThanAWarpTakeSeveralAtATime) {
  MachineConfig machine = test::tiny_machine();
  const auto instructions = [&](const StreamGrid& grid) {
    return stream_launch(machine, {.read_bytes = 1 << 20, .vector_ops = 1 << 20, .grid = grid})
        .warp.instructions_per_group;
  };
  StreamGrid loop{64, 256, 1 << 14};
  loop.thread_ops = 8;
  for (const auto& [lanes, whole] : {std::pair{16, 64}, {32, 64}, {128, 16}}) {
    machine.accelerator.sm.vector_lanes_per_sub_core = lanes;
    EXPECT_EQ(instructions({}), whole) << lanes;
    EXPECT_EQ(instructions(loop), whole + whole / 8) << lanes;
  }
}

/// CTAs that share the rows of columns are as many as the machine holds at a time, all of a column
/// alike; the last adds up the others' sums, which four threads read one after the other.
TEST(StreamLaunch, SumsAlongColumnsFillTheMachine) {
  MachineConfig machine = test::tiny_machine();
  AcceleratorConfig& hardware = machine.accelerator;
  hardware.num_sms = 4;
  hardware.sm.max_warps = 32;
  hardware.sm.max_ctas = 16;
  hardware.l2_cache.near_hit_cycles = 100;
  hardware.l2_cache.far_hit_cycles = 140;
  StreamGrid grid{.ctas = 3000, .threads = 256, .trip_bytes = 1024};
  grid.columns = 3;
  grid.sum_threads = 4;
  grid.at_a_time = true;
  const KernelLaunch full = stream_launch(machine, looping(1 << 20, grid));
  EXPECT_EQ(full.ctas(), 3 * 6);  // 16 at a time
  EXPECT_EQ(full.index_wait, Cycles(2 * 120));
  grid.ctas = 9;
  EXPECT_EQ(stream_launch(machine, looping(1 << 20, grid)).ctas(), 9);
  grid.ctas = 3;  // nothing is shared
  EXPECT_EQ(stream_launch(machine, looping(1 << 20, grid)).index_wait, Cycles(0));
  grid.ctas = 3000;
  grid.at_a_time = false;
  EXPECT_EQ(stream_launch(machine, looping(1 << 20, grid)).ctas(), 3000);
  grid.sum_threads = 0;
  EXPECT_EQ(stream_launch(machine, looping(1 << 20, grid)).index_wait, Cycles(0));
  const auto instructions = [&] {
    return stream_launch(machine, looping(1 << 20, grid)).warp.instructions_per_group;
  };
  const std::int64_t before = instructions();
  grid.thread_ops = 500;
  EXPECT_EQ(instructions(), before + 500);  // a trip for every CTA
}

/// DRAM's bytes of two passes over half a MiB.
std::int64_t read_in_two_passes(std::int64_t l2_bytes, std::int64_t far_hit_cycles = 130) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.l2_cache.capacity_bytes = l2_bytes;
  machine.accelerator.l2_cache.far_hit_cycles = far_hit_cycles;
  MachineRunner runner(machine);
  const LaunchResult result = run_stream(runner, looping(1 << 20, {2, 256, 4096, 2}));
  EXPECT_EQ(result.count("l2_read_bytes"), 1 << 20);
  return result.count("dram_read_bytes");
}

TEST(StreamLaunch, ASecondPassFindsInL2WhatFitsIntoIt) {
  EXPECT_EQ(read_in_two_passes(1 << 21), 1 << 19);
}

TEST(StreamLaunch, ASecondPassReadsFromDramWhatDoesNotFit) {
  EXPECT_EQ(read_in_two_passes(1 << 18), 1 << 20);
}

/// Half of it lies in the SM's own partition and in the one that its addresses belong to.
TEST(StreamLaunch, OfTwoPartitionsOneSmHasTwoThirds) {
  constexpr std::int64_t kRead = 1 << 19;
  const auto read_of = [](auto... machine) {
    return test::in_own_process([&] { return std::to_string(read_in_two_passes(machine...)); });
  };
  EXPECT_EQ(read_of(kRead * 20 / 4, 230), std::to_string(kRead + 4096 / 8));
  EXPECT_EQ(read_of(kRead * 21 / 4, 230), std::to_string(kRead));
  EXPECT_EQ(read_of(kRead * 14 / 4), std::to_string(kRead));
}

TEST(StreamLaunch, OneCtaPerPieceOfMemory) {
  const MachineConfig machine = test::tiny_machine();
  EXPECT_EQ(stream_launch(machine, {16384, 0, 0}).ctas(), 1);
  EXPECT_EQ(stream_launch(machine, {16384, 1, 0}).ctas(), 2);
  EXPECT_EQ(stream_launch(machine, {0, 0, 0}).ctas(), 1);
}

/// Adam on 335 million parameters: half a million CTAs. No CTA may be much larger than the others,
/// for all occupy an SM like the largest.
TEST(StreamLaunch, PiecesOfVeryManyCtasAreEven) {
  const StreamWork work{4690000001, 4690000001, 3685000000};
  const KernelLaunch launch = stream_launch(test::tiny_machine(), work);
  EXPECT_GT(launch.ctas(), 500000);
  EXPECT_LE(launch.a.edge_rows, launch.a.rows);
  EXPECT_EQ(launch.a.rows * (launch.ctas() - 1) + launch.a.edge_rows, work.read_bytes);
  EXPECT_LE(launch.edge_m, launch.tile_m);
  EXPECT_EQ(launch.stored_bytes(), work.write_bytes);
}

/// 16 lanes take two cycles for a warp; 8 warps share 1000 operations in groups of 32.
TEST(StreamLaunch, VectorLanesDoTheArithmetic) {
  const MachineConfig machine = test::tiny_machine();
  const KernelLaunch launch = stream_launch(machine, {4096, 4096, 1000});
  EXPECT_EQ(timing_of(machine.accelerator.sm, launch.warp).pace.interval, Cycles(2));
  EXPECT_EQ(launch.warp.instructions_per_group, 4);
  EXPECT_EQ(launch.warp.fragments, (FragmentBytes{512, 0, 0}));
}

}  // namespace
}  // namespace stcsim
