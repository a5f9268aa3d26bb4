#include "reports/parts/study_lines.hpp"

#include <gtest/gtest.h>

#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

StudyResult study_with_kinds() {
  StudyResult study = test::small_study();
  for (StudyTotal& total : study.totals) {
    total.framework = "pytorch_eager";
    total.kinds.at(static_cast<std::size_t>(StreamKind::activation)) = test::part(125000, 125000);
    total.kinds.at(static_cast<std::size_t>(StreamKind::launches)) = test::part(62500, 62500);
  }
  return study;
}

TEST(KindTables, SayWhatIsLeftBesideTheProducts) {
  EXPECT_EQ(kind_tables(study_with_kinds()),
            "mlp on a100: where the time goes (framework pytorch_eager)\n\n"
            "part of the step    dense   share   sr-ste   share\n"
            "----------------  -------  ------  -------  ------\n"
            "GEMMs             6.00 ms  96.0 %  5.00 ms  95.2 %\n"
            "activation         125 us   2.0 %   125 us   2.4 %\n"
            "launches          62.5 us   1.0 %  62.5 us   1.2 %\n"
            "\n");
}

TEST(KindTables, AreEmptyWhereOnlyProductsAre) {
  EXPECT_EQ(kind_tables(test::small_study()), "");
}

/// Without a dense step the scheme stands alone; one with failed points is not the fastest.
TEST(KindTables, CompareWhatIsThere) {
  StudyResult study = study_with_kinds();
  study.totals.erase(study.totals.begin());
  study.totals.push_back(study.totals.front());
  study.totals.back().scheme = "broken";
  study.totals.back().training.speedup = 9;
  study.totals.back().step.failed = 1;
  const std::string text = kind_tables(study);
  EXPECT_NE(text.find("part of the step   sr-ste   share\n"), std::string::npos) << text;
}

/// A machine of 1 MB; "sr-ste" needs 50 kB more than "dense".
StudyResult study_with_memory(std::int64_t activations) {
  StudyResult study = test::small_study();
  for (StudyTotal& total : study.totals) {
    total.capacity_bytes = 1000000;
    total.memory.weights = 100000;
    total.memory.activations = activations;
  }
  study.totals.back().memory.compressed = 40000;
  study.totals.back().memory.metadata = 10000;
  return study;
}

TEST(MemoryTables, SayWhatAStepNeedsAndWhetherItFits) {
  EXPECT_EQ(
      memory_tables(study_with_memory(860000)),
      "mlp on a100: memory of a step, of 1.00 MB\n\n"
      "scheme  weights  compressed  gradients  optimizer  activations  working      all  fits\n"
      "------  -------  ----------  ---------  ---------  -----------  -------  -------  ----\n"
      "dense    100 kB         0 B        0 B        0 B       860 kB      0 B   960 kB  yes\n"
      "sr-ste   100 kB     50.0 kB        0 B        0 B       860 kB      0 B  1.01 MB  no\n"
      "\n");
  EXPECT_EQ(memory_notes(study_with_memory(860000)),
            "mlp on a100: DOES NOT FIT: 1.01 MB of 1.00 MB: sr-ste\n");
}

TEST(MemoryTables, LeaveOutSchemesThatNeedAsMuchAsDense) {
  StudyResult study = study_with_memory(860000);
  study.totals.back().memory = study.totals.front().memory;
  const std::string text = memory_tables(study);
  EXPECT_EQ(text.find("sr-ste"), std::string::npos) << text;
  EXPECT_EQ(text.find("compressed"), std::string::npos) << text;
}

TEST(MemoryTables, WhatFillsTheMemoryFits) {
  EXPECT_EQ(memory_notes(study_with_memory(850000)), "");
  EXPECT_EQ(memory_notes(study_with_memory(850001)),
            "mlp on a100: DOES NOT FIT: 1.00 MB of 1.00 MB: sr-ste\n");
}

TEST(MemoryTables, AreOfTheTrainingStep) {
  StudyResult study = study_with_memory(860000);
  for (StudyTotal& total : study.totals) total.pass = StudyPass::inference;
  EXPECT_EQ(memory_tables(study), "");
}

TEST(SearchText, SaysWhatMayHaveBeenMissed) {
  const KernelSearch search{1040, 3, 1030, 7, 0.125, 0.9};
  EXPECT_EQ(search_text(search, false),
            "1,040 kernels could run it: 3 simulated, 1,030 cannot be faster, 7 left out: none of "
            "these saves more than 12.5 % of the time; by estimate the best takes 0.90 times as "
            "long");
}

TEST(SearchText, SaysThatNothingWasLeftOut) {
  EXPECT_EQ(search_text(KernelSearch{40, 3, 37, 0, 0}, false),
            "40 kernels could run it: 3 simulated, 37 cannot be faster; it is the fastest of all");
}

TEST(SearchText, SaysWhoChoseWhereNothingWasSearched) {
  EXPECT_EQ(search_text({}, false), "it was chosen by the library's rule");
  EXPECT_EQ(search_text({}, true), "it was named");
}

}  // namespace
}  // namespace stcsim
