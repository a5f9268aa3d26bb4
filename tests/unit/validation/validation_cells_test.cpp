#include <gtest/gtest.h>

#include "reports/validation/cells.hpp"

namespace stcsim {
namespace {

TEST(ValidationCells, ShowErrorsTimesAndValues) {
  EXPECT_EQ(error_cell(0.0174), "+1.7 %");
  EXPECT_EQ(error_cell(-0.5), "-50.0 %");
  EXPECT_EQ(error_cell(std::nullopt), "-");
  EXPECT_EQ(time_cell(1234.5), "1.23 ms");
  EXPECT_EQ(time_cell(std::nullopt), "-");
  EXPECT_EQ(value_cell(24.7), "24.7");
  EXPECT_EQ(value_cell(std::nullopt), "-");
}

TEST(ValidationCells, ShowRanges) {
  EXPECT_EQ(speedup_cell({1.5, 1.5}), "1.50x");
  EXPECT_EQ(speedup_cell({1.3, 1.5}), "1.30-1.50x");
  EXPECT_EQ(speedup_cell({std::nullopt, 1.3}), "up to 1.30x");
  EXPECT_EQ(speedup_cell({1.3, std::nullopt}), "from 1.30x");
  EXPECT_EQ(speedup_cell({}), "-");
}

TEST(ValidationCells, ASentenceForEachReason) {
  EXPECT_EQ(skipped_sentences({{"b", "4"}, {"", "5"}, {"a", "6"}, {"b", "7"}}),
            (std::vector<std::string>{"skipped 1 row, the first in line 6: a",
                                      "skipped 2 rows, the first in line 4: b"}));
}

}  // namespace
}  // namespace stcsim
