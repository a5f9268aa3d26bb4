#include "models/functional/output_buffer.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"
#include "models/functional/mma.hpp"
#include "models/functional/number_format.hpp"
#include "models/functional/stage_buffer.hpp"

namespace stcsim {
namespace {

std::string tile_name(const CtaCoordinates& cta) {
  return "tile (batch " + std::to_string(cta.batch) + ", m " + std::to_string(cta.tile_m) + ", n " +
         std::to_string(cta.tile_n) + ", split " + std::to_string(cta.split) + ")";
}

bool is_tile(const FunctionalKernel& kernel, const CtaCoordinates& cta) {
  const auto inside = [](std::int64_t at, std::int64_t count) { return at >= 0 && at < count; };
  return inside(cta.batch, kernel.problem.batch_count) && inside(cta.tile_m, kernel.tiles_m()) &&
         inside(cta.tile_n, kernel.tiles_n()) && inside(cta.split, kernel.split_k);
}

/// A split may be empty; else it starts with a whole group of the compressed operand.
bool is_k_range(const FunctionalKernel& kernel, const CtaCoordinates& cta) {
  if (cta.k_begin < 0 || cta.k_begin > cta.k_end || cta.k_end > kernel.problem.k) return false;
  return cta.k_begin == cta.k_end || cta.k_begin % kernel.pattern.m == 0;
}

}  // namespace

OutputBuffer::OutputBuffer(const FunctionalKernel& kernel)
    : kernel_(kernel),
      c_(make_c_tensor(kernel.problem)),
      tiles_(as_size(kernel.problem.batch_count * kernel.tiles_m() * kernel.tiles_n() *
                     kernel.split_k)),
      reduced_(kernel.split_k == 1) {
  std::ranges::fill(c_.bits, kPoison);
  if (kernel.split_k > 1) workspace_.assign(as_size(kernel.split_k) * c_.bits.size(), kPoison);
}

std::size_t OutputBuffer::tile_index(const CtaCoordinates& cta) const {
  const std::int64_t row = cta.batch * kernel_.tiles_m() + cta.tile_m;
  const std::int64_t tile = row * kernel_.tiles_n() + cta.tile_n;
  return as_size(tile * kernel_.split_k + cta.split);
}

void OutputBuffer::claim(const CtaCoordinates& cta) {
  if (!is_tile(kernel_, cta)) throw SimulationError("begin_cta: there is no " + tile_name(cta));
  if (!is_k_range(kernel_, cta)) {
    throw SimulationError("begin_cta: " + tile_name(cta) + " has k range [" +
                          std::to_string(cta.k_begin) + ", " + std::to_string(cta.k_end) +
                          "), must lie in [0, " + std::to_string(kernel_.problem.k) +
                          ") and start at a multiple of " + std::to_string(kernel_.pattern.m));
  }
  TileState& state = tiles_[tile_index(cta)];
  if (state != TileState::untouched) {
    throw SimulationError("begin_cta: " + tile_name(cta) + " was given to a CTA before");
  }
  state = TileState::claimed;
}

std::uint32_t OutputBuffer::to_output(std::uint32_t accumulator) const {
  return encode(c_.type, decode(accumulator_of(kernel_.problem.dtype), accumulator));
}

void OutputBuffer::store(const CtaCoordinates& cta, std::span<const std::uint32_t> tile) {
  const std::int64_t first_row = kernel_.first_row(cta);
  const std::int64_t first_column = kernel_.first_column(cta);
  const std::int64_t rows = std::min(kernel_.tile_m, c_.rows - first_row);
  const std::int64_t columns = std::min(kernel_.tile_n, c_.columns - first_column);
  const std::size_t split_offset = as_size(cta.split) * c_.bits.size();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::size_t at = c_.offset(cta.batch, first_row + row, first_column + column);
      const std::uint32_t sum = tile[as_size(row * kernel_.tile_n + column)];
      if (workspace_.empty()) {
        c_.bits[at] = to_output(sum);
      } else {
        workspace_[split_offset + at] = sum;
      }
    }
  }
  tiles_[tile_index(cta)] = TileState::stored;
}

void OutputBuffer::reduce_split_k() {
  require_all_stored();
  if (reduced_) return;
  const std::size_t elements = c_.bits.size();
  const std::span workspace(workspace_);
  const std::span sums = workspace.first(elements);
  for (std::size_t split = 1; split < as_size(kernel_.split_k); ++split) {
    add_words(accumulator_of(kernel_.problem.dtype), workspace.subspan(split * elements, elements),
              sums);
  }
  std::ranges::transform(sums, c_.bits.begin(), [&](std::uint32_t sum) { return to_output(sum); });
  reduced_ = true;
}

void OutputBuffer::require_all_stored() const {
  const auto missing =
      std::ranges::count_if(tiles_, [](TileState state) { return state != TileState::stored; });
  if (missing == 0) return;
  throw SimulationError("C is incomplete: " + std::to_string(missing) + " of " +
                        std::to_string(tiles_.size()) + " CTA tiles were never stored");
}

const GlobalTensor& OutputBuffer::c() const {
  require_all_stored();
  if (!reduced_) throw SimulationError("C is incomplete: the splits of k were never reduced");
  return c_;
}

}  // namespace stcsim
