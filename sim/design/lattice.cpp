#include "sim/design/lattice.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace stcsim {
namespace {

using Resources = std::vector<std::size_t>;

/// All sets of so many of the resources, in the order of the resources.
std::vector<Resources> sets_of(const Resources& all, std::size_t size) {
  if (size == 0) return {{}};
  std::vector<Resources> sets;
  for (std::size_t first = 0; first + size <= all.size(); ++first) {
    const Resources rest(all.begin() + static_cast<std::ptrdiff_t>(first) + 1, all.end());
    for (const Resources& others : sets_of(rest, size - 1)) {
      Resources set{all[first]};
      set.insert(set.end(), others.begin(), others.end());
      sets.push_back(std::move(set));
    }
  }
  return sets;
}

Resources resources_left(const Lattice& lattice, std::size_t from, std::size_t to) {
  Resources left;
  for (std::size_t at = 0; at < lattice.resources(); ++at) {
    if (lattice.level(from, at) < lattice.level(to, at)) left.push_back(at);
  }
  return left;
}

std::size_t raised_by_one(const Lattice& lattice, std::size_t machine, const Resources& resources) {
  for (const std::size_t at : resources) {
    machine = lattice.with(machine, at, lattice.level(machine, at) + 1);
  }
  return machine;
}

/// The step of so many resources that gains most.
std::optional<GrowthStep> best_step(const Lattice& lattice, std::size_t from,
                                    const std::vector<Resources>& sets, const TimesOf& times) {
  std::vector<std::size_t> machines;
  for (const Resources& set : sets) machines.push_back(raised_by_one(lattice, from, set));
  times.prepare(machines);
  std::optional<GrowthStep> best;
  for (std::size_t at = 0; at < sets.size(); ++at) {
    const double gain = times.time(from) / times.time(machines[at]) - 1;
    if (gain < kLeastGain || (best && gain <= best->gain)) continue;
    best = {sets[at], machines[at], gain};
  }
  return best;
}

GrowthStep next_step(const Lattice& lattice, std::size_t from, std::size_t to,
                     const TimesOf& times) {
  const Resources left = resources_left(lattice, from, to);
  for (std::size_t size = 1; size <= left.size(); ++size) {
    auto step = best_step(lattice, from, sets_of(left, size), times);
    if (step) return *std::move(step);
  }
  return {left, to, times.time(from) / times.time(to) - 1};
}

}  // namespace

Lattice::Lattice(Levels sizes) : sizes_(std::move(sizes)), strides_(sizes_.size()) {
  for (std::size_t at = sizes_.size(); at-- > 0;) {
    strides_[at] = count_;
    count_ *= sizes_[at];
  }
}

Levels Lattice::levels(std::size_t machine) const {
  Levels levels(sizes_.size());
  for (std::size_t at = 0; at < levels.size(); ++at) levels[at] = level(machine, at);
  return levels;
}

std::size_t Lattice::machine(const Levels& levels) const {
  return std::inner_product(levels.begin(), levels.end(), strides_.begin(), std::size_t{0});
}

std::size_t Lattice::with(std::size_t machine, std::size_t resource, std::size_t level) const {
  return machine - this->level(machine, resource) * strides_[resource] + level * strides_[resource];
}

std::size_t Lattice::height(std::size_t machine) const {
  const Levels all = levels(machine);
  return std::accumulate(all.begin(), all.end(), std::size_t{0});
}

bool Lattice::is_within(std::size_t machine, std::size_t other) const {
  for (std::size_t at = 0; at < sizes_.size(); ++at) {
    if (level(machine, at) > level(other, at)) return false;
  }
  return true;
}

std::vector<GrowthStep> way_up(const Lattice& lattice, std::size_t from, std::size_t to,
                               const TimesOf& times) {
  std::vector<GrowthStep> way;
  while (from != to) {
    way.push_back(next_step(lattice, from, to, times));
    from = way.back().machine;
  }
  return way;
}

std::vector<double> gains_of_each(const Lattice& lattice, std::size_t machine,
                                  const std::function<std::size_t(std::size_t resource)>& level_of,
                                  const TimesOf& times) {
  std::vector<std::size_t> machines;
  for (std::size_t at = 0; at < lattice.resources(); ++at) {
    machines.push_back(lattice.with(machine, at, level_of(at)));
  }
  times.prepare(machines);
  std::vector<double> gains;
  gains.reserve(machines.size());
  for (const std::size_t other : machines) {
    gains.push_back(times.time(machine) / times.time(other) - 1);
  }
  return gains;
}

double unevenness(const Lattice& lattice, const std::vector<std::size_t>& machines,
                  const std::function<double(std::size_t machine)>& time) {
  double most = 0;
  for (const std::size_t less : machines) {
    for (const std::size_t more : machines) {
      if (lattice.is_within(less, more)) most = std::max(most, time(more) / time(less) - 1);
    }
  }
  return most;
}

}  // namespace stcsim
