#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "common/counts.hpp"
#include "models/functional/metadata_codec.hpp"
#include "sim/functional/operands.hpp"

namespace stcsim {

pruning::Compressed pruned_result(const GemmProblem& problem, const PlainMatrix& c,
                                  std::int64_t batch) {
  const Pattern kept = problem.c_pattern;
  const std::int64_t bits = kept.position_bits();
  const bool by_rows = problem.c_layout == OutputLayout::row_major;
  pruning::Compressed out;
  out.pattern = kept;
  out.rows = by_rows ? c.rows : c.columns;
  out.columns = by_rows ? c.columns : c.rows;
  out.groups = ceil_div(out.columns, kept.m);
  out.words_per_row = ceil_div(out.groups * kept.n * bits, kWordBits);
  out.metadata.resize(as_size(out.rows * out.words_per_row));
  const auto value = [&](std::int64_t row, std::int64_t at) {
    if (at >= out.columns) return -std::numeric_limits<float>::infinity();
    return by_rows ? c.at(batch, row, at) : c.at(batch, at, row);
  };
  std::vector<std::int64_t> places(as_size(kept.m));
  for (std::int64_t row = 0; row < out.rows; ++row) {
    for (std::int64_t group = 0; group < out.groups; ++group) {
      const std::int64_t first = group * kept.m;
      std::iota(places.begin(), places.end(), 0);
      std::ranges::stable_sort(places, std::greater<>(),
                               [&](std::int64_t place) { return value(row, first + place); });
      std::ranges::sort(places.begin(), places.begin() + kept.n);
      for (std::int64_t at = 0; at < kept.n; ++at) {
        const std::int64_t place = places[as_size(at)];
        const std::int64_t before = row * out.words_per_row * kWordBits;
        out.values.push_back(value(row, first + place));
        write_bits(out.metadata, before + (group * kept.n + at) * bits, bits,
                   static_cast<std::uint32_t>(place));
      }
    }
  }
  return out;
}

}  // namespace stcsim
