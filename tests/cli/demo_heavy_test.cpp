#include <cstdint>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/format.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::size_t kScreenLines = 60;
constexpr std::size_t kScreenColumns = 80;
constexpr std::uintmax_t kMostBytes = 3'000'000;

class Demo : public testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> options) const {
    std::vector<std::string> arguments{
        "run",     STCSIM_SOURCE_DIR "/configs/experiments/demo.yaml",
        "--jobs",  "2",
        "--cache", (directory_.path() / "cache").string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_stcsim(
        arguments, {.time_limit = std::chrono::seconds(200), .environment = {{"COLUMNS", "80"}}});
  }

  TemporaryDirectory directory_;
};

TEST_F(Demo, IsOneScreenAndItsFilesAreSmall) {
  const std::filesystem::path out = directory_.path() / "out";
  const ProgramResult result = run({"--out", out.string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("resnet50 on a100: dense step "));
  EXPECT_THAT(result.out, HasSubstr("\nnot affected (6): activations-2-4, "));
  std::istringstream lines(result.out);
  std::size_t count = 0;
  std::string last;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(display_width(line), kScreenColumns) << line;
    last = line;
  }
  EXPECT_LE(count, kScreenLines) << result.out;
  EXPECT_THAT(last, StartsWith("    --phase forward --scheme transposable-2-4"));
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(out)) bytes += file.file_size();
  EXPECT_LT(bytes, kMostBytes);
  // What was printed once is there, behind an option.
  const std::string all = run({"--layers", "--notes"}).out;
  for (const char* const part :
       {": speedup over dense\n", ": where the time goes", ": memory of a step", ": layers\n",
        ": where sparsity loses\n", "\npruning of resnet50 on a100: ", " ran dense on a100, "}) {
    EXPECT_THAT(all, HasSubstr(part));
    EXPECT_THAT(result.out, Not(HasSubstr(part)));
  }
  // No value is lost.
  const std::filesystem::path whole = directory_.path() / "whole.json";
  write_text(whole, run({"--format", "json"}).out);
  EXPECT_EQ(run_stcsim({"compare", out.string(), whole.string()}).exit_code, 0);
}

}  // namespace
}  // namespace stcsim
