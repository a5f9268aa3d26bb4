#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/study_check.hpp"

namespace stcsim {
namespace {

class ShippedExperimentSoak : public testing::TestWithParam<std::string> {};

/// As it is shipped, with all of its batches.
TEST_P(ShippedExperimentSoak, NoRowIsFasterThanWhatItMovesAllows) {
  ProgramOptions options;
  options.time_limit = std::chrono::hours(24);
  const ProgramResult result = run_stcsim({"run", GetParam(), "--format", "json"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_complete(nlohmann::json::parse(result.out));
}
INSTANTIATE_TEST_SUITE_P(All, ShippedExperimentSoak, testing::ValuesIn(shipped("experiments")),
                         [](const auto& shipped_name) { return shipped_name.param; });

}  // namespace
}  // namespace stcsim
