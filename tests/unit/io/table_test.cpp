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

TEST(Table, WhatATerminalWouldActOnIsNotPrinted) {
  Table table({{"layer"}, {"end"}});
  table.add_row({"a\x1b[2J\r\nb\u009B\u202E", "\xFFx"});
  EXPECT_EQ(table.to_string(),
            "layer       end\n"
            "----------  ---\n"
            "a [2J  b    \uFFFDx\n");
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

Table sample_table() {
  Table table(
      {{"name"}, {"step time", Align::right}, {"tile", Align::left, 2}, {"why", Align::left, 1}});
  table.add_row({"transposable-magnitude", "93 ms", "128x256", "no"});
  table.add_rule();
  table.add_row({"asp", "1 ms", "8x8", ""});
  return table;
}

TEST(Table, FitsWhatIsWideEnough) {
  EXPECT_EQ(sample_table().to_string(47), sample_table().to_string());
  EXPECT_EQ(sample_table().to_string(kAnyWidth), sample_table().to_string());
}

TEST(Table, BreaksHeadersFirst) {
  EXPECT_EQ(sample_table().to_string(45),
            "                         step\n"
            "name                     time  tile     why\n"
            "----------------------  -----  -------  ---\n"
            "transposable-magnitude  93 ms  128x256  no\n"
            "----------------------  -----  -------  ---\n"
            "asp                      1 ms  8x8\n");
}

TEST(Table, ThenCutsLongCellsInTheMiddle) {
  EXPECT_EQ(sample_table().to_string(40),
            "                      step\n"
            "name                  time  tile     why\n"
            "-------------------  -----  -------  ---\n"
            "transposa…magnitude  93 ms  128x256  no\n"
            "-------------------  -----  -------  ---\n"
            "asp                   1 ms  8x8\n");
}

TEST(Table, ThenLeavesOutWhatIsDispensable) {
  EXPECT_EQ(sample_table().to_string(30),
            "                     step\n"
            "name                 time  why\n"
            "------------------  -----  ---\n"
            "transposa…agnitude  93 ms  no\n"
            "------------------  -----  ---\n"
            "asp                  1 ms\n"
            "(too wide for: tile)\n");
}

TEST(Table, WrapsInsteadOfCutting) {
  Table table({{"unit"}, {"where its cycles went", Align::left, 0, true}});
  table.add_row({"dram", "busy 40.0 %, idle 60.0 %"});
  table.add_rule();
  EXPECT_EQ(table.to_string(kAnyWidth),
            "unit  where its cycles went\n----  ------------------------\n"
            "dram  busy 40.0 %, idle 60.0 %\n----  ------------------------\n");
  EXPECT_EQ(table.to_string(24),
            "      where its cycles\nunit  went\n----  ------------------\n"
            "dram  busy 40.0 %, idle\n      60.0 %\n----  ------------------\n");
}

/// What may be neither cut nor left out is printed as it is.
TEST(Table, KeepsTheRestWhateverItsWidth) {
  EXPECT_EQ(sample_table().to_string(5),
            "                   step\n"
            "name               time\n"
            "----------------  -----\n"
            "transpos…gnitude  93 ms\n"
            "----------------  -----\n"
            "asp                1 ms\n"
            "(too\n"
            "  wide\n"
            "  for:\n"
            "  tile,\n"
            "  why)\n");
}

}  // namespace
}  // namespace stcsim
