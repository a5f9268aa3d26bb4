// What every command of the program keeps to: data on stdout, messages on stderr, exit codes.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Contract, VersionIsDataOnStdout) {
  const ProgramResult result = run_stcsim({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr(STCSIM_VERSION));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Contract, HelpNamesTheCommands) {
  const ProgramResult result = run_stcsim({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("run"));
  EXPECT_THAT(result.out, HasSubstr("list"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Contract, ListsTheShippedMachinesFromAnyDirectory) {
  const TemporaryDirectory elsewhere;
  const ProgramResult result =
      run_stcsim({"list", "arch"}, {.working_directory = elsewhere.path()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("a100"));
  EXPECT_THAT(result.err, IsEmpty());
}

/// A usage error exits with 2, prints no data, and says on one line of stderr what was wrong.
void expect_usage_error(const std::vector<std::string>& arguments, const std::string& culprit) {
  const ProgramResult result = run_stcsim(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr(culprit));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST(Contract, AnUnknownCommandIsAUsageError) {
  expect_usage_error({"no-such-command"}, "no-such-command");
}

TEST(Contract, AnUnknownOptionIsAUsageError) {
  expect_usage_error({"run", "--no-such-option"}, "--no-such-option");
}

TEST(Contract, AMissingExperimentIsAUsageError) {
  expect_usage_error({"run", "/no/such/experiment.yaml"}, "/no/such/experiment.yaml");
}

/// What a shell prints.
std::string printed_by(const std::string& script) {
  const ProgramResult result = run_program(
      "/bin/bash",
      {"-c", "set -o pipefail; stcsim() { " + stcsim_program().string() + " \"$@\"; }; " + script});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(Contract, ADashIsStandardInputOrOutput) {
  const std::string configs = STCSIM_SOURCE_DIR "/configs/";
  EXPECT_EQ(without_next(printed_by("stcsim run --network - --arch a100 --batch 4 <" + configs +
                                    "networks/resnet9_cifar10.yaml")),
            without_next(printed_by("stcsim run --network resnet9_cifar10 --arch a100 --batch 4")));
  EXPECT_EQ(printed_by("cat " + configs +
                       "arch/a100.yaml | stcsim gemm --arch - --m 64 --n 64 "
                       "--k 64 --output -"),
            without_next(printed_by("stcsim gemm --arch a100 --m 64 --n 64 --k 64")));
  EXPECT_THAT(printed_by("stcsim list layers resnet9_cifar10 --format json | stcsim page - -o -"),
              testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(printed_by("cat " + configs + "spaces/selector_widths.yaml | stcsim sweep plan -"),
              testing::StartsWith("space -: 96 points"));
}

TEST(Run, WritesWhatSucceededWhenPointsFail) {
  const TinyExperiment tiny;
  const std::string out = tiny.path("out");
  // A dense kernel cannot run the sparse GEMMs.
  const ProgramResult result =
      run_stcsim({"run", tiny.file(), "--set", "kernel=dense_64x64x32_s10", "--out", out});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, testing::StartsWith("stcsim run: failed: "));
  const nlohmann::json json = nlohmann::json::parse(read_text(out + "/results.json"));
  const auto messages = std::count(result.err.begin(), result.err.end(), '\n');
  EXPECT_EQ(json["failures"].size(), static_cast<std::size_t>(messages));
  EXPECT_EQ(result.err, "stcsim run: failed: " + json["failures"][0].get<std::string>() + "\n" +
                            result.err.substr(result.err.find('\n') + 1));
  EXPECT_FALSE(json["results"].empty());
}

TEST(Run, RefusesOutputItCannotWriteBeforeItSimulates) {
  const TinyExperiment tiny;
  write_text(tiny.path("file"), "precious");
  const ProgramResult file = run_stcsim({"run", "demo", "--out", tiny.path("file")});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, testing::StartsWith("stcsim run: error: cannot "));
  EXPECT_EQ(read_text(tiny.path("file")), "precious");

  std::filesystem::create_directories(tiny.path("out/results.csv"));
  const ProgramResult blocked = run_stcsim({"run", "demo", "--out", tiny.path("out")});
  EXPECT_EQ(blocked.exit_code, 2);
  EXPECT_EQ(blocked.err, "stcsim run: error: cannot write " + tiny.path("out/results.csv") +
                             ": Is a directory\n");
  EXPECT_THAT(files_in(tiny.path("out")), testing::ElementsAre("results.csv"));
}

}  // namespace
}  // namespace stcsim
