#include "reports/page/page_document.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "reports/run/study_report.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using test::message_of;

ordered_json study_document() {
  return parse_json(study_to_json(test::small_study()), "study.json");
}

std::string refusal(const ordered_json& document) {
  return message_of<ConfigError>([&] { static_cast<void>(page_document("x.json", document)); });
}

TEST(PageDocument, AStudyKeepsItsHeadAndHasTables) {
  const ordered_json study = study_document();
  const ordered_json page = page_document("study.json", study);
  EXPECT_EQ(page["file"], "study.json");
  for (const char* const key : {"schema", "version", "config_hash", "config", "complete"}) {
    EXPECT_EQ(page[key], study[key]) << key;
  }
  EXPECT_EQ(page["results"]["rows"], 6);
  EXPECT_EQ(page["results"]["columns"]["cycles"],
            ordered_json::parse("[3000,3000,250,2000,3000,250]"));
  EXPECT_EQ(page["results"]["columns"]["waits.tensor_core.busy"],
            ordered_json::parse(R"({"values": [600, null], "index": [0, 0, 1, 0, 0, 1]})"));
  EXPECT_EQ(page["totals"]["columns"]["step.cycles"],
            ordered_json::parse(R"({"values": [6250000, 5250000], "index": [0, 1]})"));
}

TEST(PageDocument, OtherDocumentsAreEmbeddedAsTheyAre) {
  const auto document = ordered_json::parse(
      R"({"schema": "stcsim.layers/1", "version": "0.1.0", "batch": 3, "list": [1, 2], "none": []})");
  ordered_json expected{{"file", "l.json"}};
  expected.update(document);
  EXPECT_EQ(page_document("l.json", document), expected);
}

TEST(PageDocument, WhatIsNotTheProgramsIsRefusedByFileAndKey) {
  EXPECT_EQ(refusal(ordered_json::parse("[]")),
            "x.json: error: the document is an array, must be an object");
  EXPECT_EQ(refusal(ordered_json::parse("{}")), "x.json: error: 'schema' is missing");
  EXPECT_THAT(refusal(ordered_json::parse(R"({"schema": "other/2"})")),
              ::testing::StartsWith("x.json: error: 'schema' is \"other/2\", must be one of "
                                    "stcsim.study/2 (stcsim run), stcsim.tta/1 (stcsim tta), "));
  EXPECT_EQ(refusal(ordered_json::parse(R"({"schema": "stcsim.study/2"})")),
            "x.json: error: 'version' is missing");
}

TEST(PageDocument, AMissingOrWrongKeyIsNamedWithItsPlace) {
  ordered_json study = study_document();
  study["results"][3].erase("cycles");
  EXPECT_EQ(refusal(study), "x.json: error: 'results[3].cycles' is missing");
  study = study_document();
  study["results"][1]["layer"] = 7;
  EXPECT_EQ(refusal(study), "x.json: error: 'results[1].layer' is 7, must be a text");
  study = study_document();
  study["totals"][0]["step"].erase("time_us");
  EXPECT_EQ(refusal(study), "x.json: error: 'totals[0].step.time_us' is missing");
  study = study_document();
  study.erase("config");
  EXPECT_EQ(refusal(study), "x.json: error: 'config' is missing");
}

TEST(PageDocument, ASweepNeedsItsAxesAndTimes) {
  const auto sweep = [](const char* axis, const char* row) {
    return ordered_json{{"schema", "stcsim.sweep/1"},
                        {"version", "0.1.0"},
                        {"space", "s"},
                        {"points", 1},
                        {"missing", 0},
                        {"axes", {ordered_json::parse(axis)}},
                        {"failures", ordered_json::array()},
                        {"rows", {ordered_json::parse(row)}}};
  };
  const char* const axis = R"({"name": "gemm", "dimension": 1})";
  const char* const row = R"({"kind": "gemm", "point": 1, "time_us": 2.5})";
  EXPECT_EQ(page_document("x.json", sweep(axis, row))["rows"]["rows"], 1);
  EXPECT_EQ(refusal(sweep(R"({"name": "gemm"})", row)),
            "x.json: error: 'axes[0].dimension' is missing");
  EXPECT_EQ(refusal(sweep(axis, R"({"kind": "gemm", "point": 1})")),
            "x.json: error: 'rows[0].time_us' is missing");
}

/// A paper of one figure with one row.
ordered_json paper_document() {
  return ordered_json::parse(R"({
    "schema": "stcsim.paper/2", "version": "0.1.0", "paper": "p", "title": "t", "source": "s",
    "about": "a", "sentence": "b", "spread": "",
    "tally": [{"kind": "against measured", "column": "A100", "verdict": "reproduced", "count": 1}],
    "figures": [{"name": "f", "title": "t", "shows": "s", "source": "", "columns": ["A100"],
      "rows": [{"says": "r", "quantity": "q", "unit": "ms", "obtained": "measured", "setting": "",
        "note": "", "published": {"least": 1, "most": 2}, "why": "", "fitted": "",
        "not_obtained": "", "not_compared": "",
        "answers": [{"column": "A100", "where": "a100", "value": 1.5, "low": 1, "high": 2,
          "deviation": 0, "kind": "against measured", "verdict": "reproduced", "because": ""}]}],
      "not_obtained": ["x"]}]})");
}

TEST(PageDocument, APapersFiguresAreATableOfRows) {
  const ordered_json document = paper_document();
  const ordered_json page = page_document("x.json", document);
  EXPECT_EQ(page["tally"]["columns"]["count"]["all"], 1);
  EXPECT_EQ(page["figures"]["rows"], 1);
  for (const char* const key : {"title", "columns", "rows", "not_obtained"}) {
    EXPECT_EQ(page["figures"]["columns"][key]["all"], document["figures"][0][key]) << key;
  }
}

TEST(PageDocument, APapersRowMayLackWhatWasPublishedAndItsAnswers) {
  ordered_json document = paper_document();
  ordered_json& row = document["figures"][0]["rows"][0];
  row["answers"][0].erase("deviation");
  EXPECT_NO_THROW(static_cast<void>(page_document("x.json", document)));
  row.erase("published");
  row["answers"] = ordered_json::array();
  EXPECT_NO_THROW(static_cast<void>(page_document("x.json", document)));
}

TEST(PageDocument, APaperIsRefusedByTheKeyThatIsWrong) {
  const auto refused = [](const std::string& place, const ordered_json& value) {
    ordered_json document = paper_document();
    document[ordered_json::json_pointer(place)] = value;
    return refusal(document);
  };
  const std::string row = "/figures/0/rows/0";
  EXPECT_EQ(refused("/sentence", 7), "x.json: error: 'sentence' is 7, must be a text");
  EXPECT_THAT(refused("/tally/0/count", -1), ::testing::HasSubstr("'tally[0].count' is -1"));
  EXPECT_EQ(refused("/figures/0/columns/0", 7),
            "x.json: error: 'figures[0].columns' is an array, must be an array of texts");
  EXPECT_EQ(refused("/figures/0/not_obtained", ""),
            "x.json: error: 'figures[0].not_obtained' is \"\", must be an array of texts");
  EXPECT_EQ(refused("/figures/0/shows", nullptr),
            "x.json: error: 'figures[0].shows' is null, must be a text");
  EXPECT_EQ(refused(row + "/unit", 7),
            "x.json: error: 'figures[0].rows[0].unit' is 7, must be a text");
  EXPECT_EQ(refused(row + "/published", {{"least", 1}}),
            "x.json: error: 'figures[0].rows[0].published.most' is missing");
  EXPECT_EQ(refused(row + "/answers/0/high", nullptr),
            "x.json: error: 'figures[0].rows[0].answers[0].high' is null, must be a number");
  EXPECT_EQ(refused(row + "/answers/0/deviation", ""),
            "x.json: error: 'figures[0].rows[0].answers[0].deviation' is \"\", must be a number");
}

/// What has no part of its own is shown as it is.
TEST(PageDocument, AnyDocumentOfTheProgramIsTaken) {
  for (const char* const schema : {"design/1", "cost/1", "sweep_plan/1", "sweep_status/1", "list/1",
                                   "layers/1", "prune/1", "compare/1", "golden/2"}) {
    const ordered_json document{{"schema", fmt::format("stcsim.{}", schema)}, {"version", "0.1.0"}};
    EXPECT_EQ(page_document("x.json", document)["schema"], document["schema"]);
  }
}

TEST(PageDocument, EverySchemaNamesWhatItLacks) {
  const auto refused = [](const std::string& schema) {
    return refusal({{"schema", schema}, {"version", "0.1.0"}});
  };
  EXPECT_EQ(refused("stcsim.tta/1"), "x.json: error: 'config' is missing");
  EXPECT_EQ(refused("stcsim.sweep/1"), "x.json: error: 'space' is missing");
  EXPECT_EQ(refused("stcsim.gemm/1"), "x.json: error: 'machine' is missing");
  EXPECT_EQ(refused("stcsim.explain/2"), "x.json: error: 'machine' is missing");
  EXPECT_EQ(refused("stcsim.curves/1"), "x.json: error: 'files' is missing");
  EXPECT_EQ(refused("stcsim.paper/2"), "x.json: error: 'paper' is missing");
  EXPECT_EQ(refused("stcsim.validation/1"), "x.json: error: 'results' is missing");
}

TEST(PageHtml, TitleAndDataAreFilledIn) {
  EXPECT_EQ(page_html("<title>@TITLE@</title>[@DATA@]<script>'@DATA@'</script>", "a & <b>",
                      ordered_json::parse(R"([{"file": "a"}])")),
            "<title>a &amp; &lt;b&gt;</title>[{\"documents\":[{\"file\":\"a\"}]}]"
            "<script>'@DATA@'</script>");
}

TEST(PageHtml, ATextThatEndsTheScriptStaysData) {
  const std::string name = "</script><script>alert(1)</script><!--";
  const std::string page =
      page_html("@TITLE@\n@DATA@\n", "t", ordered_json::array({{{"layer", name}}}));
  EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("<")));
  const std::string data = page.substr(2, page.size() - 3);
  EXPECT_EQ(ordered_json::parse(data)["documents"][0]["layer"], name);
}

TEST(PageHtml, MarksInTheDataAreNoPlaces) {
  EXPECT_EQ(page_html("@TITLE@ @DATA@", "@DATA@", ordered_json::array({"@TITLE@"})),
            "@DATA@ {\"documents\":[\"@TITLE@\"]}");
}

TEST(PageHtml, AShellWithoutPlacesIsRefused) {
  const auto refusal = [](const char* shell) {
    return message_of<ConfigError>(
        [&] { static_cast<void>(page_html(shell, "t", ordered_json::array())); });
  };
  const char* const expected = "the page's shell has no places for title and data";
  EXPECT_THAT(refusal("@DATA@"), ::testing::HasSubstr(expected));
  EXPECT_THAT(refusal("@TITLE@"), ::testing::HasSubstr(expected));
  EXPECT_THAT(refusal("@DATA@ @TITLE@"), ::testing::HasSubstr(expected));
}

}  // namespace
}  // namespace stcsim
