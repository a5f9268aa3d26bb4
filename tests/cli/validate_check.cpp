#include "tests/cli/validate_check.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {

nlohmann::json validated(std::vector<std::string> arguments, const std::string& configs) {
  arguments.insert(arguments.begin(), {"evidence", "rows"});
  arguments.insert(arguments.end(), {"--format", "json", "--jobs", "auto"});
  ProgramOptions options;
  options.time_limit = std::chrono::hours(1);
  if (!configs.empty()) options.environment = {{"STCSIM_CONFIG_DIR", configs}};
  const ProgramResult result = run_stcsim(arguments, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

void expect_predicted_or_skipped(const nlohmann::json& rows) {
  for (const auto& row : rows) {
    const bool has_error = !row["dense_error"].is_null() || !row["sparse_error"].is_null() ||
                           !row["speedup_error"].is_null();
    EXPECT_NE(has_error, row["skipped"] != "") << row;
    EXPECT_NE(row["command"] != "", row["skipped"] != "") << row;
  }
}

}  // namespace stcsim
