#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/parts/study_lines.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::part;
using test::set_step;
using test::small_study;

TEST(StudyAnswer, NamesTheFastestScheme) {
  EXPECT_EQ(study_answer(small_study()),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n");
}

/// Three repeats of one layer ran sparse, two of another did not although they were asked to, nor
/// did what nobody asked. Kernels that are no product, other schemes and inference do not count.
TEST(StudyAnswer, SaysInHowManyProductsTheSchemeRanSparse) {
  StudyResult study = small_study();
  study.rows[3].repeat = 3;
  study.rows.push_back(test::refused_row("fc2", "forward", "sr-ste"));
  study.rows.back().repeat = 2;
  study.rows.push_back(test::sparse_row("fc1", "forward", "asp", 1, 2));
  study.rows.push_back(test::sparse_row("fc1", "inference", "sr-ste", 1, 2));
  study.rows.push_back(test::sparse_row("fc1", "forward", "sr-ste", 1, 2));
  study.rows.back().network = "cnn";
  EXPECT_THAT(study_answer(study), ::testing::EndsWith("(1.19x), 3 of its 5 products sparse\n"));
}

/// What counts is what a training gains, not the sparse steps alone.
TEST(StudyAnswer, RanksWhatATrainingGains) {
  StudyResult study = small_study();
  study.totals.push_back(study.totals.back());
  StudyTotal& total = study.totals.back();
  total.scheme = "step";
  total.share_of_training = 0.5;
  total.step = part(5000000, 6250000);
  total.training = part(5625000, 6250000);
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n");
  study.totals.erase(study.totals.begin() + 1);
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest step, 5.62 ms in the mean of a training "
            "(1.11x)\n");
}

TEST(StudyAnswer, SaysIfNothingGains) {
  StudyResult study = small_study();
  set_step(study.totals.back(), part(6500000, 6250000));
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; no scheme is faster; best sr-ste, 6.50 ms "
            "(0.962x), 1 of its 1 products sparse\n");
}

TEST(StudyAnswer, SaysWhatIsSure) {
  StudyResult study = small_study();
  study.totals.back().interval = {1.1, 1.3, false};
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x, 1.10x..1.30x), 1 of "
            "its 1 products sparse\n");
  for (StudyTotal& total : study.totals) total.dense_time_interval = {5000, 7500, false};
  EXPECT_THAT(study_answer(study), ::testing::StartsWith("mlp on a100: dense step 6.25 ms (5.00 "
                                                         "ms..7.50 ms); fastest"));
  for (StudyTotal& total : study.totals) total.dense_time_interval = {};
  study.totals.back().interval = {0.95, 1.5, false};
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; no scheme is surely faster; best sr-ste, "
            "5.25 ms (1.19x, 0.950x..1.50x), 1 of its 1 products sparse\n");
  set_step(study.totals.back(), part(6500000, 6250000));
  study.totals.back().interval = {0.9, 0.99, false};
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; no scheme is faster; best sr-ste, 6.50 ms "
            "(0.962x, 0.900x..0.990x), 1 of its 1 products sparse\n");
}

TEST(StudyAnswer, SaysWhereTheScoresOfAttentionAre) {
  StudyResult study = small_study();
  for (StudyTotal& total : study.totals) {
    total.framework = "f";
    total.scores = ScorePlace::materialised;
  }
  const std::string answer =
      "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
      "sparse\n";
  EXPECT_EQ(study_answer(study),
            answer + "  attention materialised: its scores go to memory and back (framework f)\n");
  for (StudyTotal& total : study.totals) total.scores = ScorePlace::on_chip;
  EXPECT_EQ(study_answer(study),
            answer + "  attention in one kernel, its scores on chip (framework f)\n");
}

TEST(StudyAnswer, SaysWhereProductsAreAllThereIs) {
  StudyResult study = small_study();
  for (StudyTotal& total : study.totals) total.products_only = true;
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense sum 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n"
            "  the sum of the products alone: --framework NAME adds optimizer, casts, memory, "
            "pruning\n");
}

/// The baseline is known although "dense" is not among the schemes, and alone it has no rival.
TEST(StudyAnswer, KnowsTheDenseTimeWithoutADenseScheme) {
  StudyResult study = small_study();
  study.totals.erase(study.totals.begin());
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n");
  study = small_study();
  study.totals.pop_back();
  EXPECT_EQ(study_answer(study), "mlp on a100: dense step 6.25 ms\n");
}

TEST(StudyAnswer, DoesNotCompareWhatFailed) {
  StudyResult study = small_study();
  study.totals.back().step.failed = 1;
  EXPECT_EQ(study_answer(study), "mlp on a100: dense step 6.25 ms; 1 of 2 schemes failed\n");
  study.totals.front().step.failed = 1;
  EXPECT_EQ(study_answer(study), "mlp on a100: dense step failed; 2 of 2 schemes failed\n");
}

TEST(StudyAnswer, KeepsThePassAfterTrainingApart) {
  StudyResult study = small_study();
  study.totals.push_back(study.totals.back());
  study.totals.back().pass = StudyPass::inference;
  set_step(study.totals.back(), part(1000000, 2000000));
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n"
            "mlp on a100, inference: dense pass 2.00 ms; fastest sr-ste, 1.00 ms (2.00x)\n");
}

TEST(StudyAnswer, OfNothingIsNothing) {
  EXPECT_EQ(study_answer(StudyResult{}), "");
}

}  // namespace
}  // namespace stcsim
