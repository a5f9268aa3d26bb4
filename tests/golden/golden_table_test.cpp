#include "tests/golden/golden_table.hpp"

#include <gtest/gtest.h>

namespace stcsim::test {
namespace {

GoldenTable table(std::vector<GoldenTable::Row> rows) {
  return {2, {"machine", "m", "kernel", "cycles"}, std::move(rows)};
}

TEST(GoldenTable, EqualTablesHaveNoDifferenceInWhateverOrder) {
  const GoldenTable::Row one{"a", "1", "x", "10"};
  const GoldenTable::Row two{"a", "2", "x", "20"};
  EXPECT_TRUE(differences(table({one, two}), table({two, one})).empty());
}

TEST(GoldenTable, NamesMetricGoldenNowAndDifference) {
  EXPECT_EQ(differences(table({{"a", "1", "x", "10"}}), table({{"a", "1", "y", "12"}})),
            (std::vector<std::string>{"a,1: kernel: golden x, now y",
                                      "a,1: cycles: golden 10, now 12, difference +2"}));
  EXPECT_EQ(differences(table({{"a", "1", "x", "10"}}), table({{"a", "1", "x", "7"}})),
            std::vector<std::string>{"a,1: cycles: golden 10, now 7, difference -3"});
}

TEST(GoldenTable, MissingAndNewCasesAreDifferences) {
  EXPECT_EQ(
      differences(table({{"a", "1", "x", "10"}}), table({{"a", "2", "x", "10"}})),
      (std::vector<std::string>{"a,2: not in the golden file", "a,1: in the golden file only"}));
}

TEST(GoldenTable, OtherColumnsAreADifference) {
  GoldenTable other = table({});
  other.header.back() = "seconds";
  EXPECT_EQ(differences(table({}), other).size(), 1U);
}

TEST(GoldenTable, ACaseIsThereOnce) {
  const GoldenTable::Row one{"a", "1", "x", "10"};
  EXPECT_THROW((void)differences(table({one, one}), table({one})), std::runtime_error);
}

}  // namespace
}  // namespace stcsim::test
