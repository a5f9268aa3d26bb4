#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/successive_shortest_path_nonnegative_weights.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "pruning/blocks.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
// Named, since TransposableSolver::Networks has members of these types.
namespace transposable_flow {

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

}  // namespace transposable_flow

/// A network for each kind of cost, the wide one from the first block on that needs it.
class TransposableSolver::Networks {
 public:
  Networks(Pattern pattern, Kept kept) : pattern_(pattern), kept_(kept), narrow_(pattern, kept) {}

  void solve(std::span<const float> block, std::span<std::uint8_t> keep) {
    const transposable_flow::Units units(block);
    if (units.are_narrow()) return narrow_.solve(block, units, keep);
    if (!wide_) wide_.emplace(pattern_, kept_);
    wide_->solve(block, units, keep);
  }

 private:
  Pattern pattern_;
  Kept kept_;
  transposable_flow::FlowNetwork<transposable_flow::NarrowCost> narrow_;
  std::optional<transposable_flow::FlowNetwork<transposable_flow::WideCost>> wide_;
};

TransposableSolver::TransposableSolver(Pattern pattern, Kept kept)
    : networks_(std::make_unique<Networks>(pattern, kept)) {}
TransposableSolver::~TransposableSolver() = default;
TransposableSolver::TransposableSolver(TransposableSolver&&) noexcept = default;

void TransposableSolver::solve(std::span<const float> block, std::span<std::uint8_t> keep) {
  networks_->solve(block, keep);
}

namespace {

void prune_by_flow(const Matrix& in, Pattern pattern, Kept kept, const Execution& how,
                   Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] {
    return [solver = TransposableSolver(pattern, kept)](std::span<const float> block,
                                                        std::span<std::uint8_t> keep) mutable {
      solver.solve(block, keep);
    };
  });
}

}  // namespace

void prune_transposable(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  prune_by_flow(in, pattern, Kept::at_most_n, how, out);
}

void prune_transposable_exactly(const Matrix& in, Pattern pattern, const Execution& how,
                                Matrix& out) {
  prune_by_flow(in, pattern, Kept::exactly_n, how, out);
}

}  // namespace stcsim::pruning
