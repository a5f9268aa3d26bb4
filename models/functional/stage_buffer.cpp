#include "models/functional/stage_buffer.hpp"

#include <algorithm>

#include "models/functional/packed_bits.hpp"

namespace stcsim {

StageBuffer::StageBuffer(const FunctionalKernel& kernel)
    : a_(as_size(kernel.tile_m * kernel.stored_values(kernel.tile_k))),
      metadata_(as_size(kernel.tile_m * kernel.metadata_words(kernel.tile_k))),
      b_(as_size(kernel.tile_k * kernel.tile_n)) {
  poison();
}

void StageBuffer::poison() {
  step_.reset();
  std::ranges::fill(a_, kPoison);
  std::ranges::fill(metadata_, kPoison);
  std::ranges::fill(b_, kPoison);
}

void StageBuffer::fill(const FunctionalKernel& kernel, const FunctionalOperands& operands,
                       const CtaCoordinates& cta, std::int64_t step) {
  const std::int64_t k_begin = cta.k_begin + step * kernel.tile_k;
  const std::int64_t k_end = std::min(k_begin + kernel.tile_k, cta.k_end);
  std::ranges::fill(a_, 0);
  std::ranges::fill(metadata_, 0);
  std::ranges::fill(b_, 0);
  if (kernel.pattern.is_dense()) {
    fill_dense_a(kernel, operands.a, cta, k_begin, k_end);
  } else {
    fill_sparse_a(kernel, operands.compressed_a[as_size(cta.batch)], cta, k_begin, k_end);
  }
  fill_b(kernel, operands.b, cta, k_begin, k_end);
  step_ = step;
}

void StageBuffer::fill_dense_a(const FunctionalKernel& kernel, const GlobalTensor& a,
                               const CtaCoordinates& cta, std::int64_t k_begin,
                               std::int64_t k_end) {
  const std::int64_t first_row = kernel.first_row(cta);
  const std::int64_t rows = std::min(kernel.tile_m, a.rows - first_row);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t k = k_begin; k < k_end; ++k) {
      a_[as_size(row * kernel.tile_k + k - k_begin)] =
          a.bits[a.offset(cta.batch, first_row + row, k)];
    }
  }
}

// A last group that reaches beyond k_end is loaded whole: B reads as zero there.
void StageBuffer::fill_sparse_a(const FunctionalKernel& kernel, const CompressedMatrix& a,
                                const CtaCoordinates& cta, std::int64_t k_begin,
                                std::int64_t k_end) {
  const Pattern pattern = kernel.pattern;
  const std::int64_t first_row = kernel.first_row(cta);
  const std::int64_t rows = std::min(kernel.tile_m, a.rows() - first_row);
  const std::int64_t first_group = k_begin / pattern.m;
  const std::int64_t groups = ceil_div(k_end - k_begin, pattern.m);
  const std::int64_t group_bits = pattern.metadata_bits_per_group();
  const std::int64_t words = kernel.metadata_words(kernel.tile_k);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto values = a.row_values(first_row + row)
                            .subspan(as_size(first_group * pattern.n), as_size(groups * pattern.n));
    std::ranges::copy(values, a_.begin() + row * kernel.stored_values(kernel.tile_k));
    copy_bits(a.row_metadata(first_row + row), first_group * group_bits, groups * group_bits,
              std::span(metadata_).subspan(as_size(row * words), as_size(words)));
  }
}

void StageBuffer::fill_b(const FunctionalKernel& kernel, const GlobalTensor& b,
                         const CtaCoordinates& cta, std::int64_t k_begin, std::int64_t k_end) {
  const std::int64_t first_column = kernel.first_column(cta);
  const std::int64_t columns = std::min(kernel.tile_n, b.columns - first_column);
  for (std::int64_t k = k_begin; k < k_end; ++k) {
    for (std::int64_t column = 0; column < columns; ++column) {
      b_[as_size((k - k_begin) * kernel.tile_n + column)] =
          b.bits[b.offset(cta.batch, k, first_column + column)];
    }
  }
}

void StageBuffer::read(const FunctionalKernel& kernel, std::int64_t warp, std::int64_t group,
                       Fragment& fragment) const {
  const std::int64_t slice = warp / (kernel.warps_m * kernel.warps_n);
  const std::int64_t k = (slice * kernel.groups_per_step() + group) * kernel.instruction_k;
  read_a(kernel, warp / kernel.warps_n % kernel.warps_m * kernel.warp_rows(), k, fragment);
  read_b(kernel, warp % kernel.warps_n * kernel.warp_columns(), k, fragment);
}

void StageBuffer::read_a(const FunctionalKernel& kernel, std::int64_t first_row, std::int64_t k,
                         Fragment& fragment) const {
  const FragmentShape shape(kernel);
  const std::int64_t tile_values = kernel.stored_values(kernel.tile_k);
  const std::int64_t tile_words = kernel.metadata_words(kernel.tile_k);
  const std::int64_t group_bits = kernel.pattern.metadata_bits_per_group();
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const std::int64_t row = first_row + i;
    std::copy_n(a_.begin() + row * tile_values + kernel.stored_values(k), shape.stored_values,
                fragment.a.begin() + i * shape.stored_values);
    copy_bits(std::span(metadata_).subspan(as_size(row * tile_words), as_size(tile_words)),
              k / kernel.pattern.m * group_bits, shape.k / kernel.pattern.m * group_bits,
              std::span(fragment.metadata)
                  .subspan(as_size(i * shape.metadata_words), as_size(shape.metadata_words)));
  }
}

void StageBuffer::read_b(const FunctionalKernel& kernel, std::int64_t first_column, std::int64_t k,
                         Fragment& fragment) const {
  const FragmentShape shape(kernel);
  for (std::int64_t i = 0; i < shape.k; ++i) {
    std::copy_n(b_.begin() + (k + i) * kernel.tile_n + first_column, kernel.warp_columns(),
                fragment.b.begin() + i * shape.pitch);
  }
}

}  // namespace stcsim
