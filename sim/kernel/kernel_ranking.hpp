#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/kernel/kernel_candidate.hpp"

namespace stcsim {

/// The kernels ranked for a GEMM.
struct KernelRanking {
  /// Those to simulate, as kernel_candidates() gives them.
  std::vector<KernelCandidate> candidates;
  /// Ranked behind them and left out, the best-ranked first.
  std::vector<KernelCandidate> left_out;
  /// Where among the candidates those of other stacks begin, of each in turn: only of kBestStack.
  std::vector<std::size_t> of_stacks = {};
  /// Candidates are simulated to find the fastest of all that the policy allows. Not so where a
  /// library's rule decides, or the user, who named a kernel.
  bool is_search = false;

  [[nodiscard]] bool simulates(const KernelLaunch& launch) const;
};

/// The first so many of `ranked`; the others are left out.
[[nodiscard]] KernelRanking cut(std::vector<KernelCandidate> ranked, std::int64_t most);

/// Keeps so many each of the kernels that a machine lists and of those of its space: estimates tell
/// less of kernels that nobody has compiled, and the search is not to lose what the list has.
[[nodiscard]] KernelRanking cut_each(const MachineConfig& machine,
                                     std::vector<KernelCandidate> ranked, std::int64_t most);

/// A search times what the library would take as well, so it is never slower than that.
void keep_rules(const std::vector<KernelCandidate>& rules, KernelRanking& ranking);

}  // namespace stcsim
