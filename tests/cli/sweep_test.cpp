#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/sqlite.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/cli/tiny_sweep.hpp"

namespace stcsim {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Sweep, RunsAGemmSpace) {
  const TinySweep sweep;
  const ProgramResult plan = sweep.run("plan");
  EXPECT_EQ(plan.err, "");
  EXPECT_THAT(plan.out,
              StartsWith("space gemms: 24 points, 24 machine x GEMM; 6 machines\n"
                         "left: 24 points, for those of GEMMs 18 different ones, about 1 s of "
                         "one core\n"));
  const ProgramResult first = sweep.run("run");
  EXPECT_EQ(first.err, "");
  EXPECT_THAT(without_next(first.out),
              EndsWith("\n\n" + sweep.results() +
                       ": 24 points, 24 simulated now, 0 were there; 18 different GEMMs "
                       "simulated, 0 found\n"));
  const ProgramResult again = sweep.run("run");
  EXPECT_THAT(without_next(again.out),
              EndsWith(": 24 points, 0 simulated now, 24 were there; 0 different GEMMs simulated, "
                       "0 found\n"));
  EXPECT_THAT(sweep.run("plan").out, HasSubstr("\nleft: 0 points\n"));
  EXPECT_EQ(without_next(sweep.run("status").out),
            sweep.results() + ": 24 of 24 points are done, 0 failed, 0 to do\n");
}

TEST(Sweep, SaysOnceWhereStacksWereWrittenForOtherHardware) {
  const TinyExperiment tiny;
  write_text(tiny.path("narrow.yaml"), R"(
machines: [a100]
gemms: [{m: 128, n: 128, k: 64, pattern: 2:4}, {m: 64, n: 64, k: 64, pattern: 2:4}]
axes: {machine.accelerator.sm.shared_memory.capacity_bytes: [98304, 131072]}
)");
  const ProgramResult plan = run_stcsim({"sweep", "plan", tiny.path("narrow.yaml")});
  EXPECT_EQ(plan.err,
            "stcsim sweep: note: a100: its default stack is 'best': those of a100.yaml were not "
            "written for its shared_memory.capacity_bytes, shared_memory.max_bytes_per_cta and run "
            "only where they are named\n");
}

/// By hand, from the exported points: the geometric mean over both GEMMs of every choice.
TEST(Sweep, EndsWithAnAnswerOverTheWholeWork) {
  const TinySweep sweep;
  const ProgramResult run = sweep.run("run");
  std::map<std::string, double> gains;  // by machine and pattern
  double most = 0;
  const auto rows = nlohmann::json::parse(sweep.run("export", {"--format", "json"}).out)["rows"];
  for (const auto& row : rows) {
    const std::string choice =
        row["machine.accelerator.num_sms"].dump() + " " +
        row["machine.accelerator.sm.operand_selector.b_bytes_per_clk"].dump() + " " +
        row["gemm.pattern"].get<std::string>();
    double& gain = gains.try_emplace(choice, 1).first->second;
    gain *= std::sqrt(row["speedup"].get<double>());
    most = std::max(most, gain);
  }
  ASSERT_EQ(gains.size(), 12U);
  EXPECT_THAT(run.out,
              StartsWith(fmt::format(
                  "gemms, 2:4: at best {:.2f}x of dense over 64x64x256, 64x64x512 (geometric "
                  "mean): SMs ",
                  most)));
  EXPECT_THAT(run.out, HasSubstr(" of 6 choices are beaten by none in area and gain\n"));
  EXPECT_THAT(run.out, HasSubstr("\ngemms, dense: at best 1.00x of dense over "));
  EXPECT_THAT(run.out, HasSubstr("\nfastest "));
  EXPECT_THAT(run.out, HasSubstr("\nwhat pays, all else equal: "));
  EXPECT_THAT(run.out, EndsWith("\nnext: stcsim page " + sweep.results() + "\n"));
  const std::string each = sweep.run("run", {"--each"}).out;
  EXPECT_THAT(each, HasSubstr(" of dense of 64x64x256: "));
  EXPECT_THAT(each, HasSubstr(" of dense of 64x64x512: "));
}

TEST(Sweep, GemmsWithoutANameHaveOne) {
  const TinySweep sweep("[{m: 64, n: 64, k: 256}, {m: 64, n: 64, k: 256, batch_count: 2}]");
  const auto axes = nlohmann::json::parse(sweep.run("plan", {"--format", "json"}).out)["axes"];
  EXPECT_EQ(axes[3]["values"], (nlohmann::json{"64x64x256", "64x64x256 batch_count 2"}));
}

/// To the last digit.
TEST(Sweep, SaysWhatGemmSays) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  const auto rows = nlohmann::json::parse(sweep.run("export", {"--format", "json"}).out)["rows"];
  ASSERT_EQ(rows.size(), 24U);
  for (const std::size_t at : {1U, 22U, 23U}) {
    const auto& row = rows[at];
    const auto number = [&](const char* key) { return row[key].dump(); };
    const std::string selector = "accelerator.sm.operand_selector.b_bytes_per_clk";
    const auto gemm = nlohmann::json::parse(
        run_stcsim({"gemm", "--arch", sweep.path("small.yaml"), "--m", number("m"), "--n",
                    number("n"), "--k", number("k"), "--sparsity", row["pattern"], "--format",
                    "json", "--candidates", "1", "--set",
                    selector + "=" + number(("machine." + selector).c_str()), "--set",
                    "accelerator.num_sms=" + number("machine.accelerator.num_sms")})
            .out);
    for (const char* const key : {"cycles", "time_us", "dense_cycles", "speedup", "bound_by",
                                  "board_watts", "utilization", "multiplier_macs"}) {
      if (gemm[key].is_null()) continue;  // a dense GEMM has no other beside it
      EXPECT_EQ(row[key], gemm[key]) << at << key;
    }
    EXPECT_EQ(row["kernel"], gemm["kernel"]["name"]);
    EXPECT_EQ(row["dram_read_bytes"], gemm["traffic"]["dram_read_bytes"]);
  }
}

TEST(Sweep, SaysWhatCostSays) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  const auto rows = nlohmann::json::parse(sweep.run("export", {"--format", "json"}).out)["rows"];
  const auto& row = rows.at(23);
  const auto number = [&](const char* key) { return row[key].dump(); };
  const std::string selector = "accelerator.sm.operand_selector.b_bytes_per_clk";
  const auto cost = nlohmann::json::parse(
      run_stcsim({"gemm",         "--energy",
                  "--arch",       sweep.path("small.yaml"),
                  "--m",          number("m"),
                  "--n",          number("n"),
                  "--k",          number("k"),
                  "--sparsity",   row["pattern"],
                  "--format",     "json",
                  "--candidates", "1",
                  "--set",        selector + "=" + number(("machine." + selector).c_str()),
                  "--set",        "accelerator.num_sms=" + number("machine.accelerator.num_sms")})
          .out);
  EXPECT_DOUBLE_EQ(row["joules"], cost["gemm"]["joules"]);
  EXPECT_DOUBLE_EQ(row["dense_joules"], cost["gemm"]["dense_joules"]);
  EXPECT_DOUBLE_EQ(row["area_mm2"], cost["area"]["machine_um2"].get<double>() * 1e-6);
  const auto& area = cost["area"];
  const double by_gates =
      area["sms"].get<double>() * area["dense_core_um2"].get<double>() *
      (area["most_core_of_dense"].get<double>() - area["least_core_of_dense"].get<double>());
  EXPECT_NEAR(row["most_area_mm2"].get<double>() - row["least_area_mm2"].get<double>(),
              by_gates * 1e-6, 1e-9);
  EXPECT_LT(rows.at(0)["area_mm2"], row["area_mm2"]);
}

TEST(Sweep, NamesItsAxes) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  const auto axes = nlohmann::json::parse(sweep.run("export", {"--format", "json"}).out)["axes"];
  EXPECT_EQ(axes, nlohmann::json::parse(sweep.run("plan", {"--format", "json"}).out)["axes"]);
  ASSERT_EQ(axes.size(), 5U);
  EXPECT_EQ(axes[1], (nlohmann::json{{"name", "machine.accelerator.num_sms"},
                                     {"title", "SMs"},
                                     {"unit", ""},
                                     {"dimension", 2},
                                     {"zip", ""},
                                     {"values", {"1", "2", "3"}}}));
}

/// Two layers under asp on two machines: the totals of `run`.
TEST(Sweep, SaysOfAStepWhatRunSays) {
  const TinyExperiment tiny;
  write_text(tiny.path("steps.yaml"),
             "experiment: ./tiny.yaml\nschemes: [dense, asp]\n"
             "axes: {machine.accelerator.num_sms: [2, 3], network.batch: [2, 4]}\n");
  const std::string results = tiny.path("steps.sqlite");
  const ProgramResult run =
      run_stcsim({"sweep", "run", tiny.path("steps.yaml"), "--results", results});
  EXPECT_EQ(run.err, "");
  ASSERT_EQ(run.exit_code, 0);
  const auto rows = nlohmann::json::parse(run_stcsim({"sweep", "export", tiny.path("steps.yaml"),
                                                      "--results", results, "--format", "json"})
                                              .out)["rows"];
  ASSERT_EQ(rows.size(), 8U);
  const auto totals = nlohmann::json::parse(
      run_stcsim({"run", tiny.file(), "--set", "machines.0.accelerator.num_sms=3", "--set",
                  "networks.0.batch=4", "--format", "json"})
          .out)["totals"];
  const auto& row = rows[7];
  EXPECT_EQ(row["scheme"], "asp");
  EXPECT_EQ(row["cycles"], totals[1]["step"]["cycles"]);
  EXPECT_EQ(row["time_us"], totals[1]["step"]["time_us"]);
  EXPECT_EQ(row["dense_cycles"], totals[0]["step"]["cycles"]);
  EXPECT_EQ(row["joules"], totals[1]["joules"]);
  EXPECT_EQ(row["dense_joules"], totals[1]["dense_joules"]);
  EXPECT_EQ(row["gemms_speedup"], totals[1]["gemms"]["speedup"]);
  EXPECT_EQ(rows[6]["scheme"], "dense");
  EXPECT_EQ(rows[6]["speedup"], 1);
}

/// A space of schemes on one network, and what is found out about its points.
class Steps {
 public:
  [[nodiscard]] ProgramResult run(const std::string& schemes, const std::string& name,
                                  const std::vector<std::string>& more = {}) const {
    write_text(space_, "experiment: ./tiny.yaml\nschemes: " + schemes + "\n");
    std::vector<std::string> arguments{"--jobs", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call("run", name, arguments);
  }
  /// Without their numbers, which are of the space.
  [[nodiscard]] nlohmann::json rows(const std::string& name) const {
    return of_points(call("export", name, {"--format", "json"}), "rows");
  }
  [[nodiscard]] nlohmann::json failures(const std::string& name,
                                        std::vector<std::string> more) const {
    more.insert(more.end(), {"--format", "json"});
    return of_points(call("status", name, more), "failures");
  }

 private:
  [[nodiscard]] ProgramResult call(const std::string& action, const std::string& name,
                                   const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"sweep", action, space_, "--results", tiny_.path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_stcsim(arguments);
  }
  [[nodiscard]] static nlohmann::json of_points(const ProgramResult& result, const char* key) {
    auto points = nlohmann::json::parse(result.out)[key];
    for (auto& point : points) point.erase("point");
    return points;
  }

  TinyExperiment tiny_;
  std::string space_ = tiny_.path("steps.yaml");
};

/// Each point has the figures that it has in a sweep of its own.
TEST(Sweep, SimulatesStepsTogetherAndCountsWhatTheyShare) {
  const Steps steps;
  nlohmann::json alone = nlohmann::json::array();
  for (const std::string scheme : {"sr-ste", "dense", "asp"}) {
    ASSERT_EQ(steps.run("[" + scheme + "]", scheme).exit_code, 0);
    alone.push_back(steps.rows(scheme).at(0));
  }
  const ProgramResult together = steps.run("[sr-ste, dense, asp]", "all");
  EXPECT_EQ(together.err, "");
  EXPECT_THAT(together.out, HasSubstr(": 3 points, 3 simulated now, 0 were there; of steps "));
  EXPECT_THAT(together.out, HasSubstr(" different GEMMs and stream kernels simulated, 0 found\n"));
  EXPECT_EQ(steps.rows("all"), alone);
  // What sr-ste does with them is nothing new of a step that is there.
  const std::string renamed = "[sr-ste, dense, asp, {extends: sr-ste, name: again}]";
  EXPECT_THAT(steps.run(renamed, "all").out,
              HasSubstr(": 4 points, 1 simulated now, 3 were there; of steps 0 different GEMMs and "
                        "stream kernels simulated, "));
  EXPECT_THAT(steps.run(renamed, "all").out, HasSubstr("; 0 different GEMMs simulated, 0 found\n"));
}

/// A step that fails among others says why as it does alone.
TEST(Sweep, StepsFailAsTheyDoAlone) {
  const Steps steps;
  // Less than A, B and C of some GEMMs take.
  const std::vector<std::string> set{
      "--set",
      "machines=[{extends: a100, name: small, accelerator: {num_sms: 2, dram: {capacity_bytes: "
      "40000}}}]"};
  nlohmann::json alone = nlohmann::json::array();
  for (const std::string scheme : {"sr-ste", "asp"}) {
    EXPECT_EQ(steps.run("[" + scheme + "]", scheme, set).exit_code, 3);
    alone.push_back(steps.failures(scheme, set).at(0));
  }
  const ProgramResult together = steps.run("[sr-ste, asp]", "all", set);
  EXPECT_EQ(together.exit_code, 3);
  EXPECT_THAT(together.out, HasSubstr(": 2 points, 0 simulated now, 0 were there, 2 failed; of "));
  EXPECT_EQ(steps.failures("all", set), alone);
  EXPECT_THAT(alone.at(0)["message"], HasSubstr("DRAM"));
}

TEST(Sweep, ExportsTheSameBytesWhateverJobsOrShards) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  const std::string csv = sweep.run("export").out;
  const std::string json = sweep.run("export", {"--format", "json"}).out;
  TinySweep parallel;
  ASSERT_EQ(parallel.run("run", {"--jobs", "3", "--fast-forward", "off"}).exit_code, 0);
  EXPECT_EQ(parallel.run("export").out, csv);
  std::vector<std::string> files;
  TinySweep shards;
  for (const char* const shard : {"3/3", "1/3", "2/3"}) {
    files.push_back(shards.path("shard" + std::string(shard, 1) + ".sqlite"));
    const ProgramResult run =
        run_stcsim({"sweep", "run", shards.space(), "--shard", shard, "--results", files.back()});
    EXPECT_THAT(run.out, HasSubstr(": 8 points, 8 simulated now"));
  }
  const ProgramResult merged = shards.run("merge", files);
  EXPECT_EQ(merged.err, "");
  EXPECT_EQ(without_next(merged.out),
            shards.results() + ": 24 of 24 points are done, 0 failed, 0 to do\n");
  EXPECT_EQ(shards.run("export").out, csv);
  EXPECT_EQ(shards.run("export", {"--format", "json"}).out, json);
}

/// A space that grows keeps what it has, and simulates only what is new.
TEST(Sweep, FindsEqualGemmsOfAnotherSpace) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  write_text(sweep.space(), TinySweep::text("[64x64x256, 64x64x512, {name: new, m: 64, n: 64, k: "
                                            "256}]"));
  EXPECT_THAT(sweep.run("run").out,
              HasSubstr(": 36 points, 12 simulated now, 24 were there; 0 different GEMMs "
                        "simulated, 9 found\n"));
}

TEST(Sweep, KeepsFailuresApartAndTriesThemAgain) {
  const TinySweep sweep;
  // Less than A, B and C take.
  const std::vector<std::string> set{"--set", "machines.0.accelerator.dram.capacity_bytes=10000"};
  const ProgramResult run = sweep.run("run", set);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.out, HasSubstr(": 24 points, 0 simulated now, 0 were there, 24 failed; 0 "));
  EXPECT_THAT(run.out, HasSubstr("\nnext: stcsim sweep status " + sweep.space()));
  const std::string status = sweep.run("status", set).out;
  EXPECT_THAT(status, StartsWith(sweep.results() + ": 0 of 24 points are done, 24 failed, 0 to do\n"
                                                   "point 1 failed: "));
  EXPECT_THAT(status, HasSubstr("DRAM"));
  EXPECT_THAT(sweep.run("run", set).out, HasSubstr("24 had failed before (--retry-failed); 0 "));
  std::vector<std::string> retry = set;
  retry.emplace_back("--retry-failed");
  EXPECT_THAT(sweep.run("run", retry).out, HasSubstr(" 24 failed; 0 "));
  const ProgramResult gaps = sweep.run("export", set);
  EXPECT_EQ(gaps.err, "stcsim sweep: 24 of 24 points failed; 'stcsim sweep status' says why\n");
}

TEST(Sweep, FindsParetoFronts) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  const auto front =
      nlohmann::json::parse(sweep
                                .run("pareto", {"--min", "machine.accelerator.num_sms", "--max",
                                                "speedup", "--min", "time_us", "--format", "json"})
                                .out)["rows"];
  const auto rows = nlohmann::json::parse(sweep.run("export", {"--format", "json"}).out)["rows"];
  const auto costs = [](const nlohmann::json& row) {
    return std::array{row["machine.accelerator.num_sms"].get<double>(),
                      -row["speedup"].get<double>(), row["time_us"].get<double>()};
  };
  std::vector<nlohmann::json> expected;
  for (const auto& row : rows) {
    const auto own = costs(row);
    bool is_beaten = false;
    for (const auto& other : rows) {
      const auto theirs = costs(other);
      const bool is_alike =
          other["gemm"] == row["gemm"] && other["gemm.pattern"] == row["gemm.pattern"];
      const bool is_as_good =
          is_alike && theirs[0] <= own[0] && theirs[1] <= own[1] && theirs[2] <= own[2];
      is_beaten = is_beaten || (is_as_good && theirs != own);
    }
    if (!is_beaten) expected.push_back(row);
  }
  EXPECT_EQ(front, nlohmann::json(expected));
  const std::string table =
      sweep.run("pareto", {"--min", "machine.accelerator.num_sms", "--max", "speedup"}).out;
  EXPECT_THAT(
      table,
      HasSubstr(
          " of 24 points are not beaten by another of the same work and pattern\n\npoint  SMs  "
          "selector b, B/clk  gemm       pattern  speedup\n"));
  const ProgramResult unknown = sweep.run("pareto", {"--min", "cycels"});
  EXPECT_EQ(unknown.err,
            "stcsim sweep: error: 'cycels' is no column of the sweep; did you mean 'cycles'?\n");
  EXPECT_EQ(sweep.run("pareto", {"--min", "kernel"}).err,
            "stcsim sweep: error: column 'kernel' has no number\n");
}

TEST(Sweep, NamesADamagedFile) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  Database(sweep.results(), Database::Access::write)
      .execute("UPDATE points SET figures = replace(figures, '1', '2')");
  for (const char* const action : {"run", "status", "export", "plan"}) {
    const ProgramResult result = sweep.run(action);
    EXPECT_EQ(result.exit_code, 2) << action;
    EXPECT_EQ(result.err, "stcsim sweep: error: '" + sweep.results() +
                              "' is damaged: a row of 'points' is not what was written\n");
  }
}

/// Kills the program, and with it its workers, at different moments; what is there in the end is
/// what an undisturbed run gives.
TEST(Sweep, SurvivesBeingKilled) {
  const TinySweep undisturbed(kManyGemms);
  ASSERT_EQ(undisturbed.run("run").exit_code, 0);
  EXPECT_EQ(run_killed(3, 2, 1), undisturbed.run("export").out);
}

}  // namespace
}  // namespace stcsim
