#include "reports/validation/gemm_pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> files_of(const std::vector<GemmPicture>& pictures) {
  std::vector<std::string> files;
  for (const GemmPicture& picture : pictures) files.push_back(picture.file);
  return files;
}

TEST(GemmPictures, AreOfDenseSparseAndGain) {
  EXPECT_EQ(files_of(scatter_pictures({})),
            (std::vector<std::string>{"validation_dense.svg", "validation_sparse.svg",
                                      "validation_speedup.svg"}));
  ValidationRow other = test::dense_row(10, 11);
  other.machine = "b";
  const std::vector<ValidationRow> rows{test::dense_row(10, 12), other, test::dense_row(10, 13)};
  const std::string svg = scatter_pictures(rows).front().svg;
  EXPECT_THAT(svg, HasSubstr("x (2)"));
  EXPECT_LT(svg.find("b (1)"), svg.find("x (2)"));
}

/// Of 2:4 only, without what is not scored; what was fitted lies beneath.
TEST(GemmPictures, GainsAreOfRowsThatWereNotFittedFirst) {
  ValidationRow row = test::dense_row(15, 16);
  row.gemm.problem.a_pattern = {2, 4};
  row.gemm.measured.speedup = 1.5;
  row.simulated.speedup = 1.6;
  ValidationRow fitting = row;
  fitting.gemm.use = RowUse::fitting;
  ValidationRow shown = row;
  shown.gemm.use = RowUse::shown;
  ValidationRow other = row;
  other.gemm.problem.a_pattern = {1, 4};
  const std::vector<GemmPicture> pictures = gain_pictures({fitting, row, shown, fitting, other});
  EXPECT_EQ(files_of(pictures), std::vector<std::string>{"validation_gains.svg"});
  const std::string& svg = pictures.front().svg;
  EXPECT_THAT(svg, HasSubstr(">not fitted: x (1)</text>"));
  EXPECT_THAT(svg, HasSubstr(">fitted (2)</text>"));
  EXPECT_LT(svg.find(">fitted (2)"), svg.find(">not fitted: x (1)"));
  EXPECT_TRUE(gain_pictures({shown, other}).empty());
}

/// Over time, M, N and K, where there is something to show.
TEST(GemmPictures, ErrorsAreDrawnOverSizes) {
  std::vector<ValidationRow> rows(2, test::dense_row(100, 110));
  rows[1].gemm.use = RowUse::shown;
  const std::vector<GemmPicture> pictures = error_pictures(rows);
  EXPECT_EQ(
      files_of(pictures),
      (std::vector<std::string>{"validation_error_dense_time.svg", "validation_error_dense_m.svg",
                                "validation_error_dense_n.svg", "validation_error_dense_k.svg"}));
  EXPECT_THAT(pictures[3].svg, HasSubstr(">Dense GEMMs: error over K</text>"));
  EXPECT_THAT(pictures[3].svg, HasSubstr("x (1)"));
  EXPECT_THAT(pictures[3].svg, Not(HasSubstr("x (2)")));
}

}  // namespace
}  // namespace stcsim
