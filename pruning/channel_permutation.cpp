#include "pruning/channel_permutation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "pruning/parallel.hpp"
#include "pruning/random_stream.hpp"
#include "pruning/stripe_pairs.hpp"

namespace stcsim::pruning {
namespace {

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
