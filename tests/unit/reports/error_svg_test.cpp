#include "reports/error_svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The plot goes from 80 to 640 and from 40 to 360. From 1 / 1.15 to 100 * 1.15: 10 is in the
/// middle. Twice is the largest error: at the upper edge.
TEST(ErrorSvg, AxesAreLogarithmic) {
  const std::string svg =
      error_svg({"t", "x", "e", {{"s", {{1.0, 1.0}, {10.0, 2.0}, {100.0, 1.0}}}}}, 0.1);
  EXPECT_THAT(svg, HasSubstr("d=\"M96.0 200.0h0M360.0 40.0h0M624.0 200.0h0M"));
  EXPECT_THAT(svg, HasSubstr("y=\"44.0\" text-anchor=\"end\">+100 %</text>"));
  EXPECT_THAT(svg, HasSubstr("y=\"364.0\" text-anchor=\"end\">-50 %</text>"));
  EXPECT_THAT(svg, HasSubstr("y=\"204.0\" text-anchor=\"end\">+0 %</text>"));
}

/// At least 1.5, so that small errors look small, at most 4: beyond is drawn at the edge.
TEST(ErrorSvg, TheAxisOfErrorsHasLimits) {
  const std::string small = error_svg({"t", "x", "e", {{"s", {{1.0, 1.01}}}}}, 0.1);
  EXPECT_THAT(small, HasSubstr("y=\"44.0\" text-anchor=\"end\">+50 %</text>"));
  const std::string large = error_svg({"t", "x", "e", {{"s", {{1.0, 9.0}, {1.0, 0.01}}}}}, 0.1);
  EXPECT_THAT(large, HasSubstr("y=\"44.0\" text-anchor=\"end\">+300 %</text>"));
  EXPECT_THAT(large, HasSubstr("d=\"M360.0 40.0h0M360.0 360.0h0M"));
}

/// Two series 4 pixels apart: 2 to the left and 2 to the right.
TEST(ErrorSvg, SeriesCanStandSideBySide) {
  const ScatterPlot plot{"t", "x", "e", {{"a<b", {{7.0, 1.0}}}, {"c", {{7.0, 1.0}}}}};
  const std::string svg = error_svg(plot, 0.1, 4);
  EXPECT_THAT(svg, HasSubstr("d=\"M358.0 200.0h0M"));
  EXPECT_THAT(svg, HasSubstr("d=\"M362.0 200.0h0M"));
  EXPECT_THAT(svg, HasSubstr(">a&lt;b (1)</text>"));
}

TEST(ErrorSvg, WithoutPointsIsStillAPicture) {
  const std::string svg = error_svg({"t", "x", "e", {}}, 0.1);
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace stcsim
