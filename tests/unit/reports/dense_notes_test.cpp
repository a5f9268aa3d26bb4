#include <gtest/gtest.h>

#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::gemm_row;
using test::refused_row;
using test::sparse_row;

ResultRow left_out_row(const std::string& layer, const std::string& phase,
                       const std::string& scheme) {
  ResultRow row = gemm_row(layer, phase, scheme, 1000, 1000);
  row.not_asked = NotAsked::left_out;
  return row;
}

std::string notes_of(std::vector<ResultRow> rows) {
  StudyResult study;
  study.rows = std::move(rows);
  return dense_notes(study);
}

TEST(DenseNotes, NameSchemesThatPruneNoLayer) {
  EXPECT_EQ(
      notes_of({left_out_row("conv1", "forward", "fst"), left_out_row("conv1", "wgrad", "fst"),
                left_out_row("conv2", "dgrad", "fst"), left_out_row("conv1", "forward", "slope")}),
      "fst: no product of forward, dgrad, wgrad ran sparse on a100, mlp: none of its layers is "
      "pruned\n"
      "slope: no product of forward ran sparse on a100, mlp: none of its layers is pruned\n");
}

TEST(DenseNotes, FoldSchemesThatAreAlike) {
  EXPECT_EQ(
      notes_of({left_out_row("a", "dgrad", "fst"), left_out_row("a", "dgrad", "sdgp")}),
      "fst, sdgp: no product of dgrad ran sparse on a100, mlp: none of its layers is pruned\n");
}

TEST(DenseNotes, NamePhasesThatTheHardwareCannotRunSparse) {
  EXPECT_EQ(notes_of({refused_row("fc1", "forward", "t"), sparse_row("fc1", "wgrad", "t", 1, 2),
                      left_out_row("fc2", "forward", "t")}),
            "t: no product of forward ran sparse on a100, mlp\n");
}

TEST(DenseNotes, SayNothingOfPhasesThatRanSparseInPart) {
  EXPECT_EQ(
      notes_of({sparse_row("fc1", "forward", "asp", 1, 2), left_out_row("fc2", "forward", "asp"),
                gemm_row("fc1", "dgrad", "asp", 1, 1), gemm_row("fc1", "forward", "dense", 1, 1)}),
      "");
}

TEST(DenseNotes, SayNothingWherePointsFailed) {
  StudyResult study;
  study.rows = {left_out_row("a", "dgrad", "fst")};
  study.failures = {"a GEMM: deadlock"};
  EXPECT_EQ(dense_notes(study), "");
}

}  // namespace
}  // namespace stcsim
