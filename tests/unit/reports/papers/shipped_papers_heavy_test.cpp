// Every counted figure of the shipped papers, under the paper's own assumptions.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reports/evidence/verdict.hpp"
#include "reports/papers/paper.hpp"
#include "reports/papers/paper_result.hpp"
#include "sim/study/study.hpp"

namespace stcsim {
namespace {

/// What is counted has to be met to a thousandth.
constexpr double kExact = 0.001;

/// The paper with nothing but its exact figures, under its own assumptions.
Paper only_exact(Paper paper) {
  for (PaperFigure& figure : paper.figures) {
    std::erase_if(figure.rows, [](const PaperRow& row) {
      return row.tolerance > kExact || !row.published || row.obtained == "measured" ||
             !row.not_compared.empty();
    });
    const auto is_assumed = [](const PaperColumn& column) { return column.assumed; };
    if (std::any_of(figure.columns.begin(), figure.columns.end(), is_assumed)) {
      std::erase_if(figure.columns, std::not_fn(is_assumed));
    }
  }
  paper.result.clear();  // it names the rows that are left out
  return paper;
}

struct ExactPaper {
  const char* name;
  /// Answers that are checked.
  std::size_t count;
};
constexpr std::array<ExactPaper, 5> kExactPapers{
    {{"mvue", 17}, {"nvidia", 2}, {"s-ste", 9}, {"sdgp", 3}, {"transposable", 3}}};

class ExactPapers : public testing::TestWithParam<ExactPaper> {};

TEST_P(ExactPapers, MeetWhatIsCountedToAThousandth) {
  const PaperOptions options{
      [](const Experiment& experiment) { return run_study(experiment, {}); }};
  const PaperResult result = run_paper(only_exact(load_paper(GetParam().name)), options);
  std::size_t checked = 0;
  for (std::size_t f = 0; f < result.answers.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      for (const PaperAnswer& answer : result.answers[f][r].answers) {
        const auto found = verdict_of(figure, figure.rows[r], answer);
        ASSERT_TRUE(found) << figure.name << ": " << figure.rows[r].says;
        EXPECT_EQ(found->verdict, kConsistent) << figure.name << ": " << figure.rows[r].says;
        ++checked;
      }
    }
  }
  EXPECT_EQ(checked, GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(All, ExactPapers, testing::ValuesIn(kExactPapers), [](const auto& paper) {
  std::string name = paper.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(ExactPapersTest, AreAllThatAreShipped) {
  std::vector<std::string> names;
  for (const ExactPaper& paper : kExactPapers) names.emplace_back(paper.name);
  std::vector<std::string> pages = list_papers();
  std::erase_if(pages, [](const std::string& name) { return !load_paper(name).has_page(); });
  EXPECT_EQ(pages, names);
}

}  // namespace
}  // namespace stcsim
