#include "common/io/text_fit.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(TextFit, DisplayWidthCountsCodePoints) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("768×512"), 7U);
  EXPECT_EQ(display_width("Δ%"), 2U);
}

TEST(TextFit, CutsInTheMiddle) {
  EXPECT_EQ(cut_middle("abcdefg", 7), "abcdefg");
  EXPECT_EQ(cut_middle("abcdefg", 6), "abc…fg");
  EXPECT_EQ(cut_middle("abcdefg", 5), "ab…fg");
  EXPECT_EQ(cut_middle("abcdefg", 3), "a…g");
  EXPECT_EQ(cut_middle("××××××", 4), "××…×");
  EXPECT_EQ(cut_middle("", 3), "");
}

TEST(TextFit, WrapsBetweenWords) {
  EXPECT_EQ(wrap_words("", 5), std::vector<std::string>{""});
  EXPECT_EQ(wrap_words("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap_words("one two three", 6), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(wrap_words("a longer word", 0), (std::vector<std::string>{"a", "longer", "word"}));
  EXPECT_EQ(wrap_words("×× ××", 5), std::vector<std::string>{"×× ××"});
}

TEST(TextFit, WrapsLinesAndIndentsWhatFollows) {
  EXPECT_EQ(wrap_lines("", 5), "");
  EXPECT_EQ(wrap_lines("\nshort\n\n", 5), "\nshort\n\n");
  EXPECT_EQ(wrap_lines("no end", 9), "no end\n");
  EXPECT_EQ(wrap_lines("one two three four\nend\n", 10), "one two\n  three\n  four\nend\n");
  EXPECT_EQ(wrap_lines("  one two\n", 8), "  one\n    two\n");
  EXPECT_EQ(wrap_lines("one two\n", kAnyWidth), "one two\n");
}

TEST(HtmlText, EscapesWhatHtmlReadsOtherwise) {
  EXPECT_EQ(html_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(html_text("768×512"), "768×512");
}

}  // namespace
}  // namespace stcsim
