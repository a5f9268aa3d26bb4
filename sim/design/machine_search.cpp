#include "sim/design/machine_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace stcsim {

/// The machines from one to another.
struct MachineSearch::Box {
  Levels low;
  Levels high;
  double most = std::numeric_limits<double>::infinity();
  /// When it was made: of equals the first is looked at first.
  std::size_t number = 0;
};

MachineSearch::MachineSearch(SearchProblem problem) : problem_(std::move(problem)) {
  const std::size_t count = problem_.lattice.count();
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto key = [&](std::size_t machine) {
    return std::tuple(problem_.cost[machine], problem_.second_cost[machine],
                      problem_.lattice.height(machine), machine);
  };
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  rank_.resize(count);
  for (std::size_t at = 0; at < count; ++at) rank_[order_[at]] = at;
  times_.resize(count);
  least_own_.assign(count, 0);
  most_dense_.assign(count, std::numeric_limits<double>::infinity());
}

const MachineTimes& MachineSearch::times(std::size_t machine) {
  std::optional<MachineTimes>& known = times_[machine];
  if (known) return *known;
  known = problem_.simulate(machine);
  ++simulated_;
  for (std::size_t other = 0; other < times_.size(); ++other) {
    if (problem_.lattice.is_within(other, machine)) {
      least_own_[other] = std::max(least_own_[other], known->own);
    }
    if (problem_.lattice.is_within(machine, other)) {
      most_dense_[other] = std::min(most_dense_[other], known->dense);
    }
  }
  return *known;
}

double MachineSearch::speedup(std::size_t machine) {
  const double dense = times(problem_.against == Against::base ? 0 : machine).dense;
  return dense / times(machine).own;
}

double MachineSearch::most(std::size_t machine) {
  if (is_simulated(machine)) return speedup(machine);
  if (least_own_[machine] == 0) return std::numeric_limits<double>::infinity();
  const double own = least_own_[machine] / (1 + problem_.slack);
  if (problem_.against == Against::base) return times(0).dense / own;
  return most_dense_[machine] * (1 + problem_.slack) / own;
}

bool MachineSearch::reaches(std::size_t machine, double speedup) {
  return problem_.is_allowed[machine] && this->speedup(machine) >= speedup &&
         problem_.accepts(machine);
}

std::optional<std::size_t> MachineSearch::cheapest(double speedup) {
  std::optional<std::size_t> best;
  for (const std::size_t machine : order_) {
    if (best && !comes_before(machine, *best)) break;
    if (problem_.is_allowed[machine]) settle(machine, speedup, best);
  }
  return best;
}

void MachineSearch::settle(std::size_t machine, double speedup, std::optional<std::size_t>& best) {
  std::size_t probe = raised(machine, best);
  while (!is_simulated(machine) && most(machine) >= speedup) {
    if (reaches(probe, speedup)) best = probe;
    probe = halfway(machine, probe);
  }
  if (is_simulated(machine) && reaches(machine, speedup)) best = machine;
}

std::size_t MachineSearch::raised(std::size_t machine,
                                  const std::optional<std::size_t>& best) const {
  const Lattice& lattice = problem_.lattice;
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    for (std::size_t at = 0; at < lattice.resources(); ++at) {
      const std::size_t level = lattice.level(machine, at) + 1;
      if (level == lattice.size(at)) continue;
      const std::size_t more = lattice.with(machine, at, level);
      if (!problem_.is_allowed[more] || (best && !comes_before(more, *best))) continue;
      machine = more;
      is_growing = true;
    }
  }
  return machine;
}

std::size_t MachineSearch::halfway(std::size_t low, std::size_t high) const {
  Levels levels = problem_.lattice.levels(low);
  const Levels upper = problem_.lattice.levels(high);
  for (std::size_t at = 0; at < levels.size(); ++at) levels[at] = (levels[at] + upper[at]) / 2;
  return problem_.lattice.machine(levels);
}

double MachineSearch::most_in(const Box& box) {
  const std::size_t low = problem_.lattice.machine(box.low);
  const double own = least_own_[problem_.lattice.machine(box.high)];
  if (own == 0) return std::numeric_limits<double>::infinity();
  return (problem_.against == Against::base ? times(0).dense : most_dense_[low]) / own;
}

void MachineSearch::take_if_faster(std::size_t machine, std::optional<double>& best) {
  if (!problem_.is_allowed[machine] || (best && speedup(machine) <= *best)) return;
  if (problem_.accepts(machine)) best = speedup(machine);
}

bool MachineSearch::look_at(Box& box, std::optional<double>& best) {
  const auto may_be_faster = [&] { return !best || most_in(box) > *best; };
  for (const Levels& corner : {box.high, box.low}) {
    if (!may_be_faster()) return false;
    take_if_faster(problem_.lattice.machine(corner), best);
  }
  box.most = std::min(box.most, most_in(box));
  return may_be_faster();
}

void MachineSearch::clip(Box& box) const {
  const Lattice& lattice = problem_.lattice;
  const std::size_t low = lattice.machine(box.low);
  for (std::size_t at = 0; at < box.high.size(); ++at) {
    while (!problem_.is_allowed[lattice.with(low, at, box.high[at])]) --box.high[at];
  }
}

std::vector<MachineSearch::Box> MachineSearch::halves(const Box& box) const {
  std::size_t widest = 0;
  const auto span = [&](std::size_t at) { return box.high[at] - box.low[at]; };
  for (std::size_t at = 1; at < box.low.size(); ++at) {
    if (span(at) > span(widest)) widest = at;
  }
  Box lower = box;
  Box upper = box;
  lower.high[widest] = box.low[widest] + span(widest) / 2;
  upper.low[widest] = lower.high[widest] + 1;
  return {std::move(upper), std::move(lower)};
}

std::optional<double> MachineSearch::most_speedup() {
  const auto is_later = [](const Box& a, const Box& b) {
    return std::pair(a.most, b.number) < std::pair(b.most, a.number);
  };
  std::priority_queue<Box, std::vector<Box>, decltype(is_later)> boxes(is_later);
  std::size_t made = 0;
  const auto add = [&](Box box) {
    if (!problem_.is_allowed[problem_.lattice.machine(box.low)]) return;
    clip(box);
    box.number = made++;
    boxes.push(std::move(box));
  };
  add({problem_.lattice.levels(0), problem_.lattice.levels(problem_.lattice.largest())});
  std::optional<double> best;
  while (!boxes.empty()) {
    Box box = boxes.top();
    boxes.pop();
    if (best && box.most <= *best) break;
    if (!look_at(box, best) || box.low == box.high) continue;
    for (Box& half : halves(box)) add(std::move(half));
  }
  return best;
}

std::optional<std::size_t> MachineSearch::cheapest_of_all(double speedup) {
  for (const std::size_t machine : order_) {
    if (reaches(machine, speedup)) return machine;
  }
  return std::nullopt;
}

std::optional<double> MachineSearch::most_speedup_of_all() {
  std::optional<double> best;
  for (const std::size_t machine : order_) take_if_faster(machine, best);
  return best;
}

}  // namespace stcsim
