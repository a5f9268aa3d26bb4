#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

/// The first lines, without the breaks of a narrow page.
std::string first_lines(const std::string& text, int count) {
  std::istringstream lines(text);
  std::string joined;
  std::string line;
  for (int at = 0; at < count && std::getline(lines, line); ++at) {
    joined +=
        (at == 0 ? "" : " ") + line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  return joined;
}

/// The tiny experiment, run.
class CompareRuns : public testing::Test {
 protected:
  [[nodiscard]] std::string run(const std::string& name,
                                const std::vector<std::string>& set) const {
    std::vector<std::string> arguments{"run", tiny_.file(), "--format", "json"};
    for (const std::string& one : set) arguments.insert(arguments.end(), {"--set", one});
    const ProgramResult result = run_stcsim(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    write_text(tiny_.path(name), result.out);
    return tiny_.path(name);
  }

  TinyExperiment tiny_;
};

struct OneKey {
  std::string key;
  std::string before;
  std::string now;
};

class CompareOneKey : public CompareRuns, public testing::WithParamInterface<OneKey> {};

std::string step_of(const ordered_json& result) {
  for (const auto& total : result["totals"]) {
    if (total["scheme"] != "asp") continue;
    return fmt::format("{:.1f} us", total["step"]["time_us"].get<double>());  // 10 to 99.9 us
  }
  return "no step";
}

std::string gain_of(const ordered_json& result) {
  for (const auto& total : result["totals"]) {
    if (total["scheme"] == "asp") return fmt::format("{:.3f}x", total["speedup"].get<double>());
  }
  return "no gain";
}

TEST_P(CompareOneKey, TheFirstFourLinesNameItAndWhatItDid) {
  const auto& [key, before, now] = GetParam();
  const std::string a = run("a.json", {});
  const std::string b = run("b.json", {"machines.0." + key + "=" + now});
  const ProgramResult result = run_stcsim({"compare", a, b}, {.environment = {{"COLUMNS", "80"}}});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const std::string head = first_lines(result.out, 4);
  // Kernels are compiled for some of them: with those the stack differs too.
  EXPECT_THAT(head, testing::AnyOf(HasSubstr("one value differs: machine"),
                                   HasSubstr("3 values differ: machine")));
  EXPECT_THAT(first_lines(result.out, 5),
              HasSubstr(fmt::format(" two_sms: {} {} -> {}", key, before, now)));
  const auto results = [](const std::string& file) { return ordered_json::parse(read_text(file)); };
  EXPECT_THAT(head, StartsWith(fmt::format("tiny on two_sms, asp: step {} -> {} (",
                                           step_of(results(a)), step_of(results(b)))));
  const std::string gain = gain_of(results(a));
  EXPECT_THAT(head, HasSubstr(key == "clock_mhz" ? ", speedup still " + gain + "; dense "
                                                 : fmt::format(", speedup {} -> {} (", gain,
                                                               gain_of(results(b)))));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, CompareOneKey,
    testing::Values(OneKey{"accelerator.cta_scheduler.cta_setup_cycles", "200", "400"},
                    OneKey{"accelerator.cta_scheduler.launch_cycles", "2820", "5640"},
                    OneKey{"accelerator.dram.burst_bytes", "64", "128"},
                    OneKey{"accelerator.dram.bytes_per_clk", "1000", "2000"},
                    OneKey{"accelerator.dram.latency_cycles", "264", "528"},
                    OneKey{"accelerator.l2_cache.far_hit_cycles", "357", "714"},
                    OneKey{"accelerator.l2_cache.write_bytes_per_clk", "3840", "7680"},
                    OneKey{"accelerator.memory_bus.hop_cycles", "80", "40"},
                    OneKey{"accelerator.memory_bus.sm_read_bytes_per_clk", "64", "128"},
                    OneKey{"accelerator.memory_bus.sm_write_bytes_per_clk", "64", "128"},
                    OneKey{"accelerator.num_sms", "2", "4"},
                    OneKey{"accelerator.sm.copy_engine.issue_bytes_per_clk", "128", "256"},
                    OneKey{"accelerator.sm.epilogue.elements_per_clk", "26", "52"},
                    OneKey{"accelerator.sm.epilogue.setup_cycles", "500", "1000"},
                    OneKey{"accelerator.sm.max_warps", "64", "128"},
                    OneKey{"accelerator.sm.operand_fetch.fragment_buffers", "2", "4"},
                    OneKey{"accelerator.sm.operand_selector.b_bytes_per_clk", "64", "32"},
                    OneKey{"accelerator.sm.operand_selector.metadata_decode_cycles", "6", "12"},
                    OneKey{"accelerator.sm.shared_memory.banks", "32", "64"},
                    OneKey{"accelerator.sm.shared_memory.latency_cycles", "29", "58"},
                    OneKey{"accelerator.sm.tensor_core.same_warp_bubble_cycles", "1.3", "2.6"},
                    OneKey{"clock_mhz", "1410.0", "1000.0"}));

TEST_F(CompareRuns, EqualOnesSaySo) {
  const std::string a = run("a.json", {});
  const ProgramResult result = run_stcsim({"compare", a, a});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("equal: all "));
  EXPECT_THAT(result.out, HasSubstr("\nthe configuration is the same\n"));
  // A value that changes nothing is named, and is no difference.
  const std::string b = run("b.json", {"machines.0.accelerator.dram.capacity_bytes=42949672000"});
  const ProgramResult other = run_stcsim({"compare", a, b});
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_THAT(first_lines(other.out, 4), HasSubstr(", though the configuration is not (step "));
  EXPECT_THAT(other.out, HasSubstr("dram.capacity_bytes 42949672960 -> 42949672000\n"));
}

/// What `run --set` would say.
TEST_F(CompareRuns, ARecordedRunIsRunAgainWithAnotherValue) {
  const std::string a = run("a.json", {});
  const std::string set = "machines.0.accelerator.num_sms=1";
  const std::string b = run("b.json", {set});
  const auto json = [](const ProgramResult& result) {
    ordered_json document = ordered_json::parse(result.out);
    document["now"].erase("file");
    return document;
  };
  const std::string golden = tiny_.path("golden.json");
  ASSERT_EQ(run_stcsim({"record", tiny_.file(), "-o", golden}).exit_code, 0);
  std::filesystem::remove(tiny_.file());
  const ordered_json files = json(run_stcsim({"compare", a, b, "--format", "json"}));
  EXPECT_EQ(json(run_stcsim({"compare", a, "--set", set, "--format", "json"})), files);
  ordered_json recorded = json(run_stcsim({"compare", golden, "--set", set, "--format", "json"}));
  EXPECT_EQ(recorded["before"]["file"], golden);
  recorded["before"]["file"] = a;
  EXPECT_EQ(recorded["steps"], files["steps"]);
  EXPECT_EQ(recorded["rows"], files["rows"]);
}

TEST_F(CompareRuns, FoldersOfOutAreTaken) {
  const std::string out = tiny_.path("out");
  ASSERT_EQ(run_stcsim({"run", tiny_.file(), "--out", out}).exit_code, 0);
  EXPECT_EQ(run_stcsim({"compare", out, run("a.json", {})}).exit_code, 0);
}

TEST_F(CompareRuns, WhatIsMissingIsSaid) {
  const std::string a = run("a.json", {});
  const auto error = [](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_stcsim(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_EQ(error({"compare", a}),
            "stcsim compare: error: B is missing, or --set KEY=VALUE, which runs A again with "
            "that\n");
  EXPECT_EQ(error({"compare", a, a, "--set", "dtype=bf16"}),
            "stcsim compare: error: --set goes without B: it runs A again, with other values\n");
  EXPECT_THAT(error({"compare", tiny_.path("no"), a}),
              StartsWith("stcsim compare: error: cannot "));
}

class CompareGemms : public testing::Test {
 protected:
  [[nodiscard]] std::string gemm(const std::string& name, std::vector<std::string> more) const {
    more.insert(more.begin(), {"gemm", "--arch", "a100", "--m", "128", "--n", "128", "--k", "256",
                               "--format", "json", "--output", path(name)});
    const ProgramResult result = run_stcsim(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path(name);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }

  TemporaryDirectory directory_;
};

/// Every option that a GEMM's file records comes back: with a value that it has already nothing
/// differs.
TEST_F(CompareGemms, ARecordedGemmIsRunAgain) {
  const std::vector<std::vector<std::string>> asked{
      {},
      {"--sparsity", "2:4", "--dtype", "bf16", "--where", "faster", "--clock", "1000"},
      {"--sparsity", "2:4", "--layout", "nn", "--c-layout", "column", "--method", "loop"},
      {"--batch-count", "3", "--stack", "best", "--candidates", "2", "--values", "zeros"},
      {"--kernel", "dense_128x128x32_s4"}};
  for (const auto& options : asked) {
    const std::string file = gemm("g.json", options);
    const ProgramResult same =
        run_stcsim({"compare", file, "--set", "accelerator.num_sms=108", "--format", "json"});
    EXPECT_EQ(same.exit_code, 0) << same.err;
    EXPECT_EQ(ordered_json::parse(same.out)["config_changes"], ordered_json::array());
  }
}

TEST_F(CompareGemms, SayTimeAndSpeedup) {
  const std::string file = gemm("g.json", {"--sparsity", "2:4"});
  const ProgramResult result =
      run_stcsim({"compare", file, "--set", "accelerator.dram.latency_cycles=2000"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, StartsWith("128×128×256 on a100, 2:4: time "));
  EXPECT_THAT(first_lines(result.out, 4),
              HasSubstr("one value differs: machine.accelerator.dram.latency_cycles 264 -> 2000"));
  EXPECT_EQ(run_stcsim({"compare", file, gemm("h.json", {"--dtype", "bf16"})}).exit_code, 1);
}

TEST_F(CompareGemms, OneWithoutAllThatItTakesSaysWhatIsMissing) {
  const std::string file = gemm("g.json", {"--functional"});
  const ProgramResult result = run_stcsim({"compare", file, "--set", "accelerator.num_sms=8"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            file +
                ": error: has the name only of the values that it ran with (--functional): run "
                "it again with `stcsim gemm`, and compare the two files\n");
}

}  // namespace
}  // namespace stcsim
