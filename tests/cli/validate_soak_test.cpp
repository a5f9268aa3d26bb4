#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/validate_check.hpp"

namespace stcsim {
namespace {

/// All tables that come with the program, whole.
TEST(ValidateShippedSoak, EveryRowIsPredictedOrSkippedWithAReason) {
  const auto document = validated({});
  EXPECT_EQ(document["results"].size(), 278U + 2112U);
  expect_predicted_or_skipped(document["results"]);
  EXPECT_EQ(document["instructions"].size(), 75U);
  EXPECT_EQ(document["networks"].size(), 58U);
}

}  // namespace
}  // namespace stcsim
