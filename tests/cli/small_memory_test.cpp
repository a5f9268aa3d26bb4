#include <chrono>
#include <cstdint>
#include <string>
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
constexpr const char* kStandIn = ": ones made for it stand in";

/// Without any kernel of the A100's that fits.
TEST(SmallMemory, MappedKernelsAnswerGemmsAndSayTheirName) {
  const SmallMemory machine(32, 4);
  for (const char* const command : {"gemm", "explain"}) {
    const ProgramResult result = machine.run(command, kGemm);
    expect_answer(result);
    EXPECT_THAT(result.err, HasSubstr("none of its kernels fits fp16 dense, 2:4: "));
    EXPECT_THAT(result.err, HasSubstr(kStandIn));
    EXPECT_THAT(result.out, HasSubstr("mapped_dense_"));
    EXPECT_THAT(result.out, HasSubstr("mapped_sparse_"));
  }
}

/// Dense ones stand in, and mapped sparse ones beside the machine's own, which fit.
TEST(SmallMemory, BothSidesAreOfTilesOfAKind) {
  const ProgramResult result = SmallMemory(64, 4).run("gemm", kGemm);
  expect_answer(result);
  EXPECT_THAT(result.err, HasSubstr("none of its kernels fits fp16 dense: "));
  EXPECT_THAT(result.out, HasSubstr("dense kernel: mapped_dense_"));
  EXPECT_THAT(result.out, HasSubstr("2:4 takes "));
}

TEST(SmallMemory, KernelsOfItsOwnAreTakenWhereTheyFit) {
  const ProgramResult result = SmallMemory(96, 4).run("gemm", kGemm);
  expect_answer(result);
  EXPECT_THAT(result.err, testing::Not(HasSubstr(kStandIn)));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("mapped_")));
}

TEST(SmallMemory, MappedKernelsCanBeNamedAndAreListed) {
  const SmallMemory machine(32, 4);
  const ProgramResult result =
      machine.run("gemm", {"128", "128", "128", "--kernel", "mapped_dense_32x32x32_s4_w2x2"});
  expect_answer(result);
  EXPECT_THAT(result.out, HasSubstr("mapped_dense_32x32x32_s4_w2x2"));
  const ProgramResult listed = machine.run("list", {"kernels"});
  EXPECT_THAT(listed.out, HasSubstr("stands in for fp16 dense"));
  EXPECT_THAT(run_stcsim({"list", "kernels", "--arch", "a100"}).out,
              testing::Not(HasSubstr("mapped_")));
}

TEST(SmallMemory, AStepRunsOnIt) {
  const SmallMemory machine(48, 4);
  const ProgramResult result =
      machine.run("run", {"--network", "resnet9_cifar10", "--batch", "4", "--schemes", "asp"});
  expect_answer(result);
  EXPECT_THAT(result.err, HasSubstr(kStandIn));
}

}  // namespace
}  // namespace stcsim
