#include <chrono>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

/// What `run --out` writes: report.txt, results.csv, results.json, totals.csv.
constexpr std::size_t kFilesOfRun = 4;

/// Files in a directory that are open in any process, whether they have a name or not yet.
std::size_t open_files_in(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::size_t count = 0;
  std::error_code gone;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", gone)) {
    for (const fs::directory_entry& file : fs::directory_iterator(process.path() / "fd", gone)) {
      const std::string target = fs::read_symlink(file.path(), gone).string();
      if (target.starts_with(directory.string() + "/")) ++count;
    }
  }
  return count;
}

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, LeavesNoFilesAndNoProcesses) {
  const TemporaryDirectory directory;
  const std::filesystem::path out = directory.path() / "out";
  std::filesystem::create_directory(out);
  ProgramOptions options;
  options.signal = GetParam();
  options.signal_after = std::chrono::milliseconds(300);
  options.signal_when = [&] { return open_files_in(out) >= kFilesOfRun; };
  // The test itself may have been started with SIGINT ignored.
  const ProgramResult result = run_program("/usr/bin/env",
                                           {"--default-signal=INT,TERM", stcsim_program().string(),
                                            "run", "demo", "--jobs", "2", "--out", out.string()},
                                           options);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.left_processes);
  EXPECT_EQ(result.exit_code, 128 + GetParam());
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::StartsWith("stcsim: interrupted"));
  EXPECT_THAT(files_in(out), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM));

TEST(Interrupt, OfOneGemmLeavesNoFile) {
  const TemporaryDirectory directory;
  ProgramOptions options;
  options.signal = SIGTERM;
  options.signal_when = [&] { return open_files_in(directory.path()) > 0; };
  const ProgramResult result =
      run_stcsim({"gemm", "--arch", "a100", "--m", "4096", "--n", "4096", "--k", "4096",
                  "--functional", "--output", (directory.path() / "out").string()},
                 options);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  // Behind the note that it takes long.
  EXPECT_THAT(result.err, testing::EndsWith("\nstcsim: interrupted\n"));
  EXPECT_THAT(files_in(directory.path()), testing::IsEmpty());
}

/// What may not grow any further is an error of writing it, and leaves nothing.
TEST(Interrupt, AFileSizeLimitIsNoSignal) {
  const TemporaryDirectory directory;
  const std::string out = (directory.path() / "out").string();
  const auto limited = [&](const std::string& command) {
    const ProgramResult result = run_program(
        "/bin/bash", {"-c", "ulimit -f 1; exec " + stcsim_program().string() + " " + command});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(files_in(out), testing::IsEmpty());
    return result.err;
  };
  EXPECT_THAT(limited("run quick --out " + out), testing::HasSubstr("File too large"));
  const std::string store = out + "/points.sqlite";
  EXPECT_EQ(limited("sweep run selector_widths --results " + store),
            "stcsim sweep: error: cannot use '" + store + "': disk I/O error\n");
}

}  // namespace
}  // namespace stcsim
