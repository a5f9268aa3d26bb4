#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/counts.hpp"
#include "models/base/time.hpp"
#include "models/base/warp_program.hpp"

namespace stcsim {

/// The loads of a k-step: the values of both operands, the metadata of a compressed A, and the
/// indices of the columns that blocks of its rows have selected.
enum class Operand : std::uint8_t { a, b, metadata, column_indices };
inline constexpr std::size_t kOperandCount = 4;

[[nodiscard]] constexpr std::size_t index_of(Operand operand) {
  return static_cast<std::size_t>(operand);
}

/// The way one operand travels from memory to shared memory. Its tiles ("strips") run along M or N,
/// its slices along K, one per k-step. Sizes are per strip and slice.
struct OperandStream {
  static constexpr std::int64_t kWidestAccessBytes = 16;

  /// Strips along the operand's own axis, and the rows of a full strip (there need not be one) and
  /// of the last one.
  std::int64_t strips = 0;
  std::int64_t rows = 0;
  std::int64_t edge_rows = 0;
  /// Bytes of one row in a full k-step and in the last k-step of K.
  std::int64_t row_bytes = 0;
  std::int64_t edge_row_bytes = 0;
  /// Distinct strips and slices: beyond them the same memory is read again (implicit im2col). More
  /// distinct strips than strips: each block of rows of A that selects columns has its own of B.
  std::int64_t distinct_strips = 1;
  std::int64_t distinct_slices = 1;
  /// Part of a slice's bytes that is distinct memory, in 1/1024: what a miss has to bring in.
  std::int64_t distinct_per_1024 = 1024;
  /// The launch before has read the same, and the L2 cache has kept it: reads hit.
  bool starts_in_l2 = false;
  /// Each tile of C has a strip of its own, which its CTAs load with their first k-step alone, into
  /// registers: the mask of its outputs.
  bool of_tiles = false;
  /// Bytes that a thread asks for at a time: what the alignment of the rows allows.
  std::int64_t access_bytes = kWidestAccessBytes;

  friend auto operator<=>(const OperandStream&, const OperandStream&) = default;

  [[nodiscard]] std::int64_t bytes(std::int64_t strip, bool edge_slice) const {
    const std::int64_t strip_rows = strip == strips - 1 ? edge_rows : rows;
    return strip_rows * (edge_slice ? edge_row_bytes : row_bytes);
  }
};

/// The work of a CTA after its last k-step.
struct EpilogueProgram {
  /// Bytes of one element of C (or of a partial sum of split-K).
  std::int64_t element_bytes = 2;
  /// Shared-memory bytes per element: accumulators are written once and read once so that rows
  /// leave coalesced. 0 = stored directly.
  std::int64_t staging_bytes_per_element = 8;
  /// Kernels that read C before they write it (beta of BLAS) wait so long for a tile of it: a
  /// load's latency and the tile's way over the SM's bus. 0 = C is only written.
  Cycles source_wait{0};
  /// Each warp's rows pass shared memory eight at a time: so often. 0 = stored directly.
  std::int64_t trips = 0;
  /// Elements of C that all warps convert, address and move in a clk; 0 = as the machine says.
  std::int64_t elements_per_clk = 0;
  /// Groups of warps that take tiles in turns: each has its share of the elements in a clk, and
  /// begins to store its tile while the other still stores.
  std::int64_t warp_groups = 1;
  /// Elements of C that are stored, in 1/1024: less where the epilogue prunes. Metadata count as
  /// the elements that have as many bits.
  std::int64_t stored_per_1024 = 1024;

  friend auto operator<=>(const EpilogueProgram&, const EpilogueProgram&) = default;

  /// Bytes that are stored of a part of C.
  [[nodiscard]] std::int64_t stored_bytes(std::int64_t rows, std::int64_t columns) const {
    return ceil_div(rows * columns * stored_per_1024, std::int64_t{1024}) * element_bytes;
  }
};

/// The k-steps of tiles along M that do not all have the same ones: causal attention leaves out the
/// blocks that nothing sees.
struct Staircase {
  /// Tiles along M from one head's first to the next head's; 0: all tiles have all k-steps.
  std::int64_t tiles = 0;
  /// Tiles begin at the diagonal (keys, which later queries see); else they end there (queries).
  bool begins_at_diagonal = false;
  /// K-steps of a window that moves along the diagonal; 0: all.
  std::int64_t window_steps = 0;

  friend auto operator<=>(const Staircase&, const Staircase&) = default;
};

/// Position of one CTA in the grid.
struct CtaPosition {
  std::int64_t batch = 0;
  std::int64_t split = 0;
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  /// Its number in raster order.
  std::int64_t cta = 0;

  friend bool operator==(const CtaPosition&, const CtaPosition&) = default;
};

/// A kernel as the machine sees it: a grid of CTAs that all run the same program. Stream kernels
/// (no tensor-core work) are grids with one k-step per CTA and vector instructions.
struct KernelLaunch {
  std::int64_t tiles_m = 1;
  std::int64_t tiles_n = 1;
  std::int64_t splits = 1;
  std::int64_t batch_count = 1;
  /// Rows (along m) of tiles that are visited together before moving along m.
  std::int64_t raster_group = 1;
  /// Length of the reduction axis and of one k-step, in elements (logical, uncompressed).
  std::int64_t k = 0;
  std::int64_t tile_k = 1;
  /// K-steps of the whole reduction axis; splits share them as evenly as possible.
  std::int64_t k_steps = 0;
  std::int64_t ctas_per_sm = 1;
  std::int64_t warps = 1;
  std::int64_t stages = 2;
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t edge_m = 0;
  std::int64_t edge_n = 0;
  /// What threads copy into shared memory in a clk, through the port that they read through; 0:
  /// they do not, the machine has a way for it.
  std::int64_t thread_copy_bytes_per_clk = 0;
  /// Zeros of a stage, which are written and not loaded.
  std::int64_t zero_bytes = 0;
  OperandStream a;
  OperandStream b;
  /// Metadata of A, beside its values, or of C's tiles; without strips if there are none.
  OperandStream metadata;
  /// Indices of the columns that each block of `tiles_per_block` tiles along m has selected, which
  /// are the rows of B that it gathers; without strips if none are selected.
  OperandStream column_indices;
  std::int64_t tiles_per_block = 1;
  /// From the end of a CTA's set-up to its first copy: the first indices have to be there.
  Cycles index_wait{0};
  /// Metadata go from L2 to the warps without a place in shared memory.
  bool metadata_in_registers = false;
  /// A CTA stays on its SM and takes one tile after the other: it is set up once, and its copies
  /// run ahead into the next tile while the epilogue of the one before stores.
  bool persistent = false;
  /// Accumulators of the next tile have a place beside those of the one that is stored, whose
  /// epilogue it does not wait for.
  bool has_spare_accumulators = false;
  /// CTAs of a cluster that get what one read of the L2 cache sends, of A with its metadata and of
  /// B.
  std::int64_t ctas_per_read_of_a = 1;
  std::int64_t ctas_per_read_of_b = 1;
  Staircase staircase;
  WarpProgram warp;
  EpilogueProgram epilogue;

  friend auto operator<=>(const KernelLaunch&, const KernelLaunch&) = default;

  /// Whether it reads tiles of matrices; stream kernels read memory from one end to the other.
  [[nodiscard]] bool reads_tiles() const { return warp.instruction.has_value(); }
  /// CTAs of an SM whose main loops run side by side.
  [[nodiscard]] std::int64_t main_loops_per_sm() const { return persistent ? 1 : ctas_per_sm; }
  [[nodiscard]] std::int64_t ctas() const { return tiles_m * tiles_n * splits * batch_count; }

  [[nodiscard]] std::int64_t first_step(std::int64_t split) const {
    return splits == 1 ? 0 : split * (k_steps / splits) + std::min(split, k_steps % splits);
  }
  [[nodiscard]] std::int64_t steps_of(std::int64_t split) const {
    return splits == 1 ? k_steps : k_steps / splits + (split < k_steps % splits ? 1 : 0);
  }

  /// K-steps before the first of a CTA, and its own.
  [[nodiscard]] std::int64_t first_step(const CtaPosition& at) const {
    if (staircase.tiles == 0) return first_step(at.split);
    const std::int64_t row = at.tile_m % staircase.tiles * tile_m;
    if (staircase.begins_at_diagonal) return std::min(k_steps - 1, row / tile_k);
    const std::int64_t end = std::min(k_steps, ceil_div(row + tile_m, tile_k));
    return staircase.window_steps > 0 ? std::max<std::int64_t>(0, end - staircase.window_steps) : 0;
  }
  [[nodiscard]] std::int64_t steps_of(const CtaPosition& at) const {
    if (staircase.tiles == 0) return steps_of(at.split);
    const std::int64_t first = first_step(at);
    const std::int64_t row = at.tile_m % staircase.tiles * tile_m;
    if (!staircase.begins_at_diagonal) {
      return std::min(k_steps, ceil_div(row + tile_m, tile_k)) - first;
    }
    const std::int64_t left = k_steps - first;
    return staircase.window_steps > 0 ? std::min(left, staircase.window_steps) : left;
  }
  /// K-steps of the CTA that has fewest.
  [[nodiscard]] std::int64_t fewest_steps() const {
    if (staircase.tiles == 0) return k_steps / splits;
    CtaPosition at;
    at.tile_m = staircase.begins_at_diagonal ? staircase.tiles - 1 : 0;
    return steps_of(at);
  }
  /// K-steps of the CTAs of one column of tiles of one batch.
  [[nodiscard]] std::int64_t column_steps() const {
    if (staircase.tiles == 0) return tiles_m * k_steps;
    std::int64_t sum = 0;
    CtaPosition at;
    for (at.tile_m = 0; at.tile_m < staircase.tiles; ++at.tile_m) sum += steps_of(at);
    return sum * (tiles_m / staircase.tiles);
  }

  /// Raster order: batches outermost, then splits, then groups of `raster_group` tile rows; inside
  /// a group down the rows first, then along n. So CTAs that run together share rows and columns.
  [[nodiscard]] CtaPosition position(std::int64_t cta) const {
    CtaPosition at;
    at.cta = cta;
    const std::int64_t tiles = tiles_m * tiles_n;
    std::int64_t tile = cta;
    if (splits * batch_count > 1) {
      at.batch = cta / (tiles * splits);
      at.split = cta / tiles % splits;
      tile = cta % tiles;
    }
    const std::int64_t group = tile / (raster_group * tiles_n);
    const std::int64_t group_rows = std::min(raster_group, tiles_m - group * raster_group);
    const std::int64_t inside = tile - group * raster_group * tiles_n;
    at.tile_m = group * raster_group + inside % group_rows;
    at.tile_n = inside / group_rows;
    return at;
  }

  /// The operands every k-step loads, in the order in which it is asked for.
  [[nodiscard]] std::span<const Operand> operands() const {
    static constexpr std::array<Operand, kOperandCount> kAll{
        Operand::a, Operand::b, Operand::metadata, Operand::column_indices};
    return std::span(kAll).first(column_indices.strips > 0 ? 4 : metadata.strips > 0 ? 3 : 2);
  }
  [[nodiscard]] std::int64_t ctas_per_read(Operand operand) const {
    if (stream(operand).of_tiles) return 1;
    return operand == Operand::b ? ctas_per_read_of_b : ctas_per_read_of_a;
  }
  /// What leaves the L2 cache of so many bytes that CTAs get, rounded up.
  [[nodiscard]] std::int64_t read_bytes(std::int64_t bytes_of_a, std::int64_t bytes_of_b) const {
    return ceil_div(bytes_of_a * ctas_per_read_of_b + bytes_of_b * ctas_per_read_of_a,
                    ctas_per_read_of_a * ctas_per_read_of_b);
  }
  [[nodiscard]] const OperandStream& stream(Operand operand) const {
    if (operand == Operand::column_indices) return column_indices;
    return operand == Operand::a ? a : operand == Operand::b ? b : metadata;
  }
  /// Whether blocks of rows of A select columns.
  [[nodiscard]] bool gathers() const { return column_indices.strips > 0; }
  /// The strip of an operand the CTA at `at` reads.
  [[nodiscard]] std::int64_t strip(Operand operand, const CtaPosition& at) const {
    if (operand == Operand::column_indices) return at.tile_m / tiles_per_block;
    if (stream(operand).of_tiles) return at.tile_m * tiles_n + at.tile_n;
    return operand == Operand::b ? at.tile_n : at.tile_m;
  }
  /// The memory that strip lies in: distinct strips of the whole batch are numbered through.
  [[nodiscard]] std::int64_t distinct_strip(Operand operand, const CtaPosition& at) const {
    const std::int64_t strips = stream(operand).distinct_strips;
    std::int64_t of_all = strip(operand, at);
    if (operand == Operand::b && gathers()) of_all += at.tile_m / tiles_per_block * b.strips;
    return at.batch * strips + (of_all < strips ? of_all : of_all % strips);
  }
  /// Which of an operand's strips, from its first to its edge, a distinct strip is.
  [[nodiscard]] std::int64_t strip_of(Operand operand, std::int64_t distinct) const {
    const OperandStream& from = stream(operand);
    const std::int64_t of_batch =
        distinct < from.distinct_strips ? distinct : distinct % from.distinct_strips;
    return of_batch < from.strips ? of_batch : of_batch % from.strips;
  }
  /// Whether no slice of the operand is read by two CTAs, or twice by one.
  [[nodiscard]] bool reads_once(Operand operand) const {
    const OperandStream& from = stream(operand);
    const bool is_of_rows = operand != Operand::b && operand != Operand::column_indices;
    return is_of_rows && tiles_n == 1 && k_steps <= 1 && from.distinct_strips >= from.strips;
  }
  /// Bytes of an operand's full stage: edge tiles occupy an SM like full ones (their loads are
  /// predicated, and what is not loaded is filled with zeros); only less memory is moved for them.
  [[nodiscard]] std::int64_t stage_bytes(Operand operand) const {
    if (stream(operand).of_tiles) return 0;
    return std::max(stream(operand).rows, stream(operand).edge_rows) * stream(operand).row_bytes;
  }
  /// The same of all that a k-step loads.
  [[nodiscard]] std::int64_t stage_bytes() const {
    std::int64_t bytes = 0;
    for (const Operand operand : operands()) bytes += stage_bytes(operand);
    return bytes;
  }
  /// The part of it that shared memory takes in.
  [[nodiscard]] std::int64_t shared_stage_bytes() const {
    return stage_bytes() - (metadata_in_registers ? stage_bytes(Operand::metadata) : 0);
  }
  /// Rows whose alignment allows no access of the widest kind.
  [[nodiscard]] bool loads_narrowly() const {
    return std::min(a.access_bytes, b.access_bytes) < OperandStream::kWidestAccessBytes;
  }
  /// Bytes that as many accesses of the widest kind would ask for.
  [[nodiscard]] std::int64_t issued_bytes(Operand operand, bool is_first_step = false) const {
    const OperandStream& from = stream(operand);
    if (from.of_tiles) return is_first_step ? from.rows * from.row_bytes : 0;
    return stage_bytes(operand) * OperandStream::kWidestAccessBytes / from.access_bytes;
  }
  /// Bytes of memory that the whole operand takes.
  [[nodiscard]] std::int64_t distinct_bytes(Operand operand) const {
    const OperandStream& from = stream(operand);
    const std::int64_t edges = from.strips > 0 ? from.distinct_strips / from.strips : 0;
    const std::int64_t rows =
        from.distinct_strips * from.rows - edges * (from.rows - from.edge_rows);
    return batch_count * rows * from.distinct_slices * from.row_bytes * from.distinct_per_1024 /
           1024;
  }
  /// Bytes to be brought in from DRAM when a slice of a distinct strip is missing.
  [[nodiscard]] std::int64_t fill_bytes(Operand operand, std::int64_t strip,
                                        std::int64_t slice) const {
    const OperandStream& from = stream(operand);
    const std::int64_t bytes = from.bytes(strip_of(operand, strip), slice == k_steps - 1);
    return std::max<std::int64_t>(1, bytes * from.distinct_per_1024 / 1024);
  }

  /// The same for C: bytes that go through the epilogue of a CTA.
  [[nodiscard]] std::int64_t output_bytes() const {
    const std::int64_t rows = tiles_m > 1 ? std::max(tile_m, edge_m) : edge_m;
    const std::int64_t columns = tiles_n > 1 ? std::max(tile_n, edge_n) : edge_n;
    return epilogue.stored_bytes(rows, columns);
  }
  /// The least of them that a CTA has: those of a tile at an edge.
  [[nodiscard]] std::int64_t least_output_bytes() const {
    const std::int64_t rows = tiles_m > 1 ? std::min(tile_m, edge_m) : edge_m;
    const std::int64_t columns = tiles_n > 1 ? std::min(tile_n, edge_n) : edge_n;
    return epilogue.stored_bytes(rows, columns);
  }
  /// Bytes that all CTAs store.
  [[nodiscard]] std::int64_t stored_bytes() const {
    const auto of = [&](std::int64_t height, std::int64_t width) {
      return epilogue.stored_bytes(height, width);
    };
    const std::int64_t edges = (tiles_m - 1) * of(tile_m, edge_n) + of(edge_m, edge_n);
    const std::int64_t inside = (tiles_m - 1) * of(tile_m, tile_n) + of(edge_m, tile_n);
    return ((tiles_n - 1) * inside + edges) * splits * batch_count;
  }
  /// Bytes of C the CTA at `at` stores.
  [[nodiscard]] std::int64_t store_bytes(const CtaPosition& at) const {
    const std::int64_t rows = at.tile_m == tiles_m - 1 ? edge_m : tile_m;
    const std::int64_t columns = at.tile_n == tiles_n - 1 ? edge_n : tile_n;
    return epilogue.stored_bytes(rows, columns);
  }
};

}  // namespace stcsim
