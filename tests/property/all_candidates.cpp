#include "tests/property/all_candidates.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim::test {
namespace {

/// Simulates the candidates of one GEMM.
class Candidates {
 public:
  Candidates(MachineRunner& runner, const GemmProblem& problem)
      : runner_(runner), problem_(problem) {}

  /// Nothing if it takes longer than `limit`, 0 for none.
  std::optional<std::int64_t> cycles_of(const KernelLaunch& launch, std::int64_t limit) {
    const auto statistics =
        limit > 0 ? runner_.run_within(launch, Cycles(limit)) : std::optional(runner_.run(launch));
    if (!statistics) return std::nullopt;
    return statistics->cycles.count() + (launch.splits > 1 ? reduction(launch) : 0);
  }

 private:
  /// The launch that adds up partial sums has a CTA in as many slots as there are, or in a half of
  /// them, and so on: the fastest of these.
  std::int64_t reduction(const KernelLaunch& gemm) {
    std::int64_t& best = reductions_[gemm.splits];
    if (best > 0) return best;
    KernelLaunch launch = reduction_launch(runner_.machine(), problem_, gemm);
    for (; launch.ctas_per_sm >= 1; launch.ctas_per_sm /= 2) {
      const std::int64_t cycles = runner_.run(launch).cycles.count();
      best = best == 0 ? cycles : std::min(best, cycles);
    }
    return best;
  }

  MachineRunner& runner_;
  const GemmProblem& problem_;
  std::map<std::int64_t, std::int64_t> reductions_;  // cycles, by number of k slices
};

std::string name_of(const KernelCandidate& one) {
  return fmt::format("{} k{} x{}, {} CTAs per SM, {} fragment buffers", one.kernel.config.name,
                     one.kernel.instruction.k, one.launch.splits, one.launch.ctas_per_sm,
                     one.launch.warp.fragment_buffers);
}

}  // namespace

Fastest fastest_of_all(MachineRunner& runner, const GemmProblem& problem) {
  std::vector<Pattern> hardware =
      sparsity_support(runner.machine(), problem.dtype, problem.a_pattern).patterns;
  hardware.push_back(kDense);
  Candidates candidates(runner, problem);
  Fastest best;
  for (const KernelCandidate& one : every_candidate(runner.machine(), problem, hardware)) {
    const auto cycles = candidates.cycles_of(one.launch, best.cycles);
    if (!cycles || (best.cycles > 0 && *cycles >= best.cycles)) continue;
    best = {*cycles, one.kernel.hardware, name_of(one)};
  }
  return best;
}

}  // namespace stcsim::test
