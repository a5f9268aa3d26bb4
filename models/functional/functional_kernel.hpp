#pragma once

#include <cstdint>
#include <vector>

#include "common/counts.hpp"
#include "common/gemm.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"
#include "models/base/launch_observers.hpp"
#include "models/functional/compressed_matrix.hpp"

namespace stcsim {

/// Everything the datapath has to know of a kernel and of the machine it runs on. Lengths along k
/// are in elements of the uncompressed operand.
struct FunctionalKernel {
  GemmProblem problem;
  std::int64_t tile_m = 0, tile_n = 0, tile_k = 0;  // CTA tile
  std::int64_t stages = 1;                          // shared-memory stages of a CTA
  /// Warps of a CTA along each axis of its tile. With warps_k > 1 every k-step is cut into warps_k
  /// slices, summed in ascending order by the epilogue.
  std::int64_t warps_m = 1, warps_n = 1, warps_k = 1;
  std::int64_t instruction_k = 0;  // k of one mma group
  /// Rows of A and columns of B of each of its instructions; 0: those of the warp.
  std::int64_t instruction_m = 0, instruction_n = 0;
  Pattern pattern = kDense;  // of the tensor core, not of the tensor
  std::int64_t split_k = 1;
  std::int64_t fragment_buffers = 2;  // register buffers of every warp
  std::int64_t num_sms = 1, slots_per_sm = 1;
  MetadataFormat metadata;  // of the tensor core
  /// Where blocks of so many rows of A have selected columns, which are all that `problem` counts:
  /// rows of B, of which each block gathers those that belong to them. 0: none are selected.
  std::int64_t block_rows = 0;
  std::int64_t rows_of_b = 0;

  /// The problem whose B it reads.
  [[nodiscard]] GemmProblem b_problem() const;
  [[nodiscard]] std::int64_t warps() const { return warps_m * warps_n * warps_k; }
  /// mma groups every warp executes per k-step.
  [[nodiscard]] std::int64_t groups_per_step() const { return tile_k / (instruction_k * warps_k); }
  [[nodiscard]] std::int64_t warp_rows() const { return tile_m / warps_m; }
  [[nodiscard]] std::int64_t warp_columns() const { return tile_n / warps_n; }
  /// Values of A stored for `k` elements; `k` is a multiple of pattern.m, if that is A's.
  [[nodiscard]] std::int64_t stored_values(std::int64_t k) const {
    return row_contents(k, pattern.of_a(), metadata).values;
  }
  /// Metadata words of one row of A for `k` elements, starting at a word.
  [[nodiscard]] std::int64_t metadata_words(std::int64_t k) const;
  /// The same of the mask of so many columns of C; 0 if all are computed.
  [[nodiscard]] std::int64_t mask_words(std::int64_t columns) const;
  [[nodiscard]] std::int64_t metadata_bits_per_group() const {
    return stcsim::metadata_bits_per_group(pattern, metadata);
  }
  [[nodiscard]] std::int64_t steps(const CtaCoordinates& cta) const {
    return ceil_div(cta.k_end - cta.k_begin, tile_k);
  }
  /// First row and column of C of the CTA's tile.
  [[nodiscard]] std::int64_t first_row(const CtaCoordinates& cta) const {
    return cta.tile_m * tile_m;
  }
  [[nodiscard]] std::int64_t first_column(const CtaCoordinates& cta) const {
    return cta.tile_n * tile_n;
  }
  [[nodiscard]] std::int64_t tiles_m() const { return ceil_div(problem.m, tile_m); }
  [[nodiscard]] std::int64_t tiles_n() const { return ceil_div(problem.n, tile_n); }
};

/// Throws ConfigError if the counts do not divide as they must (tile by warps, k-step by warp
/// slices and instructions, instruction by groups of the pattern) or the problem's A does not fit
/// the hardware's pattern.
void validate(const FunctionalKernel& kernel);

/// The operands in global memory. Sparse hardware reads `compressed_a` (one matrix per batch
/// entry), dense hardware reads `a`; the other one is empty.
struct FunctionalOperands {
  GlobalTensor a;
  std::vector<CompressedMatrix> compressed_a;
  GlobalTensor b;
  /// Where columns are selected: of every batch entry, block of rows and k of the problem the row
  /// of B; -1 if there is none.
  std::vector<std::int64_t> gathered_rows;
  /// Where not all of C is computed: of every batch entry M x N elements that are kept where C is.
  std::vector<CompressedMatrix> c_masks = {};
};

/// Throws ConfigError if the operands' shapes, types or patterns are not the kernel's.
void validate(const FunctionalKernel& kernel, const FunctionalOperands& operands);

/// Compresses `a` if the hardware is sparse. Throws ConfigError if a tensor's shape or type is not
/// the problem's, or `a` violates the pattern.
[[nodiscard]] FunctionalOperands make_operands(const FunctionalKernel& kernel, GlobalTensor a,
                                               GlobalTensor b);

}  // namespace stcsim
