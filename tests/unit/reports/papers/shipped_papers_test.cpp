// The papers that are shipped: nothing published is missing without saying so.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/papers/paper_file.hpp"

namespace stcsim {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(ShippedPapersTest, AreFive) {
  EXPECT_THAT(list_papers(), ElementsAre("mvue", "nvidia", "s-ste", "sdgp", "transposable"));
}

/// Nothing published is missing without these words, and every figure has some of ours.
TEST(ShippedPapersTest, SayWhatWasNotObtained) {
  for (const std::string& name : list_papers()) {
    for (const PaperFigure& figure : load_paper(name).figures) {
      const std::string where = name + "/" + figure.name;
      for (const std::string& line : figure.not_obtained) {
        EXPECT_THAT(line, StartsWith("not obtained: ")) << where;
      }
      EXPECT_TRUE(std::any_of(figure.rows.begin(), figure.rows.end(), [](const PaperRow& row) {
        return row.not_compared.empty();
      })) << where;
      for (const PaperRow& row : figure.rows) {
        EXPECT_TRUE(row.not_obtained.empty() || row.not_obtained.starts_with("not obtained: "))
            << where << ": " << row.says;
        EXPECT_FALSE(row.published && row.obtained.empty()) << where << ": " << row.says;
      }
    }
  }
}

}  // namespace
}  // namespace stcsim
