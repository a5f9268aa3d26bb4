#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "common/gemm.hpp"
#include "sim/functional/operands.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

GemmProblem sliding(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t group) {
  return test::make_problem(m, n, k, 1, DataType::fp16, {group - 2, group});
}

TEST(Windows, AreThereForGroupsOfSixAndMoreThatDropTwo) {
  for (const Pattern pattern : {Pattern{4, 6}, {6, 8}, {8, 10}, {14, 16}}) {
    EXPECT_TRUE(slides(pattern)) << pattern.to_string();
  }
  for (const Pattern pattern : {Pattern{2, 4}, {5, 7}, {4, 8}, {7, 8}, {6, 8, 2}, {1, 1}}) {
    EXPECT_FALSE(slides(pattern)) << pattern.to_string();
  }
}

/// K times 2 * (2N-2) / 2N, whole groups, padded to 32: the lengths that published products ran
/// with where groups divide K.
TEST(Windows, StretchTheReduction) {
  const auto stretched = [](std::int64_t k, std::int64_t group) {
    const GemmProblem windows = of_windows(sliding(16, 8, k, group));
    EXPECT_EQ(windows.a_pattern, (Pattern{2, 4}));
    return windows.k;
  };
  EXPECT_EQ(stretched(2048, 8), 3072);
  EXPECT_EQ(stretched(4096, 10), 6560);
  EXPECT_EQ(stretched(16384, 16), 28672);
  EXPECT_EQ(stretched(6, 6), 32);
  EXPECT_EQ(stretched(25, 6), 64);
}

/// The worst cases among them: groups of which the two zeros are neighbours, at either end.
TEST(Windows, HoldEveryValueOnceInOrder) {
  for (const std::int64_t group : {6, 8, 10, 16}) {
    for (const std::int64_t k : {group, 3 * group, 5 * group + 1, 4 * group - 3}) {
      const GemmProblem problem = sliding(40, 3, k, group);
      PlainOperands plain = random_operands(problem, 7);
      for (std::int64_t at = 0; at < k; ++at) plain.a.at(0, 0, at) = at % group < 2 ? 0.0F : 1.0F;
      for (std::int64_t at = 0; at < k; ++at) {
        plain.a.at(0, 1, at) = at % group >= group - 2 ? 0.0F : 1.0F;
      }
      const PlainOperands windows = to_windows(problem, plain);
      for (std::int64_t row = 0; row < problem.m; ++row) {
        std::vector<float> values;
        std::vector<float> expected;
        for (std::int64_t at = 0; at < windows.a.columns; at += 4) {
          std::int64_t kept = 0;
          for (std::int64_t in = at; in < at + 4; ++in) {
            const float value = windows.a.at(0, row, in);
            if (value == 0.0F) continue;
            ++kept;
            values.insert(values.end(), {value, windows.b.at(0, in, 2)});
          }
          EXPECT_LE(kept, 2) << k << ", row " << row;
        }
        for (std::int64_t at = 0; at < k; ++at) {
          const float value = plain.a.at(0, row, at);
          if (value != 0.0F) expected.insert(expected.end(), {value, plain.b.at(0, at, 2)});
        }
        EXPECT_EQ(values, expected) << "groups of " << group << ", k " << k << ", row " << row;
      }
    }
  }
}

TEST(WindowsRun, IsTheProductOfTheStretchedReduction) {
  MachineRunner machine(test::tiny_machine());
  const GemmRun windows = run_gemm(machine, sliding(32, 16, 128, 8), {"auto", 1});
  const GemmRun plain =
      run_gemm(machine, test::make_problem(32, 16, 192, 1, DataType::fp16, {2, 4}), {"auto", 1});
  EXPECT_EQ(windows.hardware_pattern, (Pattern{2, 4}));
  EXPECT_EQ(windows.result, plain.result);
  EXPECT_EQ(windows.reason,
            "6:8 runs as 2:4 of windows, K 1.5 times as long; another kernel copies rows of B");
  EXPECT_EQ(plain.reason, "");
}

TEST(WindowsRun, HasTheValuesOfTheProduct) {
  MachineRunner machine(test::tiny_machine());
  for (const GemmProblem& problem :
       {sliding(16, 8, 128, 8), sliding(33, 17, 50, 6), sliding(20, 9, 143, 10)}) {
    const FunctionalRun of = run_gemm_with_values(machine, problem, {"auto", 1}, {}, {});
    EXPECT_EQ(of.run.hardware_pattern, (Pattern{2, 4}));
    EXPECT_EQ(of.check.elements, problem.m * problem.n);
    EXPECT_EQ(of.check.first_mismatch, "") << problem.k;
  }
}

/// Rows of an implicit im2col are no rows of memory; hardware that has the pattern needs no
/// windows.
TEST(WindowsRun, AreOnlyForPlainOperandsOnOtherHardware) {
  MachineConfig machine = test::tiny_machine();
  const GemmProblem problem = sliding(32, 16, 128, 8);
  EXPECT_EQ(in_windows(machine, problem).k, 192);
  GemmProblem convolution = problem;
  convolution.b = {4, 128};
  EXPECT_EQ(in_windows(machine, convolution), convolution);
  EXPECT_EQ(sparsity_support(machine, convolution, {}).hardware(), kDense);
  EXPECT_EQ(in_windows(machine, test::make_problem(32, 16, 128)).k, 128);
  machine.accelerator.sm.operand_selector.native_patterns.push_back({6, 8});
  EXPECT_EQ(in_windows(machine, problem), problem);
}

}  // namespace
}  // namespace stcsim
