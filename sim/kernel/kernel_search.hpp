#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/kernel/kernel_choice.hpp"

namespace stcsim {

/// The kernels a search for the fastest has looked at, and how much it may have missed. A kernel is
/// counted once for each pattern and instruction, number of k slices, of CTAs per SM and of
/// fragment buffers that it can run with.
struct KernelSearch {
  /// All that could run the GEMM: those below.
  std::int64_t possible = 0;
  /// Simulated, to the end or until they were known to be slower.
  std::int64_t simulated = 0;
  /// Not simulated: by their bound (kernel_bound.hpp) they cannot be faster than what was found.
  std::int64_t cannot_win = 0;
  /// Not simulated because they ranked behind those that were.
  std::int64_t left_out = 0;
  /// No kernel left out can spare more than this share of the time found: (c - b) / c, with c that
  /// time in cycles of the highest clock and b the least bound of those left out, cycles; 0 if
  /// there are none.
  double regret_at_most = 0;
  /// The estimate's margin: the best estimate of a kernel left out over that of the kernel found.
  /// Nothing where none was left out that was estimated.
  std::optional<double> left_out_estimate = {};

  /// No kernel is faster.
  [[nodiscard]] bool is_exact() const { return left_out == 0; }
  friend bool operator==(const KernelSearch&, const KernelSearch&) = default;
};

/// The kernel that was found.
struct SearchOutcome {
  /// The kernel that was taken, as it was ranked.
  const KernelCandidate& fastest;
  /// The time found, with the reduction of split-K, in cycles of the highest clock that a kernel
  /// could have; the upper end where a part was simulated.
  std::int64_t cycles = 0;
  /// Launches that were simulated, at least in part.
  const std::vector<KernelLaunch>& simulated;
  /// All launches find their operands in the L2 cache if they fit.
  bool same_operands = false;
};

/// Counts, and bounds each launch that was not simulated.
/// @param machine  at the clock at which kernels were compared
[[nodiscard]] KernelSearch examine_search(const MachineConfig& machine, const GemmProblem& problem,
                                          const std::vector<Pattern>& hardware,
                                          const KernelPolicy& policy, const KernelRanking& ranking,
                                          const SearchOutcome& outcome);

/// If the next launch finds all that `launch` reads, it says so from here on.
void find_operands_in_l2(const MachineConfig& machine, KernelLaunch& launch);

}  // namespace stcsim
