#include "sim/kernel/kernel_search.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "sim/kernel/kernel_bound.hpp"
#include "sim/kernel/possible_kernels.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim {
namespace {

double real_of(std::int64_t value) {
  return static_cast<double>(value);
}

/// Bounds of whole GEMMs: the launch, and the one that adds up partial sums.
class GemmBounds {
 public:
  GemmBounds(const MachineConfig& machine, const GemmProblem& problem)
      : machine_(machine), problem_(problem) {}

  std::int64_t of(const KernelLaunch& launch) {
    const std::int64_t own = least_cycles(machine_.accelerator, launch).count();
    return own + (launch.splits > 1 ? reduction(launch.splits) : 0);
  }

 private:
  std::int64_t reduction(std::int64_t splits) {
    std::int64_t& known = reductions_[splits];
    if (known == 0) {
      const KernelLaunch launch = reduction_launch(machine_, problem_, splits);
      known = least_cycles(machine_.accelerator, launch).count();
    }
    return known;
  }

  const MachineConfig& machine_;
  const GemmProblem& problem_;
  std::map<std::int64_t, std::int64_t> reductions_;  // by number of k slices
};

/// The best estimate of those that may be faster, over that of the kernel found.
std::optional<double> best_estimate_left_out(GemmBounds& bounds, const KernelRanking& ranking,
                                             const SearchOutcome& outcome) {
  for (const KernelCandidate& one : ranking.left_out) {
    if (bounds.of(one.launch) >= outcome.cycles) continue;
    return one.estimated_cycles / outcome.fastest.estimated_cycles;
  }
  return std::nullopt;
}

}  // namespace

void find_operands_in_l2(const MachineConfig& machine, KernelLaunch& launch) {
  std::int64_t bytes = launch.stored_bytes();
  for (const Operand operand : launch.operands()) bytes += launch.distinct_bytes(operand);
  if (bytes > machine.accelerator.l2_cache.kept_bytes) return;
  launch.a.starts_in_l2 = launch.b.starts_in_l2 = true;
  launch.metadata.starts_in_l2 = launch.column_indices.starts_in_l2 = true;
}

KernelSearch examine_search(const MachineConfig& machine, const GemmProblem& problem,
                            const std::vector<Pattern>& hardware, const KernelPolicy& policy,
                            const KernelRanking& ranking, const SearchOutcome& outcome) {
  GemmBounds bounds(machine, problem);
  KernelSearch search;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for_each_possible(machine, problem, hardware, policy, [&](KernelLaunch& launch) {
    if (outcome.same_operands) find_operands_in_l2(machine, launch);
    ++search.possible;
    const auto& known = outcome.simulated;
    if (std::find(known.begin(), known.end(), launch) != known.end()) {
      ++search.simulated;
      return;
    }
    const std::int64_t bound = bounds.of(launch);
    ++(bound >= outcome.cycles ? search.cannot_win : search.left_out);
    least = std::min(least, bound);
  });
  if (search.left_out == 0) return search;
  search.regret_at_most = real_of(outcome.cycles - least) / real_of(outcome.cycles);
  search.left_out_estimate = best_estimate_left_out(bounds, ranking, outcome);
  return search;
}

}  // namespace stcsim
