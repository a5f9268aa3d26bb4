#include "reports/validation/validation_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/html_text.hpp"
#include "common/io/table.hpp"
#include "tests/unit/reports/sample_validation.hpp"

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

TEST(HtmlText, EscapesWhatHtmlReadsOtherwise) {
  EXPECT_EQ(html_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(html_text("768×512"), "768×512");
}

TEST(Table, IsHtmlWithFiguresToTheRight) {
  Table table({{"what"}, {"<n>", Align::right}});
  table.add_row({"a", "1"});
  table.add_rule();
  table.add_row({"&", "2"});
  EXPECT_EQ(table.to_html(),
            "<table>\n<thead>\n<tr><th>what</th><th class=\"r\">&lt;n&gt;</th></tr>\n</thead>\n"
            "<tbody>\n<tr><td>a</td><td class=\"r\">1</td></tr>\n"
            "<tr><td>&amp;</td><td class=\"r\">2</td></tr>\n</tbody>\n</table>\n");
}

TEST(ValidationHtml, NeedsNothingElse) {
  const std::string page = validation_html(test::sample_validation());
  EXPECT_EQ(page.find("<!doctype html>"), 0U);
  for (const char* const outside :
       {"<script", "<link", "<img", "src=", "href=", "url(", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(ValidationHtml, HasASectionForEachKind) {
  const std::string page = validation_html(test::sample_validation());
  for (const char* const title : {"GEMMs", "Instructions", "Networks"}) {
    EXPECT_THAT(page, HasSubstr("<h2>" + std::string(title) + "</h2>"));
  }
  EXPECT_EQ(count_of(page, "<svg "), 3U + 4U + 2U);
  EXPECT_THAT(page, HasSubstr("<td>Net &lt;1&gt;, bs=8</td>"));
  EXPECT_THAT(page, HasSubstr("<li>skipped 1 row, the first in line 6: no machine"));
  for (const char* const tag : {"table", "div", "figure", "details", "svg", "body", "html"}) {
    const std::string name(tag);
    EXPECT_EQ(count_of(page, "<" + name + ">") + count_of(page, "<" + name + " "),
              count_of(page, "</" + name + ">"))
        << name;
  }
}

TEST(ValidationHtml, LeavesOutKindsWithoutRows) {
  const std::string page = validation_html({{}, {test::sample_instruction()}, {}});
  EXPECT_EQ(count_of(page, "<h2>"), 1U);
  EXPECT_THAT(page, HasSubstr("<h2>Instructions</h2>"));
}

TEST(ValidationHtml, NamesTheSoftwareOfAMachine) {
  ValidationResults results = test::sample_validation();
  results.software = {{"a<b>", "best"}};
  EXPECT_THAT(validation_html(results),
              HasSubstr("<p class=\"faint\">software of a&lt;b&gt;: best</p>\n"));
}

TEST(ValidationHtml, FollowsTheReadersColours) {
  EXPECT_THAT(validation_html({}), HasSubstr("@media (prefers-color-scheme: dark)"));
}

}  // namespace
}  // namespace stcsim
