#include "pruning/channel_permutation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "pruning/random_stream.hpp"

namespace stcsim::pruning {
namespace {

/// The columns of two stripes of four.
using StripePair = std::array<std::int64_t, 8>;

/// The best way to share eight columns out to two stripes.
struct Grouping {
  StripePair columns{};
  double gain = 0;  // magnitude 2:4 keeps beyond what it kept before; 0 if that was best
};

/// The magnitudes of a matrix, column after column: what 2:4 keeps of any four columns.
class ColumnMagnitudes {
 public:
  explicit ColumnMagnitudes(const Matrix& matrix);

  /// Sum over the rows of the two largest of four columns, in fp32 over 16 interleaved sums.
  [[nodiscard]] double kept(const std::int64_t* columns) const;

  [[nodiscard]] Grouping best_grouping(const StripePair& columns) const;

 private:
  std::int64_t padded_rows_;
  std::vector<float> values_;
};

/// Sums side by side, which vectorise.
constexpr std::int64_t kLanes = 16;
/// Gains below this share of what is kept are rounding.
constexpr double kLeastGain = 1e-6;

/// Sum of the two largest of a[i], b[i], c[i], d[i] over all i; rows is a multiple of kLanes.
STCSIM_CLONES
float sum_two_largest(const float* a, const float* b, const float* c, const float* d,
                      std::int64_t rows) {
  float sums[kLanes] = {};
  for (std::int64_t row = 0; row < rows; row += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t i = row + lane;
      const float same_side = std::max(a[i] + b[i], c[i] + d[i]);
      const float across = std::max(a[i], b[i]) + std::max(c[i], d[i]);
      sums[lane] += std::max(same_side, across);
    }
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

ColumnMagnitudes::ColumnMagnitudes(const Matrix& matrix)
    : padded_rows_((matrix.rows + kLanes - 1) / kLanes * kLanes),
      values_(static_cast<std::size_t>(padded_rows_ * matrix.columns)) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      values_[static_cast<std::size_t>(column * padded_rows_ + row)] =
          std::abs(matrix.at(row, column));
    }
  }
}

double ColumnMagnitudes::kept(const std::int64_t* columns) const {
  const auto at = [this](std::int64_t column) {
    return &values_[static_cast<std::size_t>(column * padded_rows_)];
  };
  return sum_two_largest(at(columns[0]), at(columns[1]), at(columns[2]), at(columns[3]),
                         padded_rows_);
}

Grouping ColumnMagnitudes::best_grouping(const StripePair& columns) const {
  const double before = kept(columns.data()) + kept(columns.data() + 4);
  Grouping best{columns, 0};
  double most = before * (1 + kLeastGain);
  // Bit i set: column i goes to the first stripe; column 0 always does.
  for (unsigned chosen = 0; chosen < 128; ++chosen) {
    const unsigned bits = 2 * chosen + 1;
    if (std::popcount(bits) != 4) continue;
    StripePair shared{};
    auto first = shared.begin();
    auto second = shared.begin() + 4;
    for (unsigned i = 0; i < 8; ++i) *(((bits >> i) & 1) != 0 ? first : second)++ = columns.at(i);
    const double now = kept(shared.data()) + kept(shared.data() + 4);
    if (now <= most) continue;
    most = now;
    best = {shared, now - before};
  }
  return best;
}

constexpr std::int64_t kStripe = 4;

/// A regrouping that is worth its while.
struct Candidate {
  double gain = 0;
  std::int64_t first = 0;
  std::int64_t second = 0;
};

class Search {
 public:
  Search(const Matrix& weights, const Execution& how)
      : magnitudes_(weights),
        how_(how),
        stripes_(weights.columns / kStripe),
        changed_(static_cast<std::size_t>(stripes_), 1),
        gains_(static_cast<std::size_t>(stripes_ * stripes_)),
        order_(static_cast<std::size_t>(weights.columns)) {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
  }

  [[nodiscard]] const std::vector<std::int64_t>& order() const { return order_; }
  void set_order(const std::vector<std::int64_t>& order) {
    for (std::int64_t stripe = 0; stripe < stripes_; ++stripe) {
      const auto begin = stripe * kStripe;
      if (!std::equal(order.begin() + begin, order.begin() + begin + kStripe,
                      order_.begin() + begin)) {
        changed_[static_cast<std::size_t>(stripe)] = 1;
      }
    }
    order_ = order;
  }

  /// Regroups pairs until none gains, the best first.
  void converge() {
    while (true) {
      refresh_gains();
      const std::vector<Candidate> best = candidates();
      if (best.empty()) return;
      for (const Candidate& candidate : best) apply(candidate);
    }
  }

  [[nodiscard]] double kept() const {
    double sum = 0;
    for (std::int64_t stripe = 0; stripe < stripes_; ++stripe) {
      sum += magnitudes_.kept(&order_[static_cast<std::size_t>(stripe * kStripe)]);
    }
    return sum;
  }

  /// Swaps a random column of one stripe with one of another.
  void disturb(RandomSequence& random) {
    const std::int64_t first = random.below(stripes_);
    const std::int64_t second = (first + 1 + random.below(stripes_ - 1)) % stripes_;
    std::vector<std::int64_t> order = order_;
    std::swap(order[static_cast<std::size_t>(first * kStripe + random.below(kStripe))],
              order[static_cast<std::size_t>(second * kStripe + random.below(kStripe))]);
    set_order(order);
  }

 private:
  [[nodiscard]] StripePair pair(std::int64_t first, std::int64_t second) const {
    StripePair columns{};
    std::copy_n(order_.begin() + first * kStripe, kStripe, columns.begin());
    std::copy_n(order_.begin() + second * kStripe, kStripe, columns.begin() + kStripe);
    return columns;
  }

  [[nodiscard]] double& gain(std::int64_t first, std::int64_t second) {
    return gains_[static_cast<std::size_t>(first * stripes_ + second)];
  }

  void refresh_gains() {
    parallel_ranges(stripes_, how_.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t first = begin; first < end; ++first) {
        for (std::int64_t second = first + 1; second < stripes_; ++second) {
          if (changed_[static_cast<std::size_t>(first)] == 0 &&
              changed_[static_cast<std::size_t>(second)] == 0) {
            continue;
          }
          gain(first, second) = magnitudes_.best_grouping(pair(first, second)).gain;
        }
      }
    });
    std::ranges::fill(changed_, std::uint8_t{0});
  }

  /// Pairs that gain, no stripe twice, those that gain most first.
  [[nodiscard]] std::vector<Candidate> candidates() {
    std::vector<Candidate> all;
    for (std::int64_t first = 0; first < stripes_; ++first) {
      for (std::int64_t second = first + 1; second < stripes_; ++second) {
        if (gain(first, second) > 0) all.push_back({gain(first, second), first, second});
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Candidate::gain);
    std::vector<Candidate> disjoint;
    std::vector<std::uint8_t> used(static_cast<std::size_t>(stripes_));
    for (const Candidate& candidate : all) {
      std::uint8_t& first = used[static_cast<std::size_t>(candidate.first)];
      std::uint8_t& second = used[static_cast<std::size_t>(candidate.second)];
      if (first == 0 && second == 0) disjoint.push_back(candidate);
      if (first == 0 && second == 0) first = second = 1;
    }
    return disjoint;
  }

  void apply(const Candidate& candidate) {
    const StripePair columns =
        magnitudes_.best_grouping(pair(candidate.first, candidate.second)).columns;
    std::copy_n(columns.begin(), kStripe, order_.begin() + candidate.first * kStripe);
    std::copy_n(columns.begin() + kStripe, kStripe, order_.begin() + candidate.second * kStripe);
    changed_[static_cast<std::size_t>(candidate.first)] = 1;
    changed_[static_cast<std::size_t>(candidate.second)] = 1;
  }

  ColumnMagnitudes magnitudes_;
  const Execution& how_;
  std::int64_t stripes_;
  std::vector<std::uint8_t> changed_;  // stripes whose gains are not known
  std::vector<double> gains_;          // of every pair, at first * stripes + second
  std::vector<std::int64_t> order_;
};

}  // namespace

std::vector<std::int64_t> find_channel_order(const Matrix& weights, int escapes, std::uint64_t seed,
                                             const Execution& how) {
  Search search(weights, how);
  if (weights.columns < 2 * kStripe) return search.order();
  search.converge();
  std::vector<std::int64_t> best = search.order();
  double most = search.kept();
  RandomSequence random{RandomStream(seed, Purpose::permutation)};
  for (int escape = 0; escape < escapes; ++escape) {
    search.disturb(random);
    search.converge();
    if (search.kept() > most) {
      most = search.kept();
      best = search.order();
    } else {
      search.set_order(best);
    }
    if (how.progress) how.progress(escape + 1, escapes);
  }
  return best;
}

Matrix reordered(const Matrix& matrix, const std::vector<std::int64_t>& order) {
  Matrix result(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      result.at(row, column) = matrix.at(row, order[static_cast<std::size_t>(column)]);
    }
  }
  return result;
}

Matrix restored(const Matrix& matrix, const std::vector<std::int64_t>& order) {
  Matrix result(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      result.at(row, order[static_cast<std::size_t>(column)]) = matrix.at(row, column);
    }
  }
  return result;
}

}  // namespace stcsim::pruning
