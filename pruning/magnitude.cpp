#include "pruning/magnitude.hpp"

#include <cmath>
#include <span>
#include <vector>

#include "pruning/column_selection.hpp"
#include "pruning/groups.hpp"
#include "pruning/quad_kernels.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim::pruning {
namespace {

/// Sums of magnitudes of a set of elements before and after pruning.
struct Sums {
  double before = 0;
  double after = 0;

  [[nodiscard]] float ratio() const {
    return after == 0 ? 1.0F : static_cast<float>(before / after);
  }
};

void scale_groups(const Matrix& in, std::int64_t m, Matrix& out) {
  for (std::int64_t row = 0; row < in.rows; ++row) {
    for (std::int64_t begin = 0; begin < in.columns; begin += m) {
      const std::int64_t end = std::min(begin + m, in.columns);
      Sums sums;
      for (std::int64_t column = begin; column < end; ++column) {
        sums.before += std::abs(in.at(row, column));
        sums.after += std::abs(out.at(row, column));
      }
      for (std::int64_t column = begin; column < end; ++column) {
        out.at(row, column) *= sums.ratio();
      }
    }
  }
}

/// Columns of the rows [begin, end).
void scale_columns(const Matrix& in, std::int64_t begin, std::int64_t end, Matrix& out) {
  std::vector<Sums> sums(static_cast<std::size_t>(in.columns));
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < in.columns; ++column) {
      Sums& sum = sums[static_cast<std::size_t>(column)];
      sum.before += std::abs(in.at(row, column));
      sum.after += std::abs(out.at(row, column));
    }
  }
  std::vector<float> ratios;
  ratios.reserve(sums.size());
  for (const Sums& sum : sums) ratios.push_back(sum.ratio());
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < in.columns; ++column) {
      out.at(row, column) *= ratios[static_cast<std::size_t>(column)];
    }
  }
}

void keep_largest_elements(std::span<const float> from, std::int64_t kept, std::span<float> to) {
  std::array<std::int32_t, kMaxGroup> ranks;
  magnitude_ranks(from, ranks);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = ranks[i] < kept ? from[i] : 0.0F;
}

void keep_largest_pairs(std::span<const float> from, std::int64_t kept, std::span<float> to) {
  std::array<float, kMaxGroup / 2> sums;
  std::array<std::int32_t, kMaxGroup / 2> ranks;
  const std::size_t pairs = from.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    sums[i] = std::abs(from[2 * i]) + std::abs(from[2 * i + 1]);
  }
  magnitude_ranks(std::span(sums).first(pairs), ranks);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = ranks[i / 2] < kept ? from[i] : 0.0F;
}

}  // namespace

void prune_by_magnitude(const Matrix& in, Pattern pattern, int threads, Matrix& out) {
  if (pattern.selects_columns()) return prune_to_columns(in, pattern, threads, out);
  if (pattern == kTwoOfFour) {
    transform_quads(in, threads, out,
                    [](std::int64_t, std::int64_t count, const float* from, float* to) {
                      keep_largest_quads(from, count, to);
                    });
    return;
  }
  transform_groups(in, pattern.m, threads, out,
                   [&](std::int64_t, std::span<const float> from, std::span<float> to) {
                     if (pattern.granule == 1) return keep_largest_elements(from, pattern.n, to);
                     keep_largest_pairs(from, pattern.n / 2, to);
                   });
}

void prune_at_random(const Matrix& in, Pattern pattern, std::uint64_t seed, std::uint32_t draw,
                     int threads, Matrix& out) {
  const RandomStream stream(seed, Purpose::pruning, draw);
  const Pattern granules = pattern.of_granules();
  transform_groups(
      in, pattern.m, threads, out,
      [&](std::int64_t group, std::span<const float> from, std::span<float> to) {
        // Selection sampling: Knuth, The Art of Computer Programming, vol. 2, 3.4.2 S.
        std::int64_t wanted = granules.n;
        for (std::int64_t i = 0; i < granules.m; ++i) {
          const double u = stream.uniform(static_cast<std::uint64_t>(group * granules.m + i));
          const bool kept = static_cast<double>(granules.m - i) * u < static_cast<double>(wanted);
          if (kept) --wanted;
          for (std::int64_t j = i * pattern.granule; j < (i + 1) * pattern.granule; ++j) {
            const auto at = static_cast<std::size_t>(j);
            to[at] = kept ? from[at] : 0.0F;
          }
        }
      });
}

void prune_rescaled(const Matrix& in, Pattern pattern, RescaleSet set, std::int64_t samples,
                    int threads, Matrix& out) {
  prune_by_magnitude(in, pattern, threads, out);
  if (set == RescaleSet::group) return scale_groups(in, pattern.m, out);
  const std::int64_t parts = set == RescaleSet::channel ? 1 : samples;
  parallel_ranges(parts, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      scale_columns(in, in.rows * part / parts, in.rows * (part + 1) / parts, out);
    }
  });
}

Matrix sr_ste_decay(const Matrix& weights, const Matrix& pruned, float lambda) {
  Matrix decay(weights.rows, weights.columns);
  for (std::size_t i = 0; i < decay.values.size(); ++i) {
    // A kept zero and a pruned zero are alike: neither decays.
    decay.values[i] = pruned.values[i] == 0 ? lambda * weights.values[i] : 0.0F;
  }
  return decay;
}

}  // namespace stcsim::pruning
