#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/functional/functional_kernel.hpp"
#include "models/functional/mma.hpp"

namespace stcsim {

/// The content of poisoned storage: NaN in every floating-point operand type.
inline constexpr std::uint32_t kPoison = 0xffffffff;

/// One shared-memory stage of a CTA: the operands of one k-step, as raw bits. Control (when it may
/// be filled, read or released) is the owner's.
class StageBuffer {
 public:
  explicit StageBuffer(const FunctionalKernel& kernel);

  /// Loads the operands of the CTA's k-step `step` from global memory. Rows and columns beyond the
  /// problem and k at or beyond the CTA's k_end read as zero.
  void fill(const FunctionalKernel& kernel, const FunctionalOperands& operands,
            const CtaCoordinates& cta, std::int64_t step);
  void poison();

  /// Reads the fragments of warp `warp` (warps of one k slice are numbered row by row, slices one
  /// after another) for mma group `group` into `fragment`.
  void read(const FunctionalKernel& kernel, std::int64_t warp, std::int64_t group,
            Fragment& fragment) const;

  /// The k-step the stage holds; nothing if it is empty or released.
  [[nodiscard]] std::optional<std::int64_t> step() const { return step_; }

 private:
  void fill_dense_a(const FunctionalKernel& kernel, const GlobalTensor& a,
                    const CtaCoordinates& cta, std::int64_t k_begin, std::int64_t k_end);
  void fill_sparse_a(const FunctionalKernel& kernel, const CompressedMatrix& a,
                     const CtaCoordinates& cta, std::int64_t k_begin, std::int64_t k_end);
  void fill_b(const FunctionalKernel& kernel, const GlobalTensor& b, const CtaCoordinates& cta,
              std::int64_t k_begin, std::int64_t k_end);
  void gather_b(const FunctionalKernel& kernel, const FunctionalOperands& operands,
                const CtaCoordinates& cta, std::int64_t k_begin, std::int64_t k_end);
  void read_a(const FunctionalKernel& kernel, std::int64_t first_row, std::int64_t k,
              Fragment& fragment) const;
  void read_b(const FunctionalKernel& kernel, std::int64_t first_column, std::int64_t k,
              Fragment& fragment) const;

  std::optional<std::int64_t> step_;
  std::vector<std::uint32_t> a_;         // tile_m x stored values of tile_k
  std::vector<std::uint32_t> metadata_;  // tile_m x metadata words of tile_k
  std::vector<std::uint32_t> b_;         // tile_k x tile_n
};

/// C in global memory and, with split_k > 1, the workspace that holds every split's partial sums.
/// Keeps account of the CTA tiles, so that none is computed twice or left out.
class OutputBuffer {
 public:
  explicit OutputBuffer(const FunctionalKernel& kernel);

  /// A CTA starts on this tile. Throws SimulationError if the coordinates are not those of a tile
  /// of the problem, or another CTA had it before.
  void claim(const CtaCoordinates& cta);

  /// Writes a claimed tile's accumulators (tile_m rows of tile_n words): converted to the output
  /// type into C, or as they are into the workspace. Elements outside the problem are dropped.
  void store(const CtaCoordinates& cta, std::span<const std::uint32_t> tile);

  /// Adds the splits of the workspace in ascending order and writes C. Does nothing without
  /// split-K. Throws SimulationError if a tile has not been stored.
  void reduce_split_k();

  /// Throws SimulationError if a tile has not been stored or the splits have not been reduced.
  [[nodiscard]] const GlobalTensor& c() const;
  /// Poison where tiles were not stored. Without split-K.
  [[nodiscard]] const GlobalTensor& c_so_far() const { return c_; }
  [[nodiscard]] bool is_stored(std::int64_t batch, std::int64_t row, std::int64_t column) const;

 private:
  enum class TileState : std::uint8_t { untouched, claimed, stored };

  [[nodiscard]] std::size_t tile_index(const CtaCoordinates& cta) const;
  [[nodiscard]] std::uint32_t to_output(std::uint32_t accumulator) const;
  void require_all_stored() const;

  FunctionalKernel kernel_;
  GlobalTensor c_;
  std::vector<std::uint32_t> workspace_;  // split x (batch, row, column as in C)
  std::vector<TileState> tiles_;
  bool reduced_;
};

}  // namespace stcsim
