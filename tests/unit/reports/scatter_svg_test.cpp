#include "reports/scatter_svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// The square goes from 70 to 630 and from 40 to 600; one point lies in its middle.
TEST(ScatterSvg, OnePointLiesInTheMiddle) {
  const std::string svg = scatter_svg({"t", "x", "y", {{"s", {{7.0, 7.0}}}}}, 0.1);
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"350.0\" cy=\"320.0\" r=\"4\"/>"));
}

/// From 1 / 1.15 to 100 * 1.15: 1, 10 and 100 are log(1.15) / log(132.25) = 2.86 % of the 560
/// pixels away from the edges, and in the middle.
TEST(ScatterSvg, AxesAreLogarithmicAndEqual) {
  const std::string svg =
      scatter_svg({"t", "x", "y", {{"s", {{1.0, 100.0}, {10.0, 10.0}, {100.0, 1.0}}}}}, 0.1);
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"86.0\" cy=\"56.0\" r=\"4\"/>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"350.0\" cy=\"320.0\" r=\"4\"/>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"614.0\" cy=\"584.0\" r=\"4\"/>"));
}

TEST(ScatterSvg, TicksAreOneTwoAndFiveButMoreInAShortRangeAndFewerInALongOne) {
  const std::string wide = scatter_svg({"t", "x", "y", {{"s", {{1.0, 100.0}}}}}, 0.1);
  EXPECT_EQ(count_of(wide, "class=\"grid\""), 7U);  // 1 2 5 10 20 50 100
  const std::string narrow = scatter_svg({"t", "x", "y", {{"s", {{1.0, 2.0}}}}}, 0.1);
  EXPECT_EQ(count_of(narrow, "class=\"grid\""), 6U);  // 1 1.2 1.4 1.6 1.8 2
  EXPECT_THAT(narrow, HasSubstr(">1.4</text>"));
  const std::string long_one = scatter_svg({"t", "x", "y", {{"s", {{1.0, 10000.0}}}}}, 0.1);
  EXPECT_EQ(count_of(long_one, "class=\"grid\""), 9U);  // 1 3 10 30 ... 10000
  EXPECT_THAT(long_one, HasSubstr(">3000</text>"));
}

TEST(ScatterSvg, NamesSeriesWithTheNumberOfTheirPoints) {
  const std::string svg =
      scatter_svg({"a < b & c", "x", "y", {{"one", {{1.0, 1.0}, {2.0, 2.0}}}, {"two", {}}}}, 0.1);
  EXPECT_THAT(svg, HasSubstr(">one (2)</text>"));
  EXPECT_THAT(svg, HasSubstr(">two (0)</text>"));
  EXPECT_THAT(svg, HasSubstr(">a &lt; b &amp; c</text>"));
}

TEST(ScatterSvg, WithoutPointsIsStillAPicture) {
  const std::string svg = scatter_svg({"t", "x", "y", {}}, 0.1);
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace stcsim
