#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/gemm_run.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// GEMMs on the tiny machine, followed by hand from launch to the last store. A tile is 16 x 8, a
/// k-step 16 deep: 512 bytes of A, 256 of B, 256 of C.
LaunchResult run(const MachineConfig& machine, const GemmProblem& problem,
                 const std::string& kernel) {
  MachineRunner runner(machine);
  LaunchResult result = run_gemm(runner, problem, {kernel, 1}).result;
  test::expect_buckets_sum(result);
  return result;
}

/// Launch 100, dispatch 101, CTA set-up 111.
/// Requests: A issued 115 (512/128), B 117 (256/128); at L2, a hop later, 155 and 157; both miss.
/// DRAM: A 156 .. 164 (512/64), B 158 .. 168; data 200 later: 364, 368.
/// L2: read 366 and 369, the hit latency less two hops (130 - 80) later: 416, 419.
/// Bus: A 416 .. 424 (512/64), B 424 .. 428; a hop later: 464, 468.
/// Shared memory: A 464 .. 468, B 468 .. 470; fragments (768 bytes) 470 .. 476, there at 475 + 20.
/// Tensor core: issue 495, result 520.
/// Epilogue: start 521, set-up until 551, staging 552 .. 560 (1024 bytes), there at 559 + 20; store
/// on the bus 580 .. 584, at L2 624, written 625.
TEST(WholeMachine, OneTileOneKStep) {
  const LaunchResult result = run(test::tiny_machine(), test::make_problem(16, 8, 16), "dense");
  EXPECT_EQ(result.cycles, 625);
  EXPECT_EQ(result.mma_instructions, 1);
  EXPECT_EQ(result.multiplier_macs, 16 * 8 * 16);
  EXPECT_EQ(result.peak_macs, 625 * 256);
  EXPECT_EQ(result.traffic.l2_read_bytes, 768);
  EXPECT_EQ(result.traffic.l2_hit_bytes, 0);
  EXPECT_EQ(result.traffic.l2_write_bytes, 256);
  EXPECT_EQ(result.traffic.dram_read_bytes, 768);
  EXPECT_EQ(result.traffic.dram_write_bytes, 256);
  EXPECT_EQ(result.traffic.shared_memory_write_bytes, 768 + 512);
  EXPECT_EQ(result.traffic.shared_memory_read_bytes, 768 + 512);
  EXPECT_EQ(result.traffic.metadata_bytes, 0);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "busy"), 8);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_memory"), 470 - 111);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_shared_memory"), 495 - 470);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "idle"), 111 + 625 - 503);
  EXPECT_EQ(test::bucket_of(result, "copy_engine", "issuing"), 6);
  EXPECT_EQ(test::bucket_of(result, "dram", "busy"), 12);
  EXPECT_EQ(test::bucket_of(result, "epilogue", "setup"), 30);
  EXPECT_EQ(test::bucket_of(result, "epilogue", "waiting_shared_memory"), 579 - 551);
  EXPECT_EQ(test::bucket_of(result, "epilogue", "waiting_bus"), 584 - 579);
}

/// With one stage the second k-step's copies start when the first has been read out (476): all of
/// the 359 cycles from the first request to the full stage and the 6 of reading come again.
TEST(WholeMachine, TwoKStepsInOneStage) {
  const LaunchResult result = run(test::tiny_machine(), test::make_problem(16, 8, 32), "dense_s1");
  EXPECT_EQ(result.cycles, 625 + 359 + 6);
}

/// With two stages the second k-step's copies follow the first's: issued 121 and 123, at DRAM 162
/// .. 176 and 164 .. 180, data 376 and 380, off L2 at 428 and 431, over the bus 428 .. 436 and ..
/// 440, into shared memory 476 .. 480 (behind the fragments of step 0) and 480 .. 482. The
/// fragments are there at 487 + 20, but the accumulators only at 520: 25 more cycles.
TEST(WholeMachine, TwoKStepsInTwoStages) {
  const LaunchResult result = run(test::tiny_machine(), test::make_problem(16, 8, 32), "dense");
  EXPECT_EQ(result.cycles, 625 + 25);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_dependency"), 520 - 507);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_memory"), 470 - 111);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_shared_memory"), 25 + 4);
}

/// The second tile starts when the scheduler knows of the free slot, at 584 + 2: set-up done 597.
/// A is in the L2 cache: at the cache 641, read 643, on the bus 693 .. 701, filled 741 .. 745. B:
/// at DRAM 644 .. 648, back 848, read 849, bus 899 .. 903, filled 943 .. 945. From there on as for
/// the first tile, whose stage was full at 470: 475 later.
TEST(WholeMachine, TwoTilesOneAfterTheOther) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.max_ctas = 1;
  const LaunchResult result = run(machine, test::make_problem(16, 16, 16), "dense");
  EXPECT_EQ(result.cycles, 625 + 475);
  EXPECT_EQ(result.traffic.l2_hit_bytes, 512);
  EXPECT_EQ(result.traffic.dram_read_bytes, 768 + 256);
}

/// 2:4, k = 32: A has 576 bytes, metadata included, B 512. Issued 116 and 120, at DRAM 157 .. 166
/// and .. 174, data 366 and 374, off L2 at 419 and 426, over the bus 419 .. 428 and .. 436, filled
/// 468 .. 473 and 476 .. 480, read (1088 bytes) 480 .. 489, there at 508: 13 later than dense.
TEST(WholeMachine, OneSparseTile) {
  const LaunchResult result =
      run(test::tiny_machine(), test::make_problem(16, 8, 32, 1, DataType::fp16, {2, 4}), "sparse");
  EXPECT_EQ(result.cycles, 625 + 13);
  EXPECT_EQ(result.mma_instructions, 1);
  EXPECT_EQ(result.multiplier_macs, 16 * 8 * 16);
  EXPECT_EQ(result.traffic.metadata_bytes, 64);
  EXPECT_EQ(result.traffic.dram_read_bytes, 576 + 512);
}

/// An edge tile of 9 x 5 x 7: A has 9 rows of 14 bytes, B 5, C 45 elements. Requests of 126 and 70
/// bytes take a cycle each: at L2 152 and 153, at DRAM 153 .. 155 (128 bytes; on two of the four
/// channels 4 cycles, 157) and 154 .. 157 (158 on two channels), data 357 and 358, read 358 and
/// 359, off L2 408 and 409, bus 410 and 412 (3.06 cycles), filled 450 .. 451 and 452 .. 453. The
/// math is that of a full tile: fragments 453 .. 459, there at 478, result 503, epilogue set up
/// 534. 360 bytes of staging 535 .. 538, there at 557; 90 bytes on the bus 558 .. 560, written 601.
TEST(WholeMachine, AnEdgeTileMovesLessAndMultipliesTheSame) {
  const LaunchResult result = run(test::tiny_machine(), test::make_problem(9, 5, 7), "dense");
  EXPECT_EQ(result.cycles, 601);
  EXPECT_EQ(result.multiplier_macs, 16 * 8 * 16);
  EXPECT_EQ(result.traffic.l2_read_bytes, 196);
  EXPECT_EQ(result.traffic.dram_read_bytes, 256);
}

struct Change {
  std::string what;
  std::function<void(MachineConfig&)> apply;
  std::int64_t cycles;
};

/// What one more cycle, or half the width, costs the 625 cycles of OneTileOneKStep.
std::vector<Change> changes() {
  return {
      {"launch", [](auto& m) { ++m.accelerator.cta_scheduler.launch_cycles; }, 626},
      {"dispatch interval, one CTA",
       [](auto& m) { m.accelerator.cta_scheduler.dispatch_interval_cycles = 50; }, 625},
      {"CTA set-up", [](auto& m) { ++m.accelerator.cta_scheduler.cta_setup_cycles; }, 626},
      // Fragments and staging.
      {"shared memory", [](auto& m) { ++m.accelerator.sm.shared_memory.latency_cycles; }, 627},
      {"barrier, one k-step", [](auto& m) { m.accelerator.sm.shared_memory.barrier_cycles = 99; },
       625},
      {"epilogue set-up", [](auto& m) { ++m.accelerator.sm.epilogue.setup_cycles; }, 626},
      {"mma",
       [](auto& m) {
         for (auto& one : m.accelerator.sm.tensor_core.instructions) ++one.latency_cycles;
       },
       626},
      {"L2 hit",
       [](auto& m) {
         ++m.accelerator.l2_cache.near_hit_cycles;
         ++m.accelerator.l2_cache.far_hit_cycles;
       },
       626},
      {"DRAM", [](auto& m) { ++m.accelerator.dram.latency_cycles; }, 626},
      // The loads' hops are part of the hit latency; the store's is not.
      {"hop", [](auto& m) { ++m.accelerator.memory_bus.hop_cycles; }, 626},
      // Bus 416 .. 432 .. 440 instead of 416 .. 428.
      {"half the read port", [](auto& m) { m.accelerator.memory_bus.sm_read_bytes_per_clk = 32; },
       625 + 12},
      // Four more cycles for 256 bytes.
      {"half the write port", [](auto& m) { m.accelerator.memory_bus.sm_write_bytes_per_clk = 32; },
       625 + 4},
      // A 156 .. 172 instead of 164; B is 12 later, but has to wait for A on the bus.
      {"half the DRAM", [](auto& m) { m.accelerator.dram.bytes_per_clk = 32; }, 625 + 8},
      // B is read after A's 4 cycles: 368 .. 370, one more; the bus was busy until 424 anyway.
      {"half the L2 read path", [](auto& m) { m.accelerator.l2_cache.read_bytes_per_clk = 128; },
       625 + 2},
      {"half the L2 write path", [](auto& m) { m.accelerator.l2_cache.write_bytes_per_clk = 128; },
       626},
      // A 111 .. 119, B .. 123 instead of 115 .. 117: A is 4 later.
      {"half the copy engine",
       [](auto& m) { m.accelerator.sm.copy_engine.issue_bytes_per_clk = 64; }, 625 + 4},
      // Fragments 6, staging 8 more; A 464 .. 472, B .. 476 instead of 470.
      {"half the banks", [](auto& m) { m.accelerator.sm.shared_memory.banks = 16; },
       625 + 6 + 8 + 6},
      // Two chunks of 128 bytes: staged 552 .. 556, there at 575; on the bus 576 .. 578 while the
      // second is staged 576 .. 580, there at 599; bus 600 .. 602; written 642.5.
      {"smaller store chunks", [](auto& m) { m.accelerator.sm.epilogue.store_chunk_bytes = 128; },
       643},
  };
}

TEST(WholeMachine, EveryParameterCostsWhatItSays) {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const Change& change : changes()) {
    MachineConfig machine = test::tiny_machine();
    change.apply(machine);
    runners.push_back(std::make_unique<MachineRunner>(machine));
  }
  std::size_t at = 0;
  for (const Change& change : changes()) {
    const GemmRun run = run_gemm(*runners[at++], test::make_problem(16, 8, 16), {"dense", 1});
    EXPECT_EQ(run.result.cycles, change.cycles) << change.what;
  }
}

}  // namespace
}  // namespace stcsim
