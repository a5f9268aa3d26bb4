// Papers with answers: which verdicts are given, and what pages say.
#include "reports/papers/paper_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/papers/paper_json.hpp"
#include "reports/papers/paper_report.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

PaperAnswer answer_in_column(const std::string& column, double value) {
  PaperAnswer answer;
  answer.column = column;
  answer.where = column + "'s machine";
  answer.value = answer.low = answer.high = value;
  answer.because = "because of " + column;
  return answer;
}

PaperRow gain_row(const std::string& says, const std::string& obtained, double published) {
  PaperRow row;
  row.says = says;
  row.obtained = obtained;
  row.published = {published, published};
  row.tolerance = 0.1;
  StepRow step;
  step.quantity = StepQuantity::step_gain;
  row.experiment = step;
  return row;
}

/// A counted row, a measured one, one without a published figure, one that is not compared.
PaperResult sample_paper() {
  PaperResult result;
  result.paper.name = "sample";
  result.paper.title = "A paper";
  result.paper.source = "Somebody, 2025";
  result.paper.about = "It claims things.";
  result.paper.result = "Of {one.1} the A100 has {one.1.A100}";
  result.paper.result_at = {"paper.yaml", 4, 9};
  PaperFigure figure;
  figure.name = "one";
  figure.title = "Fig. 1";
  figure.shows = "Gains.";
  figure.source = "Somebody, 2025";
  figure.columns.resize(2);
  figure.columns[0].name = "counted";
  figure.columns[0].assumed = true;
  figure.columns[1].name = "A100";
  figure.rows = {gain_row("a", "counted", 1.5), gain_row("b", "measured", 1.5),
                 gain_row("c", "measured", 0), gain_row("d", "", 0)};
  figure.rows[2].published.reset();
  figure.rows[3].published.reset();
  figure.rows[3].experiment = {};
  figure.rows[3].not_compared = "nobody trains it here";
  figure.not_obtained = {"not obtained: the rest"};
  result.paper.figures = {figure};
  result.answers = {{{{answer_in_column("counted", 1.5), answer_in_column("A100", 1.1)}, {}},
                     {{answer_in_column("counted", 1.5), answer_in_column("A100", 0.9)}, {}},
                     {{answer_in_column("counted", 1.25)}, {"A100: it cannot"}},
                     {}}};
  return result;
}

/// A counted figure is judged by counting, a measured one by the machine that exists.
TEST(PaperResult, JudgesTheColumnThatTheFigureIsAbout) {
  const PaperResult result = sample_paper();
  const PaperFigure& figure = result.paper.figures.front();
  EXPECT_EQ(verdict_of(figure, figure.rows[0], result.answers[0][0]), "reproduced");
  EXPECT_EQ(verdict_of(figure, figure.rows[1], result.answers[0][1]), "not reproduced");
  EXPECT_EQ(verdict_of(figure, figure.rows[2], result.answers[0][2]), "");
  const RowAnswers only_counted{{answer_in_column("counted", 1.5)}, {}};
  EXPECT_EQ(verdict_of(figure, figure.rows[1], only_counted), "") << "not what was measured";
  PaperFigure plain = figure;
  plain.columns.front().assumed = false;
  EXPECT_EQ(verdict_of(plain, plain.rows[0], result.answers[0][0]), "reproduced")
      << "without such a column the first is";
  const RowAnswers computed{{answer_in_column("computed", 1.5)}, {}};
  EXPECT_EQ(verdict_of(figure, figure.rows[0], computed), "reproduced") << "needs no machine";
}

TEST(PaperResult, TalliesEveryJudgedRow) {
  EXPECT_EQ(tally_text(sample_paper()), "2 published figures: 1 reproduced, 1 not reproduced");
}

TEST(PaperResult, SentencesTakeFiguresByName) {
  PaperResult result = sample_paper();
  EXPECT_EQ(sentence_of(result), "Of 1.50x the A100 has 1.10x");
  for (const char* const wrong : {"{one}", "{two.1}", "{one.0}", "{one.5}", "{one.x}", "{one.3}",
                                  "{one.1.H100}", "{one.3.A100}", "{one.1"}) {
    result.paper.result = wrong;
    EXPECT_THAT(error_of([&] { static_cast<void>(sentence_of(result)); }),
                HasSubstr("paper.yaml:4:9: error: 'result' has"))
        << wrong;
  }
}

TEST(PaperResult, JsonHasWhatThePageDraws) {
  const auto json = paper_to_json(sample_paper());
  EXPECT_EQ(json["schema"], "stcsim.paper/1");
  EXPECT_EQ(json["sentence"], "Of 1.50x the A100 has 1.10x");
  EXPECT_EQ(json["tally"]["reproduced"], 1);
  const auto& figure = json["figures"][0];
  EXPECT_EQ(figure["columns"], nlohmann::ordered_json({"counted", "A100"}));
  const auto& row = figure["rows"][1];
  EXPECT_EQ(row["unit"], "ratio");
  EXPECT_EQ(row["published"]["least"], 1.5);
  EXPECT_EQ(row["verdict"], "not reproduced");
  EXPECT_NEAR(row["answers"][1]["deviation"].get<double>(), -0.4, 1e-12);
  EXPECT_EQ(row["answers"][1]["because"], "because of A100");
  EXPECT_FALSE(figure["rows"][2].contains("published"));
  EXPECT_FALSE(figure["rows"][2]["answers"][0].contains("deviation"));
  EXPECT_EQ(figure["rows"][2]["not_run"][0], "A100: it cannot");
  EXPECT_EQ(figure["rows"][3]["not_compared"], "nobody trains it here");
  EXPECT_EQ(figure["not_obtained"][0], "not obtained: the rest");
}

TEST(PaperResult, MarkdownHasEveryFigureAsATable) {
  const std::string text = paper_markdown(sample_paper());
  EXPECT_THAT(text, HasSubstr("# A paper\n\nOf 1.50x the A100 has 1.10x\n\nIt claims things."));
  EXPECT_THAT(text, HasSubstr("| a | gain of the step | 1.50x, counted | 1.50x | 1.10x | +0.0 % | "
                              "reproduced | - |"));
  EXPECT_THAT(text, HasSubstr("| b | gain of the step | 1.50x, measured | 1.50x | 0.900x | -40.0 % "
                              "| not reproduced | because of A100 |"));
  EXPECT_THAT(text,
              HasSubstr("| c | gain of the step | - | 1.25x | - | - | - | A100: it cannot |"));
  EXPECT_THAT(text, HasSubstr("not compared: nobody trains it here"));
  EXPECT_THAT(text, HasSubstr("\n- not obtained: the rest\n"));
}

}  // namespace
}  // namespace stcsim
