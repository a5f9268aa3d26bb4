// The core of an analytical study (configs/arch/stc_1024.yaml) against what the study counts.
#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim {
namespace {

struct ExpectedGain {
  const char* pattern;
  double gain;
};

MachineConfig machine_named(const std::string& name) {
  return load_machine(name).config;
}

std::int64_t cycles(MachineRunner& runner, Pattern pattern, std::int64_t k) {
  const GemmProblem problem = test::make_problem(1024, 1024, k, 1, DataType::int8, pattern);
  return run_gemm(runner, problem, {}).result.cycles;
}

/// Dense time / time within 3 % of what follows from bytes per step: 8 of A, 8 m/n of B and the
/// metadata of 8 values in a clock of at most 42 (140) bytes.
void expect_gains(const std::string& machine, const std::vector<ExpectedGain>& expected) {
  MachineRunner runner(machine_named(machine));
  for (const std::int64_t k : {24576, 48 * 601}) {
    const auto dense = static_cast<double>(cycles(runner, kDense, k));
    for (const auto& [pattern, gain] : expected) {
      const double found =
          dense / static_cast<double>(cycles(runner, *pattern_from_string(pattern), k));
      EXPECT_NEAR(found, gain, 0.03 * gain) << machine << ", " << pattern << ", k of " << k;
    }
  }
}

TEST(Stc1024, GainsWhatBytesPerStepLeave) {
  expect_gains(
      "stc_1024",
      {{"2:4", 2.00}, {"4:8", 1.91}, {"2:6", 2.10}, {"2:8", 2.21}, {"1:4", 2.27}, {"1:8", 2.40}});
}

TEST(Stc1024, GainsMoreWithNumberedChoices) {
  expect_gains("stc_1024_enumerated", {{"2:4", 2.00}, {"2:6", 2.17}, {"2:8", 2.21}});
}

TEST(Stc1024, GainsEightWithAWidePort) {
  expect_gains("stc_1024_wide", {{"1:8", 8.00}});
}

/// A multiplication for every multiplier in every clock, but for what the study does not count.
TEST(Stc1024, DenseTakesTheStepsOfTheStudy) {
  MachineRunner runner(machine_named("stc_1024"));
  const std::int64_t steps = std::int64_t{1024} * 1024 / 64 * (24576 / 16);
  const std::int64_t found = cycles(runner, kDense, 24576);
  EXPECT_GE(found, steps);
  EXPECT_LE(found, steps + steps / 100);
}

}  // namespace
}  // namespace stcsim
