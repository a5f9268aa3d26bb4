#include "reports/validation/instruction_loop.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kPasses = 1024;
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
  program.fragments.b = loop.fragment_bytes;
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
  return {loop_launch(loop, kWarmUp + kPasses), loop_launch(loop, kWarmUp)};
}

double cycles_per_pass(const AcceleratorConfig& machine, std::int64_t whole, std::int64_t warm_up) {
  const std::int64_t measured = whole - warm_up + cold_start(machine).count();
  return static_cast<double>(measured) / static_cast<double>(kPasses);
}

}  // namespace stcsim
