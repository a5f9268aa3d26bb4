#include "sim/sweep/sweep_store.hpp"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/job/behaviour_version.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using test::message_of;
using test::read_file;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Access = Database::Access;

std::string key_of(int number) {
  return "key " + std::to_string(number);
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class SweepStoreTest : public ::testing::Test {
 protected:
  /// A file with so many rows of each kind, closed.
  void fill(const std::string& name, int from, int to) const {
    SweepStore store(directory_ / name, Access::write);
    for (int number = from; number < to; ++number) {
      store.put_point(key_of(number), point(number));
      store.put_run(key_of(number), run(number));
      store.put_failure("failed " + key_of(number), {"{}", "why " + key_of(number)});
    }
  }
  [[nodiscard]] static StoredPoint point(int number) {
    return {R"({"machine.clock_mhz":")" + std::to_string(number) + "\"}",
            R"({"cycles":)" + std::to_string(number * 1000) + "}"};
  }
  /// Any bytes, longer than a page now and then.
  [[nodiscard]] static std::string run(int number) {
    std::string bytes(static_cast<std::size_t>(number % 7 == 0 ? 9000 : 50), '\0');
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      bytes[at] = static_cast<char>(static_cast<std::size_t>(number) + at);
    }
    return bytes;
  }
  [[nodiscard]] std::string opening(const std::string& name, Access access = Access::read) const {
    return message_of<ConfigError>([&] { SweepStore(directory_ / name, access); });
  }
  [[nodiscard]] std::string quoted(const std::string& name) const {
    return "'" + (directory_ / name).string() + "'";
  }

  test::TemporaryDirectory directory_;
};

TEST_F(SweepStoreTest, FindsWhatWasPut) {
  fill("a.sqlite", 0, 40);
  EXPECT_EQ(directory_.file_count(), 1) << "no log is left of a file that was closed";
  const SweepStore store(directory_ / "a.sqlite", Access::read);
  EXPECT_EQ(store.rows("points").size(), 40U);
  EXPECT_EQ(store.rows("points").at(key_of(7)), point(7));
  EXPECT_EQ(store.find_run(key_of(7)), run(7));
  EXPECT_EQ(store.find_run(key_of(40)), std::nullopt);
  EXPECT_EQ(store.find_run(key_of(39)), run(39));
  EXPECT_EQ(store.rows("failures").at("failed key 3").result, "why key 3");
}

TEST_F(SweepStoreTest, APointThatIsDoneHasNotFailed) {
  SweepStore store(directory_ / "a.sqlite", Access::write);
  store.put_failure("k", {"{}", "once"});
  store.put_failure("k", {"{}", "twice"});
  EXPECT_EQ(store.rows("failures").at("k").result, "twice");
  store.put_point("k", point(1));
  EXPECT_TRUE(store.rows("failures").empty());
  EXPECT_EQ(store.keys("points").count("k"), 1U);
}

/// Another connection sees each row as soon as it is put.
TEST_F(SweepStoreTest, MayBeReadWhileItIsWritten) {
  SweepStore store(directory_ / "a.sqlite", Access::write);
  for (int number = 0; number < 3; ++number) {
    store.put_point(key_of(number), point(number));
    EXPECT_EQ(SweepStore(directory_ / "a.sqlite", Access::read).rows("points").size(),
              static_cast<std::size_t>(number + 1));
  }
}

TEST_F(SweepStoreTest, TakesOverWhatOthersHave) {
  fill("a.sqlite", 0, 10);
  fill("b.sqlite", 5, 20);
  SweepStore all(directory_ / "all.sqlite", Access::write);
  all.put_point("failed " + key_of(6), point(6));
  for (const char* const name : {"a.sqlite", "b.sqlite", "a.sqlite"}) {
    all.absorb(SweepStore(directory_ / name, Access::read));
  }
  EXPECT_EQ(all.rows("points").size(), 21U);
  EXPECT_EQ(all.rows("failures").size(), 19U);
  EXPECT_EQ(all.find_run(key_of(14)), run(14));
}

TEST_F(SweepStoreTest, RefusesTwoResultsOfOnePoint) {
  fill("a.sqlite", 0, 3);
  SweepStore all(directory_ / "all.sqlite", Access::write);
  all.put_point(key_of(1), point(2));
  const auto absorb = [&] { all.absorb(SweepStore(directory_ / "a.sqlite", Access::read)); };
  EXPECT_EQ(message_of<ConfigError>(absorb),
            "error: " + quoted("all.sqlite") + " and " + quoted("a.sqlite") +
                " have different results of one point (key 1): they are not of the same program");
  EXPECT_EQ(all.rows("points").size(), 1U) << "nothing of it was taken";
}

TEST_F(SweepStoreTest, RefusesWhatIsNoSweep) {
  EXPECT_EQ(opening("none.sqlite"), "error: there is no file " + quoted("none.sqlite"));
  write_file(directory_ / "text.sqlite", std::string(5000, 'x'));
  EXPECT_EQ(opening("text.sqlite"),
            "error: " + quoted("text.sqlite") + " is damaged: file is not a database");
  Database(directory_ / "other.sqlite", Access::write).execute("CREATE TABLE cats (name TEXT)");
  EXPECT_EQ(
      opening("other.sqlite", Access::write),
      "error: " + quoted("other.sqlite") + " is no file of stcsim sweep, or its head is damaged");
}

/// What a program leaves that is killed while SQLite makes the file: nothing, or a head alone.
TEST_F(SweepStoreTest, SaysOfAFileWithoutTablesThatASweepGoesOnWithIt) {
  write_file(directory_ / "empty.sqlite", "");
  Database(directory_ / "head.sqlite", Access::write).execute("PRAGMA user_version=0");
  ASSERT_GT(std::filesystem::file_size(directory_ / "head.sqlite"), 0U);
  for (const char* const name : {"empty.sqlite", "head.sqlite"}) {
    EXPECT_EQ(opening(name), "error: " + quoted(name) +
                                 " is empty: a sweep was ended before it kept anything, and "
                                 "'stcsim sweep run' with this file goes on");
    fill(name, 0, 2);
    EXPECT_EQ(SweepStore(directory_ / name, Access::read).rows("points").size(), 2U);
  }
}

TEST_F(SweepStoreTest, RefusesAnotherFormatOrProgram) {
  fill("a.sqlite", 0, 3);
  Database(directory_ / "a.sqlite", Access::write).execute("PRAGMA user_version=3");
  EXPECT_EQ(opening("a.sqlite"),
            "error: " + quoted("a.sqlite") +
                " has format 3, this program reads format 4: make it anew with "
                "'stcsim sweep run SPACE --results FILE'");
  fill("b.sqlite", 0, 3);
  Database(directory_ / "b.sqlite", Access::write).execute("UPDATE program SET behaviour = 3");
  EXPECT_EQ(opening("b.sqlite"),
            "error: " + quoted("b.sqlite") +
                " is of a stcsim with other results (behaviour 3, this one has " +
                std::to_string(kBehaviourVersion) + "): sweep into another file");
}

TEST_F(SweepStoreTest, NoticesARowThatWasChanged) {
  fill("a.sqlite", 0, 3);
  for (const char* const change :
       {"UPDATE points SET figures = '{}' WHERE key = 'key 1'",
        "UPDATE runs SET bytes = x'00' WHERE key = 'key 1'",
        "UPDATE failures SET message = 'fine' WHERE key = 'failed key 1'",
        "UPDATE points SET key = 'key 9' WHERE key = 'key 1'"}) {
    std::filesystem::copy(directory_ / "a.sqlite", directory_ / "b.sqlite",
                          std::filesystem::copy_options::overwrite_existing);
    Database(directory_ / "b.sqlite", Access::write).execute(change);
    EXPECT_THAT(opening("b.sqlite"),
                StartsWith("error: " + quoted("b.sqlite") + " is damaged: a row of '"))
        << change;
  }
}

/// What a damaged file answers: an error that names it, or nothing but rows that were written. Rows
/// of the log that it lacks are simulated again.
void expect_error_or_truth(const std::filesystem::path& path, const std::string& how) {
  try {
    const SweepStore store(path, Access::read);
    for (const auto& [key, found] : store.rows("points")) {
      const int number = std::stoi(key.substr(4));
      EXPECT_EQ(found.result, R"({"cycles":)" + std::to_string(number * 1000) + "}") << how;
    }
    EXPECT_EQ(store.rows("points").size(), 30U) << how;
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string())) << how;
  }
}

TEST_F(SweepStoreTest, FlippedBytesAreNoticedOrDoNoHarm) {
  fill("a.sqlite", 0, 30);
  const std::string sound = read_file(directory_ / "a.sqlite");
  const std::uint64_t seed = test::seed_or(1);
  test::Dice dice(seed);
  int noticed = 0;
  for (int tries = 0; tries < 150; ++tries) {
    std::string damaged = sound;
    const std::int64_t count = dice.one_of({1, 1, 3, 40});
    for (std::int64_t flips = 0; flips < count; ++flips) {
      const auto at = static_cast<std::size_t>(dice.between(0, std::ssize(damaged) - 1));
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << dice.between(0, 7)));
    }
    write_file(directory_ / "b.sqlite", damaged);
    expect_error_or_truth(directory_ / "b.sqlite",
                          "seed " + std::to_string(seed) + ", try " + std::to_string(tries));
    try {
      SweepStore(directory_ / "b.sqlite", Access::read);
    } catch (const ConfigError&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 75) << "seed " << seed;  // the rest fell upon what no row lies in
}

TEST_F(SweepStoreTest, ATruncatedFileIsNoticed) {
  fill("a.sqlite", 0, 30);
  const std::string sound = read_file(directory_ / "a.sqlite");
  for (std::size_t size = 1; size < sound.size(); size += 1237) {
    write_file(directory_ / "b.sqlite", sound.substr(0, size));
    EXPECT_THAT(opening("b.sqlite"), HasSubstr(quoted("b.sqlite"))) << size;
  }
}

}  // namespace
}  // namespace stcsim
