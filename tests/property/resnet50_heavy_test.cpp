#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/resnet50.hpp"

namespace stcsim {
namespace {

LaunchResult run(MachineRunner& runner, const GemmProblem& problem, bool fast_forward) {
  runner.set_fast_forward(fast_forward);
  return run_gemm(runner, problem, {"auto", 1}).result;
}

/// Simulates every second of them, dense the others than sparse, in full and with fast-forward.
/// Returns how many times fewer events that takes; nothing else may differ.
double events_saved(Pattern pattern) {
  // Of the machine on which the figures below were found: epilogues and DRAM change which kernels
  // are chosen; CTAs that share an SM, and slices that leave the L2 cache in part, recur less.
  MachineConfig machine = load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config;
  machine.accelerator.sm.epilogue = {100};
  machine.accelerator.sm.shared_memory.barrier_cycles = 0;
  machine.accelerator.dram.tile_share = 1;
  machine.accelerator.l2_cache.capacity_bytes *= 4;
  machine.stacks.clear();  // kernels of its own list
  MachineRunner runner(machine);
  std::int64_t events_on = 0;
  std::int64_t events_off = 0;
  const std::string network = STCSIM_SOURCE_DIR "/configs/networks/resnet50.yaml";
  bool is_due = pattern.is_dense();
  for (const GemmProblem& problem : test::resnet50_gemms(pattern, network)) {
    is_due = !is_due;
    if (!is_due) continue;
    const LaunchResult off = run(runner, problem, false);
    LaunchResult on = run(runner, problem, true);
    events_on += on.events;
    events_off += off.events;
    on.events = off.events;
    EXPECT_TRUE(on == off) << problem.m << " x " << problem.n << " x " << problem.k;
  }
  return static_cast<double>(events_off) / static_cast<double>(events_on);
}

TEST(ResNet50, FastForwardTakesAHundredTimesFewerEventsForTheSameFigures) {
  EXPECT_GE(events_saved(kDense), 100.0);
}

TEST(ResNet50, FastForwardTakesAHundredTimesFewerEventsForTheSameFiguresSparse) {
  EXPECT_GE(events_saved(Pattern{2, 4}), 100.0);
}

}  // namespace
}  // namespace stcsim
