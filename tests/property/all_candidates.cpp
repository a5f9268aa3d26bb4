#include "tests/property/all_candidates.hpp"

#include <vector>

#include <fmt/format.h>

#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim::test {
namespace {

std::optional<std::int64_t> cycles_of(MachineRunner& runner, const GemmProblem& problem,
                                      const KernelLaunch& launch, std::int64_t limit) {
  const auto statistics = limit > 0 ? runner.run_within(launch, Cycles(limit)) : runner.run(launch);
  if (!statistics) return std::nullopt;
  std::int64_t cycles = statistics->cycles.count();
  if (launch.splits > 1) {
    cycles += runner.run(reduction_launch(runner.machine(), problem, launch.splits)).cycles.count();
  }
  return cycles;
}

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
  Fastest best;
  for (const KernelCandidate& one : every_candidate(runner.machine(), problem, hardware)) {
    const auto cycles = cycles_of(runner, problem, one.launch, best.cycles);
    if (!cycles || (best.cycles > 0 && *cycles >= best.cycles)) continue;
    best = {*cycles, one.kernel.hardware, name_of(one)};
  }
  return best;
}

}  // namespace stcsim::test
