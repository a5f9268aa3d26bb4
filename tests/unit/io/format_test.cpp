#include "common/io/format.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(Format, CountsAreGroupedByThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::max()), "9,223,372,036,854,775,807");
}

TEST(Format, ThreeSignificantDigitsWithoutExponent) {
  EXPECT_EQ(format_significant(0.0), "0.00");
  EXPECT_EQ(format_significant(1.5e-9), "0.00000000150");
  EXPECT_EQ(format_significant(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(format_significant(1.7349), "1.73");
  EXPECT_EQ(format_significant(0.012345), "0.0123");
  EXPECT_EQ(format_significant(9.996), "10.0");
}

TEST(Format, Speedups) {
  EXPECT_EQ(format_speedup(1.0), "1.00x");
  EXPECT_EQ(format_speedup(12.34), "12.3x");
}

TEST(Format, TimesChooseTheirUnitAfterRounding) {
  EXPECT_EQ(format_time_us(0.25), "0.250 us");
  EXPECT_EQ(format_time_us(999.4), "999 us");
  EXPECT_EQ(format_time_us(999.6), "1.00 ms");
  EXPECT_EQ(format_time_us(999600.0), "1.00 s");
  EXPECT_EQ(format_time_us(5e9), "5000 s");
}

TEST(Format, PercentAndBytes) {
  EXPECT_EQ(format_percent(0.9734), "97.3 %");
  EXPECT_EQ(format_percent(1.0), "100.0 %");
  EXPECT_EQ(format_amount(0), "0");
  EXPECT_EQ(format_amount(999999), "1.00 M");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(9999999), "10.0 MB");
}

TEST(Format, ShapesShowABatchOnlyIfThereIsOne) {
  EXPECT_EQ(format_shape(768, 512, 3072, 1), "768×512×3072");
  EXPECT_EQ(format_shape(128, 128, 64, 96), "128×128×64×96");
}

TEST(TextFit, DisplayWidthCountsCodePoints) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("768×512"), 7U);
}

TEST(TextFit, CutsInTheMiddle) {
  EXPECT_EQ(cut_middle("abcdefg", 7), "abcdefg");
  EXPECT_EQ(cut_middle("abcdefg", 6), "abc…fg");
  EXPECT_EQ(cut_middle("abcdefg", 3), "a…g");
  EXPECT_EQ(cut_middle("××××××", 4), "××…×");
  EXPECT_EQ(cut_middle("", 3), "");
}

TEST(TextFit, WrapsBetweenWords) {
  EXPECT_EQ(wrap_words("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap_words("one two three", 6), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(wrap_words("a longer word", 0), (std::vector<std::string>{"a", "longer", "word"}));
}

TEST(TextFit, WrapsLinesAndIndentsWhatFollows) {
  EXPECT_EQ(wrap_lines("", 5), "");
  EXPECT_EQ(wrap_lines("\nshort\n\n", 5), "\nshort\n\n");
  EXPECT_EQ(wrap_lines("one two three four\nend\n", 10), "one two\n  three\n  four\nend\n");
  EXPECT_EQ(wrap_lines("one two\n", kAnyWidth), "one two\n");
}

TEST(HtmlText, EscapesWhatHtmlReadsOtherwise) {
  EXPECT_EQ(html_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
}

TEST(NextCommand, WordsAreQuotedWhereAShellWouldReadMoreIntoThem) {
  EXPECT_EQ(shell_word("/a/b-1.yaml"), "/a/b-1.yaml");
  EXPECT_EQ(shell_word("key=[1, 2]"), "'key=[1, 2]'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace stcsim
