#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace stcsim
