#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/property/selection_case.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

class SelectionByData : public testing::TestWithParam<int> {};

/// What selector and multipliers do, and the bytes that move, are those of plain loops over the
/// same operands, and C is right: 500 tensors.
TEST_P(SelectionByData, TakesWhatPlainLoopsSay) {
  constexpr std::uint64_t kCases = 50;
  const std::uint64_t first = seed_or(2024) + kCases * static_cast<std::uint64_t>(GetParam());
  std::vector<SelectionCase> cases;  // machines have to be built before the first run
  for (std::uint64_t seed = first; seed < first + kCases; ++seed) {
    cases.push_back(draw_selection_case(seed));
  }
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  for (const SelectionCase& one : cases) {
    SCOPED_TRACE(one.text);
    const FunctionalRun run =
        run_gemm_with_values(*one.runner, one.problem, policy, {}, one.operands);
    EXPECT_EQ(run.check.mismatches, 0) << run.check.first_mismatch;
    const StageTotals plain = plain_totals(one, run.run.result);
    EXPECT_EQ(to_string(totals_of(run.run.result)), to_string(plain));
    // What has an energy is what the stages did.
    EXPECT_EQ(run.run.result.actions.metadata_bytes, plain.metadata_bytes);
  }
}

/// Groups that are full, of operands without zeros, leave nothing to gain or lose: where every lane
/// sees the whole group the kernel takes the closed form's cycles, else at most those, since places
/// do not always collide.
TEST(SelectionByDataOfFullGroups, IsTheClosedForm) {
  constexpr std::uint64_t kCases = 60;
  const std::uint64_t first = seed_or(7100);
  std::vector<FullGroups> cases;  // machines have to be built before the first run
  for (std::uint64_t seed = first; seed < first + kCases; ++seed) {
    cases.push_back(draw_full_groups(seed));
  }
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  int narrow = 0;
  for (const FullGroups& one : cases) {
    SCOPED_TRACE(one.by_data.text);
    const FunctionalRun run = run_gemm_with_values(*one.by_data.runner, one.by_data.problem, policy,
                                                   {}, one.by_data.operands);
    EXPECT_EQ(run.check.mismatches, 0) << run.check.first_mismatch;
    const LaunchResult closed = run_gemm(*one.closed, one.by_data.problem, policy).result;
    EXPECT_LE(run.run.result.cycles, closed.cycles);
    if (one.sees_all) {
      EXPECT_EQ(run.run.result.cycles, closed.cycles);
      for (const char* const stage : {"multipliers", "operand_selector", "register_file"}) {
        EXPECT_EQ(bucket_of(run.run.result, stage, "busy"), bucket_of(closed, stage, "busy"))
            << stage;
      }
      EXPECT_EQ(run.run.result.actions, closed.actions);
      EXPECT_EQ(run.run.result.multiplier_macs, closed.multiplier_macs);
    } else {
      ++narrow;
    }
  }
  EXPECT_GT(narrow, 5);
  EXPECT_LT(narrow, 55);
}

/// CTAs that are left out take what those before them took: the whole lies inside the stated bound
/// and within 2 %, and what was simulated is right.
TEST(SelectionByDataOfSampledCtas, IsCloseToTheWhole) {
  const SelectionCase one = draw_many_waves(seed_or(7200));
  SCOPED_TRACE(one.text);
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  const FunctionalRun whole =
      run_gemm_with_values(*one.runner, one.problem, policy, {}, one.operands);
  policy.sampled = true;
  const FunctionalRun part =
      run_gemm_with_values(*one.runner, one.problem, policy, {}, one.operands);
  const LaunchResult& sampled = part.run.result;
  ASSERT_TRUE(sampled.sampled.has_value());
  EXPECT_LE(sampled.cycles_low(), whole.run.result.cycles);
  EXPECT_GE(sampled.cycles_high(), whole.run.result.cycles);
  EXPECT_NEAR(static_cast<double>(sampled.cycles) / static_cast<double>(whole.run.result.cycles), 1,
              0.02);
  EXPECT_EQ(part.check.mismatches, 0) << part.check.first_mismatch;
  EXPECT_GT(part.check.elements, 0);
  EXPECT_LT(part.check.elements, whole.check.elements);
}

INSTANTIATE_TEST_SUITE_P(Blocks, SelectionByData, testing::Range(0, 10));

}  // namespace
}  // namespace stcsim::test
