#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

/// Every shipped row is simulated or skipped with a reason, none is lost.
TEST(ValidateShipped, EveryRowHasErrorsOrAReason) {
  const ProgramResult result = run_stcsim({"validate", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  const auto& rows = document["results"];
  EXPECT_EQ(rows.size(), 186U);
  for (const auto& row : rows) {
    const bool has_error = !row["dense_error"].is_null() || !row["sparse_error"].is_null() ||
                           !row["speedup_error"].is_null();
    EXPECT_NE(has_error, row["skipped"] != "") << row;
  }
  EXPECT_EQ(document["instructions"].size(), 75U);
  for (const auto& row : document["instructions"]) {
    const bool has_error = !row["latency_error"].is_null() || !row["throughput_error"].is_null();
    EXPECT_NE(has_error, row["skipped"] != "") << row;
  }
  EXPECT_EQ(document["networks"].size(), 42U);
  for (const auto& row : document["networks"]) {
    const bool has_error = !row["sparse_error"].is_null() || !row["speedup_error"].is_null();
    EXPECT_NE(has_error, row["skipped"] != "") << row;
  }
}

}  // namespace
}  // namespace stcsim
