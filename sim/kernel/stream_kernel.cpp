#include "sim/kernel/stream_kernel.hpp"

#include <algorithm>

#include "common/counts.hpp"

namespace stcsim {
namespace {

/// Bytes read and written by one CTA; as frameworks launch them: 256 threads of four 16-byte
/// accesses.
constexpr std::int64_t kBytesPerCta = 16384;
constexpr std::int64_t kWarpsPerCta = 8;

/// A sharing out of `bytes`: so many for every CTA, what is left of them for the last.
struct Pieces {
  std::int64_t full = 0;
  std::int64_t last = 0;
};

/// If even pieces leave nothing for the last CTA, it takes a full one too: at most a byte per CTA
/// too many.
Pieces pieces_of(std::int64_t bytes, std::int64_t ctas) {
  if (bytes == 0) return {};
  const std::int64_t full = ceil_div(bytes, ctas);
  const std::int64_t last = bytes - full * (ctas - 1);
  return {full, last > 0 ? last : full};
}

OperandStream input_stream(std::int64_t bytes, std::int64_t ctas) {
  const Pieces pieces = pieces_of(bytes, ctas);
  OperandStream stream;
  stream.strips = ctas;
  stream.rows = pieces.full;
  stream.edge_rows = pieces.last;
  stream.row_bytes = stream.edge_row_bytes = 1;
  stream.distinct_strips = ctas;
  return stream;
}

/// Few enough for the last CTA to have something of the larger of input and output.
std::int64_t ctas_for(const StreamWork& work) {
  const std::int64_t ctas =
      std::max<std::int64_t>(1, ceil_div(work.read_bytes + work.write_bytes, kBytesPerCta));
  const std::int64_t bytes = std::max(work.read_bytes, work.write_bytes);
  if (bytes == 0) return ctas;
  return ceil_div(bytes, ceil_div(bytes, ctas));
}

/// @param width  operations of a vector instruction
WarpProgram vector_program(std::int64_t ctas, const StreamWork& work, std::int64_t width) {
  const std::int64_t warps = ctas * kWarpsPerCta;
  WarpProgram program;
  program.instructions_per_group =
      std::max<std::int64_t>(1, ceil_div(work.vector_ops, warps * width));
  program.fragments.a = work.read_bytes / warps;
  program.fragment_buffers = 1;
  return program;
}

/// CTAs of a size that are on the machine at a time.
std::int64_t resident_ctas(const AcceleratorConfig& hardware, std::int64_t warps) {
  return hardware.num_sms * std::min(hardware.sm.max_warps / warps, hardware.sm.max_ctas);
}

/// An operation on integers keeps a warp as long as several of all lanes do.
StreamWork in_vector_ops(const SubCoreConfig& sub_core, StreamWork work) {
  const std::int64_t lanes = sub_core.vector_lanes_per_sub_core;
  const std::int64_t integer_lanes = std::min(lanes, sub_core.integer_lanes_per_sub_core);
  work.vector_ops += work.integer_ops * (ceil_div(lanes, integer_lanes) - 1);
  return work;
}

/// CTAs as they are launched, as PyTorch's setReduceConfig (aten/src/ATen/native/cuda/Reduce.cuh)
/// shares the rows of columns: until the machine is full.
StreamWork launched(const AcceleratorConfig& hardware, StreamWork work) {
  StreamGrid& grid = work.grid;
  if (!grid.at_a_time) return work;
  const std::int64_t room = resident_ctas(hardware, grid.threads / kWarpThreads);
  const std::int64_t shares = ceil_div(grid.ctas, grid.columns);
  grid.ctas = grid.columns * std::min(shares, ceil_div(room, grid.columns));
  return work;
}

/// The last CTA of a column adds up what the others have left in memory, of which a thread reads
/// one after the other, from either half of the L2 cache.
Cycles sharing_cycles(const AcceleratorConfig& hardware, const StreamGrid& grid) {
  if (grid.sum_threads == 0 || grid.ctas <= grid.columns) return Cycles(0);
  const std::int64_t reads = ceil_div(ceil_div(grid.ctas, grid.columns), grid.sum_threads);
  const L2CacheConfig& l2 = hardware.l2_cache;
  return Cycles(reads * (l2.near_hit_cycles + l2.far_hit_cycles) / 2);
}

/// The stream that the CTAs of a grid go over, trip by trip: every pass reads the same memory
/// again, which the L2 cache may have kept.
OperandStream looped_stream(const StreamWork& work, std::int64_t trips) {
  const StreamGrid& grid = work.grid;
  OperandStream stream;
  stream.strips = stream.distinct_strips = grid.ctas;
  stream.rows = stream.edge_rows = 1;
  stream.row_bytes = stream.edge_row_bytes =
      ceil_div(work.read_bytes, grid.ctas * grid.passes * trips);
  stream.distinct_slices = trips;
  return stream;
}

WarpProgram looping_program(const StreamWork& work, std::int64_t width, std::int64_t trip_bytes,
                            std::int64_t steps) {
  const std::int64_t warps = work.grid.threads / kWarpThreads;
  WarpProgram program;
  const std::int64_t thread_steps = work.grid.ctas * steps * warps * width;
  program.instructions_per_group =
      std::max<std::int64_t>(1, ceil_div(work.vector_ops, thread_steps) +
                                    ceil_div(work.grid.thread_ops * kWarpThreads, steps * width));
  program.fragments.a = trip_bytes / warps;
  program.fragment_buffers = 1;
  return program;
}

/// The way of a sum over all threads of a CTA, as PyTorch's blockReduce goes it: between four
/// barriers, lanes of the first warp add up 32 values each, one for every warp, which lie in one
/// bank; then a thread adds up theirs, one load after the other.
Cycles reduction_cycles(const SharedMemoryConfig& memory, std::int64_t warps) {
  constexpr std::int64_t kBarriers = 4;
  const std::int64_t loads = memory.latency_cycles * (1 + warps) + kWarpThreads * warps;
  return Cycles(kBarriers * memory.barrier_cycles + loads);
}

/// CTAs that loop: each waits for what it has asked for before it asks for more.
KernelLaunch looping_launch(const MachineConfig& machine, const StreamWork& asked) {
  const StreamWork work = launched(machine.accelerator, asked);
  const StreamGrid& grid = work.grid;
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const std::int64_t trips = std::max<std::int64_t>(
      1, ceil_div(work.read_bytes, grid.ctas * grid.passes * grid.trip_bytes));
  KernelLaunch launch;
  launch.tiles_m = grid.ctas;
  launch.k = launch.k_steps = trips * grid.passes;
  launch.warps = grid.threads / kWarpThreads;
  launch.ctas_per_sm =
      std::max<std::int64_t>(1, std::min({sm.max_warps / launch.warps, sm.max_ctas,
                                          ceil_div(grid.ctas, machine.accelerator.num_sms)}));
  launch.stages = 1;
  const Pieces output = pieces_of(work.write_bytes, grid.ctas);
  launch.tile_m = output.full;
  launch.edge_m = output.last;
  launch.tile_n = launch.edge_n = 1;
  launch.a = looped_stream(work, trips);
  launch.warp = looping_program(work, vector_width(sm.vector_lanes_per_sub_core),
                                launch.a.row_bytes, launch.k_steps);
  launch.epilogue = {1, 0};
  // What is read again waits for a sum over what was read. When in its course a CTA waits for these
  // makes no difference to the others, so it does before its first trip.
  launch.index_wait =
      Cycles((grid.passes - 1) * reduction_cycles(sm.shared_memory, launch.warps).count()) +
      sharing_cycles(machine.accelerator, grid);
  return launch;
}

}  // namespace

KernelLaunch stream_launch(const MachineConfig& machine, const StreamWork& work) {
  const StreamWork counted = in_vector_ops(machine.accelerator.sm, work);
  if (work.grid.ctas > 0) return looping_launch(machine, counted);
  const std::int64_t ctas = ctas_for(work);
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  KernelLaunch launch;
  launch.tiles_m = ctas;
  launch.k = launch.k_steps = work.read_bytes > 0 || work.vector_ops > 0 ? 1 : 0;
  launch.ctas_per_sm = std::min(
      {sm.max_warps / kWarpsPerCta, sm.max_ctas, ceil_div(ctas, machine.accelerator.num_sms)});
  launch.warps = kWarpsPerCta;
  launch.stages = 1;
  const Pieces output = pieces_of(work.write_bytes, ctas);
  launch.tile_m = output.full;
  launch.edge_m = output.last;
  launch.tile_n = launch.edge_n = 1;
  launch.a = input_stream(work.read_bytes, ctas);
  launch.warp = vector_program(ctas, counted, vector_width(sm.vector_lanes_per_sub_core));
  launch.epilogue = {1, 0};
  return launch;
}

KernelLaunch reduction_launch(const MachineConfig& machine, const GemmProblem& problem,
                              const KernelLaunch& gemm) {
  const std::int64_t columns = gemm.warp.instruction.value().pattern.outputs_of(problem.n);
  const std::int64_t elements = problem.m * columns * problem.batch_count;
  const std::int64_t sums = elements * gemm.splits;
  return stream_launch(machine, {bytes_of(accumulator_of(problem.dtype), sums),
                                 bytes_of(output_of(problem.dtype), elements), sums});
}

}  // namespace stcsim
