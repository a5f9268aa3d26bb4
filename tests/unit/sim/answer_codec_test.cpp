#include "sim/job/answer_codec.hpp"

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

TEST(AnswerCodec, ARunComesBackAsItWas) {
  MachineRunner runner(test::tiny_machine());
  GemmRun run = run_gemm(runner, test::make_problem(33, 17, 33, 2, DataType::fp16, {1, 4}), {});
  ASSERT_NE(run.reason, "");
  run.result.counters.push_back({"cache_refills", "refill", 7});
  run.hardware_pattern = {4, 8, 2};
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, ABoundComesBackToo) {
  GemmRun run;
  run.result.sampled = {90, 110, 5, 8};
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, ASearchComesBackToo) {
  GemmRun run;
  run.search = KernelSearch{40, 3, 30, 7, 0.125, 1.5};
  EXPECT_TRUE(decode(encode(run)) == run);
  run.search->left_out_estimate.reset();
  EXPECT_TRUE(decode(encode(run)) == run);
  run.search.reset();
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, TheKernelsPlaceComesBackToo) {
  GemmRun run;
  run.rank = 3;
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, RefusesOtherBytes) {
  EXPECT_THROW((void)decode(""), SimulationError);
  EXPECT_THROW((void)decode("abc"), SimulationError);
  const std::string bytes = encode(GemmRun());
  EXPECT_THROW((void)decode(bytes.substr(0, bytes.size() / 2)), SimulationError);
  EXPECT_TRUE(is_answer(bytes));
  EXPECT_FALSE(is_answer(bytes.substr(0, bytes.size() / 2)));
}

}  // namespace
}  // namespace stcsim
