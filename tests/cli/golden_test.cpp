#include <cstdint>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const ProgramOptions kAtHome{.environment = {{"CI", ""}}};
const ProgramOptions kInCi{.environment = {{"CI", "true"}}};

const std::string kStack =
    "cuda12_search (dense cublas12 by search, sparse cusparselt08 by search,\n"
    "  convolutions cudnn8 by search)\n";
const std::string kSoftware = "software of two_sms: " + kStack;

class GoldenFile : public testing::Test {
 protected:
  GoldenFile() : file_(tiny_.path("golden.json")) {
    const ProgramResult result = run_stcsim({"record", tiny_.file(), "-o", file_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    recorded_ = read_text(file_);
    EXPECT_EQ(result.out, recorded_figures() + kSoftware + "next: stcsim check " + file_ + "\n");
  }

  [[nodiscard]] ordered_json golden() const { return ordered_json::parse(recorded_); }
  [[nodiscard]] std::size_t figures() const { return golden()["rows"].size(); }
  [[nodiscard]] std::string recorded_figures() const {
    return file_ + ": " + std::to_string(figures()) + " figures recorded\n";
  }

  /// How a comparison of all of them begins, and what stands below it.
  [[nodiscard]] std::string all_the_same() const {
    return "equal: all " + std::to_string(figures()) + " figures are the same";
  }
  static std::string sides(const std::string& file) {
    return "before: " + file + "; now: this program\n";
  }

  /// Makes one figure of the file larger by `factor` and returns what it was.
  std::int64_t falsify(std::size_t index, double factor) {
    ordered_json changed = golden();
    const std::int64_t value = changed["rows"][index]["cycles"];
    changed["rows"][index]["time_us"] = changed["rows"][index]["time_us"].get<double>() * factor;
    changed["rows"][index]["cycles"] =
        static_cast<std::int64_t>(static_cast<double>(value) * factor);
    write_text(file_, changed.dump());
    return value;
  }

  TinyExperiment tiny_;
  std::string file_;
  std::string recorded_;
};

TEST_F(GoldenFile, HoldsEveryResultAndTheExperiment) {
  const auto study = ordered_json::parse(run_stcsim({"run", tiny_.file(), "--format", "json"}).out);
  EXPECT_EQ(figures(), study["results"].size());
  EXPECT_EQ(golden()["config"], study["config"]);
  EXPECT_THAT(recorded_, HasSubstr("\n          \"num_sms\": 2,\n"));
  EXPECT_EQ(golden()["config_hash"], study["config_hash"]);
}

TEST_F(GoldenFile, IsTheSameWithTwoJobs) {
  const std::string other = tiny_.path("other.json");
  ASSERT_EQ(run_stcsim({"record", tiny_.file(), "--output", other, "--jobs", "2"}).exit_code, 0);
  EXPECT_EQ(read_text(other), recorded_);
}

TEST_F(GoldenFile, IsTheSameWithoutFastForward) {
  const std::string other = tiny_.path("other.json");
  ASSERT_EQ(run_stcsim({"record", tiny_.file(), "-o", other, "--fast-forward", "off"}).exit_code,
            0);
  EXPECT_EQ(read_text(other), recorded_);
  EXPECT_EQ(run_stcsim({"check", other, "--fast-forward", "off"}).exit_code, 0);
}

TEST_F(GoldenFile, ChecksWithoutTheFilesItWasMadeFrom) {
  const TemporaryDirectory elsewhere;
  const std::string moved = (elsewhere.path() / "moved.json").string();
  std::filesystem::rename(file_, moved);
  std::filesystem::remove(tiny_.file());
  std::filesystem::remove(tiny_.path("net.yaml"));
  const ProgramResult result = run_stcsim({"check", moved, "--jobs", "2"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "stcsim check: note: the experiment './tiny.yaml' that " + moved +
                            " was recorded from is not there: checked as it was recorded\n");
  EXPECT_THAT(result.out, StartsWith(all_the_same() + " (step "));
  EXPECT_THAT(result.out, EndsWith("\nthe configuration is the same\n" + sides(moved) + kSoftware +
                                   "next: stcsim check " + moved + " --set KEY=VALUE\n"));
}

TEST_F(GoldenFile, AMachineThatWasEditedIsNamedWithItsKey) {
  write_text(tiny_.path("machine.yaml"),
             "extends: a100\nname: mine\naccelerator: {num_sms: 2}\nclock_mhz: 1000\n");
  const std::string file = tiny_.path("mine.json");
  ASSERT_EQ(run_stcsim({"record", tiny_.file(), "-o", file, "--set",
                        "machines.0=" + tiny_.path("machine.yaml")})
                .exit_code,
            0);
  EXPECT_THAT(run_stcsim({"check", file}).out, StartsWith(all_the_same() + " (step "));
  // Cycles do not depend on the clock, times do.
  write_text(tiny_.path("machine.yaml"),
             "extends: a100\nname: mine\naccelerator: {num_sms: 2}\nclock_mhz: 1500\n");
  const ProgramResult faster = run_stcsim({"check", file});
  EXPECT_EQ(faster.exit_code, 1);
  EXPECT_THAT(faster.out, StartsWith("tiny on mine, asp: step "));
  EXPECT_THAT(faster.out,
              HasSubstr("\none value differs: machine mine: clock_mhz 1000.0 -> 1500.0\n"
                        "the clock is 1500 MHz, was 1000\n"));
  EXPECT_THAT(faster.out, Not(HasSubstr("limited by")));
  EXPECT_EQ(run_stcsim({"check", file, "--rtol", "0.5"}).exit_code, 0);
  write_text(tiny_.path("machine.yaml"),
             "extends: a100\nname: mine\nclock_mhz: 1000\n"
             "accelerator: {num_sms: 2, dram: {latency_cycles: 9999}}\n");
  const ProgramResult other = run_stcsim({"check", file, "--format", "json"});
  EXPECT_EQ(other.exit_code, 1);
  const auto json = ordered_json::parse(other.out);
  ASSERT_EQ(json["config_changes"].size(), 1U);
  EXPECT_EQ(json["config_changes"][0]["key"], "machine mine: accelerator.dram.latency_cycles");
  EXPECT_EQ(json["config_changes"][0]["now"], "9999");
  EXPECT_EQ(json["config_changes"][0]["before"], "264");
  EXPECT_GT(json["rows"].size(), 0U);
  const ProgramResult recorded = run_stcsim({"check", file, "--as-recorded"});
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_THAT(recorded.out, StartsWith(all_the_same() + " (step "));
  EXPECT_EQ(run_stcsim({"check", file, "--update"}, kAtHome).exit_code, 0);
  EXPECT_EQ(run_stcsim({"check", file}).exit_code, 0);
}

TEST_F(GoldenFile, IsCheckedFromAnyFolder) {
  const TemporaryDirectory elsewhere;
  const ProgramResult result =
      run_stcsim({"check", file_}, {.working_directory = elsewhere.path()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(golden()["source"]["experiment"], "./tiny.yaml");
}

/// A network and a machine without an experiment's file: both are found from any folder, and read
/// as they are now.
TEST_F(GoldenFile, AQuestionWithoutAFileIsAskedAgain) {
  const std::string machine = tiny_.path("machine.yaml");
  write_text(machine, "extends: a100\nname: mine\naccelerator: {num_sms: 2}\n");
  const std::string file = tiny_.path("question.json");
  const ProgramResult recorded =
      run_stcsim({"record", "--network", tiny_.path("net.yaml"), "--arch", machine, "--schemes",
                  "asp-1:4", "--batch", "3", "-o", file});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("\nsoftware of mine: cuda12_"));
  const auto question = ordered_json::parse(
      ordered_json::parse(read_text(file))["source"]["question"].get<std::string>());
  EXPECT_EQ(question["machines"][0], "./machine.yaml");
  EXPECT_EQ(question["networks"][0]["name"], "./net.yaml");
  EXPECT_EQ(question["networks"][0]["batch"], 3);
  EXPECT_EQ(question["schemes"][0]["name"], "asp");
  const TemporaryDirectory elsewhere;
  const ProgramOptions there{.working_directory = elsewhere.path()};
  EXPECT_EQ(run_stcsim({"check", file}, there).exit_code, 0);
  write_text(machine, "extends: a100\nname: mine\naccelerator: {num_sms: 1}\n");
  const ProgramResult changed = run_stcsim({"check", file}, there);
  EXPECT_EQ(changed.exit_code, 1) << changed.err;
  EXPECT_THAT(changed.out,
              HasSubstr("one value differs: machine mine: accelerator.num_sms 2 -> 1\n"));
  EXPECT_EQ(run_stcsim({"record", tiny_.file(), "--arch", "a100", "-o", file + "2"}).exit_code, 2);
}

TEST_F(GoldenFile, TheTableFitsThePage) {
  falsify(0, 2.0);
  std::istringstream lines(run_stcsim({"check", file_}).out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.size() <= 100 || line.find(' ') == std::string::npos) << line;
  }
}

TEST_F(GoldenFile, OneWithoutItsSourceIsCheckedAsItWasRecorded) {
  ordered_json changed = golden();
  changed.erase("source");
  write_text(file_, changed.dump());
  const ProgramResult result = run_stcsim({"check", file_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "stcsim check: note: " + file_ +
                            " does not say where its experiment was read from: checked as it was "
                            "recorded\n");
}

TEST_F(GoldenFile, ADriftIsNamedAndIsExitCode1) {
  const std::int64_t now = falsify(0, 2.0);
  const ProgramResult table = run_stcsim({"check", file_});
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_THAT(table.out, HasSubstr(", though cycles\n  moved\nthe configuration is the same\n"));
  EXPECT_THAT(table.out, HasSubstr("\n" + golden()["rows"][0]["layer"].get<std::string>() + " "));
  EXPECT_THAT(table.out, HasSubstr("  -50  100.0 %  "));
  EXPECT_THAT(table.out, HasSubstr("\n" + std::to_string(figures() - 1) + " of " +
                                   std::to_string(figures()) + " figures are the same\n"));
  EXPECT_EQ(run_stcsim({"check", file_, "--format", "markdown"}).exit_code, 1);
  EXPECT_THAT(run_stcsim({"check", file_, "--format", "junit"}).out, HasSubstr("failures=\"1\""));

  const ProgramResult json_result = run_stcsim({"check", file_, "--format", "json"});
  EXPECT_EQ(json_result.exit_code, 1);
  const auto json = ordered_json::parse(json_result.out);
  EXPECT_EQ(json["schema"], "stcsim.compare/1");
  EXPECT_EQ(json["before"]["file"], file_);
  EXPECT_EQ(json["figures"], figures());
  ASSERT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["rows"][0]["before"]["cycles"], 2 * now);
  EXPECT_EQ(json["rows"][0]["now"]["cycles"], now);
}

/// What would be on another machine, or with another value; what is recorded stays.
TEST_F(GoldenFile, IsCheckedOnAnotherMachine) {
  const ProgramResult machine = run_stcsim({"check", file_, "--arch", "h100_sxm"});
  EXPECT_EQ(machine.exit_code, 1) << machine.err;
  EXPECT_THAT(machine.out, StartsWith("tiny on two_sms -> h100_sxm, asp: step "));
  for (const char* const as : {"--format=table", "--as-recorded"}) {
    const ProgramResult value =
        run_stcsim({"check", file_, as, "--set", "machines.0.accelerator.num_sms=1"});
    EXPECT_EQ(value.exit_code, 1) << value.err;
    EXPECT_THAT(value.out, HasSubstr("\none value differs: machine two_sms: accelerator.num_sms 2 "
                                     "-> 1\n"));
  }
  EXPECT_EQ(read_text(file_), recorded_);
  EXPECT_EQ(run_stcsim({"check", file_, "--update", "--set", "dtype=bf16"}, kAtHome).exit_code, 2);
}

TEST_F(GoldenFile, ToleratesWhatItIsToldTo) {
  falsify(0, 2.0);
  EXPECT_EQ(run_stcsim({"check", file_, "--rtol", "0.5"}).exit_code, 0);
  EXPECT_EQ(run_stcsim({"check", file_, "--rtol", "0.499"}).exit_code, 1);
  EXPECT_EQ(run_stcsim({"check", file_, "--rtol", "50%"}).exit_code, 0);
  EXPECT_EQ(run_stcsim({"check", file_, "--rtol", "49.9%"}).exit_code, 1);
}

TEST_F(GoldenFile, AMissingFigureIsADrift) {
  ordered_json changed = golden();
  changed["rows"].erase(changed["rows"].begin());
  write_text(file_, changed.dump());
  const ProgramResult result = run_stcsim({"check", file_, "--format", "json", "--rtol", "1000"});
  EXPECT_EQ(result.exit_code, 1);
  const auto json = ordered_json::parse(result.out);
  ASSERT_EQ(json["rows"].size(), 1U);
  EXPECT_TRUE(json["rows"][0]["before"].is_null());
}

TEST_F(GoldenFile, UpdateRecordsAnew) {
  falsify(0, 2.0);
  const ProgramResult result = run_stcsim({"check", file_, "--update"}, kAtHome);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, recorded_figures() + kSoftware + "next: stcsim check " + file_ + "\n");
  EXPECT_EQ(read_text(file_), recorded_);
}

TEST_F(GoldenFile, UpdateIsRefusedInContinuousIntegration) {
  falsify(0, 2.0);
  const std::string before = read_text(file_);
  const ProgramResult result = run_stcsim({"check", file_, "--update"}, kInCi);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "stcsim check: error: --update is refused in continuous integration (the variable CI "
            "is set)\n");
  EXPECT_EQ(read_text(file_), before);
}

TEST_F(GoldenFile, RecordDoesNotReplaceIt) {
  falsify(0, 2.0);
  const std::string before = read_text(file_);
  const ProgramResult result = run_stcsim({"record", tiny_.file(), "-o", file_}, kAtHome);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "stcsim record: error: --output is '" + file_ +
                            "', which exists; 'stcsim check " + file_ +
                            " --update' records it again\n");
  EXPECT_EQ(read_text(file_), before);
}

TEST_F(GoldenFile, AnIncompleteStudyIsNotRecorded) {
  const std::string other = tiny_.path("other.json");
  const ProgramResult result =
      run_stcsim({"record", tiny_.file(), "-o", other, "--set", "kernel=dense_64x64x32_s10"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("\nstcsim record: error: an incomplete study cannot be "));
  EXPECT_EQ(files_in(tiny_.directory()),
            (std::vector<std::string>{"golden.json", "net.yaml", "tiny.yaml"}));
}

TEST_F(GoldenFile, ABrokenFileIsAConfigurationError) {
  write_text(file_, recorded_.substr(0, recorded_.size() / 2));
  const ProgramResult result = run_stcsim({"check", file_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith(file_ + ":"));
}

}  // namespace
}  // namespace stcsim
