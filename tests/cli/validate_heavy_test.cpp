#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

/// Every shipped row is simulated or skipped with a reason, none is lost.
TEST(ValidateShipped, EveryRowHasErrorsOrAReason) {
  const ProgramResult result = run_stcsim({"validate", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out)["results"];
  EXPECT_EQ(rows.size(), 186U);
  for (const auto& row : rows) {
    const bool has_error = !row["dense_error"].is_null() || !row["sparse_error"].is_null() ||
                           !row["speedup_error"].is_null();
    EXPECT_NE(has_error, row["skipped"] != "") << row;
  }
}

}  // namespace
}  // namespace stcsim
