#include "models/functional/mma.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "models/functional/metadata_codec.hpp"
#include "models/functional/number_format.hpp"

namespace stcsim {
namespace {

/// What stands in a table of answers for metadata that are refused.
constexpr std::int32_t kRefused = kNoElement - 1;

/// The elements that each word of a group's metadata keeps, n of them a word.
std::vector<std::int32_t> answers_of(Pattern hardware, MetadataFormat format, std::int64_t bits) {
  const std::size_t words = std::size_t{1} << as_size(bits);
  std::vector<std::int32_t> answers(words * as_size(hardware.n), kRefused);
  for (std::size_t word = 0; word < words; ++word) {
    const std::array<std::uint32_t, 1> metadata{static_cast<std::uint32_t>(word)};
    const auto kept = std::span(answers).subspan(word * as_size(hardware.n), as_size(hardware.n));
    try {
      decode_group(hardware, format, metadata, 0, 0, kept);
    } catch (const SimulationError&) {
      kept.front() = kRefused;
    }
  }
  return answers;
}

}  // namespace

FunctionalOperandSelector::FunctionalOperandSelector(Pattern hardware, MetadataFormat format)
    : hardware_(hardware), format_(format), group_bits_(metadata_bits_per_group(hardware, format)) {
  if (group_bits_ <= kMostTableBits) answers_ = answers_of(hardware, format, group_bits_);
  has_whole_groups_ = !answers_.empty() && group_bits_ > 0 && kWordBits % group_bits_ == 0 &&
                      std::ranges::count(answers_, kNoElement) == 0;
}

void FunctionalOperandSelector::select(std::span<const std::uint32_t> metadata,
                                       std::span<std::int32_t> b_rows) const {
  const auto groups = static_cast<std::int64_t>(b_rows.size()) / hardware_.n;
  for (std::int64_t group = looked_up(metadata, b_rows); group < groups; ++group) {
    const auto kept = b_rows.subspan(as_size(group * hardware_.n), as_size(hardware_.n));
    const std::int32_t* places = kept.data();
    if (circuit_ != nullptr) {
      decode_by_circuit(metadata, group, kept);
    } else if (const std::int32_t* const answer = answer_of(metadata, group)) {
      places = answer;
    } else {
      decode_group(hardware_, format_, metadata, group * group_bits_, group, kept);
    }
    const auto first = static_cast<std::int32_t>(group * hardware_.m);
    const auto behind = static_cast<std::int32_t>(groups * hardware_.m);
    for (std::size_t slot = 0; slot < kept.size(); ++slot) {
      kept[slot] = places[slot] == kNoElement ? behind : first + places[slot];
    }
  }
}

std::int64_t FunctionalOperandSelector::looked_up(std::span<const std::uint32_t> metadata,
                                                  std::span<std::int32_t> b_rows) const {
  if (circuit_ != nullptr || !has_whole_groups_) return 0;
  const auto groups = static_cast<std::int64_t>(b_rows.size()) / hardware_.n;
  const std::uint32_t mask = (1U << static_cast<std::uint32_t>(group_bits_)) - 1;
  std::int32_t* to = b_rows.data();
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t bit = group * group_bits_;
    const std::uint32_t word = metadata[as_size(bit / kWordBits)] >> (bit % kWordBits) & mask;
    const std::int32_t* const answer = answers_.data() + word * as_size(hardware_.n);
    if (*answer == kRefused) return group;
    const auto first = static_cast<std::int32_t>(group * hardware_.m);
    for (std::int64_t slot = 0; slot < hardware_.n; ++slot) *to++ = first + answer[slot];
  }
  return groups;
}

const std::int32_t* FunctionalOperandSelector::answer_of(std::span<const std::uint32_t> metadata,
                                                         std::int64_t group) const {
  if (answers_.empty()) return nullptr;
  const std::uint32_t word = read_bits(metadata, group * group_bits_, group_bits_);
  const std::int32_t* const answer = answers_.data() + word * as_size(hardware_.n);
  return *answer == kRefused ? nullptr : answer;
}

void FunctionalOperandSelector::decode_by_circuit(std::span<const std::uint32_t> metadata,
                                                  std::int64_t group,
                                                  std::span<std::int32_t> kept) const {
  std::array<std::uint32_t, kMaxGroup> words{};  // a group has no more bits than that many words
  copy_bits(metadata, group * group_bits_, group_bits_, words);
  circuit_->decode(words, kept);
}

void FunctionalOperandSelector::select_values(std::span<const std::int32_t> b_rows,
                                              std::span<const std::uint32_t> column,
                                              std::span<std::uint32_t> selected) const {
  std::vector<std::int32_t> places(as_size(hardware_.n));
  const auto groups = static_cast<std::int64_t>(b_rows.size()) / hardware_.n;
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::size_t first = as_size(group * hardware_.n);
    for (std::size_t slot = 0; slot < places.size(); ++slot) {
      places[slot] = b_rows[first + slot] - static_cast<std::int32_t>(group * hardware_.m);
    }
    circuit_->select(column.subspan(as_size(group * hardware_.m), as_size(hardware_.m)), places,
                     selected.subspan(first, places.size()));
  }
}

bool is_integer(DataType type) {
  return accumulator_of(type) == DataType::int32;
}

namespace {

/// Operands in the 16 bytes of a vector register of common processors. Sums in arrays of this
/// length stay in registers.
template <typename Operand>
inline constexpr std::size_t kLanes = 16 / sizeof(Operand);

template <typename Sum, typename Operand>
void add_products(std::array<Sum, kLanes<Operand>>& sums, Operand a, const Operand* b) {
  for (std::size_t lane = 0; lane < sums.size(); ++lane) {
    sums[lane] += static_cast<Sum>(a * b[lane]);
  }
}

/// One block of kColumnBlock accumulators of one row. Sum: float, or std::uint32_t for integers
/// (whose overflow wraps).
template <typename Sum, typename Operand, std::size_t... kVector>
void multiply_block(std::span<const Operand> a, std::span<const std::int32_t> b_rows,
                    const Operand* b, std::int64_t pitch, std::uint32_t* accumulators,
                    std::index_sequence<kVector...> /*vectors*/) {
  using Lanes = std::array<Sum, kLanes<Operand>>;
  std::array<Lanes, sizeof...(kVector)> sums;
  std::memcpy(sums.data(), accumulators, sizeof sums);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Operand* row = b + b_rows[i] * pitch;
    (add_products<Sum>(sums[kVector], a[i], row + kVector * kLanes<Operand>), ...);
  }
  std::memcpy(accumulators, sums.data(), sizeof sums);
}

template <typename Sum, typename Operand>
void multiply_row(std::span<const Operand> a, std::span<const std::int32_t> b_rows,
                  const Operand* b, std::int64_t pitch, std::uint32_t* accumulators) {
  constexpr std::make_index_sequence<kColumnBlock / kLanes<Operand>> kVectors;
  for (std::int64_t column = 0; column < pitch; column += kColumnBlock) {
    multiply_block<Sum>(a, b_rows, b + column, pitch, accumulators + column, kVectors);
  }
}

}  // namespace

FragmentShape::FragmentShape(const FunctionalKernel& kernel)
    : rows(kernel.warp_rows()),
      stored_values(kernel.stored_values(kernel.instruction_k)),
      metadata_words(kernel.metadata_words(kernel.instruction_k) +
                     kernel.mask_words(kernel.warp_columns())),
      k(kernel.instruction_k),
      columns(kernel.warp_columns()),
      pitch(round_up(columns, kColumnBlock)),
      outputs(kernel.pattern.outputs_of(columns)),
      outputs_pitch(round_up(outputs, kColumnBlock)),
      instruction_rows(kernel.instruction_m > 0 ? kernel.instruction_m : rows),
      instruction_columns(kernel.instruction_n > 0 ? kernel.instruction_n : columns),
      instruction_outputs(kernel.pattern.outputs_of(instruction_columns)),
      instruction_words(kernel.pattern.of_outputs ? kernel.mask_words(instruction_columns)
                                                  : metadata_words) {}

MmaUnit::MmaUnit(DataType type, Pattern hardware, const FragmentShape& shape, MetadataFormat format)
    : type_(type),
      hardware_(hardware),
      shape_(shape),
      selector_(hardware, format),
      b_rows_(as_size(shape.stored_values)),
      b_columns_(as_size(hardware.of_outputs ? shape.outputs : 0)) {
  const auto allocate = [&](auto& operands) {
    operands.a.resize(as_size(shape.rows * shape.stored_values));
    operands.b.resize(as_size((shape.k + 1) * shape.pitch));
  };
  is_integer(type) ? allocate(integers_) : allocate(floats_);
  if (hardware.of_a().is_dense()) FunctionalOperandSelector().select({}, b_rows_);
}

void MmaUnit::execute(const Fragment& fragment, std::span<std::uint32_t> accumulators) {
  if (is_integer(type_)) {
    widen(type_, fragment.a, integers_.a);
    widen(type_, fragment.b, integers_.b);
    multiply<std::uint32_t>(fragment, integers_, accumulators);
  } else {
    widen(type_, fragment.a, floats_.a);
    widen(type_, fragment.b, floats_.b);
    multiply<float>(fragment, floats_, accumulators);
  }
}

template <typename Sum, typename Operand>
void MmaUnit::multiply(const Fragment& fragment, const Operands<Operand>& operands,
                       std::span<std::uint32_t> accumulators) {
  if (hardware_.of_outputs) return multiply_wanted<Sum>(fragment, operands, accumulators);
  const auto stored = as_size(shape_.stored_values);
  const auto words = as_size(shape_.metadata_words);
  for (std::int64_t row = 0; row < shape_.rows; ++row) {
    if (!hardware_.is_dense()) {
      selector_.select(std::span(fragment.metadata).subspan(as_size(row) * words, words), b_rows_);
    }
    const auto a = std::span(operands.a).subspan(as_size(row) * stored, stored);
    multiply_row<Sum>(a, b_rows_, operands.b.data(), shape_.pitch,
                      accumulators.data() + row * shape_.pitch);
  }
}

template <typename Sum, typename Operand>
void MmaUnit::multiply_wanted(const Fragment& fragment, const Operands<Operand>& operands,
                              std::span<std::uint32_t> accumulators) {
  const auto words = as_size(shape_.metadata_words);
  const auto pitch = as_size(shape_.pitch);
  const auto k = as_size(shape_.k);
  std::vector<Operand> wanted(k * as_size(shape_.outputs_pitch));
  for (std::size_t row = 0; row < as_size(shape_.rows); ++row) {
    selector_.select(std::span(fragment.metadata).subspan(row * words, words), b_columns_);
    for (std::size_t at = 0; at < k; ++at) {
      for (std::size_t output = 0; output < b_columns_.size(); ++output) {
        const auto column = static_cast<std::size_t>(b_columns_[output]);
        wanted[at * as_size(shape_.outputs_pitch) + output] =
            column < pitch ? operands.b[at * pitch + column] : Operand{};
      }
    }
    multiply_row<Sum>(std::span(operands.a).subspan(row * k, k), b_rows_, wanted.data(),
                      shape_.outputs_pitch,
                      accumulators.data() + row * as_size(shape_.outputs_pitch));
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
