// Papers with answers: which verdicts are given, and what pages say.
#include "reports/papers/paper_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using ::testing::AllOf;
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
  step.quantity = Quantity::step_gain;
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
  figure.columns[0].sort = MachineSort::counting;
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

std::string verdict_text(const PaperFigure& figure, const PaperRow& row, const std::string& column,
                         double value) {
  const auto found = verdict_of(figure, row, answer_in_column(column, value));
  return found ? found->text() : "";
}

TEST(PaperResult, JudgesEveryColumnAndSaysWhatThatIsWorth) {
  const PaperFigure figure = sample_paper().paper.figures.front();
  const PaperRow& counted = figure.rows[0];
  const PaperRow& measured = figure.rows[1];
  EXPECT_EQ(verdict_text(figure, counted, "counted", 1.5), "arithmetic: consistent");
  EXPECT_EQ(verdict_text(figure, counted, "A100", 1.1), "against estimated: direction only");
  EXPECT_EQ(verdict_text(figure, measured, "counted", 1.5), "") << "a count is no measurement";
  EXPECT_EQ(verdict_text(figure, measured, "A100", 1.5), "against measured: reproduced");
  EXPECT_EQ(verdict_text(figure, figure.rows[2], "A100", 1.5), "") << "nothing was published";
  EXPECT_EQ(verdict_text(figure, measured, "computed", 1.5), "arithmetic: consistent")
      << "needs no machine";
}

/// Our trainings, and what was fitted.
TEST(PaperResult, KnowsWhatIsNoTestOfTheClaim) {
  const PaperFigure figure = sample_paper().paper.figures.front();
  PaperRow row = figure.rows[1];
  row.fitted = "to this";
  EXPECT_EQ(verdict_text(figure, row, "A100", 1.5), "fitted: no test");
  TrainedRow trained;
  row.experiment = trained;
  row.published = {95, 95};
  EXPECT_EQ(verdict_text(figure, row, "our training", 94), "") << "of another network";
  trained.quantity = Quantity::accuracy_difference;
  row.experiment = trained;
  EXPECT_EQ(verdict_text(figure, row, "our training", 94), "own training: no direction")
      << "it may be chance";
}

TEST(PaperResult, AColumnWithOtherSoftwareIsNotJudged) {
  PaperFigure figure = sample_paper().paper.figures.front();
  EXPECT_EQ(verdict_text(figure, figure.rows[1], "A100", 1.5), "against measured: reproduced");
  figure.columns[1].is_beside = true;
  EXPECT_EQ(verdict_text(figure, figure.rows[1], "A100", 1.5), "");
}

TEST(PaperResult, TalliesEveryColumnByKind) {
  EXPECT_EQ(tally_text(sample_paper(), "- "),
            "- against measured, A100: 1 not reproduced\n"
            "- against estimated, A100: 1 direction only\n"
            "- arithmetic, counted: 1 consistent\n");
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
  EXPECT_EQ(json["schema"], "stcsim.paper/2");
  EXPECT_EQ(json["sentence"], "Of 1.50x the A100 has 1.10x");
  EXPECT_EQ(json["tally"][0]["kind"], "against measured");
  EXPECT_EQ(json["tally"][0]["count"], 1);
  const auto& figure = json["figures"][0];
  EXPECT_EQ(figure["columns"], nlohmann::ordered_json({"counted", "A100"}));
  const auto& row = figure["rows"][1];
  EXPECT_EQ(row["unit"], "ratio");
  EXPECT_EQ(row["published"]["least"], 1.5);
  EXPECT_EQ(row["fitted"], "");
  EXPECT_EQ(row["answers"][0]["verdict"], "");
  EXPECT_EQ(row["answers"][1]["kind"], "against measured");
  EXPECT_EQ(row["answers"][1]["verdict"], "not reproduced");
  EXPECT_NEAR(row["answers"][1]["deviation"].get<double>(), -0.4, 1e-12);
  EXPECT_EQ(row["answers"][1]["because"], "because of A100");
  EXPECT_FALSE(figure["rows"][2].contains("published"));
  EXPECT_FALSE(figure["rows"][2]["answers"][0].contains("deviation"));
  EXPECT_EQ(figure["rows"][2]["not_run"][0], "A100: it cannot");
  EXPECT_EQ(figure["rows"][3]["not_compared"], "nobody trains it here");
  EXPECT_EQ(figure["not_obtained"][0], "not obtained: the rest");
}

TEST(PaperResult, SaysWhatTheSentenceIsWithOtherSoftware) {
  PaperResult result = sample_paper();
  EXPECT_EQ(paper_to_json(result)["spread"], "");
  result.spread = {{"1.10x", {{"cuda12_search", "1.05x"}, {"best", "1.12x"}}},
                   {"3 ms", {{"old", "4 ms"}}}};
  const std::string text =
      "With other software, 1.10x: with searched kernels 1.05x, best of all kernels 1.12x; 3 ms: "
      "with old 4 ms.";
  EXPECT_EQ(paper_to_json(result)["spread"], text);
  EXPECT_THAT(paper_markdown(result), HasSubstr("1.10x\n\n" + text + "\n\nWhat it says: "));
}

TEST(PaperResult, MarkdownHasEveryFigureAsATable) {
  const std::string text = paper_markdown(sample_paper());
  EXPECT_THAT(text,
              HasSubstr("# A paper\n\nOf 1.50x the A100 has 1.10x\n\nWhat it says: It claims "
                        "things.\n\nSomebody, 2025.\n\nVerdicts:\n\n- against measured, A100:"));
  EXPECT_THAT(text, HasSubstr("| a | gain of the step | 1.50x, counted | 1.50x; arithmetic: "
                              "consistent, +0.0 % | 1.10x; against estimated: direction only, "
                              "-26.7 % | A100: because of A100 |"));
  EXPECT_THAT(text, HasSubstr("| b | gain of the step | 1.50x, measured | 1.50x | 0.900x; against "
                              "measured: not reproduced, -40.0 % | A100: because of A100 |"));
  EXPECT_THAT(text, HasSubstr("| c | gain of the step | - | 1.25x | - | A100: it cannot |"));
  EXPECT_THAT(text, HasSubstr("not compared: nobody trains it here"));
  EXPECT_THAT(text, HasSubstr("\n- not obtained: the rest\n"));
}

TEST(PaperResult, AHintHasItsProbability) {
  PaperResult result = sample_paper();
  TrainedRow trained;
  trained.quantity = Quantity::accuracy_difference;
  result.paper.figures[0].rows[0].experiment = trained;
  result.answers[0][0].answers[0].p_value = 0.0123;
  EXPECT_THAT(paper_markdown(result), HasSubstr("own training: same direction, p = 0.012 |"));
  EXPECT_EQ(paper_to_json(result)["figures"][0]["rows"][0]["answers"][0]["p_value"], 0.0123);
}

/// Single claims have neither a sentence nor a page.
TEST(PaperResult, ClaimsAreTables) {
  PaperResult result = sample_paper();
  result.paper.result = "";
  EXPECT_FALSE(result.paper.has_page());
  EXPECT_THAT(paper_markdown(result), HasSubstr("# A paper\n\nWhat it says: "));
  EXPECT_EQ(paper_to_json(result)["sentence"], "");
  EXPECT_THAT(paper_tables(result, 200),
              AllOf(HasSubstr("\nFig. 1\n\n"),
                    HasSubstr("\na       gain of the step   1.50x, counted  1.50x; arithmetic: ")));
}

TEST(PaperResult, RemarksSayWhyOnceAndWhatWasFitted) {
  PaperResult result = sample_paper();
  result.paper.figures[0].rows[0].why = "it is so";
  result.paper.figures[0].rows[1].fitted = "to this";
  const std::string text = paper_markdown(result);
  EXPECT_THAT(text, HasSubstr("direction only, -26.7 % | it is so |"));
  EXPECT_THAT(text, HasSubstr("0.900x; fitted: no test, -40.0 % | fitted: to this |"));
}

}  // namespace
}  // namespace stcsim
