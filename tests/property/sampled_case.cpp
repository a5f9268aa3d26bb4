#include "tests/property/sampled_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim::test {
namespace {

constexpr std::array<const char*, 6> kSampledMachines{"a100",    "h100_sxm", "h100_pcie",
                                                      "rtx3090", "rtx4090",  "a100_nm"};

LaunchStatistics simulate(MachineRunner& runner, const KernelLaunch& launch, bool sampled) {
  runner.set_sampling(sampled ? std::optional<SamplingEffort>(SamplingEffort()) : std::nullopt);
  return runner.run(launch);
}

/// What follows from the problem and the kernel is exact, and every cycle is in one bucket.
void expect_consistent(const SampledCase& found) {
  SCOPED_TRACE(found.text);
  for (const char* const counter :
       {"instructions", "shared_memory_read_bytes", "shared_memory_write_bytes", "l2_read_bytes",
        "l2_write_bytes", "dram_write_bytes", "metadata_bytes"}) {
    EXPECT_EQ(found.sampled.count(counter), found.exact.count(counter)) << counter;
  }
  EXPECT_LE(found.sampled.count("l2_hit_bytes"), found.sampled.count("l2_read_bytes"));
  for (const UnitTotals& unit : found.sampled.units) {
    if (unit.buckets.empty()) continue;
    Cycles sum;
    for (const auto& [name, cycles] : unit.buckets) sum += cycles;
    EXPECT_EQ(sum, found.sampled.cycles * unit.instances) << unit.unit;
  }
}

}  // namespace

SampledCases::SampledCases(std::uint64_t seed) : dice_(seed) {
  for (const char* const name : kSampledMachines) {
    runners_.push_back(std::make_unique<MachineRunner>(load_machine(name).config));
  }
}

/// One wave of CTAs or little more, and a long way along k.
GemmProblem SampledCases::draw_long_problem() {
  GemmProblem problem;
  problem.m = 128 * dice_.between(4, 20);
  problem.n = 8 * dice_.between(64, 160);
  problem.k = dice_.between(100'000, 400'000);
  problem.a_pattern = dice_.between(0, 1) == 0 ? kDense : Pattern{2, 4};
  return problem;
}

GemmProblem SampledCases::draw_problem() {
  constexpr std::int64_t kMostMacs = 600'000'000'000;
  if (dice_.between(0, 3) == 0) return draw_long_problem();
  GemmProblem problem;
  do {
    const std::int64_t multiple = dice_.one_of({1, 8, 64});
    const auto extent = [&](double least, double octaves) {
      const double share = static_cast<double>(dice_.between(0, 1000)) / 1000;
      const double size = least * std::exp2(share * octaves);
      return (static_cast<std::int64_t>(size) / multiple + 1) * multiple;
    };
    problem.m = extent(1024, 4.5);
    problem.n = extent(1024, 5);
    problem.k = extent(64, 6.5);
    problem.batch_count = dice_.one_of({1, 1, 1, 5, 48});
    problem.a_pattern = dice_.between(0, 1) == 0 ? kDense : Pattern{2, 4};
  } while (problem.macs() > kMostMacs);
  return problem;
}

SampledCase SampledCases::next() {
  for (;; ++exact_) {
    const auto at = static_cast<std::size_t>(dice_.between(0, std::ssize(kSampledMachines) - 1));
    MachineRunner& runner = *runners_[at];
    const GemmProblem problem = draw_problem();
    const KernelCandidate candidate =
        gemm_candidates(runner.machine(), problem, {"auto", 1, kBestStack}).front();
    SampledCase found;
    found.text = std::string(kSampledMachines[at]) + ", " + std::to_string(problem.m) + "x" +
                 std::to_string(problem.n) + "x" + std::to_string(problem.k) + " x" +
                 std::to_string(problem.batch_count) + " " + problem.a_pattern.to_string() + ", " +
                 candidate.kernel.config.name;
    found.sampled = simulate(runner, candidate.launch, true);
    if (!found.sampled.sampled) continue;
    found.exact = simulate(runner, candidate.launch, false);
    return found;
  }
}

SampledSummary sample_cases(SampledCases& cases, std::int64_t count) {
  SampledSummary summary;
  std::vector<double> widths;
  for (; summary.cases < count; ++summary.cases) {
    const SampledCase found = cases.next();
    expect_consistent(found);
    widths.push_back(found.width());
    summary.inside += found.is_inside() ? 1 : 0;
    summary.in_vain += found.sampled.events < found.exact.events ? 0 : 1;
    summary.sampled_events += found.sampled.events;
    summary.exact_events += found.exact.events;
    if (found.is_inside()) continue;
    std::printf("outside: %s: %lld, not %lld to %lld\n", found.text.c_str(),
                static_cast<long long>(found.exact.cycles.count()),
                static_cast<long long>(found.sampled.sampled->cycles_low),
                static_cast<long long>(found.sampled.sampled->cycles_high));
  }
  std::nth_element(widths.begin(), widths.begin() + count / 2, widths.end());
  summary.median_width = widths[static_cast<std::size_t>(count / 2)];
  std::printf(
      "%lld of %lld inside, median width %.3f %%, events %lld sampled, %lld exact, %lld took no "
      "less; %lld launches were not sampled\n",
      static_cast<long long>(summary.inside), static_cast<long long>(summary.cases),
      summary.median_width * 100, static_cast<long long>(summary.sampled_events),
      static_cast<long long>(summary.exact_events), static_cast<long long>(summary.in_vain),
      static_cast<long long>(cases.exact()));
  return summary;
}

}  // namespace stcsim::test
