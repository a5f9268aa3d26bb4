#include "models/functional/tile_buffers.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"
#include "models/functional/metadata_codec.hpp"
#include "models/functional/number_format.hpp"

namespace stcsim {
namespace {

/// Elements [row, row + rows) x [column, column + columns) of a matrix in global memory.
struct Window {
  std::int64_t batch, row, rows, column, columns;
};

/// Copies row after row, `pitch` words apart; reads in the order of the memory.
void copy_window(const GlobalTensor& from, const Window& window, std::span<std::uint32_t> to,
                 std::int64_t pitch) {
  const bool by_rows = from.column_stride == 1;
  const std::int64_t lines = by_rows ? window.rows : window.columns;
  const std::int64_t length = by_rows ? window.columns : window.rows;
  const std::int64_t line_stride = by_rows ? from.row_stride : from.column_stride;
  const std::size_t first = from.offset(window.batch, window.row, window.column);
  for (std::int64_t line = 0; line < lines; ++line) {
    const auto source =
        std::span(from.bits).subspan(first + as_size(line * line_stride), as_size(length));
    if (by_rows) {
      std::ranges::copy(source, to.begin() + line * pitch);
    } else {
      for (std::size_t i = 0; i < source.size(); ++i) {
        to[i * as_size(pitch) + as_size(line)] = source[i];
      }
    }
  }
}

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
  return cta.k_begin == cta.k_end || cta.k_begin % kernel.pattern.of_a().m == 0;
}

}  // namespace

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
  if (kernel.pattern.of_a().is_dense()) {
    fill_dense_a(kernel, operands.a, cta, k_begin, k_end);
  } else {
    fill_sparse_a(kernel, operands.compressed_a[as_size(cta.batch)], cta, k_begin, k_end);
  }
  if (kernel.block_rows > 0) {
    gather_b(kernel, operands, cta, k_begin, k_end);
  } else {
    fill_b(kernel, operands.b, cta, k_begin, k_end);
  }
  step_ = step;
}

void StageBuffer::fill_dense_a(const FunctionalKernel& kernel, const GlobalTensor& a,
                               const CtaCoordinates& cta, std::int64_t k_begin,
                               std::int64_t k_end) {
  const std::int64_t row = kernel.first_row(cta);
  const std::int64_t rows = std::min(kernel.tile_m, a.rows - row);
  copy_window(a, {cta.batch, row, rows, k_begin, k_end - k_begin}, a_, kernel.tile_k);
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
  const std::int64_t group_bits = kernel.metadata_bits_per_group();
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
  const std::int64_t column = kernel.first_column(cta);
  const std::int64_t columns = std::min(kernel.tile_n, b.columns - column);
  copy_window(b, {cta.batch, k_begin, k_end - k_begin, column, columns}, b_, kernel.tile_n);
}

void StageBuffer::gather_b(const FunctionalKernel& kernel, const FunctionalOperands& operands,
                           const CtaCoordinates& cta, std::int64_t k_begin, std::int64_t k_end) {
  const std::int64_t blocks = ceil_div(kernel.problem.m, kernel.block_rows);
  const std::int64_t block = cta.batch * blocks + kernel.first_row(cta) / kernel.block_rows;
  const std::int64_t column = kernel.first_column(cta);
  const std::int64_t columns = std::min(kernel.tile_n, operands.b.columns - column);
  for (std::int64_t k = k_begin; k < k_end; ++k) {
    const std::int64_t row = operands.gathered_rows[as_size(block * kernel.problem.k + k)];
    if (row < 0) continue;
    copy_window(operands.b, {cta.batch, row, 1, column, columns},
                std::span(b_).subspan(as_size((k - k_begin) * kernel.tile_n)), kernel.tile_n);
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
  const std::int64_t group_bits = kernel.metadata_bits_per_group();
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const std::int64_t row = first_row + i;
    std::copy_n(a_.begin() + row * tile_values + kernel.stored_values(k), shape.stored_values,
                fragment.a.begin() + i * shape.stored_values);
    if (tile_words == 0) continue;
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
    throw SimulationError(
        "begin_cta: " + tile_name(cta) + " has k range [" + std::to_string(cta.k_begin) + ", " +
        std::to_string(cta.k_end) + "), must lie in [0, " + std::to_string(kernel_.problem.k) +
        ") and start at a multiple of " + std::to_string(kernel_.pattern.of_a().m));
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

bool OutputBuffer::is_stored(std::int64_t batch, std::int64_t row, std::int64_t column) const {
  CtaCoordinates cta;
  cta.batch = batch;
  cta.tile_m = row / kernel_.tile_m;
  cta.tile_n = column / kernel_.tile_n;
  return tiles_[tile_index(cta)] == TileState::stored;
}

}  // namespace stcsim
