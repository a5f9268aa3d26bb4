#include <gtest/gtest.h>

#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::small_study;

/// Three schemes: one gains, one spends more on pruning than it gains, one does nothing.
StudyResult study_of_three() {
  StudyResult study = test::small_study_with_work();
  for (StudyTotal& total : study.totals) total.dense_joules = total.joules = 2;
  study.totals.back().joules = 1.5;
  study.totals.back().interval = {0.9, 1.1, true};
  StudyTotal slower = study.totals.back();
  slower.scheme = "bdwp";
  slower.training = test::part(12500000, 6250000);
  slower.interval = {0.4, 0.6, true};
  slower.share_of_training = 0.5;
  study.totals.push_back(slower);
  StudyTotal nothing = study.totals.front();
  nothing.scheme = "fst";
  nothing.interval = {1, 1, true};
  study.totals.push_back(nothing);
  return study;
}

TEST(SummaryTables, SayWhatEachSchemeChanges) {
  EXPECT_EQ(summary_tables(study_of_three()), R"(mlp on a100
scheme     step    gain        likely  verdict  energy  GEMMs  forward  dgrad  pruning
------  -------  ------  ------------  -------  ------  -----  -------  -----  -------
dense   6.25 ms   1.00x             -  -        2.00 J  1.00x    1.00x  1.00x        -
sr-ste  6.00 ms   1.04x   0.900..1.10  unclear  75.0 %  1.20x    1.50x  1.00x   750 us
bdwp    12.5 ms  0.500x  0.400..0.600  SLOWER   87.5 %  1.20x    1.50x  1.00x   750 us
not affected (1): fst

Step, gain and energy: in the mean of a training, its dense steps included.
Likely: where a measured gain lies, by how far validated times are off; unclear: faster or slower, that does not say.
Of other machines or types, for want of own measurements: a100.
)");
}

/// The narrower the page, the fewer of the columns that --layers shows too.
TEST(SummaryTables, HaveTheColumnsThatFit) {
  const std::string narrow = summary_tables(study_of_three(), 78);
  EXPECT_NE(narrow.find("(too wide for: pruning)"), std::string::npos) << narrow;
  const std::string narrower = summary_tables(study_of_three(), 60);
  EXPECT_NE(narrower.find("(too wide for: forward, dgrad, pruning)"), std::string::npos)
      << narrower;
}

/// Every scheme knows the dense step that it is held against.
TEST(SummaryTables, HaveDenseAlsoWhereItWasNotAskedFor) {
  StudyResult study = study_of_three();
  const std::string asked = summary_tables(study);
  study.totals.erase(study.totals.begin());
  EXPECT_EQ(summary_tables(study), asked);
}

TEST(SummaryTables, SumsThatLackAPointSayFailed) {
  StudyResult study = small_study();
  StudyTotal& total = study.totals.back();
  total.dgrad.failed = total.gemms.failed = total.step.failed = 1;
  EXPECT_EQ(summary_tables(study), R"(mlp on a100
scheme     step    gain   GEMMs  forward   dgrad
------  -------  ------  ------  -------  ------
dense   6.25 ms   1.00x   1.00x    1.00x   1.00x
sr-ste   failed  failed  failed    1.50x  failed

failed: points of this sum could not be simulated, see below.
)");
}

TEST(SummaryTables, MachinesWithLibrariesAreAlsoShownWithAllKernelsBesideSomeWithout) {
  StudyResult study = small_study();
  for (StudyTotal& total : study.totals) total.beside = {{"best", 1, 3}};
  EXPECT_EQ(summary_tables(study).find("kernels"), std::string::npos);
  study.totals.push_back(study.totals.back());
  study.totals.back().machine = "a100_nm";
  study.totals.back().beside.clear();
  const std::string text = summary_tables(study);
  EXPECT_NE(text.find("sr-ste  5.25 ms  1.19x        3.00x  1.20x"), std::string::npos) << text;
  EXPECT_NE(text.find("\nAll kernels: "), std::string::npos) << text;
}

/// Of the fastest scheme, what loses most; without one, schemes to try.
TEST(NextOfStudy, ExplainsTheFastestOrNamesSchemes) {
  StudyResult study = small_study();
  EXPECT_EQ(next_of_study(study, kAnyWidth),
            "next: stcsim explain --arch a100 --layer mlp:fc1 --phase forward --scheme sr-ste\n");
  study.totals.pop_back();
  EXPECT_EQ(next_of_study(study, 50),
            "next: stcsim run --network mlp --arch a100 \\\n    --schemes all\n");
  EXPECT_EQ(next_of_study(study, 80, {"stcsim run", "--network ./mlp.json", "--schemes all"}),
            "next: stcsim run --network ./mlp.json --schemes all\n");
  EXPECT_EQ(next_of_study(StudyResult{}, 80), "");
}

/// The second line, where the answer is one.
TEST(StudyAnswer, SaysWhatDoesNotFit) {
  StudyResult study = small_study();
  for (StudyTotal& total : study.totals) {
    total.memory.weights = 211'000'000'000;
    total.capacity_bytes = 85'900'000'000;
  }
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n"
            "  DOES NOT FIT: 211 GB of 85.9 GB: every scheme\n");
  study.totals.back().memory.weights = 1;
  EXPECT_EQ(study_answer(study),
            "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
            "sparse\n"
            "  DOES NOT FIT: 211 GB of 85.9 GB: dense\n");
}

}  // namespace
}  // namespace stcsim
