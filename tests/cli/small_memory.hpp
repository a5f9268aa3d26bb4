#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {

/// An A100 of so many SMs whose file changes the capacity of shared memory alone.
class SmallMemory {
 public:
  SmallMemory(std::int64_t kilobytes, std::int64_t sms) {
    write_text(file(),
               "extends: a100\nname: small\naccelerator:\n  num_sms: " + std::to_string(sms) +
                   "\n  sm: {shared_memory: {capacity_bytes: " + std::to_string(kilobytes * 1024) +
                   "}}\n");
  }

  [[nodiscard]] std::string file() const { return (directory_.path() / "small.yaml").string(); }

  /// What a command says of the machine.
  [[nodiscard]] ProgramResult run(const std::string& command,
                                  const std::vector<std::string>& options) const {
    std::vector<std::string> words{command, "--arch", file()};
    words.insert(words.end(), options.begin(), options.end());
    ProgramOptions how;
    how.time_limit = std::chrono::seconds(280);
    return run_stcsim(words, how);
  }

 private:
  TemporaryDirectory directory_;
};

/// It was answered, and the notes are one for each cause.
inline void expect_answer(const ProgramResult& result) {
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(result.timed_out);
  EXPECT_THAT(result.err, testing::HasSubstr("note: small: its default stack is 'best'"));
  EXPECT_THAT(result.err, testing::Not(testing::HasSubstr("error")));
  EXPECT_THAT(result.err, testing::Not(testing::HasSubstr("failed")));
}

}  // namespace stcsim
