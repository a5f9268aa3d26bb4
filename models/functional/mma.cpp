#include "models/functional/mma.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "models/functional/number_format.hpp"

namespace stcsim {
namespace {

/// One block of kColumnBlock accumulators of one row. Lane: float, or std::uint32_t for integers
/// (whose overflow wraps).
template <typename Lane>
void multiply_block(std::span<const std::uint32_t> a, std::span<const std::int32_t> b_rows,
                    const std::uint32_t* b, std::int64_t pitch, std::uint32_t* accumulators) {
  std::array<Lane, kColumnBlock> sums;
  std::transform(accumulators, accumulators + kColumnBlock, sums.begin(),
                 [](std::uint32_t word) { return std::bit_cast<Lane>(word); });
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Lane a_value = std::bit_cast<Lane>(a[i]);
    const std::uint32_t* row = b + b_rows[i] * pitch;
    for (std::size_t column = 0; column < kColumnBlock; ++column) {
      sums[column] += a_value * std::bit_cast<Lane>(row[column]);
    }
  }
  std::transform(sums.begin(), sums.end(), accumulators,
                 [](Lane sum) { return std::bit_cast<std::uint32_t>(sum); });
}

template <typename Lane>
void multiply_row(std::span<const std::uint32_t> a, std::span<const std::int32_t> b_rows,
                  std::span<const std::uint32_t> b, std::int64_t pitch,
                  std::uint32_t* accumulators) {
  for (std::int64_t column = 0; column < pitch; column += kColumnBlock) {
    multiply_block<Lane>(a, b_rows, b.data() + column, pitch, accumulators + column);
  }
}

}  // namespace

FragmentShape::FragmentShape(const FunctionalKernel& kernel)
    : rows(kernel.warp_rows()),
      stored_values(kernel.stored_values(kernel.instruction_k)),
      metadata_words(kernel.metadata_words(kernel.instruction_k)),
      k(kernel.instruction_k),
      pitch(round_up(kernel.warp_columns(), kColumnBlock)) {}

MmaUnit::MmaUnit(DataType type, Pattern hardware, const FragmentShape& shape)
    : type_(type),
      shape_(shape),
      selector_(hardware),
      a_words_(as_size(shape.rows * shape.stored_values)),
      b_words_(as_size(shape.k * shape.pitch)),
      b_rows_(as_size(shape.stored_values)) {}

void MmaUnit::execute(const Fragment& fragment, std::span<std::uint32_t> accumulators) {
  widen(type_, fragment.a, a_words_);
  widen(type_, fragment.b, b_words_);
  const bool integer = accumulator_of(type_) == DataType::int32;
  const auto stored = as_size(shape_.stored_values);
  const auto words = as_size(shape_.metadata_words);
  for (std::int64_t row = 0; row < shape_.rows; ++row) {
    selector_.select(std::span(fragment.metadata).subspan(as_size(row) * words, words), b_rows_);
    const auto a = std::span(a_words_).subspan(as_size(row) * stored, stored);
    std::uint32_t* sums = accumulators.data() + row * shape_.pitch;
    if (integer) {
      multiply_row<std::uint32_t>(a, b_rows_, b_words_, shape_.pitch, sums);
    } else {
      multiply_row<float>(a, b_rows_, b_words_, shape_.pitch, sums);
    }
  }
}

void add_words(DataType accumulator, std::span<const std::uint32_t> from,
               std::span<std::uint32_t> into) {
  const auto add_floats = [](std::uint32_t x, std::uint32_t y) {
    return std::bit_cast<std::uint32_t>(std::bit_cast<float>(x) + std::bit_cast<float>(y));
  };
  if (accumulator == DataType::int32) {
    std::ranges::transform(into, from, into.begin(), std::plus<>());
  } else {
    std::ranges::transform(into, from, into.begin(), add_floats);
  }
}

}  // namespace stcsim
