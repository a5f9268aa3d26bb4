#include "sim/kernel/column_gather.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/counts.hpp"
#include "sim/kernel/convolution.hpp"

namespace stcsim {
namespace {

/// The number of `group` columns that some of so many blocks select.
double selected_by_any(std::int64_t group, std::int64_t blocks) {
  const auto columns = static_cast<double>(group);
  const double selected = std::min(static_cast<double>(kOfSelectedColumns.m), columns);
  return columns * (1.0 - std::pow(1.0 - selected / columns, static_cast<double>(blocks)));
}

/// From the request for the first indices to the addresses made from them: their way from the L2
/// cache, through shared memory, and a barrier among the CTA's warps.
Cycles index_wait(const AcceleratorConfig& hardware, std::int64_t bytes) {
  const SharedMemoryConfig& memory = hardware.sm.shared_memory;
  return Cycles(hardware.l2_cache.far_hit_cycles + memory.latency_cycles + memory.barrier_cycles) +
         cycles_for(bytes, hardware.memory_bus.sm_read_bytes_per_clk);
}

}  // namespace

bool gathers_columns(const KernelConfig& config, Pattern hardware, const GemmProblem& problem) {
  const bool is_plain = problem.a == Footprint() && problem.b == Footprint();
  return problem.a_pattern.selects_columns() && is_plain && config.column_index_bytes > 0 &&
         !hardware.is_dense() && fits(kOfSelectedColumns, hardware) &&
         problem.a_pattern.block_rows % config.tile_m == 0;
}

bool may_run(const KernelConfig& config, Pattern hardware, const GemmProblem& problem) {
  if (config.cta_pair && ceil_div(problem.m, config.tile_m) % 2 != 0) return false;
  if (!problem.a_pattern.selects_columns() || hardware.is_dense()) return true;
  return gathers_columns(config, hardware, problem) || fits(problem.a_pattern, hardware);
}

GemmProblem problem_as_run(const KernelConfig& config, Pattern hardware,
                           const GemmProblem& problem) {
  return gathers_columns(config, hardware, problem) ? of_selected_columns(problem)
                                                    : with_whole_channels(config, problem);
}

std::int64_t distinct_rows_per_1024(const GemmProblem& problem) {
  const std::int64_t group = problem.a_pattern.m;
  const std::int64_t blocks = column_blocks(problem);
  const std::int64_t groups = problem.k / group;
  double distinct = static_cast<double>(groups) * selected_by_any(group, blocks);
  if (problem.k % group != 0) distinct += selected_by_any(problem.k % group, blocks);
  const auto gathered = static_cast<double>(blocks * of_selected_columns(problem).k);
  return std::clamp<std::int64_t>(std::llround(distinct / gathered * 1024.0), 1, 1024);
}

void add_gather(const AcceleratorConfig& hardware, const KernelConfig& config,
                const GemmProblem& problem, KernelLaunch& launch) {
  const std::int64_t blocks = column_blocks(problem);
  launch.tiles_per_block = problem.a_pattern.block_rows / config.tile_m;
  launch.b.distinct_strips = blocks * launch.b.strips;
  launch.b.distinct_per_1024 = distinct_rows_per_1024(problem);
  const std::int64_t row_bytes = bytes_of(problem.dtype, problem.n);
  // A's rows are the format's own, and padded to whole accesses.
  launch.a.access_bytes = OperandStream::kWidestAccessBytes;
  launch.b.access_bytes = std::gcd(row_bytes, OperandStream::kWidestAccessBytes);
  OperandStream& indices = launch.column_indices;
  indices.strips = indices.distinct_strips = blocks;
  indices.rows = indices.edge_rows = 1;
  indices.row_bytes = std::min(launch.tile_k, launch.k) * config.column_index_bytes;
  indices.edge_row_bytes =
      (launch.k - (launch.k_steps - 1) * launch.tile_k) * config.column_index_bytes;
  indices.distinct_slices = launch.k_steps;
  const std::int64_t first = std::min(config.column_indices_at_a_time, launch.k);
  launch.index_wait = index_wait(hardware, first * config.column_index_bytes);
}

}  // namespace stcsim
