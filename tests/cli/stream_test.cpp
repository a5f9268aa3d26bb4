// What the program does when its standard streams are closed, full, or a terminal.
#include <array>
#include <cstdlib>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;

/// Runs a bash script in which "$0" is the program.
ProgramResult run_bash(const std::string& script, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"-c", script, stcsim_program().string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program("/bin/bash", arguments);
}

TEST(Streams, AReaderThatHasGoneIsNoError) {
  const ProgramResult result =
      run_bash("{ sleep 0.3; \"$0\" list schemes; echo \"code $?\" >&2; } | true");
  EXPECT_EQ(result.err, "code 0\n");
}

TEST(Streams, AReaderThatTakesOneLineGetsIt) {
  const ProgramResult result = run_bash("set -o pipefail; \"$0\" list workloads | head -n 1");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, EndsWith("\n"));
}

TEST(Streams, AFullDiskIsAnError) {
  const ProgramResult result = run_bash("\"$0\" list arch > /dev/full");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "stcsim list: error: cannot write standard output: No space left on device\n");
}

TEST(Streams, AClosedOutputIsAnError) {
  const ProgramResult result = run_bash("\"$0\" list arch >&-");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "stcsim list: error: cannot write standard output: it is closed\n");
}

TEST(Streams, AClosedOutputIsNoErrorWhereNothingIsWritten) {
  const TinyExperiment tiny;
  const ProgramResult result = run_bash(
      "\"$0\" gemm --arch a100 --m 8 --n 8 --k 8 --output \"$1\" >&-", {tiny.path("gemm.txt")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Streams, AClosedOutputDoesNotEndUpInAFile) {
  const TinyExperiment tiny;
  const ProgramResult result = run_bash("exec >&- 2>&- <&-; \"$0\" run \"$1\" --out \"$2\"",
                                        {tiny.file(), tiny.path("out")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(run_stcsim({"run", tiny.file(), "--out", tiny.path("again")}).exit_code, 0);
  for (const std::string& file : files_in(tiny.path("again"))) {
    EXPECT_EQ(read_text(tiny.path("out/" + file)), read_text(tiny.path("again/" + file))) << file;
  }
}

TEST(Streams, SixteenOpenFilesAreEnough) {
  const TinyExperiment tiny;
  const ProgramResult result =
      run_bash("ulimit -n 16; \"$0\" run \"$1\" --jobs 4 --out \"$2\" --cache \"$3\"",
               {tiny.file(), tiny.path("out"), tiny.path("cache")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, run_stcsim({"run", tiny.file()}).out);
}

#ifndef STCSIM_SANITIZED  // the sanitizers need files of their own, and end the program first
TEST(Streams, TooFewOpenFilesAreNamed) {
  const TinyExperiment tiny;
  const ProgramResult result = run_bash("ulimit -n 6; \"$0\" run \"$1\"", {tiny.file()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err,
            "stcsim run: error: cannot make a pipe to a worker: Too many open files; the system "
            "allows 6 (ulimit -n)\n");
}
#endif

/// A terminal that keeps what is written to it.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    name_ = ptsname(master_);
    slave_ = open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_GE(slave_, 0);
  }
  ~Terminal() {
    close(slave_);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string shown() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 1; count > 0;) {
      count = read(master_, buffer.data(), buffer.size());
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int master_;
  int slave_ = -1;
  std::string name_;
};

TEST(Streams, ProgressIsDrawnOnATerminalAndWipedAtTheEnd) {
  const TinyExperiment tiny;
  const Terminal terminal;
  const ProgramResult result = run_bash(
      "\"$0\" run \"$1\" --set stack=best --format json 2> \"$2\"", {tiny.file(), terminal.name()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            run_stcsim({"run", tiny.file(), "--set", "stack=best", "--format", "json"}).out);
  const std::string shown = terminal.shown();
  EXPECT_THAT(shown, ContainsRegex("^\r\x1b\\[K\\[#*-*\\] +[0-9]+ %  1/[0-9]+ points, "
                                   "[0-9]+:[0-9][0-9] left"));
  EXPECT_THAT(shown, EndsWith("\r\x1b[K"));
}

/// 320 x 320 x 640 is slower sparse; the word stands out where colours are shown.
TEST(Streams, WarningsAreRedOnATerminalUnlessNoColourIsWanted) {
  const std::string gemm = "\"$0\" gemm --arch a100 320 320 640 --sparsity 2:4";
  const auto shown_with = [&](const std::string& setting) {
    const Terminal terminal;
    EXPECT_EQ(run_bash(setting + gemm + " > \"$1\"", {terminal.name()}).exit_code, 0);
    return terminal.shown();
  };
  EXPECT_THAT(shown_with("NO_COLOR= "), HasSubstr(": \x1b[31;1mSLOWER\x1b[0m; --where faster"));
  EXPECT_THAT(shown_with("NO_COLOR=1 "), HasSubstr(": SLOWER; --where faster"));
  EXPECT_THAT(run_bash(gemm, {}).out, HasSubstr(": SLOWER; --where faster"));
}

}  // namespace
}  // namespace stcsim
