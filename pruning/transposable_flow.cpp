#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/successive_shortest_path_nonnegative_weights.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "pruning/blocks.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
namespace {

// Masks that keep the largest sum of magnitudes, as minimum-cost flows (Hubara et al., Fig. 4):
// source -> rows -> columns -> sink, where a unit from row i to column j keeps element (i, j), at
// the cost of what it lacks to the block's largest. With at_most_n, units may also go from a row
// straight to the sink at the cost of keeping a zero: that a row and a column keep fewer than n
// can save more elsewhere. With exactly_n and n > m/2 what flows are the elements to prune, at
// the cost of their magnitude.
//
// Costs are whole numbers in units of the last bit of the block's smallest magnitude, as wide as
// that takes, so that no sum is rounded: the mask is optimal whatever magnitudes a block spans.

/// The number of elements of a row and of a column that a mask keeps.
enum class Kept : std::uint8_t { at_most_n, exactly_n };

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Edge = Traits::edge_descriptor;
template <typename Cost>
using EdgeProperty =
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Edge,
                                                    boost::property<boost::edge_weight_t, Cost>>>>;
template <typename Cost>
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                    EdgeProperty<Cost>>;

/// Costs of most blocks, and of those whose magnitudes span more. A path has at most 2 * kMaxGroup
/// + 1 edges, so that distances take 9 bits more than a magnitude; all of fp32 take 277.
using NarrowCost = std::int64_t;
using WideCost = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<320, 320, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked, void>,
    boost::multiprecision::et_off>;
constexpr int kNarrowBits = 52;
constexpr int kFractionBits = 23;  // of fp32

inline std::uint32_t absolute_bits(float value) {
  return std::bit_cast<std::uint32_t>(std::abs(value));
}

/// The exponent field; magnitudes without a leading one have the unit of the smallest with one.
inline int exponent_of(float value) {
  return std::max(static_cast<int>(absolute_bits(value) >> kFractionBits), 1);
}

/// Magnitudes of a block as whole numbers: in units of the last bit of its smallest but zero.
class Units {
 public:
  explicit Units(std::span<const float> block) {
    for (const float value : block) {
      if (value == 0) continue;
      lowest_ = std::min(lowest_, exponent_of(value));
      highest_ = std::max(highest_, exponent_of(value));
    }
  }

  [[nodiscard]] bool are_narrow() const {
    return highest_ - lowest_ + kFractionBits + 1 <= kNarrowBits;
  }

  template <typename Cost>
  [[nodiscard]] Cost of(float value) const {
    if (value == 0) return 0;
    constexpr std::uint32_t kLeading = std::uint32_t{1} << kFractionBits;
    const std::uint32_t bits = absolute_bits(value);
    const std::uint32_t leading = bits < kLeading ? 0 : kLeading;
    return Cost((bits & (kLeading - 1)) | leading) << (exponent_of(value) - lowest_);
  }

 private:
  static constexpr int kExponents = 256;
  int lowest_ = kExponents;
  int highest_ = 0;
};

/// The graph of one block size, used for block after block.
template <typename Cost>
class FlowNetwork {
 public:
  FlowNetwork(Pattern pattern, Kept kept)
      : size_(static_cast<std::size_t>(pattern.m)),
        keeps_(kept == Kept::at_most_n || 2 * pattern.n <= pattern.m),
        graph_(2 * size_ + 2),
        predecessors_(2 * size_ + 2),
        distances_(2 * size_ + 2),
        previous_distances_(2 * size_ + 2) {
    const std::int64_t flow = keeps_ ? pattern.n : pattern.m - pattern.n;
    for (std::size_t row = 0; row < size_; ++row) add_edge(source(), row, flow);
    for (std::size_t row = 0; row < size_; ++row) {
      for (std::size_t column = 0; column < size_; ++column) {
        elements_.push_back(add_edge(row, size_ + column, 1));
      }
    }
    for (std::size_t column = 0; column < size_; ++column) {
      add_edge(size_ + column, sink(), flow);
    }
    if (kept == Kept::exactly_n) return;
    for (std::size_t row = 0; row < size_; ++row) unused_.push_back(add_edge(row, sink(), flow));
  }

  void solve(std::span<const float> block, const Units& units, std::span<std::uint8_t> keep) {
    set_costs(block, units);
    const auto index = boost::get(boost::vertex_index, graph_);
    boost::successive_shortest_path_nonnegative_weights(
        graph_, source(), sink(), boost::get(boost::edge_capacity, graph_),
        boost::get(boost::edge_residual_capacity, graph_), boost::get(boost::edge_weight, graph_),
        boost::get(boost::edge_reverse, graph_), index,
        boost::make_iterator_property_map(predecessors_.begin(), index),
        boost::make_iterator_property_map(distances_.begin(), index),
        boost::make_iterator_property_map(previous_distances_.begin(), index));
    for (std::size_t i = 0; i < block.size(); ++i) {
      const bool flows = boost::get(boost::edge_residual_capacity, graph_, elements_[i]) == 0;
      keep[i] = flows == keeps_ ? 1 : 0;
    }
  }

 private:
  [[nodiscard]] std::size_t source() const { return 2 * size_; }
  [[nodiscard]] std::size_t sink() const { return 2 * size_ + 1; }

  Edge add_edge(std::size_t from, std::size_t to, std::int64_t capacity) {
    const Edge edge = boost::add_edge(from, to, graph_).first;
    const Edge back = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, edge, capacity);
    boost::put(boost::edge_capacity, graph_, back, 0);
    boost::put(boost::edge_reverse, graph_, edge, back);
    boost::put(boost::edge_reverse, graph_, back, edge);
    return edge;
  }

  void set_costs(std::span<const float> block, const Units& units) {
    Cost most = 0;
    for (const float value : block) most = std::max(most, units.of<Cost>(value));
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Cost magnitude = units.of<Cost>(block[i]);
      set_cost(elements_[i], keeps_ ? Cost(most - magnitude) : magnitude);
    }
    for (const Edge edge : unused_) set_cost(edge, most);
  }

  void set_cost(Edge edge, const Cost& cost) {
    boost::put(boost::edge_weight, graph_, edge, cost);
    boost::put(boost::edge_weight, graph_, boost::get(boost::edge_reverse, graph_, edge),
               Cost(-cost));
  }

  std::size_t size_;
  bool keeps_;  // the flow is what is kept, else what is pruned
  Graph<Cost> graph_;
  std::vector<Edge> elements_;  // from row to column, row after row
  std::vector<Edge> unused_;    // from rows to the sink
  std::vector<Edge> predecessors_;
  std::vector<Cost> distances_;
  std::vector<Cost> previous_distances_;
};

/// Solves blocks: a network for each kind of cost, the wide one from the first block on that needs
/// it.
class FlowSolver {
 public:
  FlowSolver(Pattern pattern, Kept kept) : pattern_(pattern), kept_(kept), narrow_(pattern, kept) {}

  void operator()(std::span<const float> block, std::span<std::uint8_t> keep) {
    const Units units(block);
    if (units.are_narrow()) return narrow_.solve(block, units, keep);
    if (!wide_) wide_.emplace(pattern_, kept_);
    wide_->solve(block, units, keep);
  }

 private:
  Pattern pattern_;
  Kept kept_;
  FlowNetwork<NarrowCost> narrow_;
  std::optional<FlowNetwork<WideCost>> wide_;
};

/// Weight of the sum of magnitudes beside the entropy, of a block whose largest magnitude is 1: a
/// plan as sharp as a double's range allows, exp(-kSharpness) being its smallest element.
constexpr double kSharpness = 60;
/// Sums of rows and columns are as close to n as this when the iteration ends.
constexpr double kCloseEnough = 1e-3;

class TransportSolver {
 public:
  explicit TransportSolver(Pattern pattern)
      : pattern_(pattern),
        plan_(static_cast<std::size_t>(pattern.m * pattern.m)),
        excess_(plan_.size()),
        sums_(static_cast<std::size_t>(pattern.m)),
        order_(plan_.size()),
        in_row_(sums_.size()),
        in_column_(sums_.size()) {}

  void operator()(std::span<const float> block, std::span<std::uint8_t> keep) {
    find_plan(block);
    round_plan(block, keep);
    while (exchange_once(block, keep)) {
    }
  }

 private:
  void find_plan(std::span<const float> block) {
    double largest = 0;
    for (const float value : block) largest = std::max(largest, std::abs(double{value}));
    for (std::size_t at = 0; at < plan_.size(); ++at) {
      const double share = largest > 0 ? std::abs(double{block[at]}) / largest : 0;
      plan_[at] = std::exp(kSharpness * (share - 1));
    }
    std::ranges::fill(excess_, 1.0);
    for (int round = 0; round < kTransportRounds; ++round) {
      if (scale_columns(scale_rows()) < kCloseEnough) return;
      // At most 1 of each; what has been cut off is put back before the next cut (Dykstra).
      for (std::size_t at = 0; at < plan_.size(); ++at) {
        const double uncut = plan_[at] * excess_[at];
        plan_[at] = std::min(uncut, 1.0);
        excess_[at] = uncut / plan_[at];
      }
    }
  }

  /// Scales sums to n; @return how far the furthest was from it
  double scale_rows() {
    const auto size = static_cast<std::size_t>(pattern_.m);
    const auto wanted = static_cast<double>(pattern_.n);
    double furthest = 0;
    for (std::size_t row = 0; row < size; ++row) {
      const auto begin = plan_.begin() + static_cast<std::ptrdiff_t>(row * size);
      const auto end = begin + static_cast<std::ptrdiff_t>(size);
      const double sum = std::accumulate(begin, end, 0.0);
      furthest = std::max(furthest, std::abs(sum - wanted));
      std::for_each(begin, end, [&](double& one) { one *= wanted / sum; });
    }
    return furthest;
  }

  /// The same; @return that, or `furthest`
  double scale_columns(double furthest) {
    const auto size = static_cast<std::size_t>(pattern_.m);
    const auto wanted = static_cast<double>(pattern_.n);
    std::ranges::fill(sums_, 0.0);
    for (std::size_t at = 0; at < plan_.size(); ++at) sums_[at % size] += plan_[at];
    for (double& sum : sums_) {
      furthest = std::max(furthest, std::abs(sum - wanted));
      sum = wanted / sum;
    }
    for (std::size_t at = 0; at < plan_.size(); ++at) plan_[at] *= sums_[at % size];
    return furthest;
  }

  void round_plan(std::span<const float> block, std::span<std::uint8_t> keep) {
    const auto size = static_cast<std::size_t>(pattern_.m);
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      if (plan_[a] != plan_[b]) return plan_[a] > plan_[b];
      const float of_a = std::abs(block[a]);
      const float of_b = std::abs(block[b]);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    std::ranges::fill(in_row_, 0);
    std::ranges::fill(in_column_, 0);
    for (const std::uint32_t at : order_) {
      std::int64_t& row = in_row_[at / size];
      std::int64_t& column = in_column_[at % size];
      keep[at] = row < pattern_.n && column < pattern_.n ? 1 : 0;
      row += keep[at];
      column += keep[at];
    }
  }

  /// @return whether it found one that keeps no less
  bool exchange_once(std::span<const float> block, std::span<std::uint8_t> keep) {
    const auto size = static_cast<std::size_t>(pattern_.m);
    const auto lacking = [&](const std::vector<std::int64_t>& counts) {
      const auto found =
          std::ranges::find_if(counts, [&](std::int64_t one) { return one < pattern_.n; });
      return static_cast<std::size_t>(found - counts.begin());
    };
    const std::size_t row = lacking(in_row_);
    const std::size_t column = lacking(in_column_);
    if (row == size) return false;
    // Element (i, j) makes room for (row, j) and (i, column).
    const auto magnitude = [&](std::size_t i, std::size_t j) {
      return std::abs(double{block[i * size + j]});
    };
    double most = -1;
    std::size_t best = 0;
    for (std::size_t at = 0; at < plan_.size(); ++at) {
      const std::size_t i = at / size;
      const std::size_t j = at % size;
      const bool is_possible =
          keep[at] != 0 && keep[row * size + j] == 0 && keep[i * size + column] == 0;
      if (!is_possible) continue;
      const double gain = magnitude(row, j) + magnitude(i, column) - magnitude(i, j);
      if (gain > most) {
        most = gain;
        best = at;
      }
    }
    if (most < 0) return false;
    keep[best] = 0;
    keep[row * size + best % size] = 1;
    keep[best / size * size + column] = 1;
    ++in_row_[row];
    ++in_column_[column];
    return true;
  }

  Pattern pattern_;
  std::vector<double> plan_;
  std::vector<double> excess_;  // that has been cut off, as a factor
  std::vector<double> sums_;
  std::vector<std::uint32_t> order_;  // indices from the largest share down
  std::vector<std::int64_t> in_row_;  // elements kept
  std::vector<std::int64_t> in_column_;
};

}  // namespace

void prune_transposable(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] { return FlowSolver(pattern, Kept::at_most_n); });
}

void prune_transposable_exactly(const Matrix& in, Pattern pattern, const Execution& how,
                                Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] { return FlowSolver(pattern, Kept::exactly_n); });
}

void prune_by_transport(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] { return TransportSolver(pattern); });
}

}  // namespace stcsim::pruning
