#include "sim/stream_kernel.hpp"

#include <algorithm>

namespace stcsim {
namespace {

/// Bytes read and written by one CTA; as frameworks launch them: 256 threads, several 16-byte
/// accesses per thread.
constexpr std::int64_t kBytesPerCta = 65536;
constexpr std::int64_t kWarpsPerCta = 8;
constexpr std::int64_t kWarpThreads = 32;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

OperandStream input_stream(std::int64_t bytes, std::int64_t ctas) {
  OperandStream stream;
  stream.strips = ctas;
  stream.rows = bytes / ctas;
  stream.edge_rows = bytes - stream.rows * (ctas - 1);
  stream.row_bytes = stream.edge_row_bytes = 1;
  stream.distinct_strips = ctas;
  return stream;
}

WarpProgram vector_program(const MachineConfig& machine, std::int64_t ctas,
                           const StreamWork& work) {
  const std::int64_t warps = ctas * kWarpsPerCta;
  WarpProgram program;
  program.instructions_per_group =
      std::max<std::int64_t>(1, ceil_div(work.vector_ops, warps * kWarpThreads));
  program.interval = cycles_for(kWarpThreads, machine.accelerator.sm.vector_lanes_per_sub_core);
  program.latency = program.interval;
  program.fragment_bytes = work.read_bytes / warps;
  program.fragment_buffers = 1;
  return program;
}

}  // namespace

KernelLaunch stream_launch(const MachineConfig& machine, const StreamWork& work) {
  const std::int64_t ctas =
      std::max<std::int64_t>(1, ceil_div(work.read_bytes + work.write_bytes, kBytesPerCta));
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  KernelLaunch launch;
  launch.tiles_m = ctas;
  launch.k = launch.k_steps = work.read_bytes > 0 ? 1 : 0;
  launch.ctas_per_sm = std::min(
      {sm.max_warps / kWarpsPerCta, sm.max_ctas, ceil_div(ctas, machine.accelerator.num_sms)});
  launch.warps = kWarpsPerCta;
  launch.stages = 1;
  launch.tile_m = work.write_bytes / ctas;
  launch.edge_m = work.write_bytes - launch.tile_m * (ctas - 1);
  launch.tile_n = launch.edge_n = 1;
  launch.a = input_stream(work.read_bytes, ctas);
  launch.warp = vector_program(machine, ctas, work);
  launch.epilogue = {1, 0, false};
  return launch;
}

KernelLaunch reduction_launch(const MachineConfig& machine, const GemmProblem& problem,
                              std::int64_t split_k) {
  const std::int64_t elements = problem.m * problem.n * problem.batch_count;
  const std::int64_t workspace =
      elements * split_k * bytes_per_element(accumulator_of(problem.dtype));
  KernelLaunch launch = stream_launch(
      machine,
      {workspace, elements * bytes_per_element(output_of(problem.dtype)), elements * split_k});
  launch.a.starts_in_l2 = workspace <= machine.accelerator.l2_cache.capacity_bytes;
  return launch;
}

}  // namespace stcsim
