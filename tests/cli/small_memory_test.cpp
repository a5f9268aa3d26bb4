#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

/// An A100 of so many SMs whose file changes the capacity of shared memory alone.
class SmallMemory {
 public:
  SmallMemory(std::int64_t kilobytes, std::int64_t sms) {
    write_text(file(),
               "extends: a100\nname: small\naccelerator:\n  num_sms: " + std::to_string(sms) +
                   "\n  sm: {shared_memory: {capacity_bytes: " + std::to_string(kilobytes * 1024) +
                   "}}\n");
  }

  [[nodiscard]] std::string file() const { return (directory_.path() / "small.yaml").string(); }

  /// What a command says of the machine.
  [[nodiscard]] ProgramResult run(const std::string& command,
                                  const std::vector<std::string>& options) const {
    std::vector<std::string> words{command, "--arch", file()};
    words.insert(words.end(), options.begin(), options.end());
    ProgramOptions how;
    how.time_limit = std::chrono::seconds(280);
    return run_stcsim(words, how);
  }

 private:
  TemporaryDirectory directory_;
};

/// It was answered, and the notes are one for each cause.
void expect_answer(const ProgramResult& result) {
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(result.timed_out);
  EXPECT_THAT(result.err, testing::HasSubstr("note: small: its default stack is 'best'"));
  EXPECT_THAT(result.err, testing::Not(testing::HasSubstr("error")));
  EXPECT_THAT(result.err, testing::Not(testing::HasSubstr("failed")));
}

const std::vector<std::string> kGemm{"512", "512", "1024", "--sparsity", "2:4"};
constexpr const char* kStandIn = "small tiles stand in (configs/kernels/small.yaml)";

/// Without any kernel of the A100's that fits.
TEST(SmallMemory, SmallTilesAnswerGemmsAndSayTheirName) {
  const SmallMemory machine(32, 4);
  for (const char* const command : {"gemm", "explain"}) {
    const ProgramResult result = machine.run(command, kGemm);
    expect_answer(result);
    EXPECT_THAT(result.err, HasSubstr("none of its kernels fits fp16 dense, 2:4: "));
    EXPECT_THAT(result.err, HasSubstr(kStandIn));
    EXPECT_THAT(result.out, HasSubstr("small_dense_"));
    EXPECT_THAT(result.out, HasSubstr("small_sparse_"));
  }
}

/// Dense tiles stand in, and small sparse ones beside the machine's own, which fit.
TEST(SmallMemory, BothSidesAreOfTilesOfAKind) {
  const ProgramResult result = SmallMemory(64, 4).run("gemm", kGemm);
  expect_answer(result);
  EXPECT_THAT(result.err, HasSubstr("none of its kernels fits fp16 dense: "));
  EXPECT_THAT(result.out, HasSubstr("dense kernel: small_dense_"));
  EXPECT_THAT(result.out, HasSubstr("2:4 takes "));
}

TEST(SmallMemory, KernelsOfItsOwnAreTakenWhereTheyFit) {
  const ProgramResult result = SmallMemory(96, 4).run("gemm", kGemm);
  expect_answer(result);
  EXPECT_THAT(result.err, testing::Not(HasSubstr(kStandIn)));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("small_")));
}

TEST(SmallMemory, SmallTilesCanBeNamedAndAreListed) {
  const SmallMemory machine(32, 4);
  const ProgramResult result =
      machine.run("gemm", {"128", "128", "128", "--kernel", "small_dense_32x32x32_s4"});
  expect_answer(result);
  EXPECT_THAT(result.out, HasSubstr("small_dense_32x32x32_s4"));
  const ProgramResult listed = machine.run("list", {"kernels"});
  EXPECT_THAT(listed.out, HasSubstr("stands in for fp16 dense"));
  EXPECT_THAT(run_stcsim({"list", "kernels", "--arch", "a100"}).out,
              testing::Not(HasSubstr("small_")));
}

TEST(SmallMemory, AStepRunsOnIt) {
  const SmallMemory machine(48, 4);
  const ProgramResult result =
      machine.run("run", {"--network", "resnet9_cifar10", "--batch", "4", "--schemes", "asp"});
  expect_answer(result);
  EXPECT_THAT(result.err, HasSubstr(kStandIn));
}

/// One message for one cause, of the machine that the user names.
TEST(SmallMemory, WhatNothingFitsIsSaidOnce) {
  const SmallMemory machine(4, 4);
  const ProgramResult result =
      machine.run("run", {"--network", "resnet9_cifar10", "--batch", "4", "--schemes", "dense"});
  EXPECT_EQ(result.exit_code, 3);
  const auto lines = [&](const std::string& words) {
    std::size_t count = 0;
    for (std::size_t at = result.err.find(words); at != std::string::npos; ++count) {
      at = result.err.find(words, at + 1);
    }
    return count;
  };
  EXPECT_EQ(lines("none of the kernels of small can run fp16 dense"), 1U) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("'small_dense_32x32x32_s4': needs 16384 bytes of shared memory, "
                        "a CTA may have 3072"));
  EXPECT_THAT(result.err, testing::ContainsRegex("and [0-9]+ more on small"));
}

class SmallMemoryOf : public testing::TestWithParam<std::tuple<int, int>> {};

/// Machines whose file changes nothing but the capacity, and the number of SMs.
TEST_P(SmallMemoryOf, AnswersGemmExplainAndAStep) {
  const auto [kilobytes, sms] = GetParam();
  const SmallMemory machine(kilobytes, sms);
  for (const char* const command : {"gemm", "explain"}) {
    expect_answer(machine.run(command, kGemm));
  }
  const ProgramResult step =
      machine.run("run", {"--network", "resnet18", "--schemes", "asp", "--jobs", "auto"});
  expect_answer(step);
  EXPECT_THAT(step.out, HasSubstr("resnet18 on small"));
}
INSTANTIATE_TEST_SUITE_P(All, SmallMemoryOf,
                         testing::Combine(testing::Values(32, 48, 64, 96),
                                          testing::Values(1, 4, 16)),
                         [](const auto& machine) {
                           return std::to_string(std::get<0>(machine.param)) + "KBytes" +
                                  std::to_string(std::get<1>(machine.param)) + "Sms";
                         });

}  // namespace
}  // namespace stcsim
