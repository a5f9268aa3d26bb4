#include "sim/job/result_store.hpp"

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.hpp"
#include "sim/job/job.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

TEST(AnswerCodec, ARunComesBackAsItWas) {
  MachineRunner runner(test::tiny_machine());
  GemmRun run = run_gemm(runner, test::make_problem(33, 17, 33, 2, DataType::fp16, {1, 4}), {});
  ASSERT_NE(run.reason, "");
  run.result.counters.push_back({"cache_refills", "refill", 7});
  for (const Pattern pattern : {Pattern{4, 8, 2}, test::outputs(2, 4)}) {
    run.hardware_pattern = pattern;
    EXPECT_TRUE(decode(encode(run)) == run);
  }
}

TEST(AnswerCodec, ABoundComesBackToo) {
  GemmRun run;
  run.result.sampled = {90, 110, 5, 8};
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, ASearchComesBackToo) {
  GemmRun run;
  run.search = KernelSearch{40, 3, 30, 7, 0.125, 1.5};
  EXPECT_TRUE(decode(encode(run)) == run);
  run.search->left_out_estimate.reset();
  EXPECT_TRUE(decode(encode(run)) == run);
  run.search.reset();
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, TheKernelsPlaceComesBackToo) {
  GemmRun run;
  run.rank = 3;
  EXPECT_TRUE(decode(encode(run)) == run);
}

TEST(AnswerCodec, RefusesOtherBytes) {
  EXPECT_THROW((void)decode(""), SimulationError);
  EXPECT_THROW((void)decode("abc"), SimulationError);
  const std::string bytes = encode(GemmRun());
  EXPECT_THROW((void)decode(bytes.substr(0, bytes.size() / 2)), SimulationError);
  EXPECT_TRUE(is_answer(bytes));
  EXPECT_FALSE(is_answer(bytes.substr(0, bytes.size() / 2)));
}

using test::message_of;
using test::read_file;
using test::TemporaryDirectory;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kKey(64, 'a');
const std::string kOtherKey(64, 'b');

std::string sample_run(std::int64_t cycles = 1234) {
  GemmRun run;
  run.result.kernel.name = "dense_128x256x32_s3";
  run.result.kernel.waves = 1.0 / 3.0;
  run.result.cycles = cycles;
  run.result.units = {{"tensor_core", 4, {{"busy", 17}, {"idle", 5}}}};
  run.hardware_pattern = {2, 4};
  run.reason = "k = 33 is padded";
  return encode(run);
}

class ResultStoreTest : public ::testing::Test {
 protected:
  void write(const std::string& text) const {
    std::ofstream(entry_, std::ios::binary | std::ios::trunc) << text;
  }

  /// Expects the entry to count as missing, with one warning that names it, and put() to mend it.
  void expect_damaged(const std::string& what) {
    SCOPED_TRACE(what);
    warnings_.clear();
    EXPECT_FALSE(store_->find(kKey).has_value());
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_EQ(warnings_.front(), entry_.string() +
                                     " is damaged or not a result of this point, which is "
                                     "simulated again");
    store_->put(kKey, sample_run());
    EXPECT_TRUE(store_->find(kKey) == sample_run());
    EXPECT_EQ(warnings_.size(), 1U);
  }

  [[nodiscard]] std::ptrdiff_t file_count() const {
    std::ptrdiff_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  TemporaryDirectory directory_;
  std::vector<std::string> warnings_;
  std::function<void(const std::string&)> warn_ = [this](const std::string& text) {
    warnings_.push_back(text);
  };
  std::unique_ptr<ResultStore> store_ =
      std::make_unique<ResultStore>(directory_ / "new" / "deep", warn_);
  std::filesystem::path entry_ = store_->directory() / "aa" / kKey;
};

TEST_F(ResultStoreTest, FindsWhatWasPut) {
  EXPECT_FALSE(store_->find(kKey).has_value());
  store_->put(kKey, sample_run());
  ResultStore later(store_->directory(), warn_);
  EXPECT_TRUE(later.find(kKey) == sample_run());
  EXPECT_FALSE(later.find(kOtherKey).has_value());
  EXPECT_EQ(later.asked(), 2);
  EXPECT_EQ(later.found(), 1);
  EXPECT_EQ(file_count(), 1);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ResultStoreTest, DescribesItsEntries) {
  store_->put(kKey, sample_run());
  EXPECT_THAT(read_file(entry_), StartsWith("stcsim.result/1\nkey " + kKey + "\nbytes "));
}

TEST_F(ResultStoreTest, TakesNoDamagedEntry) {
  store_->put(kKey, sample_run());
  const std::string whole = read_file(entry_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    write(flipped);
    expect_damaged("bit flipped in byte " + std::to_string(at));
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    expect_damaged("cut to " + std::to_string(size));
  }
  write(whole + "x");
  expect_damaged("longer");
  write("one\ntwo\nthree\nfour\nfive\n");
  expect_damaged("foreign");
}

TEST_F(ResultStoreTest, TakesNoEntryOfAnotherPoint) {
  store_->put(kOtherKey, sample_run(7));
  store_->put(kKey, sample_run());
  write(read_file(store_->directory() / "bb" / kOtherKey));
  expect_damaged("another point's");
}

TEST_F(ResultStoreTest, WarnsOnceIfItCannotStore) {
  std::ofstream(store_->directory() / "aa") << "in the way";
  store_->put(kKey, sample_run());
  store_->put(kKey, sample_run());
  EXPECT_EQ(warnings_, std::vector<std::string>{"cannot store a result in " + entry_.string() +
                                                ": Not a directory; the run goes on"});
  EXPECT_EQ(store_->not_stored(), 2);
  EXPECT_FALSE(store_->find(kKey).has_value());
}

TEST_F(ResultStoreTest, LeavesNothingBehindWhenTheDiskIsFull) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  store_->put(kKey, sample_run());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, previous);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_.front(), HasSubstr(": File too large;"));
  EXPECT_EQ(file_count(), 0);
}

TEST_F(ResultStoreTest, RefusesAFile) {
  const std::string file = directory_ / "file";
  std::ofstream(file) << "precious";
  EXPECT_EQ(message_of<ConfigError>([&] { ResultStore(file, warn_); }),
            "error: cannot keep results in '" + file +
                "': Not a directory; must be a directory that can be written, or a path where one "
                "can be made");
  EXPECT_EQ(read_file(file), "precious");
}

TEST_F(ResultStoreTest, RefusesADirectoryItCannotWrite) {
  constexpr uid_t kNobody = 65534;
  const uid_t before = ::geteuid();
  if (before == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  } else {
    std::filesystem::permissions(store_->directory(), std::filesystem::perms::owner_read);
  }
  const std::string message =
      message_of<ConfigError>([&] { ResultStore(store_->directory(), warn_); });
  if (before == 0) {
    ASSERT_EQ(::seteuid(before), 0);
  } else {
    std::filesystem::permissions(store_->directory(), std::filesystem::perms::owner_all);
  }
  EXPECT_THAT(message, HasSubstr("'" + store_->directory().string() + "': Permission denied; "));
}

/// Puts and finds the same two results over and over; true if nothing was ever damaged.
bool use(const std::filesystem::path& directory) {
  constexpr int kRounds = 200;
  bool fine = true;
  ResultStore store(directory, [&](const std::string&) { fine = false; });
  for (int round = 0; round < kRounds; ++round) {
    store.put(kKey, sample_run(1));
    store.put(kOtherKey, sample_run(2));
    fine = fine && store.find(kKey) == sample_run(1) && store.find(kOtherKey) == sample_run(2);
  }
  return fine;
}

TEST_F(ResultStoreTest, ManyProcessesMayUseItAtOnce) {
  constexpr int kProcesses = 4;
  std::vector<pid_t> children;
  for (int number = 0; number < kProcesses; ++number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(use(store_->directory()) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(file_count(), 2);
}

}  // namespace
}  // namespace stcsim
