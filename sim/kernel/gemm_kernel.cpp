#include "sim/kernel/gemm_kernel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/metadata_format.hpp"
#include "pruning/schemes.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/convolution.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {
namespace {

/// Length of the last part when `whole` is cut into parts of `part`.
std::int64_t last_part(std::int64_t whole, std::int64_t part) {
  return whole - (whole - 1) / part * part;
}

/// Cuts rows of an operand into strips of `tile` and k-steps.
/// @param bytes_of  a row's, by the length of its part of K
template <class BytesOf>
OperandStream operand_stream(std::int64_t extent, std::int64_t tile, const KernelLaunch& launch,
                             const Footprint& footprint, BytesOf bytes_of) {
  OperandStream stream;
  stream.strips = ceil_div(extent, tile);
  stream.rows = tile;
  stream.edge_rows = last_part(extent, tile);
  stream.row_bytes = bytes_of(std::min(launch.tile_k, launch.k));
  stream.edge_row_bytes = bytes_of(last_part(launch.k, launch.tile_k));
  const std::int64_t rows = footprint.unique_rows > 0 ? footprint.unique_rows : extent;
  const std::int64_t k = footprint.unique_k > 0 ? footprint.unique_k : launch.k;
  stream.distinct_strips = ceil_div(rows, tile);
  stream.distinct_slices = ceil_div(k, launch.tile_k);
  const double distinct = static_cast<double>(rows) * static_cast<double>(k);
  const double held =
      static_cast<double>(std::min(extent, stream.distinct_strips * tile)) *
      static_cast<double>(std::min(launch.k, stream.distinct_slices * launch.tile_k));
  stream.distinct_per_1024 =
      std::clamp<std::int64_t>(std::llround(distinct / held * 1024.0), 1, 1024);
  return stream;
}

/// Numbers of tile rows a kernel may visit together: powers of two, or all of a few.
std::vector<std::int64_t> raster_groups(std::int64_t tiles_m) {
  constexpr std::int64_t kLargestGroup = 16;
  std::vector<std::int64_t> groups;
  for (std::int64_t group = 1; group <= std::min(kLargestGroup, tiles_m); group *= 2) {
    groups.push_back(group);
  }
  if (tiles_m <= kLargestGroup && groups.back() != tiles_m) groups.push_back(tiles_m);
  return groups;
}

/// The group that makes the CTAs running at the same time read the fewest bytes per k-step.
std::int64_t raster_group(const MachineConfig& machine, const KernelLaunch& launch) {
  const std::int64_t running = std::min(machine.accelerator.num_sms * launch.main_loops_per_sm(),
                                        launch.tiles_m * launch.tiles_n);
  std::int64_t best = 1;
  std::int64_t best_bytes = -1;
  for (const std::int64_t group : raster_groups(launch.tiles_m)) {
    if (launch.warp.of_cta_pair && launch.tiles_m > 1 && group % 2 != 0) continue;
    const std::int64_t columns = std::min(ceil_div(running, group), launch.tiles_n);
    const std::int64_t rows = std::min(ceil_div(running, columns), launch.tiles_m);
    const std::int64_t blocks = launch.gathers() ? ceil_div(rows, launch.tiles_per_block) : 1;
    const std::int64_t bytes =
        rows * launch.tile_m * (launch.a.row_bytes + launch.metadata.row_bytes) +
        columns * launch.tile_n * launch.b.row_bytes * blocks;
    if (best_bytes < 0 || bytes < best_bytes) {
      best = group;
      best_bytes = bytes;
    }
  }
  return best;
}

/// The masks of C's tiles, each stored by itself and as large as the others.
void add_masks(KernelLaunch& launch, const FittedKernel& kernel) {
  OperandStream& masks = launch.metadata;
  masks.of_tiles = true;
  masks.strips = masks.distinct_strips = launch.tiles_m * launch.tiles_n;
  masks.rows = masks.edge_rows = launch.tile_m;
  masks.row_bytes = masks.edge_row_bytes = mask_bytes(kernel) / launch.tile_m;
  launch.metadata_in_registers = true;
}

/// Scales travel with values; those of B cover what A's do, a block of kept values' part of K
/// (cuSPARSELt's VEC32_UE4M3 of 2:4: one for 32).
void add_operands(KernelLaunch& launch, const GemmProblem& problem, const FittedKernel& kernel) {
  const Pattern hardware = kernel.hardware;
  const auto values = [&](Pattern pattern) {
    return [&, pattern](std::int64_t k) {
      return row_bytes(k, pattern, problem.dtype).values +
             row_bytes(k, hardware.of_a(), problem.dtype).scales;
    };
  };
  const auto metadata = [&](std::int64_t k) {
    return row_bytes(k, hardware, problem.dtype, kernel.instruction.metadata).metadata;
  };
  launch.a = operand_stream(problem.m, launch.tile_m, launch, problem.a, values(hardware.of_a()));
  launch.b = operand_stream(problem.n, launch.tile_n, launch, problem.b, values(kDense));
  if (kernel.config.cta_pair) {
    // The first of a pair that misses brings in the whole slice, of which each loads half.
    launch.b.rows = kernel.config.columns_kept();
    launch.b.edge_rows = ceil_div(launch.b.edge_rows, std::int64_t{2});
    launch.b.distinct_per_1024 *= 2;
  }
  launch.a.access_bytes = launch.b.access_bytes =
      access_bytes(problem, hardware, kernel.config.any_alignment);
  if (hardware.of_outputs) return add_masks(launch, kernel);
  if (hardware.is_dense()) return;
  launch.metadata = operand_stream(problem.m, launch.tile_m, launch, problem.a, metadata);
}

/// What each warp's share of the CTA's operands takes of the port of shared memory in a group of
/// instructions where they have to be turned: read and written once.
FragmentBytes turned_bytes(const MachineConfig& machine, const FittedKernel& kernel,
                           const GemmProblem& problem) {
  if (!machine.accelerator.sm.operand_fetch.turns(problem.dtype)) return {};
  const KernelConfig& config = kernel.config;
  const MmaInstruction& one = kernel.instruction;
  const InstructionOperands operands = operands_of(one);
  const std::int64_t warps = config.warps_m * config.warps_n;
  const auto share = [&](OperandLayout layout, std::int64_t bytes) {
    return layout == OperandLayout::k_major ? 0 : ceil_div(2 * bytes, warps);
  };
  return {share(problem.a_layout, config.tile_m / one.m * operands.a_bytes),
          share(problem.b_layout, config.tile_n / one.n * operands.b_bytes), 0};
}

/// Whether threads turn what they read for each group. wgmma takes one operand from registers: a
/// GEMM makes it the one that has to be turned. A convolution's is the image, not the filters.
bool turns_beside_products(const GemmProblem& problem) {
  return !problem.convolution && problem.a_layout != problem.b_layout;
}

WarpProgram warp_program(const MachineConfig& machine, const FittedKernel& kernel,
                         const GemmProblem& problem) {
  const KernelConfig& config = kernel.config;
  const MmaInstruction& one = kernel.instruction;
  const InstructionOperands operands = operands_of(one);
  const std::int64_t rows = config.tile_m / config.warps_m / one.m;
  const std::int64_t columns = config.tile_n / config.warps_n / one.n;
  WarpProgram program;
  program.groups_per_step = config.tile_k / one.k;
  program.instructions_per_group = rows * columns;
  program.instruction = one;
  // A warp reads B once for all its rows; warps that share B (wgmma) read it once for every m64.
  const std::int64_t b_reads = config.b_shared_by_warps > 1 ? rows : 1;
  const std::int64_t readers = config.b_shared_by_warps * (config.cta_pair ? 2 : 1);
  const FragmentBytes turned = turned_bytes(machine, kernel, problem);
  if (turns_beside_products(problem)) {
    program.fragments = turned;
  } else {
    program.turned_bytes = program.groups_per_step * turned.total();
  }
  program.fragments.a += rows * operands.a_bytes;
  program.fragments.b += ceil_div(b_reads * columns * operands.b_bytes, readers);
  if (!config.metadata_in_registers && !kernel.hardware.of_outputs) {
    program.fragments.metadata = rows * operands.metadata_bytes;
  }
  program.fragment_buffers = kernel.fragment_buffers;
  program.bubble = config.bubble;
  program.streams_b = machine.accelerator.sm.tensor_memory_bytes > 0;
  program.of_cta_pair = config.cta_pair;
  return program;
}

/// From the request for a tile of C to its last byte in the SM; C comes from DRAM.
Cycles source_wait(const AcceleratorConfig& hardware, std::int64_t tile_bytes) {
  return Cycles(hardware.l2_cache.far_hit_cycles) + hardware.dram.access_cycles() +
         cycles_for(tile_bytes, hardware.memory_bus.sm_read_bytes_per_clk);
}

/// What is not computed has no way to go.
void leave_out_outputs(const EpilogueConfig& machine, Pattern hardware, EpilogueProgram& program) {
  if (!hardware.of_outputs) return;
  program.stored_per_1024 = ceil_div(1024 * hardware.n, hardware.m);
  std::int64_t& elements = program.elements_per_clk;
  elements = (elements > 0 ? elements : machine.elements_per_clk) * hardware.m / hardware.n;
}

EpilogueProgram epilogue_program(const MachineConfig& machine, const FittedKernel& fitted,
                                 DataType dtype, std::int64_t split_k) {
  const KernelConfig& kernel = fitted.config;
  const DataType stored = split_k > 1 ? accumulator_of(dtype) : output_of(dtype);
  // Written to shared memory and read back once.
  constexpr std::int64_t kAccumulatorBytes = 4;
  const std::int64_t staged_bytes =
      kernel.stages_output_type ? bytes_of(stored, 1) : kAccumulatorBytes;
  EpilogueProgram program{bytes_of(stored, 1), 2 * staged_bytes};
  constexpr std::int64_t kRowsPerTrip = 8;
  program.trips = ceil_div(kernel.tile_m / kernel.warps_m, kRowsPerTrip);
  program.elements_per_clk = kernel.epilogue_elements_per_clk;
  program.warp_groups = kernel.ping_pong ? 2 : 1;
  if (kernel.reads_c && split_k == 1) {
    const std::int64_t tile_bytes = kernel.tile_m * kernel.tile_n * program.element_bytes;
    program.source_wait = source_wait(machine.accelerator, tile_bytes);
  }
  leave_out_outputs(machine.accelerator.sm.epilogue, fitted.hardware, program);
  return program;
}

/// Kept values are stored with their metadata. Choosing them takes the lanes that compare, and a
/// pass over all elements, as by magnitude; a unit that does it beside the warps leaves them what
/// is stored. Nothing if all are kept.
void prune_result(const StreamingMultiprocessorConfig& sm, Pattern kept, EpilogueProgram& program) {
  if (kept.is_dense()) return;
  const std::int64_t bits = 8 * program.element_bytes;
  program.stored_per_1024 =
      ceil_div(1024 * (kept.n * bits + kept.metadata_bits_per_group()), kept.m * bits);
  const std::int64_t lanes =
      sm.sub_cores * std::min(sm.vector_lanes_per_sub_core, sm.integer_lanes_per_sub_core);
  std::int64_t& elements = program.elements_per_clk;
  const std::int64_t moved = elements > 0 ? elements : sm.epilogue.elements_per_clk;
  if (const std::int64_t compressed = sm.epilogue.compress_elements_per_clk; compressed > 0) {
    elements = std::clamp<std::int64_t>(moved * 1024 / program.stored_per_1024, 1, compressed);
    return;
  }
  const double cycles = 1.0 / static_cast<double>(moved) +
                        pruning::find_scheme("magnitude").ops / static_cast<double>(lanes);
  elements = std::max<std::int64_t>(1, static_cast<std::int64_t>(1.0 / cycles));
}

/// Elements of C that threads store in a clk where its rows allow only narrow accesses: as many
/// accesses as they load by.
void store_narrowly(const StreamingMultiprocessorConfig& sm, const KernelConfig& config,
                    KernelLaunch& launch) {
  if (!config.any_alignment || !launch.loads_narrowly()) return;
  const std::int64_t accesses =
      sm.copy_engine.bytes_per_clk(launch) / OperandStream::kWidestAccessBytes;
  const std::int64_t stored =
      accesses * std::max<std::int64_t>(launch.a.access_bytes / launch.epilogue.element_bytes, 1);
  std::int64_t& elements = launch.epilogue.elements_per_clk;
  elements = std::max<std::int64_t>(
      std::min(elements > 0 ? elements : sm.epilogue.elements_per_clk, stored), 1);
}

}  // namespace

std::int64_t most_splits(const FittedKernel& kernel, const GemmProblem& problem) {
  if (!problem.c_pattern.is_dense()) return 1;
  return ceil_div(problem_as_run(kernel.config, kernel.hardware, problem).k, kernel.config.tile_k);
}

KernelLaunch gemm_launch(const MachineConfig& machine, const FittedKernel& kernel,
                         const GemmProblem& asked, std::int64_t split_k) {
  const KernelConfig& config = kernel.config;
  const GemmProblem problem = problem_as_run(config, kernel.hardware, asked);
  KernelLaunch launch;
  launch.tile_m = config.tile_m;
  launch.tile_n = config.tile_n;
  launch.tile_k = config.tile_k;
  launch.k = problem.k;
  launch.tiles_m = ceil_div(problem.m, config.tile_m);
  launch.tiles_n = ceil_div(problem.n, config.tile_n);
  launch.edge_m = last_part(problem.m, config.tile_m);
  launch.edge_n = last_part(problem.n, config.tile_n);
  launch.k_steps = ceil_div(problem.k, config.tile_k);
  launch.splits = split_k;
  launch.batch_count = problem.batch_count;
  launch.ctas_per_sm =
      std::min(kernel.ctas_per_sm, ceil_div(launch.ctas(), machine.accelerator.num_sms));
  launch.persistent = config.persistent && launch.ctas() > machine.accelerator.num_sms;
  // One is multiplied, one copied ahead, and one stored where that has accumulators of its own.
  if (launch.persistent) launch.ctas_per_sm = kernel.has_spare_accumulators ? 3 : 2;
  launch.warps = config.warps_m * config.warps_n;
  launch.stages = config.stages;
  add_operands(launch, problem, kernel);
  load_channels(config, asked, launch);
  if (config.copies_by_threads) {
    launch.thread_copy_bytes_per_clk = machine.accelerator.sm.copy_engine.thread_bytes_per_clk;
  }
  if (gathers_columns(config, kernel.hardware, asked)) {
    add_gather(machine.accelerator, config, asked, launch);
  }
  launch.metadata_in_registers |= config.metadata_in_registers;
  launch.ctas_per_read_of_a = config.multicast_a;
  launch.ctas_per_read_of_b = config.multicast_b;
  launch.has_spare_accumulators = launch.persistent && kernel.has_spare_accumulators;
  launch.warp = warp_program(machine, kernel, problem);
  launch.epilogue = epilogue_program(machine, kernel, problem.dtype, split_k);
  store_narrowly(machine.accelerator.sm, config, launch);
  prune_result(machine.accelerator.sm, problem.c_pattern, launch.epilogue);
  launch.raster_group = config.raster_along_m ? launch.tiles_m : raster_group(machine, launch);
  return launch;
}

KernelReport kernel_report(const MachineConfig& machine, const FittedKernel& kernel,
                           const KernelLaunch& launch) {
  const KernelConfig& config = kernel.config;
  const MmaInstruction& one = kernel.instruction;
  KernelReport report;
  report.name = config.name;
  report.tile_m = config.tile_m;
  report.tile_n = config.tile_n;
  report.tile_k = config.tile_k;
  report.stages = config.stages;
  report.warps = launch.warps;
  report.instruction =
      fmt::format("{}.m{}n{}k{}", one.pattern.is_dense() ? "mma" : "mma.sp", one.m, one.n, one.k);
  report.split_k = launch.splits;
  report.ctas = launch.ctas();
  report.ctas_per_sm = launch.main_loops_per_sm();
  report.waves = static_cast<double>(launch.ctas()) /
                 static_cast<double>(launch.main_loops_per_sm() * machine.accelerator.num_sms);
  return report;
}

}  // namespace stcsim
