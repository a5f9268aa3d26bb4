#include "sim/run/instruction_loop.hpp"

#include "models/sub_core/sub_core.hpp"

namespace stcsim {
namespace {

/// Passes that fill the pipelines; their time and that of the launch is taken off.
constexpr std::int64_t kWarmUp = 64;
/// Operands wait in registers: buffers enough to hide the model's fetch from shared memory.
constexpr std::int64_t kFragmentBuffers = 16;
constexpr std::int64_t kColdFetches = 2;

WarpProgram program_of(const InstructionLoop& loop, std::int64_t passes) {
  WarpProgram program;
  program.groups_per_step = passes;
  program.instructions_per_group = loop.chains * loop.parts;
  program.instruction = loop.instruction;
  program.fragments = loop.fragments;
  program.streams_b = loop.in_tensor_memory;
  program.of_cta_pair = loop.of_cta_pair;
  program.fragment_buffers = kFragmentBuffers;
  return program;
}

/// A byte of A and nothing of B: no warp waits for memory after its start.
OperandStream one_byte() {
  OperandStream stream;
  stream.strips = stream.rows = stream.edge_rows = 1;
  stream.row_bytes = stream.edge_row_bytes = 1;
  return stream;
}

}  // namespace

KernelLaunch loop_launch(const InstructionLoop& loop, std::int64_t passes) {
  KernelLaunch launch;
  launch.k = launch.k_steps = 1;
  launch.warps = loop.warps;
  launch.stages = 1;
  launch.tile_m = launch.edge_m = launch.tile_n = launch.edge_n = 1;
  launch.a = one_byte();
  launch.warp = program_of(loop, passes);
  launch.epilogue = {1, 0};
  return launch;
}

Cycles cold_start(const AcceleratorConfig& machine) {
  return (Cycles(machine.l2_cache.near_hit_cycles) + machine.dram.access_cycles()) * kColdFetches;
}

LoopLaunches loop_launches(const InstructionLoop& loop) {
  return {loop_launch(loop, kWarmUp + kMeasuredPasses), loop_launch(loop, kWarmUp)};
}

double cycles_per_pass(const AcceleratorConfig& machine, std::int64_t whole, std::int64_t warm_up) {
  const std::int64_t measured = whole - warm_up + cold_start(machine).count();
  return static_cast<double>(measured) / static_cast<double>(kMeasuredPasses);
}

Cycles latency_in_tensor_memory(const InstructionLoop& loop, const MachineConfig& machine) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const InstructionPace pace = timing_of(sm, program_of(loop, 1)).pace;
  return sm.shared_memory.answer_cycles(loop.fragments.a * loop.warps) +
         pace.interval * (loop.parts - 1) + pace.latency;
}

}  // namespace stcsim
