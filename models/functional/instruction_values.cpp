#include "models/functional/instruction_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "models/functional/metadata_codec.hpp"
#include "models/functional/number_format.hpp"
#include "models/functional/tile_buffers.hpp"

namespace stcsim {
namespace {

/// Operands as the words that accumulators would hold of them.
void widen_words(DataType type, std::span<const std::uint32_t> operands,
                 std::span<std::uint32_t> words) {
  if (is_integer(type)) {
    std::vector<std::int16_t> numbers(operands.size());
    widen(type, operands, numbers);
    std::ranges::copy(numbers, words.begin());
  } else {
    std::vector<float> numbers(operands.size());
    widen(type, operands, numbers);
    std::memcpy(words.data(), numbers.data(), words.size_bytes());
  }
}

/// Copies the words of a block of columns, or as many as there are.
void copy_columns(const std::uint32_t* from, std::size_t count, void* to) {
  if (count == std::tuple_size_v<ColumnWords>) {
    std::memcpy(to, from, sizeof(ColumnWords));
  } else {
    std::memcpy(to, from, count * sizeof(std::uint32_t));
  }
}

std::span<std::uint32_t> flat(std::vector<ColumnWords>& blocks) {
  return {blocks.empty() ? nullptr : blocks.front().data(),
          blocks.size() * std::tuple_size_v<ColumnWords>};
}

/// Multiplies each number with so many blocks, which become products.
template <typename Sum>
void multiply_all(std::span<const std::uint32_t> a, std::span<ColumnWords> lanes,
                  std::size_t blocks) {
  using Numbers = std::array<Sum, std::tuple_size_v<ColumnWords>>;
  ColumnWords* lane = lanes.data();
  for (const std::uint32_t word : a) {
    const Sum factor = std::bit_cast<Sum>(word);
    for (std::size_t block = 0; block < blocks; ++block, ++lane) {
      auto numbers = std::bit_cast<Numbers>(*lane);
      for (Sum& number : numbers) number *= factor;
      *lane = std::bit_cast<ColumnWords>(numbers);
    }
  }
}

/// Adds the blocks that stand `pitch` apart to the first of them, or as many sums as there are.
template <typename Sum>
void add_products(std::span<std::uint32_t> sums, const ColumnWords* products, std::size_t slots,
                  std::size_t pitch) {
  std::array<Sum, std::tuple_size_v<ColumnWords>> in_flight{};
  copy_columns(sums.data(), sums.size(), in_flight.data());
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto added = std::bit_cast<decltype(in_flight)>(products[slot * pitch]);
    for (std::size_t at = 0; at < added.size(); ++at) in_flight[at] += added[at];
  }
  const auto words = std::bit_cast<ColumnWords>(in_flight);
  copy_columns(words.data(), sums.size(), sums.data());
}

}  // namespace

void poison(Fragment& fragment) {
  std::ranges::fill(fragment.a, kPoison);
  std::ranges::fill(fragment.metadata, kPoison);
  std::ranges::fill(fragment.b, kPoison);
}

void InstructionValues::begin(WarpRegisters& warp, std::int64_t group, std::int64_t index) {
  warp_ = &warp;
  group_ = group;
  index_ = index;
  disturbed_.reset();
}

void InstructionValues::require_next(const char* unit, std::int64_t done) const {
  const std::int64_t sequence = group_ * rules_->shape.instructions() + index_;
  if (sequence == done) return;
  throw SimulationError(std::string(unit) + ": instruction " + std::to_string(sequence) +
                        " of a warp comes, " + std::to_string(done) + " is the next");
}

void InstructionValues::read() {
  const FragmentShape& shape = rules_->shape;
  require_next("register_file", warp_->read++);
  Fragment& fragment = warp_->fragments[as_size(group_) % warp_->fragments.size()];
  const std::size_t rows = as_size(shape.instruction_rows);
  const std::size_t columns = as_size(shape.instruction_columns);
  const std::size_t across = as_size(shape.columns) / columns;
  const std::size_t row = as_size(index_) / across * rows;
  const auto take_rows = [&](const std::vector<std::uint32_t>& from, std::int64_t length,
                             std::vector<std::uint32_t>& into) {
    const auto part = std::span(from).subspan(row * as_size(length), rows * as_size(length));
    into.assign(part.begin(), part.end());
  };
  take_rows(fragment.a, shape.stored_values, a_);
  take_metadata_rows(fragment.metadata, row);
  b_.resize(as_size(shape.k + 1) * blocks());  // the last row stays 0
  for (std::size_t k = 0; k < as_size(shape.k); ++k) {
    const std::size_t from = k * as_size(shape.pitch) + as_size(index_) % across * columns;
    for (std::size_t at = 0; at < columns; at += kColumns) {
      copy_columns(&fragment.b[from + at], std::min(kColumns, columns - at),
                   &b_[k * blocks() + at / kColumns]);
    }
  }
  if (index_ + 1 < shape.instructions()) return;
  poison(fragment);
  ++warp_->executed;
}

void InstructionValues::take_metadata_rows(std::span<const std::uint32_t> from, std::size_t first) {
  const FragmentShape& shape = rules_->shape;
  const std::size_t words = as_size(shape.instruction_words);
  const std::size_t all = as_size(shape.metadata_words);
  metadata_.assign(as_size(shape.instruction_rows) * words, 0);
  if (words == 0) return;
  const std::int64_t across = shape.columns / shape.instruction_columns;
  const std::int64_t bits = rules_->of_outputs ? rules_->selector.bits_of(shape.instruction_outputs)
                                               : shape.metadata_words * kWordBits;
  const std::int64_t begin = rules_->of_outputs ? index_ % across * bits : 0;
  for (std::size_t row = 0; row < as_size(shape.instruction_rows); ++row) {
    copy_bits(from.subspan((first + row) * all, all), begin, bits,
              std::span(metadata_).subspan(row * words, words));
  }
}

std::vector<std::uint32_t> InstructionValues::take_metadata() {
  std::vector<std::uint32_t> words = std::exchange(metadata_, {});
  if (disturbed_) {
    const std::int64_t bit =
        disturbed_->row * rules_->shape.instruction_words * kWordBits + disturbed_->bit;
    words.at(as_size(bit / kWordBits)) ^= 1U << static_cast<std::uint32_t>(bit % kWordBits);
  }
  return words;
}

void InstructionValues::decode(std::span<const std::uint32_t> metadata) {
  const FragmentShape& shape = rules_->shape;
  const std::size_t places =
      as_size(rules_->of_outputs ? shape.instruction_outputs : shape.stored_values);
  const std::size_t words = as_size(shape.instruction_words);
  const std::size_t rows = as_size(shape.instruction_rows);
  places_.resize(rows * places);
  for (std::size_t row = 0; row < rows; ++row) {
    rules_->selector.select(metadata.subspan(row * words, words),
                            std::span(places_).subspan(row * places, places));
  }
}

void InstructionValues::select_columns() {
  const FragmentShape& shape = rules_->shape;
  const std::size_t outputs = as_size(shape.instruction_outputs);
  const std::size_t stored = as_size(shape.stored_values);
  widen_words(rules_->type, flat(b_), flat(b_));
  lanes_.assign(as_size(shape.instruction_rows) * stored * out_blocks(), {});
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const std::size_t slot = lane / out_blocks();
    const std::size_t first = lane % out_blocks() * kColumns;
    const ColumnWords* const from = &b_[slot % stored * blocks()];
    const auto columns = std::span(places_).subspan(slot / stored * outputs, outputs);
    for (std::size_t at = 0; at < std::min(kColumns, outputs - first); ++at) {
      const auto column = static_cast<std::size_t>(columns[first + at]);
      if (column < blocks() * kColumns) {
        lanes_[lane].at(at) = from[column / kColumns].at(column % kColumns);
      }
    }
  }
}

void InstructionValues::select() {
  if (rules_->of_outputs) return select_columns();
  lanes_.resize(places_.size() * blocks());
  if (rules_->selector.has_circuit()) {
    select_by_circuit();
    return widen_words(rules_->type, flat(lanes_), flat(lanes_));
  }
  widen_words(rules_->type, flat(b_), flat(b_));
  const std::size_t across = blocks();
  ColumnWords* lane = lanes_.data();
  for (const std::int32_t place : places_) {
    const ColumnWords* from = &b_[as_size(place) * across];
    for (std::size_t block = 0; block < across; ++block) *lane++ = from[block];
  }
}

void InstructionValues::select_by_circuit() {
  const std::size_t stored = as_size(rules_->shape.stored_values);
  std::vector<std::uint32_t> column(as_size(rules_->shape.k));
  std::vector<std::uint32_t> selected(stored);
  for (std::size_t first = 0; first < places_.size(); first += stored) {
    for (std::size_t at = 0; at < as_size(rules_->shape.instruction_columns); ++at) {
      const std::size_t block = at / kColumns;
      for (std::size_t k = 0; k < column.size(); ++k) {
        column[k] = b_[k * blocks() + block].at(at % kColumns);
      }
      rules_->selector.select_values(std::span(places_).subspan(first, stored), column, selected);
      for (std::size_t slot = 0; slot < stored; ++slot) {
        lanes_[(first + slot) * blocks() + block].at(at % kColumns) = selected[slot];
      }
    }
  }
}

void InstructionValues::multiply() {
  widen_words(rules_->type, a_, a_);
  const auto multiply =
      is_integer(rules_->type) ? multiply_all<std::uint32_t> : multiply_all<float>;
  multiply(a_, lanes_, out_blocks());
}

void InstructionValues::accumulate() {
  const FragmentShape& shape = rules_->shape;
  require_next("accumulators", warp_->added++);
  const std::size_t columns = as_size(shape.instruction_outputs);
  const std::size_t stored = as_size(shape.stored_values);
  const std::size_t across = as_size(shape.outputs) / columns;
  const std::size_t rows = as_size(shape.instruction_rows);
  const auto add = is_integer(rules_->type) ? add_products<std::uint32_t> : add_products<float>;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first =
        (as_size(index_) / across * rows + row) * as_size(shape.outputs_pitch) +
        as_size(index_) % across * columns;
    for (std::size_t at = 0; at < columns; at += kColumns) {
      add(std::span(warp_->accumulators).subspan(first + at, std::min(kColumns, columns - at)),
          &lanes_[row * stored * out_blocks() + at / kColumns], stored, out_blocks());
    }
  }
  done_(*this);
}

}  // namespace stcsim
