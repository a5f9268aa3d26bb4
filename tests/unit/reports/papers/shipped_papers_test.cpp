// The papers that are shipped: nothing published is missing without saying so.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "reports/papers/paper.hpp"
#include "reports/validation/gemm_rows.hpp"

namespace stcsim {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(ShippedPapersTest, AreFiveAndClaimsOfOthers) {
  EXPECT_THAT(list_papers(), ElementsAre("mvue", "nm_hardware", "nvidia", "s-ste", "sdgp",
                                         "sparseloop", "transposable"));
  for (const char* const claims : {"nm_hardware", "sparseloop"}) {
    EXPECT_FALSE(load_paper(claims).has_page()) << claims;
  }
}

/// Nothing published is missing without these words, and every figure has some of ours.
TEST(ShippedPapersTest, SayWhatWasNotObtained) {
  for (const std::string& name : list_papers()) {
    for (const PaperFigure& figure : load_paper(name).figures) {
      const std::string where = name + "/" + figure.name;
      for (const std::string& line : figure.not_obtained) {
        EXPECT_THAT(line, StartsWith("not obtained: ")) << where;
      }
      EXPECT_TRUE(std::any_of(figure.rows.begin(), figure.rows.end(), [](const PaperRow& row) {
        return row.not_compared.empty();
      })) << where;
      for (const PaperRow& row : figure.rows) {
        EXPECT_TRUE(row.not_obtained.empty() || row.not_obtained.starts_with("not obtained: "))
            << where << ": " << row.says;
        EXPECT_FALSE(row.published && row.obtained.empty()) << where << ": " << row.says;
      }
    }
  }
}

/// Whether configs/validation/gemm.csv says that the machines were fitted to this gain.
bool is_fitted_gain(const GemmProblem& problem, const PublishedFigure& published) {
  static const std::vector<MeasuredGemm> measured =
      read_measured_gemms(config_directory() / "validation/gemm.csv");
  return std::ranges::any_of(measured, [&](const MeasuredGemm& row) {
    return row.use == RowUse::fitting && row.measured.speedup == published.least &&
           row.problem.m == problem.m && row.problem.n == problem.n && row.problem.k == problem.k &&
           row.problem.a_pattern == problem.a_pattern;
  });
}

/// What machines were fitted to stands nowhere as agreement.
TEST(ShippedPapersTest, SayWhichGainsOfGemmsWereFitted) {
  std::size_t fitted = 0;
  for (const std::string& name : list_papers()) {
    for (const PaperFigure& figure : load_paper(name).figures) {
      for (const PaperRow& row : figure.rows) {
        const auto* const gemm = std::get_if<GemmRow>(&row.experiment);
        if (gemm == nullptr || !row.published) continue;
        EXPECT_EQ(!row.fitted.empty(), is_fitted_gain(gemm->problem, *row.published))
            << name << "/" << figure.name << ": " << row.says;
        if (!row.fitted.empty()) ++fitted;
      }
    }
  }
  EXPECT_EQ(fitted, 5U) << "four of the slides of 2020, one of VENOM";
}

}  // namespace
}  // namespace stcsim
