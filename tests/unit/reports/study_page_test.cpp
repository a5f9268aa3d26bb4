#include <gtest/gtest.h>

#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::refused_row;
using test::small_study;
using test::small_study_with_work;

/// Of the dense GEMMs' 6,000,000 cycles 1,000,000 are saved; charged with 750,000 of its own,
/// 250,000.
TEST(StudyMarkdown, SpeedupsWithAndWithoutTheSchemesOwnWork) {
  const StudyResult study = small_study_with_work();
  EXPECT_EQ(study_markdown(study), R"(## mlp on a100

| scheme | forward | backward (dgrad) | update (wgrad) | GEMMs | GEMM time saved | with pruning charged | step without pruning | step | step time |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| dense | 1.00x | 1.00x | - | 1.00x | 0.0 % | 0.0 % | 1.00x | 1.00x | 6.25 ms |
| sr-ste | 1.50x | 1.00x | - | 1.20x | 16.7 % | 4.2 % | 1.19x | 1.04x | 6.00 ms |

Dense, the GEMMs take 6.00 ms of the step's 6.25 ms: forward 50.0 % of it, backward (dgrad) 50.0 %, update (wgrad) 0.0 %.

## Notes

- pruning of mlp on a100: sr-ste gains until it takes 1.33 times as long
)");
}

TEST(StudyMarkdown, TrainingsHaveAColumnWhereASchemeHasDenseSteps) {
  StudyResult study = small_study();
  study.totals.back().share_of_training = 0.5;
  study.totals.back().training = test::part(5750000, 6250000);
  const std::string text = study_markdown(study);
  EXPECT_NE(text.find("| step | step time | training |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 1.19x | 5.25 ms | 1.09x |\n"), std::string::npos) << text;
}

/// A machine without libraries runs the best of all kernels: those with some are shown so, too.
TEST(StudyMarkdown, MachinesWithLibrariesAreAlsoShownWithAllKernelsBesideSomeWithout) {
  StudyResult study = small_study();
  for (StudyTotal& total : study.totals) total.beside = {{"cuda12_search", 1, 2}, {"best", 1, 3}};
  EXPECT_EQ(study_markdown(study).find("all kernels"), std::string::npos);
  for (const std::size_t at : {0U, 1U}) {
    study.totals.push_back(study.totals[at]);
    study.totals.back().machine = "a100_nm";
    study.totals.back().beside.clear();
  }
  const std::string text = study_markdown(study);
  EXPECT_NE(text.find("| step | step time | all kernels |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 1.19x | 5.25 ms | 3.00x |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 1.19x | 5.25 ms |\n"), std::string::npos) << text;
}

TEST(StudyMarkdown, AStepThatLeavesProductsDenseStandsBesideTheOneThatDoesNot) {
  StudyResult study = small_study();
  study.totals.back().always = test::part(6250000, 5000000);
  const std::string text = study_markdown(study);
  EXPECT_NE(text.find("| step | step time | always |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 1.19x | 5.25 ms | 0.800x |\n"), std::string::npos) << text;
}

TEST(StudyMarkdown, NamesTheMachinesSoftware) {
  StudyResult study = small_study();
  study.totals.front().stack = "best (dense kernels by search, sparse kernels by search)";
  EXPECT_TRUE(study_markdown(study).starts_with(
      "## mlp on a100\n\nSoftware: best (dense kernels by search, sparse kernels by search).\n\n"
      "| scheme |"));
}

TEST(StudyMarkdown, NotesAreAList) {
  StudyResult study = small_study();
  study.rows.push_back(refused_row("fc2", "forward", "mvue"));
  const std::string text = study_markdown(study);
  EXPECT_TRUE(
      text.ends_with("## Notes\n\n- mvue: no product of forward ran sparse on a100, mlp\n- mvue: "
                     "forward ran dense on a100 (1 layer): 4:8 does not "
                     "fit 2:4 hardware\n"))
      << text;
}

TEST(StudyMarkdown, WithoutGemmsNothingIsSaved) {
  StudyResult study = small_study();
  study.totals.resize(1);
  study.totals.front().gemms = {};
  EXPECT_NE(study_markdown(study).find("| 1.00x | 1.00x | - | - | - | - |"), std::string::npos);
}

}  // namespace
}  // namespace stcsim
