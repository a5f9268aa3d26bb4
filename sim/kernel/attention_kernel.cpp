#include "sim/kernel/attention_kernel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "pruning/schemes.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {
namespace {

/// Reduction of the instructions whose fragments a warp loads together.
constexpr std::int64_t kGroupDepth = 32;
/// mma.sync on machines with wgmma: 62.9 % of the peak (Luo et al., IPDPS 2024, arXiv 2402.13499,
/// Table VII), as a wait behind every instruction m16n8k16 of 4 cycles.
constexpr Millicycles kMmaBubble(2360);

/// The mask of a causal kernel on a score of a block that lies on the diagonal: compared, chosen.
constexpr double kMaskOps = 2.0;
/// Rows of a warp that pass shared memory together on their way out.
constexpr std::int64_t kRowsOfTrip = 8;

/// Vector instructions of FlashAttention-2 and of cuDNN for every score, besides the exponential.
/// Forward: maximum, scale and subtraction in one, sum, half a conversion of two.
constexpr double kForwardOps = 3.5;
/// Backward: scale and subtraction in one, subtraction of delta, product, two halves of
/// conversions.
constexpr double kBackwardOps = 4.0;
/// Of these maxima and conversions, which take the lanes of comparisons and integers (CUDA C++
/// Programming Guide, throughput of instructions: 64 a clk on 9.0, of 128 lanes).
constexpr double kForwardComparisons = 1.5;
constexpr double kBackwardComparisons = 1.0;
/// What P and dS take that are stored to shared memory, two to an instruction: a sub-core has 8
/// lanes of load and store units, so that two halves take half of the time of an exponential (4
/// lanes).
constexpr double kBackwardStores = 0.5;
/// Philox-4x32-10 (configs/frameworks/ideal.yaml): 20 wide multiplications, which half of the lanes
/// of an SM of 128 do, in the time of a quarter of an exponential, and 40 others draw 128 bits.
/// cuDNN takes 32 of them for a score, FlashAttention-2 8; both compare and scale.
constexpr double kPhiloxOps = 40.0;
constexpr double kPhiloxSpecial = 20.0 / 4;
constexpr double kDropoutOps = 2.0;
/// An additive mask on a score: its address, a conversion, a sum. A load has a score of each lane,
/// as accumulators lie: four columns of eight rows, each of which is another line for L1 to look
/// up. Assumed: no wider loads, as cuDNN takes masks of any strides.
constexpr double kAddedMaskOps = 3.0;
constexpr double kAddedMaskLines = 8.0;

/// A product of a CTA: rows x columns, reduced over depth.
struct Product {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  /// Bytes of shared memory that warps write before it, and whether its left operand is there.
  std::int64_t written_bytes = 0;
  bool reads_left = true;
  /// Of the left operand.
  Pattern pattern = kDense;
};

/// Makes the phases of a warp's k-step.
class Phases {
 public:
  Phases(const SubCoreConfig& sub_core, const MmaInstruction& instruction, std::int64_t warps,
         bool is_grouped)
      : one_(instruction),
        warps_(warps),
        is_grouped_(is_grouped),
        width_(vector_width(sub_core.vector_lanes_per_sub_core)),
        special_width_(vector_width(sub_core.special_lanes_per_sub_core)) {}

  void add(const Product& product) {
    const std::int64_t groups =
        is_grouped_ ? 1 : ceil_div(product.depth, std::max(kGroupDepth, one_.k));
    const std::int64_t all = ceil_div(product.rows, one_.m) * ceil_div(product.columns, one_.n) *
                             ceil_div(product.depth, one_.k);
    const std::int64_t kept = all * product.pattern.n / product.pattern.m;
    WarpPhase phase;
    phase.groups = groups;
    phase.instructions = std::max<std::int64_t>(1, kept / warps_ / groups);
    const std::int64_t depth_bytes = bytes_of(one_.dtype, ceil_div(product.depth, groups));
    const auto [left, right] = warp_tile(product);
    phase.fragments.a = product.reads_left ? left * depth_bytes : 0;
    phase.fragments.a += product.written_bytes / warps_ / groups;
    phase.fragments.b = right * depth_bytes / (is_grouped_ ? kWarpsOfGroup : 1);
    take(phase);
  }
  /// @param ops, special  operations, and those of special function units, for each score
  void add_vector(std::int64_t scores, double ops, double special) {
    const auto times = [&](std::int64_t width) {
      return static_cast<double>(ceil_div(scores, warps_ * width));
    };
    WarpPhase phase;
    phase.is_vector = true;
    phase.exponentials = std::llround(times(special_width_) * special);
    phase.instructions = std::llround(times(width_) * ops);
    take(phase);
  }
  [[nodiscard]] WarpProgram program() const {
    WarpProgram program = program_;
    program.instruction = one_;
    program.fragments = program.phases.front().fragments;
    program.groups_per_step = 0;
    for (const WarpPhase& phase : program.all_phases()) program.groups_per_step += phase.groups;
    program.instructions_per_group = program.instructions_per_step() / program.groups_per_step;
    return program;
  }

 private:
  /// Rows and columns of a warp. A warp group's warps have 16 rows each of 64; others stand four
  /// above one another, or as many as there are rows for.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> warp_tile(const Product& product) const {
    if (is_grouped_) return {ceil_div(product.rows, warps_), product.columns};
    const std::int64_t above = std::clamp<std::int64_t>(product.rows / one_.m, 1, 4);
    return {product.rows / above, product.columns * above / warps_};
  }
  void take(const WarpPhase& phase) {
    program_.phases.at(static_cast<std::size_t>(program_.phase_count++)) = phase;
  }

  MmaInstruction one_;
  std::int64_t warps_;
  bool is_grouped_;
  std::int64_t width_;  // operations of a vector instruction
  std::int64_t special_width_;
  WarpProgram program_;
};

/// What a score takes of the vector unit: instructions, and those of special function units.
struct ScoreWork {
  double ops = 0;
  double special = 0;
};

/// Of an SM.
double exponentials_in_a_clk(const StreamingMultiprocessorConfig& sm) {
  return static_cast<double>(sm.sub_cores * sm.special_lanes_per_sub_core);
}

/// The part that not every kernel and machine has: rounds of few lanes, dropout, a mask from memory
/// (an SM's L1 looks up one line a cycle), and in the mean the mask on the diagonal's blocks.
ScoreWork other_work(const MachineConfig& machine, const AttentionWork& work,
                     const KernelLaunch& launch) {
  const SubCoreConfig& sub_core = machine.accelerator.sm;
  const std::int64_t lanes = sub_core.vector_lanes_per_sub_core;
  const std::int64_t rounds = ceil_div(lanes, std::min(lanes, sub_core.integer_lanes_per_sub_core));
  ScoreWork other;
  other.ops = (work.backward ? kBackwardComparisons : kForwardComparisons) *
              static_cast<double>(rounds - 1);
  const double kept = work.shape.scores.share();
  if (work.shape.dropout) {
    const double share = work.kernel == AttentionKernel::cudnn ? 1.0 / 4 : 1.0 / 16;
    other.ops += kDropoutOps + kPhiloxOps * share;
    other.special = kPhiloxSpecial * share;
  }
  other.ops *= kept;
  other.special *= kept;
  if (kept < 1) {
    const auto unit =
        static_cast<double>(machine.accelerator.sm.epilogue.compress_elements_per_clk);
    if (unit == 0) other.ops += pruning::find_scheme("magnitude").ops * static_cast<double>(rounds);
    if (unit > 0) other.special += exponentials_in_a_clk(machine.accelerator.sm) / unit;
  }
  if (work.shape.mask) {
    other.ops += kAddedMaskOps;
    other.special += kAddedMaskLines * exponentials_in_a_clk(machine.accelerator.sm) /
                     static_cast<double>(kWarpThreads);
  }
  if (launch.staircase.tiles == 0) return other;
  const std::int64_t on_diagonal = launch.tiles_m * ceil_div(launch.tile_m, launch.tile_k);
  other.ops += kMaskOps * static_cast<double>(on_diagonal) /
               static_cast<double>(std::max(on_diagonal, launch.column_steps()));
  return other;
}

/// O is rescaled when a row's maximum rises: once for each block of keys.
WarpProgram forward_program(Phases phases, const AttentionWork& work, const AttentionTile& tile,
                            const ScoreWork& other) {
  const std::int64_t head = work.shape.head_size;
  const double rescale = static_cast<double>(head) / static_cast<double>(tile.keys);
  phases.add({tile.queries, tile.keys, head});
  const Pattern scores = work.shape.scores;
  phases.add_vector(tile.queries * tile.keys, kForwardOps * scores.share() + rescale + other.ops,
                    scores.share() + other.special);
  phases.add({tile.queries, head, tile.keys, 0, false, scores});
  return phases.program();
}

/// A warp group multiplies its own keys, whose P and dS it has in registers; dQ takes dS from
/// shared memory, and goes through it on its way, in fp32. Without groups all of them pass shared
/// memory, and registers are added to dQ.
/// @param other  of each score, beside what all kernels have
/// @param sums_of_dq  time of additions to dQ for each score, in that of exponentials
WarpProgram backward_program(Phases phases, const AttentionWork& work, const AttentionTile& tile,
                             bool is_grouped, const ScoreWork& other, double sums_of_dq) {
  const std::int64_t head = work.shape.head_size;
  const std::int64_t scores = tile.queries * tile.keys;
  const std::int64_t score_bytes = bytes_of(work.shape.dtype, scores);
  phases.add({tile.keys, tile.queries, head});
  phases.add({tile.keys, tile.queries, head});
  const double kept = work.shape.scores.share();
  phases.add_vector(scores, kBackwardOps * kept + other.ops,
                    (1.0 + kBackwardStores) * kept + sums_of_dq + other.special);
  phases.add({tile.keys, head, tile.queries, is_grouped ? 0 : score_bytes, !is_grouped});
  const std::int64_t sums = is_grouped ? 4 * bytes_of(DataType::fp32, tile.queries * head) : 0;
  phases.add({is_grouped ? 2 * tile.queries : tile.queries, head,
              is_grouped ? tile.keys / 2 : tile.keys, score_bytes + sums, true, work.shape.scores});
  phases.add({tile.keys, head, tile.queries, 0, !is_grouped});
  return phases.program();
}

/// Threads add dQ to memory, 4 bytes each, as fast as the L2 cache takes what all SMs store; in the
/// time of an exponential a sub-core has its share of that. Warp groups leave it to the copy
/// engine.
double sums_of_dq(const MachineConfig& machine, const AttentionWork& work,
                  const AttentionTile& tile) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double bytes_per_clk =
      std::min(real(hardware.memory_bus.sm_write_bytes_per_clk),
               real(hardware.l2_cache.write_bytes_per_clk) / real(hardware.num_sms));
  const double in_an_exponential = bytes_per_clk / real(hardware.sm.sub_cores) *
                                   real(kWarpThreads) /
                                   real(hardware.sm.special_lanes_per_sub_core);
  const double bytes = real(bytes_of(DataType::fp32, kWarpThreads * work.shape.head_size));
  return bytes / real(tile.keys) / in_an_exponential;
}

/// Rows of memory that a block of the loop brings, of `row_bytes` each.
OperandStream looped(std::int64_t rows, std::int64_t last_rows, std::int64_t row_bytes,
                     std::int64_t blocks) {
  OperandStream stream;
  stream.strips = stream.distinct_strips = 1;
  stream.rows = stream.edge_rows = row_bytes;
  stream.row_bytes = rows;
  stream.edge_row_bytes = last_rows;
  stream.distinct_slices = blocks;
  return stream;
}

/// What a CTA keeps comes once; it is spread over its k-steps, as many as they are in the mean.
OperandStream kept(const KernelLaunch& launch, std::int64_t row_bytes) {
  OperandStream stream;
  stream.strips = stream.distinct_strips = launch.tiles_m;
  stream.rows = launch.tile_m;
  stream.edge_rows = launch.edge_m;
  stream.row_bytes = stream.edge_row_bytes =
      std::max<std::int64_t>(1, row_bytes * launch.tiles_m / launch.column_steps());
  stream.distinct_slices = launch.k_steps;
  return stream;
}

/// What threads load of a block of the loop: the gradient of Q, which they add to, and the mask of
/// the CTA's scores, which all heads of a sample have in common.
void add_registers(KernelLaunch& launch, const AttentionWork& work, std::int64_t last) {
  const AttentionShape& shape = work.shape;
  const std::int64_t sums = work.backward ? bytes_of(DataType::fp32, shape.head_size) : 0;
  const std::int64_t mask = shape.mask ? bytes_of(shape.dtype, launch.tile_m) : 0;
  if (sums + mask == 0) return;
  launch.metadata = looped(launch.tile_k, last, sums + mask, launch.k_steps);
  launch.metadata_in_registers = true;
  const std::int64_t of_mask = mask * launch.tiles_m / shape.heads;
  launch.metadata.distinct_per_1024 =
      std::min<std::int64_t>(1024, 1024 * (sums + of_mask) / (sums + mask));
}

/// CTAs of an SM: registers hold accumulators and 60 others of each thread, shared memory what a
/// CTA keeps and two blocks. Kernels of 8 warps, and persistent ones, have an SM for themselves.
std::int64_t ctas_per_sm(const MachineConfig& machine, const AttentionWork& work,
                         const AttentionTile& tile) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  if (tile.warps > 4) return 1;
  const std::int64_t head = work.shape.head_size;
  constexpr std::int64_t kOthers = 60;
  const std::int64_t threads = tile.warps * kWarpThreads;
  const std::int64_t registers = std::min(sm.max_registers_per_thread + 1,
                                          tile.queries * (head + tile.keys) / threads + kOthers);
  const std::int64_t shared = bytes_of(work.shape.dtype, head * (tile.queries + 2 * tile.keys)) +
                              sm.shared_memory.reserved_bytes_per_cta;
  return std::max<std::int64_t>(
      1, std::min({sm.registers / (registers * threads), sm.shared_memory.capacity_bytes / shared,
                   sm.max_ctas, sm.max_warps / tile.warps}));
}

/// The grid: CTAs along the axis that they share out, blocks along the other.
void lay_out(KernelLaunch& launch, const AttentionWork& work, const AttentionTile& tile) {
  const AttentionShape& shape = work.shape;
  const std::int64_t along = work.backward ? shape.keys : shape.queries;
  const std::int64_t across = work.backward ? shape.queries : shape.keys;
  launch.tile_m = work.backward ? tile.keys : tile.queries;
  launch.tile_k = work.backward ? tile.queries : tile.keys;
  const std::int64_t tiles = ceil_div(along, launch.tile_m);
  const std::int64_t sharing = shape.heads / shape.kv_heads;
  launch.tiles_m = tiles * sharing;
  launch.raster_group = launch.tiles_m;
  launch.batch_count = shape.batch * shape.kv_heads;
  launch.edge_m = along - (tiles - 1) * launch.tile_m;
  launch.k = across;
  launch.k_steps = ceil_div(across, launch.tile_k);
  launch.tile_n = launch.edge_n = shape.head_size * (work.backward ? 2 : 1);
  if (!shape.causal || shape.queries != shape.keys) return;
  const std::int64_t window =
      shape.window > 0 ? ceil_div(shape.window + launch.tile_m, launch.tile_k) + 1 : 0;
  launch.staircase = {tiles, work.backward, window < launch.k_steps ? window : 0};
}

void check(const MachineConfig& machine, const AttentionShape& shape) {
  if (shape.head_size > kLargestHead) {
    throw ConfigError(fmt::format("attention on {}: heads of {} are larger than {}", machine.name,
                                  shape.head_size, kLargestHead));
  }
  if (instructions_for(machine.accelerator.sm, shape.dtype, shape.scores).empty()) {
    throw ConfigError(fmt::format("attention on {}: it has no {} {} instruction for scores",
                                  machine.name, shape.scores.to_string(), to_string(shape.dtype)));
  }
}

}  // namespace

KernelLaunch attention_launch(const MachineConfig& machine, const AttentionWork& work) {
  const AttentionShape& shape = work.shape;
  check(machine, shape);
  const AttentionTile tile = attention_tile(machine, work);
  const bool is_grouped = work.kernel == AttentionKernel::cudnn && has_warp_groups(machine);
  const MmaInstruction instruction = attention_instruction(machine, shape);
  KernelLaunch launch;
  lay_out(launch, work, tile);
  launch.warps = tile.warps;
  launch.stages = 2;
  launch.ctas_per_sm = is_grouped ? 2 : ctas_per_sm(machine, work, tile);
  launch.persistent = is_grouped;
  const Phases phases(machine.accelerator.sm, instruction, tile.warps, is_grouped);
  const ScoreWork other = other_work(machine, work, launch);
  const double sums = is_grouped ? 0 : sums_of_dq(machine, work, tile);
  launch.warp = work.backward ? backward_program(phases, work, tile, is_grouped, other, sums)
                              : forward_program(phases, work, tile, other);
  launch.warp.fragment_buffers = is_grouped ? launch.warp.groups_per_step + 1 : 2;
  // Warp groups of the forward kernel multiply by turns. Others go in step: those of one sub-core
  // begin together and are served alike, and groups wait for each other at the tile of dQ.
  launch.warp.takes_turns = is_grouped;
  launch.warp.in_step = work.backward || !is_grouped;
  if (!is_grouped && machine.accelerator.sm.operand_fetch.register_bytes_per_clk == 0) {
    launch.warp.bubble = kMmaBubble;
  }
  const std::int64_t row_bytes = bytes_of(shape.dtype, 2 * shape.head_size);
  const std::int64_t last = launch.k - (launch.k_steps - 1) * launch.tile_k;
  launch.a = kept(launch, work.backward ? row_bytes : row_bytes / 2);
  launch.b = looped(launch.tile_k, last, row_bytes, launch.k_steps);
  add_registers(launch, work, last);
  launch.epilogue.element_bytes = bytes_of(shape.dtype, 1);
  launch.epilogue.trips = ceil_div(launch.tile_m, tile.warps * kRowsOfTrip);
  return launch;
}

}  // namespace stcsim
