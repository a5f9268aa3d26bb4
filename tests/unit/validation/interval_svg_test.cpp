#include "reports/validation/interval_svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stcsim {
namespace {

using testing::HasSubstr;

/// The axis goes from 0.8 to 1.6 over the pixels 470 to 890: 1.0 is at 575, 1.2 at 680, 1.4 at 785.
TEST(IntervalSvg, RangesAreBarsAndValuesArePoints) {
  const std::string svg =
      interval_svg({"t", "x", {{"a", {1.2, 1.4}, {1.0, 1.0}}, {"b", {1.6, 1.6}, {1.0, 1.6}}}});
  EXPECT_THAT(svg, HasSubstr("<rect class=\"bar\" x=\"680.0\" y=\"66.0\" width=\"105.0\""));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"575.0\" cy=\"80.0\" r=\"4\" fill=\"#d55e00\"/>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"890.0\" cy=\"96.0\" r=\"4\" fill=\"#0072b2\"/>"));
}

TEST(IntervalSvg, AnOpenEndGoesToTheEdge) {
  const std::string svg =
      interval_svg({"t", "x", {{"a", {std::nullopt, 1.0}, {1.0, std::nullopt}}}});
  EXPECT_THAT(svg, HasSubstr("<rect class=\"bar\" x=\"470.0\" y=\"66.0\" width=\"210.0\""));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"bar\" x=\"680.0\" y=\"76.0\" width=\"210.0\""));
}

TEST(IntervalSvg, EscapesItsTexts) {
  const std::string svg = interval_svg({"<t>", "x & y", {{"a<b", {1.0, 1.0}, {1.0, 1.0}}}});
  EXPECT_THAT(svg, HasSubstr(">&lt;t&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">x &amp; y</text>"));
  EXPECT_THAT(svg, HasSubstr(">a&lt;b</text>"));
}

TEST(IntervalSvg, ShowsItsAxisWithoutPairs) {
  EXPECT_THAT(interval_svg({"t", "x", {}}), HasSubstr("text-anchor=\"middle\">1.0</text>"));
}

}  // namespace
}  // namespace stcsim
