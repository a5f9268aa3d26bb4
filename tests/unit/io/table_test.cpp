#include "common/io/table.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(Table, AlignsColumnsAndTrimsLines) {
  Table table({{"layer"}, {"cycles", Align::right}, {"reason"}});
  table.add_row({"fc1", "1,234,567", ""});
  table.add_row({"attention", "9", "why not"});
  EXPECT_EQ(table.to_string(),
            "layer         cycles  reason\n"
            "---------  ---------  -------\n"
            "fc1        1,234,567\n"
            "attention          9  why not\n");
}

TEST(Table, CountsCodePointsNotBytes) {
  Table table({{"Δ%", Align::right}, {"m×n"}, {"end"}});
  table.add_row({"+1.5", "8×8", "x"});
  EXPECT_EQ(table.to_string(),
            "  Δ%  m×n  end\n"
            "----  ---  ---\n"
            "+1.5  8×8  x\n");
}

TEST(Table, RuleSpansAllColumns) {
  Table table({{"a"}, {"b"}});
  table.add_row({"1", "2"});
  table.add_rule();
  table.add_row({"3", "4"});
  EXPECT_EQ(table.to_string(), "a  b\n-  -\n1  2\n-  -\n3  4\n");
}

TEST(Table, InMarkdownEscapesBarsAndHasNoRules) {
  Table table({{"what"}, {"|error|", Align::right}});
  table.add_row({"a", "1"});
  table.add_rule();
  table.add_row({"b", ""});
  EXPECT_EQ(table.to_markdown(),
            "| what | \\|error\\| |\n"
            "|---|---:|\n"
            "| a | 1 |\n"
            "| b |  |\n");
}

TEST(Table, WithoutRowsShowsItsHeader) {
  EXPECT_EQ(Table({{"a"}}).to_string(), "a\n-\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), std::invalid_argument);
  EXPECT_THROW(table.add_row({"1", "2", "3"}), std::invalid_argument);
}

TEST(Table, DisplayWidth) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("768×512"), 7U);
  EXPECT_EQ(display_width("Δ%"), 2U);
}

}  // namespace
}  // namespace stcsim
