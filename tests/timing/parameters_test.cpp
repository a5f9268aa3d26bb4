#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// What every parameter of the machine costs the 695 cycles of WholeMachine.OneTileOneKStep, whose
/// times are given there.
struct Change {
  std::string what;
  std::function<void(AcceleratorConfig&)> apply;
  std::int64_t cycles;
};

void expect_cycles(const std::vector<Change>& changes) {
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const Change& change : changes) {
    MachineConfig machine = test::tiny_machine();
    machine.accelerator.dram.write_queue_bytes = 4096;
    change.apply(machine.accelerator);
    runners.push_back(std::make_unique<MachineRunner>(machine));
  }
  std::size_t at = 0;
  for (const Change& change : changes) {
    const GemmRun run = run_gemm(*runners[at++], test::make_problem(16, 8, 16), {"dense", 1});
    EXPECT_EQ(run.result.cycles, change.cycles) << change.what;
  }
}

TEST(Parameters, OneMoreCycleOfLatencyCostsOneEveryTimeItIsPaid) {
  expect_cycles({
      {"launch", [](auto& m) { ++m.cta_scheduler.launch_cycles; }, 696},
      {"CTA set-up", [](auto& m) { ++m.cta_scheduler.cta_setup_cycles; }, 696},
      // Fragments, staging, and two trips there and back.
      {"shared memory", [](auto& m) { ++m.sm.shared_memory.latency_cycles; }, 697 + 4},
      // One k-step has none of the main loop.
      {"barrier", [](auto& m) { ++m.sm.shared_memory.barrier_cycles; }, 695 + 4},
      {"epilogue set-up", [](auto& m) { ++m.sm.epilogue.setup_cycles; }, 696},
      {"mma",
       [](auto& m) {
         for (auto& one : m.sm.tensor_core.instructions) ++one.latency_cycles;
       },
       696},
      {"L2 hit",
       [](auto& m) {
         ++m.l2_cache.near_hit_cycles;
         ++m.l2_cache.far_hit_cycles;
       },
       696},
      // The only SM, number 0, is near to strip 0, slice 0.
      {"far L2 hit", [](auto& m) { ++m.l2_cache.far_hit_cycles; }, 695},
      {"DRAM", [](auto& m) { ++m.dram.latency_cycles; }, 696},
      // The loads' hops are part of the hit latency; the store's is not.
      {"hop", [](auto& m) { ++m.memory_bus.hop_cycles; }, 696},
  });
}

TEST(Parameters, InsideTheSmHalfTheWidthCostsTheCyclesItAdds) {
  expect_cycles({
      // A 111 .. 119, B .. 123 instead of 115 .. 117: A is 4 later.
      {"half the copy engine", [](auto& m) { m.sm.copy_engine.issue_bytes_per_clk = 64; }, 695 + 4},
      // The fill takes the port 449 .. 461, a cycle longer than its bytes come; fragments 6 and
      // staging 8 more.
      {"half the banks", [](auto& m) { m.sm.shared_memory.banks = 16; }, 695 + 1 + 6 + 8},
      // Two chunks of 128 bytes: staged 622 .. 626, there at 645; on the bus 646 .. 648 while the
      // second is staged 646 .. 650, there at 669; bus 670 .. 672; at L2 712.
      {"smaller store chunks", [](auto& m) { m.sm.epilogue.store_chunk_bytes = 128; }, 713},
  });
}

TEST(Parameters, OutsideTheSmTheNarrowestPartDecides) {
  expect_cycles({
      // On the port A 408 .. 424, B .. 432 instead of 420.
      {"half the read port", [](auto& m) { m.memory_bus.sm_read_bytes_per_clk = 32; }, 695 + 12},
      // Four more cycles for 256 bytes.
      {"half the write port", [](auto& m) { m.memory_bus.sm_write_bytes_per_clk = 32; }, 695 + 4},
      // A 156 .. 172, B .. 180 instead of 168; everything behind follows at that pace.
      {"half the DRAM", [](auto& m) { m.dram.bytes_per_clk = 32; }, 695 + 12},
      // 128 bytes/clk are still twice what DRAM brings.
      {"half the L2 read path", [](auto& m) { m.l2_cache.read_bytes_per_clk = 128; }, 695},
      // A 357 .. 373, B .. 381; off L2 at 431 instead of 419.
      {"an eighth of the L2 read path", [](auto& m) { m.l2_cache.read_bytes_per_clk = 32; },
       695 + 12},
      {"half the L2 write path", [](auto& m) { m.l2_cache.write_bytes_per_clk = 128; }, 696},
      // A burst on one of 16 channels of 4 bytes/clk takes 16 cycles: the first are there 15 later.
      {"sixteen channels", [](auto& m) { m.dram.channels = 16; }, 695 + 15},
      // 1024 bytes take 16 cycles: A 156 .. 172, B is there at 188 instead of from 165 on.
      {"bursts of 1024", [](auto& m) { m.dram.burst_bytes = 1024; }, 695 + 23},
      // 256 bytes of output are in DRAM 4 cycles after they were in L2.
      {"no write queue", [](auto& m) { m.dram.write_queue_bytes = 0; }, 695 + 4},
      {"no L2 capacity", [](auto& m) { m.l2_cache.capacity_bytes = 1; }, 695},
      // A and B are larger than that: far, 70 cycles more.
      {"a finer interleave",
       [](auto& m) {
         m.l2_cache.interleave_bytes = 255;
         m.l2_cache.far_hit_cycles += 70;
       },
       695 + 70},
  });
}

}  // namespace
}  // namespace stcsim
