#include "tests/cli/program.hpp"

#include <csignal>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

ProgramResult run_shell(const std::string& script, const ProgramOptions& options = {}) {
  return run_program("/bin/sh", {"-c", script}, options);
}

TEST(RunProgram, KeepsTheStreamsApartAndTheExitCode) {
  const ProgramResult result = run_shell("echo data; echo log >&2; exit 3");
  EXPECT_EQ(result.out, "data\n");
  EXPECT_EQ(result.err, "log\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.timed_out);
}

TEST(RunProgram, PassesArgumentsUnchanged) {
  const ProgramResult result = run_program("/bin/echo", {"a b", "", "'c'"});
  EXPECT_EQ(result.out, "a b  'c'\n");
}

TEST(RunProgram, TakesMoreOutputThanAPipeHolds) {
  const ProgramResult result = run_shell("head -c 1000000 /dev/zero; head -c 300000 /dev/zero >&2");
  EXPECT_EQ(result.out.size(), 1'000'000U);
  EXPECT_EQ(result.err.size(), 300'000U);
}

TEST(RunProgram, GivesAnEmptyStandardInput) {
  EXPECT_EQ(run_shell("wc -c").out, "0\n");
}

TEST(RunProgram, SetsDirectoryAndEnvironment) {
  ProgramOptions options;
  options.working_directory = "/usr";
  options.environment = {{"STCSIM_TEST_VALUE", "seven"}};
  EXPECT_EQ(run_shell("pwd; echo $STCSIM_TEST_VALUE", options).out, "/usr\nseven\n");
}

TEST(RunProgram, StopsAProgramAndItsChildrenAtTheTimeLimit) {
  ProgramOptions options;
  options.time_limit = std::chrono::milliseconds(100);
  const ProgramResult result = run_shell("echo early; sleep 1000 & sleep 1000", options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.out, "early\n");
}

TEST(RunProgram, DeliversTheSignal) {
  ProgramOptions options;
  options.signal = SIGTERM;
  const ProgramResult result = run_shell("exec sleep 1000", options);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
}

TEST(RunProgram, HoldsTheSignalBackUntilItsTimeHasCome) {
  const TemporaryDirectory directory;
  ProgramOptions options;
  options.working_directory = directory.path();
  options.signal = SIGTERM;
  options.signal_when = [&] { return std::filesystem::exists(directory.path() / "ready"); };
  const ProgramResult result = run_shell(
      "trap 'echo caught; exit 5' TERM; touch ready; while :; do sleep 0.01; done", options);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.out, "caught\n");
}

TEST(RunProgram, NoticesProcessesLeftBehind) {
  EXPECT_TRUE(run_shell("sleep 0.5 & exit 0").left_processes);
  EXPECT_FALSE(run_shell("sleep 0.01 & wait").left_processes);
}

TEST(RunProgram, RefusesAProgramThatDoesNotExist) {
  EXPECT_THROW(static_cast<void>(run_program("/no/such/program", {})), std::system_error);
}

TEST(TemporaryDirectory, IsRemovedWithItsContents) {
  std::filesystem::path path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    ASSERT_TRUE(std::filesystem::is_directory(path));
    ASSERT_EQ(run_shell("mkdir deep && touch deep/file", {.working_directory = path}).exit_code, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace stcsim
