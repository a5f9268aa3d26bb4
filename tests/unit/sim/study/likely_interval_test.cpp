#include <cmath>

#include <gtest/gtest.h>

#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

/// So far to either side of what was simulated.
QuantityError error_of(double mean, double half) {
  return {mean, {{-half, half}, {}}};
}

GemmErrors gemm_error_of(double mean, double half) {
  GemmErrors errors;
  errors.fill(error_of(mean, half));
  return errors;
}

/// Half widths stand beside the means.
const TimeErrors kErrors{.dense = gemm_error_of(0.1, 0.25),
                         .sparse = gemm_error_of(0.07, 0.3),
                         .gain = gemm_error_of(0.05, 0.15),
                         .stream = error_of(0.2, 0.5),
                         .step = error_of(0.06, 0.12)};

/// A GEMM that takes less than dense ran sparse, by a pattern that could gain far more.
ResultRow row_of(std::string op, std::int64_t cycles, std::int64_t dense_cycles,
                 std::int64_t repeat = 1) {
  ResultRow row;
  if (op != "gemm") row.kind = StreamKind::activation;
  row.ran_sparse = op == "gemm" && cycles < dense_cycles;
  if (row.ran_sparse) row.pattern = row.hardware_pattern = {1, 8};
  row.op = std::move(op);
  row.cycles = cycles;
  row.dense_cycles = dense_cycles;
  row.repeat = repeat;
  return row;
}

LikelyInterval interval_of(const std::vector<ResultRow>& rows, double share = 1,
                           const TimeErrors& errors = kErrors) {
  std::vector<const ResultRow*> pointers;
  for (const ResultRow& row : rows) pointers.push_back(&row);
  return speedup_interval(pointers, share, errors);
}

double half_of(const LikelyInterval& interval) {
  return std::log(interval.high / interval.low) / 2;
}

/// 600 of 1000 cycles become 300: of the step of 700, GEMMs have 0.6 dense and 3/7 now. What the
/// recipe leaves out is in both steps: it draws the speedup of 10/7 towards 1.
TEST(SpeedupInterval, AddsUpWhatItIsMadeOf) {
  const LikelyInterval interval =
      interval_of({row_of("gemm", 300, 600), row_of("relu forward", 400, 400)});
  const double dense = 0.6 - 3.0 / 7;
  const double gain = 3.0 / 7;
  const double stream = 4.0 / 7 - 0.4;
  const auto half = [&](double step) {
    return dense * 0.1 + gain * 0.05 + stream * 0.2 +
           std::sqrt(std::pow(dense * 0.25, 2) + std::pow(gain * 0.15, 2) +
                     std::pow(stream * 0.5, 2) + std::pow(step, 2));
  };
  const double more = 1000 * (std::exp(0.12) - 1);
  const double less = 1000 * (1 - std::exp(-0.12));
  const double drawn = std::log(10.0 / 7 * (700 + more) / (1000 + more));
  const double spread = std::log((1000 - less) / (700 - less) * 7 / 10);
  EXPECT_NEAR(interval.low, 10.0 / 7 * std::exp(-half(drawn)), 1e-12);
  EXPECT_NEAR(interval.high, 10.0 / 7 * std::exp(half(spread)), 1e-12);
  EXPECT_FALSE(interval.is_assumed);
}

/// Of a recipe that leaves out more than the step: the speedup falls, and stays above 1. It lists
/// no more too much than the 400 cycles beside the GEMMs.
TEST(SpeedupInterval, NoRecipeDrawsItBelowOne) {
  const std::vector<ResultRow> rows{row_of("gemm", 300, 600), row_of("relu forward", 400, 400)};
  const LikelyInterval interval = interval_of(rows, 1, {.step = error_of(0.2, std::log(3.0))});
  EXPECT_NEAR(interval.low, 3000.0 / 2700, 1e-12);
  EXPECT_NEAR(interval.high, 600.0 / 300, 1e-12);
  const LikelyInterval slower =
      interval_of({row_of("gemm", 600, 300), row_of("relu forward", 400, 400)}, 1,
                  {.step = error_of(0.2, std::log(3.0))});
  EXPECT_NEAR(slower.low, 300.0 / 600, 1e-12);
  EXPECT_NEAR(slower.high, 2100.0 / 2400, 1e-12);
  const LikelyInterval time = time_interval({rows.data(), rows.data() + 1}, StepOf::dense, 10,
                                            {.step = error_of(0.2, std::log(3.0))});
  EXPECT_NEAR(time.low, 10.0 / 3, 1e-12);
  EXPECT_NEAR(time.high, 30, 1e-12);
}

/// Of 1000 cycles the 600 of the product become 300 at least; the kernel that only the scheme has,
/// of 100, takes none: 1000 / 700 is the most, whatever is said of errors.
TEST(SpeedupInterval, EndsWhereThePatternDoes) {
  ResultRow gemm = row_of("gemm", 400, 600);
  gemm.pattern = gemm.hardware_pattern = {2, 4};
  const ResultRow relu = row_of("relu forward", 400, 400);
  const std::vector<ResultRow> rows{gemm, relu, row_of("mask search", 100, 0)};
  TimeErrors errors = kErrors;
  errors.gain = gemm_error_of(0.5, 2);
  EXPECT_NEAR(interval_of(rows, 1, errors).high, 1000.0 / 700, 1e-12);
  EXPECT_NEAR(interval_of(rows, 0.5, errors).high, 1000.0 / 850, 1e-12) << "of half of the steps";
  EXPECT_LT(interval_of(rows, 1, {}).high, 1000.0 / 700) << "no error, no interval";
}

/// A product of a narrower type than dense's may take less than its pattern says: it gains what
/// gains are off.
TEST(SpeedupInterval, OfANarrowerTypeGoesByErrors) {
  ResultRow gemm = row_of("gemm", 200, 600);
  gemm.pattern = gemm.hardware_pattern = {2, 4};
  const LikelyInterval interval = interval_of({gemm}, 1, {.gain = gemm_error_of(0, 0.3)});
  EXPECT_NEAR(interval.high, 3 * std::exp(0.3), 1e-12);
}

/// What most of the GEMMs' time has no own rows for is assumed.
TEST(SpeedupInterval, IsAssumedWhereMostOfItIs) {
  TimeErrors errors = kErrors;
  for (QuantityError& error : errors.gain) error.is_assumed = true;
  const ResultRow dense = row_of("gemm", 500, 500);
  EXPECT_FALSE(interval_of({row_of("gemm", 100, 400), dense}, 1, errors).is_assumed);
  EXPECT_TRUE(interval_of({row_of("gemm", 100, 600), dense}, 1, errors).is_assumed);
}

/// Kernels' errors are those of their regime: the long product's here.
TEST(SpeedupInterval, GoesByRegime) {
  ResultRow gemm = row_of("gemm", 300, 600);
  gemm.m = gemm.n = 4096;
  gemm.time_us = kShortUs;
  TimeErrors errors;
  errors.gain.at(static_cast<std::size_t>(GemmRegime::many_long)) = error_of(0, 0.2);
  EXPECT_NEAR(interval_of({gemm}, 1, errors).high, 2 * std::exp(0.2), 1e-12);
  gemm.time_us = kShortUs - 1;
  EXPECT_NEAR(interval_of({gemm}, 1, errors).high, 2, 1e-12);
}

TEST(SpeedupInterval, IsAPointWithoutErrorsOrWithoutADifference) {
  const LikelyInterval exact = interval_of({row_of("gemm", 300, 600)}, 1, {});
  EXPECT_EQ(exact.low, 2);
  EXPECT_EQ(exact.high, 2);
  const LikelyInterval dense =
      interval_of({row_of("gemm", 600, 600), row_of("relu forward", 400, 400)});
  EXPECT_EQ(dense.low, 1);
  EXPECT_EQ(dense.high, 1);
  EXPECT_EQ(dense.verdict(), "as dense");
}

/// The dense step errs as measured ones do. Of the step of 700 the sparse GEMM has 3/7 and errs as
/// sparse ones do besides.
TEST(TimeInterval, IsThatOfWholeStepsAndOfWhatRanSparse) {
  const ResultRow gemm = row_of("gemm", 300, 600);
  const ResultRow relu = row_of("relu forward", 400, 400);
  const double half = 3.0 / 7 * 0.07 + std::hypot(3.0 / 7 * 0.3, 0.12);
  const LikelyInterval scheme = time_interval({&gemm, &relu}, StepOf::scheme, 70, kErrors);
  EXPECT_NEAR(scheme.high, 70 * std::exp(half), 1e-12);
  EXPECT_NEAR(scheme.low, 70 * std::exp(-half), 1e-12);
  const LikelyInterval dense = time_interval({&gemm, &relu}, StepOf::dense, 100, kErrors);
  EXPECT_NEAR(dense.high, 100 * std::exp(0.12), 1e-12);
}

/// Measured steps that take longer than simulated say nothing of shorter ones.
TEST(TimeInterval, IsSigned) {
  const ResultRow relu = row_of("relu forward", 400, 400);
  TimeErrors errors = kErrors;
  errors.step.band.in_95 = {0, std::log(2.0)};
  const LikelyInterval dense = time_interval({&relu}, StepOf::dense, 100, errors);
  EXPECT_NEAR(dense.low, 100, 1e-12);
  EXPECT_NEAR(dense.high, 200, 1e-12);
  EXPECT_FALSE(dense.is_assumed);
  errors.step.is_assumed = true;
  EXPECT_TRUE(time_interval({&relu}, StepOf::dense, 100, errors).is_assumed);
}

/// GEMMs alone have no recipe.
TEST(TimeInterval, OfGemmsAloneIsTheirs) {
  const ResultRow gemm = row_of("gemm", 600, 600);
  EXPECT_NEAR(time_interval({&gemm}, StepOf::scheme, 10, kErrors).high, 10 * std::exp(0.1 + 0.25),
              1e-12);
}

TEST(TimeInterval, IsAPointWithoutErrorsAndUnknownWithoutRows) {
  const ResultRow gemm = row_of("gemm", 300, 600);
  EXPECT_EQ(time_interval({&gemm}, StepOf::scheme, 10, {}), (LikelyInterval{10, 10}));
  EXPECT_FALSE(time_interval({}, StepOf::scheme, 10, kErrors).is_known());
}

/// Repeats are the same kernel, and so are layers of the same shape; other kernels err on their
/// own.
TEST(SpeedupInterval, KernelsOfTheirOwnCancelInPart) {
  const ResultRow row = row_of("gemm", 300, 600);
  ResultRow other = row;
  other.m = 64;
  const double repeated = half_of(interval_of({row_of("gemm", 300, 600, 2)}));
  EXPECT_NEAR(half_of(interval_of({row, row})), repeated, 1e-12);
  EXPECT_NEAR(repeated, 0.05 + 0.15, 1e-12);
  EXPECT_NEAR(half_of(interval_of({row, other})), 0.05 + 0.15 / std::sqrt(2.0), 1e-12);
}

/// Nothing stands against it in the dense step; every second step it counts half. What all kernels
/// beside the GEMMs have in common cancels.
TEST(SpeedupInterval, PruningErrsAsOtherKernelsDo) {
  ResultRow work = row_of("mask search", 400, 0);
  work.every = 2;
  const LikelyInterval interval = interval_of({row_of("relu forward", 800, 800), work});
  // Of 1000 cycles that were 800, each kernel's share changed by a fifth.
  const double more = 800 * (std::exp(0.12) - 1);
  const double less = 800 * (1 - std::exp(-0.12));
  const double drawn = std::log((800 + more) / (1000 + more) / 0.8);
  const double spread = std::log(0.8 / ((800 - less) / (1000 - less)));
  const auto half = [](double step) { return std::hypot(0.2 * std::sqrt(2 * 0.5 * 0.5), step); };
  EXPECT_NEAR(interval.high, 0.8 * std::exp(half(drawn)), 1e-12);
  EXPECT_NEAR(interval.low, 0.8 * std::exp(-half(spread)), 1e-12);
}

/// Half of the steps are dense: 150 + 300 cycles of 450 + 400.
TEST(SpeedupInterval, GainsOfAPartOfTrainingCountInPart) {
  const LikelyInterval interval =
      interval_of({row_of("gemm", 300, 600), row_of("relu forward", 400, 400)}, 0.5,
                  {.gain = gemm_error_of(0.1, 0.3)});
  const double half = 150.0 / 850 * (0.1 + 0.3);
  EXPECT_NEAR(interval.high, 1000.0 / 850 * std::exp(half), 1e-12);
}

/// Of a training that is sparse for half of its steps, and of a sparse step.
TEST(SpeedupInterval, OfATrainingAndOfAStep) {
  const std::vector<ResultRow> rows{row_of("gemm", 300, 600)};
  std::vector<StudyTotal> totals(1);
  totals[0].share_of_training = 0.5;
  add_intervals(totals, rows, {});
  EXPECT_EQ(totals[0].interval.low, 600.0 / 450);
  EXPECT_EQ(totals[0].step_interval.low, 2);
}

/// Of the step's time as it stands in the total.
TEST(TimeInterval, OfATotalIsThatOfItsStep) {
  std::vector<StudyTotal> totals(1);
  totals[0].step.time_us = 3;
  totals[0].step.dense_time_us = 6;
  add_intervals(totals, {row_of("gemm", 300, 600)}, {});
  EXPECT_EQ(totals[0].time_interval, (LikelyInterval{3, 3}));
  EXPECT_EQ(totals[0].dense_time_interval, (LikelyInterval{6, 6}));
}

/// Each total gets its own rows; one that lacks some is left alone.
TEST(SpeedupInterval, OfEveryCompleteTotal) {
  std::vector<ResultRow> rows{row_of("gemm", 300, 600), row_of("gemm", 200, 600),
                              row_of("gemm", 100, 600)};
  std::vector<StudyTotal> totals(4);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    rows[at].scheme = totals[at].scheme = at == 1 ? "b" : "a";
  }
  rows[2].phase = RowPhase::inference;
  totals[2].pass = StudyPass::inference;
  totals[3].scheme = "b";
  totals[3].step.failed = 1;
  add_intervals(totals, rows, {});
  EXPECT_EQ(totals[0].interval.low, 2);
  EXPECT_EQ(totals[1].interval.low, 3);
  EXPECT_EQ(totals[2].interval.low, 6);
  EXPECT_FALSE(totals[3].interval.is_known());
}

}  // namespace
}  // namespace stcsim
