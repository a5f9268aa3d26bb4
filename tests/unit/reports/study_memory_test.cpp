#include <gtest/gtest.h>

#include "reports/parts/study_lines.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

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

}  // namespace
}  // namespace stcsim
