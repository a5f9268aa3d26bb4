#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/successive_shortest_path_nonnegative_weights.hpp>

#include "pruning/blocks.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using EdgeProperty = boost::property<
    boost::edge_capacity_t, std::int64_t,
    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor,
                                    boost::property<boost::edge_weight_t, std::int64_t>>>>;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                    EdgeProperty>;
using Edge = Traits::edge_descriptor;

constexpr int kCostBits = 40;

}  // namespace

/// The graph of one block size, used for block after block.
class TransposableSolver::Network {
 public:
  Network(Pattern pattern, Kept kept)
      : size_(static_cast<std::size_t>(pattern.m)),
        keeps_(kept == Kept::at_most_n || 2 * pattern.n <= pattern.m),
        graph_(2 * size_ + 2),
        predecessors_(2 * size_ + 2),
        distances_(2 * size_ + 2),
        previous_distances_(2 * size_ + 2) {
    const std::int64_t units = keeps_ ? pattern.n : pattern.m - pattern.n;
    for (std::size_t row = 0; row < size_; ++row) add_edge(source(), row, units);
    for (std::size_t row = 0; row < size_; ++row) {
      for (std::size_t column = 0; column < size_; ++column) {
        elements_.push_back(add_edge(row, size_ + column, 1));
      }
    }
    for (std::size_t column = 0; column < size_; ++column) {
      add_edge(size_ + column, sink(), units);
    }
    if (kept == Kept::exactly_n) return;
    for (std::size_t row = 0; row < size_; ++row) unused_.push_back(add_edge(row, sink(), units));
  }

  void solve(std::span<const float> block, std::span<std::uint8_t> keep) {
    set_costs(block);
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

  void set_costs(std::span<const float> block) {
    float largest = 0;
    for (const float value : block) largest = std::max(largest, std::abs(value));
    int exponent = 0;
    std::frexp(largest, &exponent);
    const auto whole = [exponent](float value) {
      return std::llround(std::ldexp(std::abs(static_cast<double>(value)), kCostBits - exponent));
    };
    const std::int64_t most = whole(largest);
    for (std::size_t i = 0; i < block.size(); ++i) {
      set_cost(elements_[i], keeps_ ? most - whole(block[i]) : whole(block[i]));
    }
    for (const Edge edge : unused_) set_cost(edge, most);
  }

  void set_cost(Edge edge, std::int64_t cost) {
    boost::put(boost::edge_weight, graph_, edge, cost);
    boost::put(boost::edge_weight, graph_, boost::get(boost::edge_reverse, graph_, edge), -cost);
  }

  std::size_t size_;
  bool keeps_;  // the flow is what is kept, else what is pruned
  Graph graph_;
  std::vector<Edge> elements_;  // from row to column, row after row
  std::vector<Edge> unused_;    // from rows to the sink
  std::vector<Edge> predecessors_;
  std::vector<std::int64_t> distances_;
  std::vector<std::int64_t> previous_distances_;
};

TransposableSolver::TransposableSolver(Pattern pattern, Kept kept)
    : network_(std::make_unique<Network>(pattern, kept)) {}
TransposableSolver::~TransposableSolver() = default;
TransposableSolver::TransposableSolver(TransposableSolver&&) noexcept = default;

void TransposableSolver::solve(std::span<const float> block, std::span<std::uint8_t> keep) {
  network_->solve(block, keep);
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
