// What a worker takes of the computer's memory with frameworks and networks that
// memory_heavy_test.cpp leaves out, and shipped experiments in full.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/study_check.hpp"
#include "tests/cli/worker_memory.hpp"

namespace stcsim {
namespace {

TEST(WorkerMemory, WithNvidiasContainersTakesUnder200MiB) {
  expect_small_worker("nvidia_tuned");
}

TEST(WorkerMemory, WithFusedKernelsTakesUnder200MiB) {
  expect_small_worker("ideal");
}

TEST(ShippedNetworksSoak, EveryShippedNetworkTakesUnder300MiB) {
  expect_small_workers_of(shipped("networks"));
}

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
