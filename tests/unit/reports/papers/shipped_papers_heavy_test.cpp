// Every counted figure of the shipped papers, under the paper's own assumptions.
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "reports/evidence/paper_verdict.hpp"
#include "reports/papers/paper_file.hpp"
#include "reports/papers/paper_result.hpp"
#include "reports/papers/paper_run.hpp"
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
  return paper;
}

TEST(ExactPapersTest, MeetWhatIsCountedToAThousandth) {
  std::size_t checked = 0;
  for (const std::string& name : list_papers()) {
    const PaperOptions options{
        [](const Experiment& experiment) { return run_study(experiment, {}); }, {}};
    const PaperResult result = run_paper(only_exact(load_paper(name)), options);
    for (std::size_t f = 0; f < result.answers.size(); ++f) {
      const PaperFigure& figure = result.paper.figures[f];
      for (std::size_t r = 0; r < figure.rows.size(); ++r) {
        for (const PaperAnswer& answer : result.answers[f][r].answers) {
          const auto found = verdict_of(figure, figure.rows[r], answer);
          ASSERT_TRUE(found) << name << "/" << figure.name << ": " << figure.rows[r].says;
          EXPECT_EQ(found->verdict, kConsistent)
              << name << "/" << figure.name << ": " << figure.rows[r].says;
          ++checked;
        }
      }
    }
  }
  EXPECT_GE(checked, 40U);
}

}  // namespace
}  // namespace stcsim
