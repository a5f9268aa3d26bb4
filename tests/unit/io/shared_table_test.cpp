#include "common/io/shared_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kRoom = 1 << 20;

/// Runs `work` in a process of its own, which ends with it.
template <class Work>
pid_t fork_and_run(const Work& work) {
  const pid_t process = ::fork();
  if (process == 0) {
    work();
    ::_exit(0);
  }
  return process;
}

void wait_for(pid_t process) {
  ASSERT_EQ(::waitpid(process, nullptr, 0), process);
}

TEST(SharedTable, FindsWhatWasPutFirst) {
  SharedTable table(kRoom);
  EXPECT_EQ(table.find("a"), std::nullopt);
  table.put("a", "1");
  table.put("b", "");
  table.put("a", "2");
  EXPECT_EQ(table.find("a"), "1");
  EXPECT_EQ(table.find("b"), "");
  EXPECT_EQ(table.find(""), std::nullopt);
}

TEST(SharedTable, KeepsAnyBytes) {
  SharedTable table(kRoom);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  table.put(all, all + all);
  EXPECT_EQ(table.find(all), all + all);
}

TEST(SharedTable, TakesNoMoreThanItMay) {
  constexpr std::int64_t kEnd = sizeof(std::int64_t);                 // that the records' end takes
  constexpr std::int64_t kRecord = 2 * sizeof(std::int64_t) + 1 + 4;  // sizes, key, value
  SharedTable table(kEnd + 2 * kRecord);
  for (const char* const key : {"a", "b", "c"}) table.put(key, "1234");
  EXPECT_EQ(table.find("b"), "1234");
  EXPECT_EQ(table.find("c"), std::nullopt);
  SharedTable short_by_one(kEnd + 2 * kRecord - 1);
  for (const char* const key : {"a", "b"}) short_by_one.put(key, "1234");
  EXPECT_EQ(short_by_one.find("a"), "1234");
  EXPECT_EQ(short_by_one.find("b"), std::nullopt);
}

TEST(SharedTable, IsTheSameForAllProcesses) {
  SharedTable table(kRoom);
  table.put("before", "1");
  std::array<int, 2> told{};
  ASSERT_EQ(::pipe(told.data()), 0);
  const pid_t child = fork_and_run([&] {
    table.put("of child", table.find("before").value_or("nothing") + "2");
    char go = 0;
    if (::read(told[0], &go, 1) != 1) return;
    table.put("later", table.find("of parent").value_or("nothing") + "4");
  });
  while (!table.find("of child")) ::usleep(100);
  EXPECT_EQ(table.find("of child"), "12");
  table.put("of parent", "3");
  ASSERT_EQ(::write(told[1], "g", 1), 1);
  wait_for(child);
  EXPECT_EQ(table.find("later"), "34");
}

/// A record that does not fit is as if nobody had tried.
TEST(SharedTable, SurvivesWritesThatFail) {
  SharedTable table(kRoom);
  const pid_t child = fork_and_run([&] {
    constexpr rlimit kFew{4096, 4096};  // bytes of a file
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &kFew) != 0) return;
    table.put("large", std::string(10'000, 'x'));
    table.put("small", "s");
  });
  wait_for(child);
  EXPECT_EQ(table.find("large"), std::nullopt);
  EXPECT_EQ(table.find("small"), "s");
  table.put("large", "l");
  EXPECT_EQ(table.find("large"), "l");
}

TEST(SharedTable, ShowsNothingThatIsNotWholeYet) {
  constexpr std::size_t kKeys = 400;
  constexpr std::size_t kBytes = 100'000;
  SharedTable table(2 * kKeys * kBytes);
  const auto text_of = [](std::size_t key) {
    return std::string(kBytes, static_cast<char>('a' + key % 26));
  };
  const pid_t child = fork_and_run([&] {
    for (std::size_t key = 0; key < kKeys; ++key) table.put(std::to_string(key), text_of(key));
  });
  std::size_t found = 0;
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    const std::optional<std::string> value = table.find(std::to_string(found));
    if (!value) continue;
    ASSERT_EQ(*value, text_of(found));
    ++found;
  }
  for (; found < kKeys; ++found) ASSERT_EQ(table.find(std::to_string(found)), text_of(found));
}

/// Of a length that goes with it.
std::string value_of(std::size_t number) {
  return std::string(number % 977, static_cast<char>('a' + number % 26));
}

TEST(SharedTable, SurvivesWhoeverIsKilled) {
  constexpr std::size_t kKeys = 400;
  constexpr std::size_t kProcesses = 4;
  constexpr int kRounds = 40;
  const std::uint64_t seed = test::seed_or(1);
  SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < kRounds; ++round) {
    SharedTable table(kRoom);
    std::vector<pid_t> processes;
    for (std::size_t process = 0; process < kProcesses; ++process) {
      processes.push_back(fork_and_run([&table, process] {
        for (std::size_t at = 0;; ++at) {
          const std::size_t key = (at + process * kKeys / kProcesses) % kKeys;
          table.put(std::to_string(key), value_of(key));
          if (at > 10 * kKeys) ::pause();
        }
      }));
    }
    ::usleep(static_cast<useconds_t>(random() % 2000));
    for (const pid_t process : processes) ::kill(process, SIGKILL);
    for (const pid_t process : processes) wait_for(process);
    std::size_t found = 0;
    for (std::size_t key = 0; key < kKeys; ++key) {
      const std::optional<std::string> value = table.find(std::to_string(key));
      if (!value) continue;
      ++found;
      ASSERT_EQ(*value, value_of(key)) << "round " << round;
    }
    table.put("last", "one");
    ASSERT_EQ(table.find("last"), "one") << "round " << round << ", " << found << " found";
  }
}

}  // namespace
}  // namespace stcsim
