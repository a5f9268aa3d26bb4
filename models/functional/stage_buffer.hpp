#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace stcsim
