#include "common/io/atomic_file.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using test::message_of;
using test::read_file;
using test::TemporaryDirectory;

TEST(AtomicFile, WritesAllTextAndLeavesNothingElse) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "x.json", "one\ntwo\n");
  EXPECT_EQ(read_file(directory / "x.json"), "one\ntwo\n");
  EXPECT_EQ(directory.file_count(), 1);
}

TEST(AtomicFile, ReplacesAnExistingFileOnCommitOnly) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "x.json", "old");
  AtomicFile file(directory / "x.json");
  file.write("ne");
  file.write("w");
  EXPECT_EQ(read_file(directory / "x.json"), "old");
  file.commit();
  EXPECT_EQ(read_file(directory / "x.json"), "new");
  EXPECT_EQ(directory.file_count(), 1);
}

/// Whether the file system of the directory has files without a name.
bool has_unnamed_files(const TemporaryDirectory& directory) {
  const AtomicFile probe(directory / "probe");
  return directory.file_count() == 0;
}

TEST(AtomicFile, LeavesNothingWhenItIsKilled) {
  const TemporaryDirectory directory;
  if (!has_unnamed_files(directory)) GTEST_SKIP() << "no files without a name here";
  const pid_t worker = ::fork();
  ASSERT_GE(worker, 0);
  if (worker == 0) {
    AtomicFile file(directory / "x.json");
    file.write("text");
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(worker, &status, 0), worker);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(directory.file_count(), 0);
}

TEST(AtomicFile, WritesTheSameWhereFilesMustHaveNames) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "x.json", "old");
  std::filesystem::permissions(directory / "x.json", std::filesystem::perms{0600});
  AtomicFile file(directory / "x.json", TemporaryFile::Kind::named);
  file.write("new");
  EXPECT_EQ(read_file(directory / "x.json"), "old");
  EXPECT_EQ(directory.file_count(), 2);
  file.commit();
  EXPECT_EQ(read_file(directory / "x.json"), "new");
  EXPECT_EQ(std::filesystem::status(directory / "x.json").permissions(),
            std::filesystem::perms{0600});
  EXPECT_EQ(directory.file_count(), 1);
}

TEST(AtomicFile, NewFilesHaveTheSamePermissionsEitherWay) {
  const TemporaryDirectory directory;
  for (const auto& [name, kind] : {std::pair("a", TemporaryFile::Kind::unnamed_if_possible),
                                   std::pair("b", TemporaryFile::Kind::named)}) {
    AtomicFile file(directory / name, kind);
    file.commit();
  }
  EXPECT_EQ(std::filesystem::status(directory / "a").permissions(),
            std::filesystem::status(directory / "b").permissions());
}

TEST(AtomicFile, ExceptionBeforeCommitLeavesOldFileAndNoTemporary) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "x.json", "old");
  const auto interrupted = [&] {
    AtomicFile file(directory / "x.json");
    file.write("new");
    throw std::runtime_error("interrupted");
  };
  EXPECT_EQ(message_of<std::runtime_error>(interrupted), "interrupted");
  EXPECT_EQ(read_file(directory / "x.json"), "old");
  EXPECT_EQ(directory.file_count(), 1);
}

TEST(AtomicFile, MissingDirectoryIsAConfigError) {
  const TemporaryDirectory directory;
  const std::string target = directory / "none/x.json";
  EXPECT_EQ(message_of<ConfigError>([&] { write_file_atomically(target, "text"); }),
            "error: cannot write " + target + ": No such file or directory");
}

TEST(AtomicFile, DirectoryAsTargetIsAConfigError) {
  const TemporaryDirectory directory;
  EXPECT_EQ(message_of<ConfigError>([&] { write_file_atomically(directory.path(), "text"); }),
            "error: cannot write " + directory.path().string() + ": Is a directory");
}

TEST(AtomicFile, DeviceAsTargetIsAConfigErrorAndSurvives) {
  EXPECT_EQ(message_of<ConfigError>([] { write_file_atomically("/dev/null", "text"); }),
            "error: cannot write /dev/null: not a regular file");
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

/// Permission bits stop everyone but root: while one lives, root acts as another user. Gives the
/// directory to that user, if it can be reached.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const std::filesystem::path& directory) {
    if (::geteuid() != 0) return;
    if (::chown(directory.c_str(), kNobody, kNobody) != 0 || ::seteuid(kNobody) != 0) return;
    switched_ = true;
    reached_ = ::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  }
  ~OrdinaryUser() {
    if (switched_ && ::seteuid(0) != 0) ADD_FAILURE() << "cannot become root again";
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

  [[nodiscard]] bool can_work() const { return ::geteuid() != 0 && reached_; }

 private:
  static constexpr uid_t kNobody = 65534;
  bool switched_ = false;
  bool reached_ = true;
};

TEST(AtomicFile, UnwritableDirectoryIsAConfigErrorAndLeavesTheFileUntouched) {
  const TemporaryDirectory directory;
  const OrdinaryUser user(directory.path());
  if (!user.can_work()) GTEST_SKIP() << "cannot give up root's rights here";
  const std::string existing = directory / "x.json";
  const std::string fresh = directory / "y.json";
  write_file_atomically(existing, "old");
  std::filesystem::permissions(directory.path(), std::filesystem::perms{0500});
  for (const std::string& target : {existing, fresh}) {
    EXPECT_EQ(message_of<ConfigError>([&] { write_file_atomically(target, "new"); }),
              "error: cannot write " + target + ": Permission denied");
  }
  EXPECT_EQ(read_file(existing), "old");
  EXPECT_EQ(directory.file_count(), 1);
}

TEST(AtomicFile, WriteProtectedFileIsNotReplaced) {
  const TemporaryDirectory directory;
  const OrdinaryUser user(directory.path());
  if (!user.can_work()) GTEST_SKIP() << "cannot give up root's rights here";
  const std::string target = directory / "x.json";
  write_file_atomically(target, "old");
  std::filesystem::permissions(target, std::filesystem::perms{0400});
  EXPECT_EQ(message_of<ConfigError>([&] { write_file_atomically(target, "new"); }),
            "error: cannot write " + target + ": Permission denied");
  EXPECT_EQ(read_file(target), "old");
}

TEST(AtomicFile, SkipsTheNameAKilledRunLeftBehind) {
  const TemporaryDirectory directory;
  std::string left_behind;
  {
    const AtomicFile probe(directory / "x.json", TemporaryFile::Kind::named);
    left_behind = std::filesystem::directory_iterator(directory.path())->path();
  }
  // The next names count on from the probe's; put files where the first of them would go.
  const std::string prefix = directory.path() / ("x.json." + std::to_string(::getpid()) + ".");
  const int probe_number = std::stoi(left_behind.substr(prefix.size()));
  for (int next = 1; next <= 3; ++next) {
    std::ofstream(prefix + std::to_string(probe_number + next) + ".tmp") << "stale";
  }
  write_file_atomically(directory / "x.json", "text");
  EXPECT_EQ(read_file(directory / "x.json"), "text");
  EXPECT_EQ(directory.file_count(), 4);
}

TEST(AtomicFile, FullDiskLeavesOldFileAndNoTemporary) {
  const TemporaryDirectory directory;
  const std::string target = directory / "x.json";
  write_file_atomically(target, "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of<ConfigError>(
      [&] { write_file_atomically(target, std::string(std::size_t{100000}, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(message, "error: cannot write " + target + ": File too large");
  EXPECT_EQ(read_file(target), "old");
  EXPECT_EQ(directory.file_count(), 1);
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "x.json", "old");
  std::filesystem::permissions(directory / "x.json", std::filesystem::perms{0600});
  write_file_atomically(directory / "x.json", "new");
  EXPECT_EQ(std::filesystem::status(directory / "x.json").permissions(),
            std::filesystem::perms{0600});
}

TEST(AtomicFile, FollowsASymbolicLink) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "real.json", "old");
  std::filesystem::create_symlink("real.json", directory / "link.json");
  write_file_atomically(directory / "link.json", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link.json"));
  EXPECT_EQ(read_file(directory / "real.json"), "new");
}

TEST(AtomicFile, RemoveTemporariesUnlinksWhatIsBeingWritten) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "x.json", "old");
  AtomicFile first(directory / "x.json", TemporaryFile::Kind::named);
  AtomicFile second(directory / "y.json", TemporaryFile::Kind::named);
  ASSERT_EQ(directory.file_count(), 3);
  remove_temporaries();
  EXPECT_EQ(directory.file_count(), 1);
  EXPECT_EQ(read_file(directory / "x.json"), "old");
}

TEST(AtomicFile, RemoveTemporariesOfAWorkerLeavesTheParentsFiles) {
  const TemporaryDirectory directory;
  AtomicFile file(directory / "x.json", TemporaryFile::Kind::named);
  const pid_t worker = ::fork();
  ASSERT_GE(worker, 0);
  if (worker == 0) {
    remove_temporaries();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(worker, nullptr, 0), worker);
  file.write("text");
  file.commit();
  EXPECT_EQ(read_file(directory / "x.json"), "text");
}

TEST(AtomicFile, ASignalHandlerCleansUp) {
  const TemporaryDirectory directory;
  const pid_t worker = ::fork();
  ASSERT_GE(worker, 0);
  if (worker == 0) {
    std::signal(SIGTERM, [](int) {
      remove_temporaries();
      ::_exit(7);
    });
    AtomicFile file(directory / "x.json", TemporaryFile::Kind::named);
    file.write("text");
    const bool there = directory.file_count() == 1;
    if (there) std::raise(SIGTERM);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(worker, &status, 0), worker);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(directory.file_count(), 0);
}

TEST(AtomicFile, TooManyAtOnceIsAConfigErrorAndSlotsComeBack) {
  const TemporaryDirectory directory;
  {
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (std::size_t count = 0; count < kMaxTemporaries; ++count) {
      files.push_back(std::make_unique<AtomicFile>(directory / std::to_string(count),
                                                   TemporaryFile::Kind::named));
    }
    const std::string target = directory / "x.json";
    EXPECT_EQ(message_of<ConfigError>([&] { write_file_atomically(target, "text"); }),
              "error: cannot write " + target + ": more than 16 files are being written at once");
  }
  EXPECT_EQ(directory.file_count(), 0);
  write_file_atomically(directory / "x.json", "text");
  EXPECT_EQ(read_file(directory / "x.json"), "text");
}

}  // namespace
}  // namespace stcsim
