#include "sim/study/study_rows.hpp"

#include <gtest/gtest.h>

#include "tests/support/make_problem.hpp"
#include "tests/support/row_phase.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

ResultRow row(const char* phase, std::int64_t cycles, std::int64_t dense_cycles) {
  ResultRow row;
  row.machine = "m";
  row.network = "n";
  row.scheme = "s";
  row.phase = test::row_phase_named(phase);
  row.cycles = cycles;
  row.dense_cycles = dense_cycles;
  return row;
}

/// Forward twice as fast, twice in the network; dgrad and wgrad dense; a norm; a mask search of 400
/// cycles every 40 steps and a decay of 30 in each.
std::vector<ResultRow> sample_rows() {
  std::vector<ResultRow> rows{row("forward", 100, 200), row("dgrad", 300, 300),
                              row("wgrad", 300, 300),   row("other", 50, 50),
                              row("other", 400, 0),     row("other", 30, 0)};
  rows[0].repeat = 2;
  rows[4].scheme_work = rows[5].scheme_work = true;
  rows[4].every = 40;
  return rows;
}

/// Of a clock of 10 MHz.
PhaseTotal part(std::int64_t cycles, double dense_cycles, std::int64_t failed = 0) {
  const auto own = static_cast<double>(cycles);
  return {cycles, own / 10, own > 0 ? dense_cycles / own : 1.0, failed, dense_cycles / 10};
}

TEST(StudyTotals, AddUpGemmsAndWhatTheSchemeSpendsItself) {
  const auto totals = sum_totals(sample_rows(), std::vector<double>(6, 1.0), 10.0);
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].gemms, part(800, 1000));
  EXPECT_EQ(totals[0].scheme_work, part(40, 0));
  EXPECT_EQ(totals[0].other, part(90, 50));
  EXPECT_EQ(totals[0].step, part(890, 1050));
  EXPECT_EQ(totals[0].step_without_work, part(850, 1050));
}

TEST(StudyTotals, HaveTheOptimizerBesideTheRest) {
  std::vector<ResultRow> rows = sample_rows();
  rows.push_back(row("optimizer", 70, 70));
  const auto totals = sum_totals(rows, std::vector<double>(7, 1.0), 10.0, {row("optimizer", 0, 0)});
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].optimizer, part(70, 70, 1));
  EXPECT_EQ(totals[0].other, part(90, 50));
  EXPECT_EQ(totals[0].step, part(960, 1120, 1));
  EXPECT_EQ(totals[0].gemms.failed, 0);
}

/// The pass after training is never part of the step.
TEST(StudyTotals, KeepThePassAfterTrainingApart) {
  std::vector<ResultRow> rows = sample_rows();
  rows.push_back(row("inference", 40, 80));
  rows.push_back(row("inference", 7, 7));
  rows.back().kind = StreamKind::activation;
  std::vector<ResultRow> failed(2, row("inference", 0, 0));
  failed.back().kind = StreamKind::activation;
  const auto totals = sum_totals(rows, std::vector<double>(8, 1.0), 10.0, failed);
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].pass, StudyPass::training);
  EXPECT_EQ(totals[0], sum_totals(sample_rows(), std::vector<double>(6, 1.0), 10.0).front());
  EXPECT_EQ(totals[1].pass, StudyPass::inference);
  EXPECT_EQ(totals[1].forward, part(0, 0));
  EXPECT_EQ(totals[1].gemms, part(40, 80, 1));
  EXPECT_EQ(totals[1].other, part(7, 7, 1));
  EXPECT_EQ(totals[1].step, part(47, 87, 2));
}

/// What failed is missing in the sums that it belongs to, and these say so.
TEST(StudyTotals, SayWhichSumsFailedRowsAreMissingIn) {
  std::vector<ResultRow> failed{row("dgrad", 0, 0), row("other", 0, 0)};
  failed[1].scheme_work = true;
  std::vector<StudyTotal> totals =
      sum_totals(sample_rows(), std::vector<double>(6, 1.0), 10.0, failed);
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_FALSE(totals[0].is_complete());
  EXPECT_EQ(totals[0].step.failed, 2);
  EXPECT_EQ(totals[0].training.failed, 2);
  EXPECT_EQ(totals[0].forward.failed, 0);
  EXPECT_EQ(totals[0].dgrad.failed, 1);
  EXPECT_EQ(totals[0].gemms.failed, 1);
  EXPECT_EQ(totals[0].other.failed, 1);
  EXPECT_EQ(totals[0].scheme_work.failed, 1);
  EXPECT_EQ(totals[0].step_without_work.failed, 1);
  EXPECT_EQ(totals[0].gemms.cycles, 800);
}

/// A scheme of which nothing could be simulated is named all the same.
TEST(StudyTotals, OfNothingButFailedRowsAreThere) {
  const auto totals = sum_totals({}, {}, 10.0, {row("forward", 0, 0)});
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].scheme, "s");
  EXPECT_FALSE(totals[0].is_complete());
}

/// Where half of training is dense, all parts are of the sparse steps; the mean step of the
/// training is beside them, and the step itself where there are no others.
TEST(StudyTotals, KeepTrainingsApartFromSteps) {
  const StudyTotal all = sum_totals(sample_rows(), std::vector<double>(6, 1.0), 10.0).front();
  EXPECT_EQ(all.training, all.step);
  StudyTotal half = sum_totals(sample_rows(), std::vector<double>(6, 0.5), 10.0).front();
  EXPECT_EQ(half.share_of_training, 0.5);
  EXPECT_EQ(half.training, part(970, 1050));
  half.share_of_training = 1;
  half.training = half.step;
  EXPECT_EQ(half, all);
}

TEST(StudyTotals, SayWhatSparseGemmsGain) {
  std::vector<ResultRow> rows = sample_rows();
  rows[0].ran_sparse = true;
  const StudyTotal total = sum_totals(rows, std::vector<double>(6, 1.0), 10.0).front();
  EXPECT_EQ(total.sparse_gemms, part(200, 400));
}

/// Four GEMMs planned as 2:4, of which the first and the last ran dense because that is faster.
TEST(StudyRow, OfSeveralGemmsSaysWhichIsLongestAndWhatRanSparse) {
  const auto run_of = [](std::int64_t cycles, Pattern hardware) {
    GemmRun run;
    run.result.cycles = cycles;
    run.hardware_pattern = hardware;
    return std::make_shared<const GemmRun>(run);
  };
  const PointResults results{run_of(100, kDense), run_of(500, kDense), run_of(500, kDense),
                             run_of(90, kDense),  run_of(120, {2, 4}), run_of(300, {2, 4}),
                             run_of(300, {2, 4}), run_of(95, {2, 4})};
  PlannedRow planned;
  planned.row = row("dgrad", 0, 0);
  planned.row.pattern = planned.row.hardware_pattern = {2, 4};
  planned.row.ran_sparse = true;
  planned.dense_points = {0, 1, 2, 3};
  planned.points = {4, 5, 6, 7};
  planned.macs = {1, 2, 4, 8};
  for (std::int64_t n = 1; n <= 4; ++n) {
    planned.dense_gemms.push_back(test::make_problem(64, 10 * n, 4 * n));
    planned.gemms.push_back(test::make_problem(10 * n, 64, 4 * n));
  }
  planned.may_run_dense = true;
  const auto finished = finish_row(planned, results, test::tiny_machine());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->cycles, 100 + 300 + 300 + 90);
  EXPECT_EQ(finished->longest_part, 2);
  EXPECT_EQ(finished->m, 20);
  EXPECT_EQ(finished->n, 64);
  EXPECT_EQ(finished->k, 8);
  EXPECT_TRUE(finished->ran_sparse);
  EXPECT_EQ(finished->hardware_pattern, (Pattern{2, 4}));
  EXPECT_EQ(finished->sparse_macs, 2 + 4);
}

TEST(StudyRow, SaysWhetherItsReasonIsAlsoTheKernels) {
  const auto finished = [](const std::string& note) {
    GemmRun run;
    run.result.cycles = 100;
    run.reason = note;
    PlannedRow planned;
    planned.row = row("forward", 0, 0);
    planned.row.reason = "s does not prune this layer";
    planned.row.not_asked = NotAsked::left_out;
    planned.points = planned.dense_points = {0};
    planned.macs = {1};
    planned.gemms = planned.dense_gemms = {test::make_problem(64, 64, 64)};
    return *finish_row(planned, {std::make_shared<const GemmRun>(run)}, test::tiny_machine());
  };
  EXPECT_EQ(finished("").not_asked, NotAsked::left_out);
  EXPECT_EQ(finished("").reason, "s does not prune this layer");
  EXPECT_FALSE(finished("").has_kernel_note);
  EXPECT_EQ(finished("k is padded").reason, "s does not prune this layer; k is padded");
  EXPECT_TRUE(finished("k is padded").has_kernel_note);
}

/// What a host launches: of split-K products the sum of the parts is a kernel too.
TEST(StudyRow, CountsTheSumOfSplitProductsAsALaunch) {
  const auto run_of = [](std::int64_t split_k) {
    GemmRun run;
    run.result.cycles = 100;
    run.result.kernel.split_k = split_k;
    return std::make_shared<const GemmRun>(run);
  };
  PlannedRow planned;
  planned.row = row("wgrad", 0, 0);
  planned.points = {0, 1, 2};
  planned.dense_points = {0};
  planned.macs = {1, 1, 1};
  planned.gemms.assign(3, test::make_problem(64, 64, 64));
  planned.dense_gemms.assign(1, test::make_problem(64, 64, 64));
  const auto finished =
      finish_row(planned, {run_of(1), run_of(2), run_of(4)}, test::tiny_machine());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->launches, 1 + 2 + 2);
  EXPECT_EQ(finished->dense_launches, 1);
}

/// The mean over the cycles, of those that were searched for.
TEST(StudyRow, OfSeveralGemmsSaysWhatSearchesMayHaveMissed) {
  const auto run_of = [](std::int64_t cycles, std::optional<double> regret_at_most) {
    GemmRun run;
    run.result.cycles = cycles;
    if (regret_at_most) {
      run.search = KernelSearch{};
      run.search->regret_at_most = *regret_at_most;
    }
    return std::make_shared<const GemmRun>(run);
  };
  const PointResults results{run_of(100, 0.5), run_of(500, {}), run_of(400, 0.25), run_of(9, 0)};
  const auto regret_of = [&](const std::vector<std::int64_t>& points) {
    PlannedRow planned;
    planned.row = row("forward", 0, 0);
    planned.points = planned.dense_points = points;
    planned.macs.assign(points.size(), 1);
    planned.gemms = planned.dense_gemms =
        std::vector<GemmProblem>(points.size(), test::make_problem(64, 64, 64));
    return finish_row(planned, results, test::tiny_machine())->regret_at_most;
  };
  EXPECT_EQ(regret_of({1}), std::nullopt);
  EXPECT_EQ(regret_of({3}), 0.0);
  EXPECT_DOUBLE_EQ(regret_of({0, 1, 2}).value_or(-1), (0.5 * 100 + 0.25 * 400) / 1000);
}

ResultRow gemm(const char* phase, std::int64_t macs, std::int64_t sparse_macs,
               std::int64_t repeat = 1) {
  ResultRow row;
  row.phase = test::row_phase_named(phase);
  row.macs = macs;
  row.sparse_macs = sparse_macs;
  row.repeat = repeat;
  return row;
}

SparseShares shares_of(const std::vector<ResultRow>& rows) {
  return sum_totals(rows, std::vector<double>(rows.size(), 1.0), 10.0).front().sparse_share;
}

TEST(SparseMacs, OfNothingAreNone) {
  EXPECT_EQ(shares_of({gemm("other", 0, 0)}), SparseShares{});
}

TEST(SparseMacs, CountRepeatsAndWeighByWork) {
  EXPECT_EQ(shares_of({gemm("forward", 100, 100, 3), gemm("forward", 500, 0),
                       gemm("dgrad", 200, 50), gemm("other", 0, 0)}),
            (SparseShares{300.0 / 800.0, 50.0 / 200.0, 0.0, 350.0 / 1000.0}));
}

TEST(SparseMacs, InferenceCountsAmongTheGemms) {
  EXPECT_EQ(shares_of({gemm("inference", 100, 25)}), (SparseShares{0, 0, 0, 0.25}));
}

}  // namespace
}  // namespace stcsim
