#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::gemm_row;
using test::refused_row;
using test::sparse_row;
using testing::HasSubstr;

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

ResultRow product_row(const char* layer, RowPhase phase, const char* scheme, double dense_us) {
  ResultRow row;
  row.machine = "a100";
  row.network = "mine";
  row.layer = layer;
  row.phase = phase;
  row.scheme = scheme;
  row.repeat = 3;
  row.m = row.n = row.k = 8;
  row.gemm_count = 1;
  row.dense_time_us = dense_us;
  return row;
}

TEST(StudyMeasured, MeasuredTimesStandBesideSimulatedOnes) {
  StudyResult study;
  study.resolved_config = R"({"networks": [{"name": "mine", "layers": [
      {"name": "a", "measured": {"forward_ns": 20000, "wgrad_ns": 50000}}, {"name": "b"}]}]})";
  study.rows = {product_row("a", RowPhase::forward, "dense", 10),
                product_row("a", RowPhase::wgrad, "dense", 100),
                product_row("a", RowPhase::dgrad, "dense", 7),   // not measured
                product_row("a", RowPhase::forward, "asp", 10),  // once is enough
                product_row("b", RowPhase::forward, "dense", 5)};
  const std::string text = measured_tables(study);
  EXPECT_THAT(text, HasSubstr("mine on a100: measured where the profile is from"));
  // Three repeats each; the longest first.
  EXPECT_THAT(text, testing::ContainsRegex("a ×3 +wgrad +150 us +300 us +2.00x\n"
                                           "a ×3 +forward +60.0 us +30.0 us +0.500x\n"));
  EXPECT_THAT(text, testing::ContainsRegex("all +210 us +330 us +1.57x"));
  study.resolved_config = R"({"networks": [{"name": "mine", "layers": [{"name": "a"}]}]})";
  EXPECT_EQ(measured_tables(study), "");
}

ParallelTotal total_of(const std::string& scheme, std::int64_t gpus, double us) {
  ParallelTotal total;
  total.machine = "h100_sxm";
  total.network = "net";
  total.scheme = scheme;
  total.gpus = gpus;
  total.times.us = us;
  total.dense_us = 2000;
  total.speedup = 2000 / us;
  total.capacity_bytes = 80'000'000'000;
  total.memory_bytes = gpus == 1 ? 90'000'000'000 : 20'000'000'000;
  return total;
}

TEST(ParallelReport, BeginsWithWhatEachSchemeGainsAndWhatDoesNotFit) {
  StudyResult study;
  study.parallel = {total_of("dense", 8, 2000), total_of("slope", 1, 1600),
                    total_of("slope", 8, 1250)};
  study.parallel.back().times.exposed = {{"weights", 120}};
  study.parallel.back().gains_nothing_from = 64;
  study.parallel.back().likely = {1.4, 1.8, false};
  const std::string text = parallel_report(study, 100);
  EXPECT_TRUE(
      text.starts_with("net on h100_sxm, several GPUs, the same batch on each: predicted\n"
                       "  slope: 1.25x on 1 GPU, 1.60x (1.40x..1.80x) on 8 GPUs (predicted); not "
                       "worth it from 64 GPUs on\n"
                       "Does not fit: slope on 1 GPU (90.0 GB of 80.0 GB)\n"))
      << text;
  EXPECT_NE(text.find("weights 120 us"), std::string::npos);
  EXPECT_NE(text.find("Predicted: nobody measured n:m on several GPUs."), std::string::npos);
}

}  // namespace
}  // namespace stcsim
