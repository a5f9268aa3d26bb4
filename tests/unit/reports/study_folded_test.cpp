#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json whole(const StudyResult& study) {
  return parse_json(study_to_json(study), "study.json");
}

ordered_json folded(const StudyResult& study) {
  return parse_json(study_to_folded_json(study), "results.json");
}

/// "sr-ste" has another forward; dgrad and relu are those of dense.
TEST(FoldedRows, NameTheSchemesUnderWhichARowIsTheSame) {
  const StudyResult study = test::small_study();
  std::vector<std::string> rows;
  for (const FoldedRow& one : folded_rows(study.rows)) {
    rows.push_back(one.row->op + " " + std::string(to_string(one.row->phase)) + " " +
                   one.scheme_names());
  }
  EXPECT_THAT(rows, testing::ElementsAre("gemm forward dense", "gemm dgrad dense;sr-ste",
                                         "relu other dense;sr-ste", "gemm forward sr-ste"));
}

TEST(FoldedStudy, IsTheStudyAgainKeyForKey) {
  StudyResult study = test::small_study();
  study.rows.at(3).sampled = SampledRow{0.5, 1, 2};
  study.rows.at(4).regret_at_most = 0.25;
  const ordered_json document = folded(study);
  EXPECT_EQ(document["schema"], "stcsim.study_folded/1");
  EXPECT_EQ(document["results"]["rows"].size(), 5U);
  EXPECT_EQ(document["results"]["order"],
            ordered_json::parse(R"([{"scheme":"dense","rows":[0,1,2]},)"
                                R"({"scheme":"sr-ste","rows":[3,4,2]}])"));
  EXPECT_EQ(document["launches"].size(), 2U);
  EXPECT_EQ(unfolded_study(document, "results.json").dump(), whole(study).dump());
}

TEST(FoldedStudy, LeavesOtherDocumentsAsTheyAre) {
  const ordered_json study = whole(test::small_study());
  EXPECT_EQ(unfolded_study(study, "study.json"), study);
  EXPECT_EQ(unfolded_study(ordered_json::array(), "a.json"), ordered_json::array());
}

TEST(FoldedStudy, RefusesPartsThatDoNotBelongTogether) {
  ordered_json document = folded(test::small_study());
  document["results"]["order"][0]["rows"][0] = 99;
  try {
    static_cast<void>(unfolded_study(document, "results.json"));
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("results.json: error: 'results' and 'launches' do "
                                    "not belong together"));
  }
}

TEST(FoldedCsv, HasARowForEachDifferentOne) {
  const std::string csv = results_to_folded_csv(test::small_study());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_NE(csv.find("\r\na100,mlp,fc1,dgrad,dense;sr-ste,gemm,"), std::string::npos);
}

}  // namespace
}  // namespace stcsim
