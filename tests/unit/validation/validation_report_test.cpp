#include "reports/validation/validation_report.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/reports/sample_validation.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(ValidationSections, ShowMeasuredSimulatedAndError) {
  const std::string text = validation_text(test::sample_validation());
  EXPECT_THAT(text, HasSubstr("   5  A100  mma.sync     fp16/fp32  m16n8k16      8    2     20.0   "
                              "    22.0  +10.0 %        1000        950  -5.0 %\n"));
  EXPECT_THAT(text,
              HasSubstr("A100  latency        1           0        10.0 %           10.0 %\n"
                        "A100  throughput     1           0         5.0 %            5.0 %\n"));
  EXPECT_THAT(text, HasSubstr("Net <1>, bs=8"));
  EXPECT_THAT(text,
              HasSubstr("1.00 ms     800 us  -20.0 %    1.50x  1.10-1.20x  -26.7 %  ideal\n"));
}

TEST(ValidationSections, NameWhatWasSkipped) {
  const std::string text = validation_text(test::sample_validation());
  EXPECT_THAT(text, HasSubstr("skipped 1 row, the first in line 6: no machine for GPU 'Z9'\n"));
  EXPECT_THAT(text, HasSubstr("skipped 1 row, the first in line 8: pattern '64:2:8' is not n:m\n"));
}

TEST(ValidationSections, NameTheSoftwareOfEachMachineOnce) {
  ValidationResults results = test::sample_validation();
  results.software = {{"a100", "nvidia (dense cublas by heuristic, sparse kernels by search)"},
                      {"ideal", "best (dense kernels by search, sparse kernels by search)"}};
  const std::string lines =
      "software of a100: nvidia (dense cublas by heuristic, sparse kernels by search)\n"
      "software of ideal: best (dense kernels by search, sparse kernels by search)\n";
  EXPECT_TRUE(validation_text(results).ends_with("is not n:m\n\n" + lines));
  EXPECT_THAT(validation_page(results).front().second,
              HasSubstr("\n\n- software of a100: nvidia (dense cublas by heuristic, sparse kernels "
                        "by search)\n- software of ideal: best (dense kernels by search, sparse "
                        "kernels by search)\n\n| rows of |"));
  const json document = json::parse(validation_to_json(results));
  EXPECT_EQ(document["software"][1]["machine"], "ideal");
  EXPECT_EQ(document["software"][1]["stack"],
            "best (dense kernels by search, sparse kernels by search)");
  results.gemms.clear();
  results.instructions.clear();
  results.networks.clear();
  EXPECT_EQ(validation_text(results), lines);
}

TEST(ValidationSections, AKindWithoutRowsIsLeftOut) {
  EXPECT_EQ(validation_text({}), "");
  ValidationResults results = test::sample_validation();
  results.instructions.clear();
  EXPECT_THAT(validation_text(results), Not(HasSubstr("Instructions")));
  EXPECT_THAT(validation_page(results).front().second, Not(HasSubstr("Instructions")));
}

TEST(ValidationSections, AreOnThePageBesideTheCells) {
  const auto page = validation_page(test::sample_validation());
  ASSERT_EQ(page.size(), 4U);
  EXPECT_EQ(page[0].first, "validation.md");
  EXPECT_EQ(page[1].first, "validation_cells.csv");
  EXPECT_EQ(page[2].first, "validation_errors.csv");
  EXPECT_EQ(page[3].first, "validation_residuals.csv");
  const std::string& text = page.front().second;
  EXPECT_THAT(text, HasSubstr("\n## By machine, type and size\n"));
  EXPECT_THAT(text, HasSubstr("\n## Instructions\n"));
  EXPECT_THAT(text, HasSubstr("\n## Intervals\n"));
  EXPECT_THAT(text, HasSubstr("| 7 | A100 | Net <1>, bs=8 | fp16 | asp | step |"));
}

TEST(ValidationSections, BadRowsAreInJson) {
  ValidationResults results = test::sample_validation();
  results.bad_rows.emplace_back(SourceLocation{"t.csv", 3, 1}, "no");
  EXPECT_EQ(json::parse(validation_to_json(results))["bad_rows"],
            json::array({"t.csv:3:1: error: no"}));
}

TEST(ValidationSections, AreLinesOfJson) {
  const json document = json::parse(validation_to_json(test::sample_validation()));
  EXPECT_EQ(document["results"].size(), 1U);
  const json& instruction = document["instructions"][0];
  EXPECT_EQ(instruction["line"], 5);
  EXPECT_EQ(instruction["instr"], "mma.sync");
  EXPECT_EQ(instruction["ilp"], 2);
  EXPECT_EQ(instruction["measured_latency_cycles"], 20.0);
  EXPECT_EQ(instruction["simulated_latency_cycles"], 22.0);
  EXPECT_DOUBLE_EQ(instruction["latency_error"], 22.0 / 20.0 - 1.0);
  EXPECT_DOUBLE_EQ(instruction["throughput_error"], 950.0 / 1000.0 - 1.0);
  EXPECT_TRUE(document["instructions"][1]["latency_error"].is_null());
  const json& network = document["networks"][0];
  EXPECT_EQ(network["batches"], (std::vector<int>{1, 8}));
  EXPECT_EQ(network["scope"], "step");
  EXPECT_TRUE(network["dense_error"].is_null());
  EXPECT_DOUBLE_EQ(network["sparse_error"], 800.0 / 1000.0 - 1.0);
  EXPECT_EQ(network["simulated_speedup_low"], 1.1);
  EXPECT_EQ(network["simulated_speedup_high"], 1.2);
  EXPECT_DOUBLE_EQ(network["speedup_error"], 1.1 / 1.5 - 1.0);
  EXPECT_EQ(document["networks"][1]["skipped"], "pattern '64:2:8' is not n:m");
}

TEST(ValidationSections, CsvIsOfTheOneKindThereIsElseOfGemms) {
  const auto header_of = [](const ValidationResults& results) {
    const std::string text = validation_to_csv(results);
    return text.substr(0, text.find("\r\n"));
  };
  ValidationResults results = test::sample_validation();
  EXPECT_THAT(header_of(results), HasSubstr("dense_kernel"));
  results.gemms.clear();
  results.networks.clear();
  EXPECT_EQ(header_of(results),
            "line,source,gpu,machine,instr,types,shape,pattern,warps,ilp,skipped,"
            "measured_latency_cycles,simulated_latency_cycles,latency_error,"
            "measured_fma_per_clk_sm,simulated_fma_per_clk_sm,throughput_error");
  results.networks = test::sample_validation().networks;
  results.instructions.clear();
  EXPECT_THAT(header_of(results),
              HasSubstr("model,batches,scheme,scope,framework,accumulation,skipped"));
}

}  // namespace
}  // namespace stcsim
