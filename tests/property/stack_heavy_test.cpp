#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kGemmsOfAMachine = 50;

/// Two of three extents are as layers have them, the third anything.
GemmProblem any_gemm(Dice& dice) {
  const auto extent = [&] { return 64 * dice.one_of({1, 2, 3, 4, 7, 12, 16, 32, 64}); };
  GemmProblem problem;
  problem.m = extent();
  problem.n = extent();
  problem.k = 8 * dice.between(4, 1024);
  problem.a_pattern = dice.one_of({0, 1}) == 1 ? Pattern{2, 4} : kDense;
  return problem;
}

class Stacks : public testing::TestWithParam<std::pair<const char*, const char*>> {};

/// Four machines, two hundred GEMMs.
TEST_P(Stacks, ASearchIsNeverSlowerThanTheRuleOverTheSameKernels) {
  const auto& [name, generation] = GetParam();
  MachineRunner runner(load_machine(name).config);
  const std::uint64_t seed = seed_or(20261125);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Dice dice(seed);
  std::int64_t faster = 0;
  for (std::int64_t at = 0; at < kGemmsOfAMachine; ++at) {
    const GemmProblem problem = any_gemm(dice);
    const auto cycles = [&](const char* choice) {
      return run_gemm(runner, problem, {"auto", {}, std::string(generation) + choice})
          .result.cycles;
    };
    const std::int64_t rule = cycles("_rule");
    const std::int64_t search = cycles("_search");
    EXPECT_LE(search, rule) << name << " " << problem.m << "x" << problem.n << "x" << problem.k
                            << " " << problem.a_pattern.to_string();
    faster += search < rule ? 1 : 0;
  }
  std::printf("%s: the search is faster in %lld of %lld\n", name, static_cast<long long>(faster),
              static_cast<long long>(kGemmsOfAMachine));
}

INSTANTIATE_TEST_SUITE_P(Machines, Stacks,
                         testing::Values(std::pair("a100", "cuda12"),
                                         std::pair("h100_sxm", "cuda12"),
                                         std::pair("rtx3090", "cuda11"),
                                         std::pair("rtx4090", "cuda12")),
                         [](const auto& one) { return std::string(one.param.first); });

}  // namespace
}  // namespace stcsim::test
