#pragma once

#include <algorithm>
#include <string>

#include "sim/config/machine.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {

/// How many CTAs the SMs run: `rounds` waves one after the other, the last of which need not be
/// full, or, where all CTAs run at once, `rounds` CTAs per SM.
struct CtaRounds {
  double rounds = 1;
  bool at_once = true;

  /// Of the SM with most of them.
  [[nodiscard]] double most() const;
  /// One after the other.
  [[nodiscard]] double waves() const { return at_once ? 1 : most(); }
};

/// Cycles that the units work which work side by side in the main loop.
struct Demands {
  // Of the SM with most CTAs.
  double math = 0;
  double fetch = 0;
  double fill = 0;
  double staging = 0;
  double memory_bus = 0;
  // For all SMs.
  double l2_cache = 0;
  double dram = 0;
  /// Of requests by the copy engine, where they take longer than filling: narrow accesses.
  double issue = 0;

  [[nodiscard]] double port() const { return fetch + fill + staging; }
  /// With so much of the SM's own.
  [[nodiscard]] Demands with_share_of_sm(double share) const;
};

/// The main loops of a launch, waves of CTAs one after the other. A wave takes what its busiest
/// unit works, and a share of what the others work, the same share of all. How large it is, is read
/// off the run: then the waves take what they have taken. If they take longer than all units one
/// after the other, none works in the rest.
class MainLoop {
 public:
  /// @param cycles  of all waves together, latencies before their first data apart
  MainLoop(const CtaRounds& rounds, const Demands& demands, double cycles);

  /// Cycles that it would take less if the units had that to do instead, in so many rounds.
  [[nodiscard]] double saved_by(const Demands& instead, const CtaRounds& rounds) const;
  [[nodiscard]] double saved_by(const Demands& instead) const { return saved_by(instead, rounds_); }
  /// Cycles in which no unit works.
  [[nodiscard]] double idle() const { return std::max(cycles_ - modelled_, 0.0); }

 private:
  [[nodiscard]] double model(const Demands& demands, const CtaRounds& rounds) const;

  CtaRounds rounds_;
  double cycles_;
  double in_turn_ = 0;  // of what the other units work
  double modelled_ = 0;
};

/// What a launch's time is lost to most, judged from where the cycles of one run went: a resource
/// as relaxations() names them ("multipliers", "shared_memory_port", "dram", "latencies", ...),
/// "last_wave", "too_few_ctas", "vector_unit" for stream kernels, or "unclear" if nothing would
/// save a tenth of it.
///
/// A judgement, not an experiment. The SM with most CTAs launches, waits for the first data of each
/// wave, runs main loops and stores what no main loop hides. In its main loops units work side by
/// side, as far as this run shows (MainLoop); each is taken away in turn. Nothing saves more than
/// what DRAM needs for the launch's own bytes leaves, and fewer rounds of CTAs do not spare what
/// all SMs share.
[[nodiscard]] std::string bound_by(const MachineConfig& machine, const LaunchResult& launch);

}  // namespace stcsim
