#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// The numbers that addresses and sizes of a CTA's loads and stores are made from. Known to the
/// memory system only: an SM does the same for every CTA of as many k-steps.
struct ResidentCta {
  static constexpr std::int64_t kNone = -1;
  std::int64_t cta = kNone;  // in raster order
  std::array<std::int64_t, kOperandCount> strips{};
  std::array<std::int64_t, kOperandCount> rows{};  // valid ones of each strip
  std::int64_t first_step = 0;
  std::int64_t steps = 0;
  std::int64_t store_bytes = 0;

  ResidentCta() = default;
  ResidentCta(const KernelLaunch& kernel, std::int64_t number) : cta(number) {
    const CtaPosition at = kernel.position(number);
    for (const Operand operand : kernel.operands()) {
      const auto index = index_of(operand);
      const OperandStream& stream = kernel.stream(operand);
      strips[index] = kernel.distinct_strip(operand, at);
      rows[index] = kernel.strip(operand, at) == stream.strips - 1 ? stream.edge_rows : stream.rows;
    }
    first_step = kernel.first_step(at);
    steps = kernel.steps_of(at);
    store_bytes = kernel.store_bytes(at);
  }

  [[nodiscard]] std::int64_t strip(Operand operand) const { return strips[index_of(operand)]; }
  /// Slice of an operand it reads in `step`, counted from its first.
  [[nodiscard]] std::int64_t slice(const KernelLaunch& kernel, Operand operand,
                                   std::int64_t step) const {
    const std::int64_t in_k = first_step + step;
    const std::int64_t distinct = kernel.stream(operand).distinct_slices;
    return in_k < distinct ? in_k : in_k % distinct;
  }
  /// Bytes of it.
  [[nodiscard]] std::int64_t load_bytes(const KernelLaunch& kernel, Operand operand,
                                        std::int64_t step) const {
    const OperandStream& stream = kernel.stream(operand);
    if (stream.of_tiles && step > 0) return 0;
    return rows[index_of(operand)] *
           (is_edge(kernel, step) ? stream.edge_row_bytes : stream.row_bytes);
  }
  /// True for the last k-step of K, which may be shorter.
  [[nodiscard]] bool is_edge(const KernelLaunch& kernel, std::int64_t step) const {
    return first_step + step == kernel.k_steps - 1;
  }
  /// Valid bytes among the `bytes` at `offset` of the tile that goes through the epilogue.
  [[nodiscard]] std::int64_t valid_bytes(const KernelLaunch& kernel, std::int64_t offset,
                                         std::int64_t bytes) const {
    const std::int64_t all = kernel.output_bytes();
    return (offset + bytes) * store_bytes / all - offset * store_bytes / all;
  }
  /// True if both move as much memory in every k-step and at the end.
  [[nodiscard]] bool has_sizes_of(const KernelLaunch& kernel, const ResidentCta& other) const {
    const bool ends = first_step + steps == kernel.k_steps;
    const bool other_ends = other.first_step + other.steps == kernel.k_steps;
    return rows == other.rows && steps == other.steps && store_bytes == other.store_bytes &&
           ends == other_ends;
  }
};

/// Which CTA every slot of every SM was last given.
class ResidentCtas {
 public:
  void launch(const KernelLaunch& kernel, std::int64_t sms) {
    slots_per_sm_ = kernel.ctas_per_sm;
    ctas_.assign(static_cast<std::size_t>(sms * slots_per_sm_), ResidentCta());
  }
  void assign(std::int64_t sm, std::int64_t slot, const ResidentCta& cta) {
    ctas_[static_cast<std::size_t>(sm * slots_per_sm_ + slot)] = cta;
  }
  [[nodiscard]] const ResidentCta& at(std::int64_t sm, std::int64_t slot) const {
    return ctas_[static_cast<std::size_t>(sm * slots_per_sm_ + slot)];
  }

 private:
  std::int64_t slots_per_sm_ = 1;
  std::vector<ResidentCta> ctas_;
};

/// Which CTAs of a grid move as much memory as which others, in every k-step and at the end.
class CtaSizes {
 public:
  /// Begins another grid.
  void launch(const KernelLaunch& kernel);

  /// The first CTA from `first` on that differs from the one `apart` later; `end` if none before
  /// `end` does.
  [[nodiscard]] std::int64_t first_unlike(std::int64_t first, std::int64_t end,
                                          std::int64_t apart) const;

 private:
  void find_kinds() const;

  KernelLaunch kernel_;
  // Found when somebody asks: by CTA, the number of its kind, of which there are few.
  mutable std::vector<std::uint16_t> kinds_;
};

}  // namespace stcsim
