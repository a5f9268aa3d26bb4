#include "reports/sweep/sweep_jobs.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

TEST(SweepJobs, WordsAreQuotedWhereAShellWouldReadMoreIntoThem) {
  EXPECT_EQ(script_word("/a/b-1.yaml"), "/a/b-1.yaml");
  EXPECT_EQ(script_word("key=[1, 2]"), "'key=[1, 2]'");
  EXPECT_EQ(script_word("it's"), "'it'\\''s'");
  EXPECT_EQ(script_word(""), "''");
}

TEST(SweepJobs, WhatIsNoLineOfTextIsNoWord) {
  const auto error_of = [](const std::string& text) {
    return test::message_of<ConfigError>([&] { (void)script_word(text); });
  };
  EXPECT_EQ(error_of("a\ntouch pwned #.yaml"),
            "error: 'a\ntouch pwned #.yaml' has the character U+000A, must be one line of text to "
            "go into a script");
  EXPECT_NE(error_of("a\nTASK\ntouch pwned\n"), "");
  EXPECT_NE(error_of("a\r"), "");
  EXPECT_NE(error_of("a\u202Eb"), "");
}

/// A program that writes its arguments down, a line for each call, in folders with names to stumble
/// over; sbatch runs what it is given at once, as task 3 of an array.
class EmittedScripts : public ::testing::Test {
 protected:
  EmittedScripts() {
    jobs_.program = make_program(
        "stc sim", "printf '<%s>' \"$@\" >>\"" + log() + "\"\n" + "echo >>\"" + log() + "\"\n");
    static_cast<void>(make_program("sbatch",
                                   "echo 17\necho \"$@\" >>sbatch.log\n"
                                   "SLURM_ARRAY_TASK_ID=3 bash\n"));
    // As GNU parallel, `--jobs N --joblog FILE --resume-failed COMMAND ::: VALUE...`: a value takes
    // the place of all braces of the command, else it is appended.
    static_cast<void>(make_program("parallel",
                                   "command=$6; shift 7\n"
                                   "[[ $command == *'{}'* ]] || command+=' {}'\n"
                                   "for value; do bash -c \"${command//'{}'/$value}\"; done\n"));
    jobs_.space = (directory_ / "my $(touch pwned) {} space.yaml").string();
    jobs_.directory = (directory_ / "the 'shards' %b {}").string();
    jobs_.results = (directory_ / "all #1.sqlite").string();
    jobs_.name = "my $(touch pwned) {} space";
    jobs_.options = " --set " + script_word("sample={kind: random, points: 3}");
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
    const std::string command = "cd " + script_word(directory_.path().string()) +
                                " && PATH=\"$PWD:$PATH\" bash " + script_word(path) + " >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return test::read_file(log());
  }

  [[nodiscard]] std::string run_of(int shard, int workers) const {
    const std::string number = std::to_string(shard);
    return "<sweep><run><" + jobs_.space + "><--set><sample={kind: random, points: 3}><--shard><" +
           number + "/5><--jobs><" + std::to_string(workers) + "><--results><" + jobs_.directory +
           "/shard-" + number + ".sqlite>\n";
  }
  /// Of the shards that are there: none.
  [[nodiscard]] std::string merge() const {
    return "<sweep><merge><" + jobs_.space + "><" + jobs_.directory +
           "/shard-*.sqlite><--set><sample={kind: random, points: 3}><--results><" + jobs_.results +
           ">\n";
  }

  test::TemporaryDirectory directory_;
  SweepJobs jobs_;
};

TEST_F(EmittedScripts, OfSlurmRunATaskAndTheMerge) {
  EXPECT_EQ(calls_of(slurm_script(jobs_)), run_of(3, 2) + merge());
  EXPECT_FALSE(std::filesystem::exists(directory_ / "pwned"));
  // Slurm replaces %a, and %% by a percent sign.
  EXPECT_THAT(test::read_file(directory_ / "sbatch.log"),
              ::testing::HasSubstr("--output=" + (directory_ / "the 'shards' %%b {}").string() +
                                   "/shard-%a.log\n"));
}

TEST_F(EmittedScripts, OfParallelRunEachShardAndTheMerge) {
  std::string runs;
  for (int shard = 1; shard <= 5; ++shard) runs += run_of(shard, 1);
  EXPECT_EQ(calls_of(parallel_command(jobs_)), runs + merge());
  EXPECT_FALSE(std::filesystem::exists(directory_ / "pwned"));
}

}  // namespace
}  // namespace stcsim
