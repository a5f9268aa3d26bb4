#include "sim/run/main_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stcsim {
namespace {

/// Cycles in which the busiest unit works, and in which the others do.
struct Work {
  double busiest = 0;
  double others = 0;
};

/// One of so many waves. Units that all SMs share work for `shared` of all CTAs in it.
Work work_of_wave(const Demands& demands, double waves, double shared) {
  const std::array units{demands.math / waves,      demands.port() / waves,
                         demands.issue / waves,     demands.memory_bus / waves,
                         demands.l2_cache * shared, demands.dram * shared};
  const double busiest = *std::max_element(units.begin(), units.end());
  return {busiest, std::accumulate(units.begin(), units.end(), 0.0) - busiest};
}

Work work_of(const Demands& demands, const CtaRounds& rounds) {
  const double waves = rounds.waves();
  const double shared = rounds.at_once ? 1 : 1 / rounds.rounds;
  const Work full = work_of_wave(demands, waves, shared);
  const Work last = work_of_wave(demands, waves, 1 - (waves - 1) * shared);
  return {(waves - 1) * full.busiest + last.busiest, (waves - 1) * full.others + last.others};
}

}  // namespace

double CtaRounds::most() const {
  return std::ceil(rounds);
}

Demands Demands::with_share_of_sm(double share) const {
  return {math * share,       fetch * share, fill * share, staging * share,
          memory_bus * share, l2_cache,      dram,         issue * share};
}

MainLoop::MainLoop(const CtaRounds& rounds, const Demands& demands, double cycles)
    : rounds_(rounds), cycles_(cycles) {
  const Work work = work_of(demands, rounds);
  if (work.others > 0) in_turn_ = std::clamp((cycles - work.busiest) / work.others, 0.0, 1.0);
  modelled_ = model(demands, rounds);
}

double MainLoop::model(const Demands& demands, const CtaRounds& rounds) const {
  const Work work = work_of(demands, rounds);
  return work.busiest + in_turn_ * work.others;
}

double MainLoop::saved_by(const Demands& instead, const CtaRounds& rounds) const {
  if (modelled_ <= 0) return 0;
  // Where the busiest unit works longer than all waves take, something in them is not as modelled.
  const double scale = std::min(cycles_ / modelled_, 1.0);
  return scale * std::max(modelled_ - model(instead, rounds), 0.0);
}

}  // namespace stcsim
