#include "sim/kernel/kernel_search.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/counts.hpp"
#include "models/bounds/critical_path.hpp"
#include "sim/kernel/kernel_candidate.hpp"
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
    return least_cycles(machine_.accelerator, launch).count() + after(launch);
  }
  /// Less than that, however the launch fills an SM, and found in a fraction of the time.
  std::int64_t in_any_occupancy(const KernelLaunch& launch) {
    const std::int64_t ctas = ceil_div(launch.ctas(), machine_.accelerator.num_sms);
    return least_cta_cycles(machine_.accelerator, launch).count() * ctas + after(launch);
  }

 private:
  std::int64_t after(const KernelLaunch& launch) {
    return launch.splits > 1 ? reduction(launch) : 0;
  }
  std::int64_t reduction(const KernelLaunch& gemm) {
    std::int64_t& known = reductions_[{gemm.splits, gemm.warp.instruction->pattern}];
    if (known == 0) {
      const KernelLaunch launch = reduction_launch(machine_, problem_, gemm);
      known = least_cycles(machine_.accelerator, launch).count();
    }
    return known;
  }

  const MachineConfig& machine_;
  const GemmProblem& problem_;
  std::map<std::pair<std::int64_t, Pattern>, std::int64_t> reductions_;  // by number of k slices
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

/// Adds up a KernelSearch.
class Count {
 public:
  Count(GemmBounds& bounds, const SearchOutcome& outcome) : bounds_(bounds), outcome_(outcome) {}

  void add(KernelLaunch& launch, const std::vector<Occupancy>& occupancies) {
    const bool is_slower = bounds_.in_any_occupancy(launch) >= outcome_.cycles;
    for (const Occupancy& one : occupancies) {
      if (!launch.persistent) launch.ctas_per_sm = one.ctas_per_sm;
      launch.warp.fragment_buffers = one.fragment_buffers;
      ++search_.possible;
      if (was_simulated(launch)) {
        ++search_.simulated;
      } else if (is_slower || bounds_.of(launch) >= outcome_.cycles) {
        ++search_.cannot_win;
      } else {
        ++search_.left_out;
        least_ = std::min(least_, bounds_.of(launch));
      }
    }
  }

  [[nodiscard]] KernelSearch result() const {
    KernelSearch search = search_;
    search.regret_at_most = real_of(outcome_.cycles - least_) / real_of(outcome_.cycles);
    return search;
  }

 private:
  /// The order of its tiles follows from the rest.
  [[nodiscard]] bool was_simulated(KernelLaunch& launch) const {
    return std::ranges::any_of(outcome_.simulated, [&](const KernelLaunch& one) {
      launch.raster_group = one.raster_group;
      return launch == one;
    });
  }

  GemmBounds& bounds_;
  const SearchOutcome& outcome_;
  KernelSearch search_;
  std::int64_t least_ = outcome_.cycles;
};

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
  Count count(bounds, outcome);
  for_each_possible(machine, problem, hardware, policy,
                    [&](KernelLaunch& launch, const std::vector<Occupancy>& occupancies) {
                      if (outcome.same_operands) find_operands_in_l2(machine, launch);
                      count.add(launch, occupancies);
                    });
  KernelSearch search = count.result();
  if (!search.is_exact()) {
    search.left_out_estimate = best_estimate_left_out(bounds, ranking, outcome);
  }
  return search;
}

}  // namespace stcsim
