#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "tests/property/all_candidates.hpp"
#include "tests/property/hardware_case.hpp"
#include "tests/property/random_machines.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kGemmsPerPair = 5;

double percent_over(std::int64_t cycles, std::int64_t before) {
  return 100.0 * (static_cast<double>(cycles) / static_cast<double>(before) - 1.0);
}

/// Calls `check(pair, problem, what)` for every case; `what` says which it is.
template <class Check>
void for_each_case(std::uint64_t seed, std::int64_t pairs, Check check) {
  Dice dice(seed);
  std::vector<HardwarePair> all;  // SystemC wants all machines before the first run
  for (std::int64_t index = 0; index < pairs; ++index) all.push_back(random_hardware_pair(dice));
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (std::int64_t gemm = 0; gemm < kGemmsPerPair; ++gemm) {
      const GemmProblem problem = random_hardware_problem(dice);
      check(all[index], problem,
            fmt::format("seed {}, pair {}, GEMM {}, {}: {}", seed, index, gemm, all[index].what,
                        describe(problem)));
    }
  }
}

/// True where no case may cost more.
bool is_strict(const HardwarePair& pair, const GemmProblem& problem) {
  const bool is_width = pair.is_like_a100 && !pair.is_cache_size;
  return pair.is_optional || (is_width && problem.k >= kLongK);
}

std::string both(const Fastest& base, const Fastest& wider) {
  return fmt::format("; {} as {} takes {}, then {} as {} {}", base.kernel,
                     base.hardware.to_string(), base.cycles, wider.kernel,
                     wider.hardware.to_string(), wider.cycles);
}

}  // namespace

void CountedCases::add(const CountedCases& other) {
  cases += other.cases;
  dearer += other.dearer;
  most_percent = std::max(most_percent, other.most_percent);
}

CountedCases expect_hardware_never_hurts(std::uint64_t seed, std::int64_t pairs) {
  CountedCases counted;
  for_each_case(
      seed, pairs, [&](HardwarePair& pair, const GemmProblem& problem, const std::string& what) {
        const Fastest base = fastest_of_all(*pair.base, problem);
        const Fastest wider = fastest_of_all(*pair.wider, problem);
        const bool is_dearer = wider.cycles > with_tolerance(base.cycles);
        if (is_strict(pair, problem)) {
          EXPECT_FALSE(is_dearer) << what << both(base, wider);
          return;
        }
        const double percent = is_dearer ? percent_over(wider.cycles, base.cycles) : 0.0;
        counted.add({1, is_dearer ? 1 : 0, percent});
        if (is_dearer) {
          std::printf("%.1f %% dearer: %s%s\n", percent, what.c_str(), both(base, wider).c_str());
        }
      });
  return counted;
}

void Regret::add(double percent, const std::string& what) {
  ++cases;
  sum_percent += percent;
  if (percent > most_percent) worst = what;
  most_percent = std::max(most_percent, percent);
}

double Regret::mean_percent() const {
  return sum_percent / static_cast<double>(cases);
}

Regret expect_ranking_adds_its_regret(std::uint64_t seed, std::int64_t pairs) {
  Regret regret;
  for_each_case(
      seed, pairs, [&](HardwarePair& pair, const GemmProblem& problem, const std::string& what) {
        const std::int64_t base = run_gemm(*pair.base, problem, {}).result.cycles;
        const GemmRun chosen = run_gemm(*pair.wider, problem, {});
        const std::int64_t wider = chosen.result.cycles;
        const Fastest best = fastest_of_all(*pair.wider, problem);
        ASSERT_GE(wider, best.cycles) << what;
        regret.add(percent_over(wider, best.cycles),
                   fmt::format("{}; {} {} x{} as {} takes {}, {} as {} {}", what,
                               chosen.result.kernel.name, chosen.result.kernel.instruction,
                               chosen.result.kernel.split_k, chosen.hardware_pattern.to_string(),
                               wider, best.kernel, best.hardware.to_string(), best.cycles));
        if (!is_strict(pair, problem)) return;
        EXPECT_LE(wider, with_tolerance(base) + (wider - best.cycles))
            << what << "; " << best.kernel;
      });
  return regret;
}

}  // namespace stcsim::test
