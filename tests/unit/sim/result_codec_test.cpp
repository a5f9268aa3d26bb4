#include "sim/study/result_codec.hpp"

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

TEST(ResultCodec, ARunComesBackAsItWas) {
  MachineRunner runner(test::tiny_machine());
  GemmRun run = run_gemm(runner, test::make_problem(33, 17, 33, 2, DataType::fp16, {1, 4}), {});
  ASSERT_NE(run.reason, "");
  run.result.counters.push_back({"cache_refills", "refill", 7});
  run.hardware_pattern = {4, 8, 2};
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(ResultCodec, ABoundComesBackToo) {
  GemmRun run;
  run.result.sampled = {90, 110, 5, 8};
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(ResultCodec, ASearchComesBackToo) {
  GemmRun run;
  run.search = KernelSearch{40, 3, 30, 7, 0.125, 1.5};
  EXPECT_TRUE(decode(encode(run)) == run);
  run.search->left_out_estimate.reset();
  EXPECT_TRUE(decode(encode(run)) == run);
  run.search.reset();
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(ResultCodec, RefusesOtherBytes) {
  EXPECT_THROW((void)decode(""), SimulationError);
  EXPECT_THROW((void)decode("abc"), SimulationError);
  const std::string bytes = encode(GemmRun());
  EXPECT_THROW((void)decode(bytes.substr(0, bytes.size() / 2)), SimulationError);
}

}  // namespace
}  // namespace stcsim
