#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Cache : public testing::Test {
 protected:
  [[nodiscard]] ProgramResult run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", tiny_.file(), "--format", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_stcsim(arguments);
  }
  [[nodiscard]] ProgramResult run_cached(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--cache", cache_});
    return run(more);
  }

  /// The inode of every file of the cache: another one if it has been written again.
  [[nodiscard]] std::map<std::string, ino_t> entries() const {
    std::map<std::string, ino_t> inodes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_)) {
      struct stat status {};
      if (!entry.is_regular_file() || ::stat(entry.path().c_str(), &status) != 0) continue;
      inodes[entry.path()] = status.st_ino;
    }
    return inodes;
  }

  [[nodiscard]] std::string found(const std::string& who, std::size_t count) const {
    return "stcsim " + who + ": cache: " + std::to_string(count) + " of " +
           std::to_string(entries().size()) + " points found in " + cache_ + "\n";
  }

  TinyExperiment tiny_;
  std::string cache_ = tiny_.path("new/cache");
  std::string plain_ = run().out;
};

TEST_F(Cache, ColdOrWarmTheOutputIsTheSame) {
  const ProgramResult cold = run_cached();
  EXPECT_EQ(cold.exit_code, 0);
  EXPECT_EQ(cold.out, plain_);
  EXPECT_EQ(cold.err, found("run", 0));
  const auto before = entries();
  ASSERT_FALSE(before.empty());

  const ProgramResult warm = run_cached();
  EXPECT_EQ(warm.exit_code, 0);
  EXPECT_EQ(warm.out, plain_);
  EXPECT_EQ(warm.err, found("run", before.size()));
  EXPECT_EQ(entries(), before) << "something has been simulated again";
}

TEST_F(Cache, DoesNotDependOnJobsOrFastForward) {
  EXPECT_EQ(run_cached({"--jobs", "2", "--fast-forward", "off"}).out, plain_);
  const auto before = entries();
  for (const char* jobs : {"1", "2"}) {
    const ProgramResult warm = run_cached({"--jobs", jobs, "--fast-forward", "on"});
    EXPECT_EQ(warm.out, plain_);
    EXPECT_EQ(warm.err, found("run", before.size()));
  }
  EXPECT_EQ(entries(), before);
}

TEST_F(Cache, SimulatesOnlyWhatIsNotThere) {
  const std::string dense_only = "schemes=[dense]";
  ASSERT_EQ(run_cached({"--set", dense_only}).exit_code, 0);
  const auto before = entries();
  const ProgramResult result = run_cached({"--jobs", "2"});
  EXPECT_EQ(result.out, plain_);
  EXPECT_EQ(result.err, found("run", before.size()));
  const auto after = entries();
  EXPECT_GT(after.size(), before.size());
  for (const auto& [path, inode] : before) EXPECT_EQ(after.at(path), inode) << path;
}

TEST_F(Cache, ADamagedEntryIsSimulatedAgainWithAWarning) {
  ASSERT_EQ(run_cached().exit_code, 0);
  const std::size_t count = entries().size();
  const std::string damaged = entries().begin()->first;
  write_text(damaged, read_text(damaged).substr(0, 300));
  const ProgramResult result = run_cached();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, plain_);
  EXPECT_EQ(result.err, "stcsim run: warning: " + damaged +
                            " is damaged or not a result of this point, which is simulated "
                            "again\n" +
                            found("run", count - 1));
  EXPECT_EQ(run_cached().err, found("run", count));
}

TEST_F(Cache, AResultThatCannotBeStoredIsAWarning) {
  ASSERT_EQ(run_cached().exit_code, 0);
  const std::filesystem::path entry = entries().begin()->first;
  std::filesystem::remove_all(entry.parent_path());
  write_text(entry.parent_path(), "in the way");
  const ProgramResult result = run_cached();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, plain_);
  EXPECT_THAT(result.err, StartsWith("stcsim run: warning: cannot store a result in "));
  EXPECT_THAT(result.err, HasSubstr(" not stored\n"));
}

TEST_F(Cache, AnotherMachineHasOtherResults) {
  ASSERT_EQ(run_cached().exit_code, 0);
  const std::vector<std::string> three_sms{"--set", "machines.0.accelerator.num_sms=3"};
  const ProgramResult result = run_cached(three_sms);
  EXPECT_EQ(result.out, run(three_sms).out);
  EXPECT_THAT(result.err, StartsWith("stcsim run: cache: 0 of "));
}

TEST_F(Cache, ServesMachinesOfAnotherName) {
  ASSERT_EQ(run_cached().exit_code, 0);
  const std::vector<std::string> renamed{"--set", "machines.0.name=twins"};
  const ProgramResult result = run_cached(renamed);
  EXPECT_EQ(result.out, run(renamed).out);
  EXPECT_EQ(result.err, found("run", entries().size()));
}

TEST_F(Cache, ServesRecordAndCheckToo) {
  ASSERT_EQ(run_cached({"--set", "stack=best"}).exit_code, 0);
  const auto before = entries();
  const std::string golden = tiny_.path("golden.json");
  const ProgramResult recorded =
      run_stcsim({"record", tiny_.file(), "-o", golden, "--cache", cache_, "--set", "stack=best"});
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_EQ(recorded.err, found("record", before.size()));
  const ProgramResult checked = run_stcsim({"check", golden, "--cache", cache_});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_EQ(checked.err, found("check", before.size()));
  EXPECT_EQ(entries(), before);
  EXPECT_EQ(run_stcsim({"check", golden}).err, "");
}

TEST_F(Cache, AnUnusableDirectoryIsAMistake) {
  write_text(tiny_.path("file"), "precious");
  for (const char* name : {"file", "file/below"}) {
    const ProgramResult result = run({"--cache", tiny_.path(name)});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "stcsim run: error: cannot keep results in '" + tiny_.path(name) +
                  "': Not a directory; must be a directory that can be written, or a path where "
                  "one can be made\n");
  }
  EXPECT_EQ(read_text(tiny_.path("file")), "precious");
}

}  // namespace
}  // namespace stcsim
