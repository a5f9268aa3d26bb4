#include "reports/sweep/sweep_jobs.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

TEST(SweepJobs, WordsAreQuotedWhereAShellWouldReadMoreIntoThem) {
  EXPECT_EQ(shell_word("/a/b-1.yaml"), "/a/b-1.yaml");
  EXPECT_EQ(shell_word("key=[1, 2]"), "'key=[1, 2]'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

/// A program that writes its arguments down, a line for each call, in folders with names to stumble
/// over; sbatch runs what it is given at once, as task 3 of an array.
class EmittedScripts : public ::testing::Test {
 protected:
  EmittedScripts() {
    jobs_.program = make_program(
        "stc sim", "printf '<%s>' \"$@\" >>\"" + log() + "\"\n" + "echo >>\"" + log() + "\"\n");
    static_cast<void>(make_program("sbatch", "echo 17\nSLURM_ARRAY_TASK_ID=3 bash\n"));
    jobs_.space = (directory_ / "my space.yaml").string();
    jobs_.directory = (directory_ / "the 'shards'").string();
    jobs_.results = (directory_ / "all.sqlite").string();
    jobs_.name = "my space";
    jobs_.options = " --set " + shell_word("sample={kind: random, points: 3}");
    jobs_.shards = 5;
    jobs_.jobs = 2;
  }

  [[nodiscard]] std::string log() const { return (directory_ / "log").string(); }

  std::string make_program(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = directory_ / name;
    std::ofstream(path) << "#!/bin/bash\n" << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }

  /// What the script calls, run by bash.
  [[nodiscard]] std::string calls_of(const std::string& script) const {
    const std::string path = make_program("script", script);
    const std::string command = "cd " + shell_word(directory_.path().string()) +
                                " && PATH=\"$PWD:$PATH\" bash " + shell_word(path) + " >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return test::read_file(log());
  }

  test::TemporaryDirectory directory_;
  SweepJobs jobs_;
};

TEST_F(EmittedScripts, OfSlurmRunATaskAndTheMerge) {
  const std::string run = "<sweep><run><" + jobs_.space +
                          "><--set><sample={kind: random, points: 3}><--shard><3/5><--jobs><2>"
                          "<--results><" +
                          jobs_.directory + "/shard-3.sqlite>\n";
  const std::string merge =
      "<sweep><merge><" + jobs_.space + "><" + jobs_.directory +
      "/shard-*.sqlite><--set><sample={kind: random, points: 3}><--results><" + jobs_.results +
      ">\n";
  EXPECT_EQ(calls_of(slurm_script(jobs_)), run + merge);
}

}  // namespace
}  // namespace stcsim
