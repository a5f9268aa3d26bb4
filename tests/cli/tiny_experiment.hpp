#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {

/// The whole text of a file. Throws if there is none.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

/// Names of the files in a directory, sorted.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& directory);

/// A directory with "tiny.yaml": an experiment that takes milliseconds. Two linear layers ("first",
/// without a dgrad, and "second") of network "tiny" under dense and asp, on "two_sms".
class TinyExperiment {
 public:
  TinyExperiment();

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }
  [[nodiscard]] std::string file() const { return (directory() / "tiny.yaml").string(); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory() / name).string();
  }

 private:
  TemporaryDirectory directory_;
};

/// The tiny experiment with a map time_to_accuracy.
class Tta : public testing::Test {
 protected:
  void SetUp() override { with("  samples_per_epoch: 2000\n  epochs: 10\n"); }

  /// Replaces the map.
  void with(const std::string& map) {
    write_text(tiny_.path("mine.yaml"), read_text(tiny_.file()) + "time_to_accuracy:\n" + map);
  }
  void file(const std::string& name, const std::string& text) {
    write_text(tiny_.path(name), text);
  }
  ProgramResult run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"tta", "mine.yaml"});
    return run_stcsim(arguments, {.working_directory = tiny_.directory()});
  }
  nlohmann::json parsed(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  /// The mistake that is named, from `mine.yaml` on.
  std::string error(const std::string& map, std::vector<std::string> arguments = {}) {
    with(map);
    const ProgramResult result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  }
  [[nodiscard]] const TinyExperiment& tiny() const { return tiny_; }

 private:
  TinyExperiment tiny_;
};

inline constexpr const char* kWithCurves =
    "  samples_per_epoch: 2000\n  epochs: 4\n  target: 90\n  curves: '{scheme}_*.csv'\n";

}  // namespace stcsim
