#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/design/lattice.hpp"

namespace stcsim {

/// What a machine takes for the work, as it is and dense; any unit of time.
struct MachineTimes {
  double own = 0;
  double dense = 0;
};

/// What a speedup is a ratio to: dense on the same machine, or dense on the base machine.
enum class Against : std::uint8_t { same, base };

/// Machines to search, and how to tell them apart.
struct SearchProblem {
  explicit SearchProblem(Lattice machines) : lattice(std::move(machines)) {}

  Lattice lattice;
  /// Of each machine: what is to be least, and what decides between equals. More of a resource
  /// takes no less of either.
  std::vector<double> cost;
  std::vector<double> second_cost;
  /// Machines within the budget: whatever has less than one of them is, too.
  std::vector<bool> is_allowed;
  Against against = Against::same;
  /// Work takes no longer with more of a resource, up to this share of the time: queues are served
  /// in order of arrival, and tiles do not divide everything.
  double slack = 0;
  /// Simulates a machine.
  std::function<MachineTimes(std::size_t)> simulate;
  /// Whether a machine that is simulated is within what only a simulation tells (watts).
  std::function<bool(std::size_t)> accepts = [](std::size_t) { return true; };
};

/// Finds machines without simulating all of them. Two facts exclude the others: a machine takes at
/// least as long as any that has as much of everything, and no longer than any that has no more;
/// dense likewise. Its speedup is therefore at most
///
///     the least dense time of machines within it / the most time of machines that it is within.
///
/// Answers are exact: those of a search through all machines, wherever times keep to that within
/// the slack.
class MachineSearch {
 public:
  explicit MachineSearch(SearchProblem problem);

  /// The first machine in the order of costs that is allowed, accepted and reaches the speedup; of
  /// equal costs that with the fewest levels, then the first.
  [[nodiscard]] std::optional<std::size_t> cheapest(double speedup);

  /// The highest speedup of machines that are allowed and accepted. Here times are taken to be
  /// monotone without slack: what is faster than it should be by no more than that may be missed.
  [[nodiscard]] std::optional<double> most_speedup();

  /// The same by looking at every machine: the reference of both.
  [[nodiscard]] std::optional<std::size_t> cheapest_of_all(double speedup);
  [[nodiscard]] std::optional<double> most_speedup_of_all();

  [[nodiscard]] double speedup(std::size_t machine);
  [[nodiscard]] const MachineTimes& times(std::size_t machine);
  /// Machines simulated so far.
  [[nodiscard]] std::size_t simulated() const { return simulated_; }
  [[nodiscard]] bool is_simulated(std::size_t machine) const { return times_[machine].has_value(); }

 private:
  struct Box;

  [[nodiscard]] bool comes_before(std::size_t machine, std::size_t other) const {
    return rank_[machine] < rank_[other];
  }
  /// The most speedup the machine can have, as far as is known.
  [[nodiscard]] double most(std::size_t machine);
  [[nodiscard]] bool reaches(std::size_t machine, double speedup);
  /// Finds out whether one machine reaches the speedup, and about as many others as that tells of.
  void settle(std::size_t machine, double speedup, std::optional<std::size_t>& best);
  /// A machine that has as much of everything, is allowed and comes before `best`; none that has
  /// one level more is and does.
  [[nodiscard]] std::size_t raised(std::size_t machine,
                                   const std::optional<std::size_t>& best) const;
  [[nodiscard]] std::size_t halfway(std::size_t low, std::size_t high) const;

  /// The most speedup of machines from one to another.
  [[nodiscard]] double most_in(const Box& box);
  void take_if_faster(std::size_t machine, std::optional<double>& best);
  /// Simulates the box's corners. @return whether a machine in it may be faster than the best
  [[nodiscard]] bool look_at(Box& box, std::optional<double>& best);
  /// Lowers the upper corner to what is allowed above the lower one.
  void clip(Box& box) const;
  [[nodiscard]] std::vector<Box> halves(const Box& box) const;

  SearchProblem problem_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> rank_;
  std::vector<std::optional<MachineTimes>> times_;
  /// Of every machine: from those that have as much of everything, and from those within it.
  std::vector<double> least_own_;
  std::vector<double> most_dense_;
  std::size_t simulated_ = 0;
};

}  // namespace stcsim
