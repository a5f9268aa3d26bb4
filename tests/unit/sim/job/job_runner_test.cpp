#include "sim/job/job_runner.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// Jobs on the tiny machine.
class JobRunnerTest : public testing::Test {
 protected:
  [[nodiscard]] Job job(const Work& work) { return {&machines_.of(machine_), work}; }
  [[nodiscard]] static Work gemm(std::int64_t m) { return GemmWork{test::make_problem(m, 64, 32)}; }
  [[nodiscard]] KernelLaunch stream() const {
    return stream_launch(machine_, StreamWork{4096, 2048, 512});
  }

  MachineConfig machine_ = test::tiny_machine();
  JobMachines machines_;
};

TEST_F(JobRunnerTest, AnswersStandInTheOrderOfTheJobs) {
  const std::vector<Job> jobs{job(gemm(16)), job(StreamWork{4096, 2048, 512}), job(gemm(256)),
                              job(gemm(16))};
  const Answers answers = answers_to(jobs, {.workers = 1});
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_LT(answers[0]->result.cycles, answers[2]->result.cycles);
  EXPECT_EQ(answers[1]->result.kernel.name, "stream");
  EXPECT_EQ(answers[0], answers[3]) << "one object, of one run";
  const Answers side_by_side = answers_to(jobs, {.workers = 3});
  for (std::size_t at = 0; at < jobs.size(); ++at) EXPECT_EQ(*answers[at], *side_by_side[at]) << at;
}

TEST_F(JobRunnerTest, ProgressCountsJobsThatAreAskedForTwice) {
  std::vector<std::size_t> told;
  (void)answers_to({job(gemm(16)), job(gemm(16)), job(gemm(32)), job(gemm(32))}, {},
                   [&](std::size_t done) { told.push_back(done); });
  EXPECT_EQ(told, (std::vector<std::size_t>{2, 4}));
}

TEST_F(JobRunnerTest, LaunchesInASequenceAddUp) {
  const Answers answers = answers_to(
      {job(LaunchSequence{{stream()}}), job(LaunchSequence{{stream(), stream(), stream()}}),
       job(StreamWork{4096, 2048, 512})},
      {});
  EXPECT_EQ(answers[1]->result.cycles, 3 * answers[0]->result.cycles);
  EXPECT_EQ(answers[0]->result.cycles, answers[2]->result.cycles);
  EXPECT_EQ(answers[0]->result.clock_mhz, machine_.clock_mhz);
}

TEST_F(JobRunnerTest, NamesTheJobThatFails) {
  Job named = job(gemm(16));
  named.policy.kernel = "none";
  EXPECT_THAT(
      test::message_of<SimulationError>([&] { (void)answers_to({named}, {}); }),
      testing::StartsWith("GEMM 16x64x32 x1 fp16 dense on tiny: error: tiny has no kernel 'none'"));
}

}  // namespace
}  // namespace stcsim
