#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/gemm/gemm_simulation.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/format.hpp"
#include "reports/gemm/explain_report.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {
namespace {

constexpr const char* kGemmWho = "stcsim gemm";
constexpr const char* kExplainWho = "stcsim explain";

constexpr const char* kGemmNotes =
    "C[M x N] = A[M x K] * B[K x N]; only A may be sparse. A sparse GEMM is compared with the "
    "dense\n"
    "one on the same machine. The machine's values can be replaced with --set, e.g.\n\n"
    "  stcsim gemm --arch a100 --m 1024 --n 8192 --k 1024 --sparsity 2:4\n"
    "  stcsim gemm --arch a100 --layer bert_large_s128:enc.ff1 --phase dgrad --scheme slope\n"
    "  stcsim gemm --arch a100 --m 256 --n 256 --k 256 --set accelerator.num_sms=16\n\n"
    "With --functional the exit code is 1 if C is not what the reference computes.\n";
constexpr const char* kExplainNotes =
    "Simulates the GEMM again on machines of which one thing each costs nothing, or half, and "
    "says\n"
    "where its cycles go and what would help.\n\n"
    "  stcsim explain --arch a100 --m 768 --n 768 --k 8192 --sparsity 2:4\n"
    "  stcsim explain --arch a100 --layer bert_large_s128:enc.ff1 --phase dgrad --scheme slope\n";

constexpr Writers<GemmReport> kGemmWriters{
    &gemm_text, [](const GemmReport& report, std::size_t) { return gemm_to_json(report); },
    [](const GemmReport& report, std::size_t) { return gemm_to_csv(report); }};
constexpr Writers<ExplainReport> kExplainWriters{
    &explain_text, [](const ExplainReport& report, std::size_t) { return explain_to_json(report); },
    [](const ExplainReport& report, std::size_t) { return explain_to_csv(report); }};

/// Tiles and k-steps as most kernels have them.
constexpr double kTile = 128;
constexpr double kStep = 64;
/// CPU time of grids whose waves never recur (M = 10^7 with N = K = 1, 10^6 x 4096 x 4096), rounded
/// up: of a tile, and of each of its k-steps.
constexpr double kSecondsOfTile = 40e-6;
constexpr double kSecondsOfStep = 6e-6;
/// The steps of a tile recur behind so many.
constexpr double kStepsUntilTheyRecur = 4;
/// Multiply-accumulates with values, those of whole tiles (1024 x 1024 x 1024).
constexpr double kMacsOfSecond = 1e9;
constexpr double kBytesOfValue = 4;

constexpr double kLongSeconds = 30;
constexpr double kManyBytes = 1e9;

double tiles_of(const GemmProblem& problem) {
  const auto tiles = [](std::int64_t extent) {
    return std::ceil(static_cast<double>(extent) / kTile);
  };
  return tiles(problem.m) * tiles(problem.n) * static_cast<double>(problem.batch_count);
}

/// Of one side.
double seconds_of(const GemmProblem& problem, const GemmOptions& options) {
  const double steps = std::ceil(static_cast<double>(problem.k) / kStep);
  const double simulated = options.fast_forward ? std::min(steps, kStepsUntilTheyRecur) : steps;
  const double tiles = tiles_of(problem);
  const double timing = tiles * (kSecondsOfTile + simulated * kSecondsOfStep);
  if (!options.functional) return timing;
  return timing + tiles * kTile * kTile * static_cast<double>(problem.k) / kMacsOfSecond;
}

double bytes_of(const GemmProblem& problem) {
  const auto [m, n, k] = std::tuple(static_cast<double>(problem.m), static_cast<double>(problem.n),
                                    static_cast<double>(problem.k));
  return kBytesOfValue * (m * k + k * n + m * n) * static_cast<double>(problem.batch_count);
}

std::int64_t whole(double number) {
  constexpr double kMost = 1e18;
  return std::llround(std::min(number, kMost));
}

/// "5 minutes", in the largest unit of which there are two.
std::string roughly(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}}};
  for (const auto& [unit, name] : kUnits) {
    if (seconds >= 2 * unit) return fmt::format("{:.0f} {}", seconds / unit, name);
  }
  return "a second";
}

/// What simulating a GEMM takes, roughly and at most, told before it begins where that is long:
/// half a minute of one core, or a gigabyte for its values; "" else.
std::string forecast_text(const GemmOptions& options) {
  const bool is_sampled = options.policy.sampled;
  double seconds = is_sampled ? 0 : seconds_of(options.problem, options);
  const bool has_two_sides = !options.problem.a_pattern.is_dense();
  if (has_two_sides && !is_sampled) seconds += seconds_of(options.dense, options);
  const double bytes = options.functional ? bytes_of(options.problem) : 0;
  if (seconds < kLongSeconds && bytes < kManyBytes) return "";
  const std::string time = roughly(seconds);
  const std::int64_t memory = whole(bytes);
  const std::int64_t count = whole(tiles_of(options.problem));
  const std::string tiles =
      fmt::format("{} tiles of {:.0f} x {:.0f}", format_amount(count), kTile, kTile);
  if (options.functional) {
    return fmt::format(
        "{} with values take up to {} of one core and {} of memory; without --functional it is "
        "far faster",
        tiles, time, format_bytes(memory));
  }
  return fmt::format("{}: unless their waves recur, this takes up to {} of one core{}", tiles, time,
                     options.fast_forward ? "; --sampled answers from a part of them" : "");
}

/// Before it begins, where that is long.
void write_forecast(const std::string& who, const GemmOptions& options) {
  const std::string text = forecast_text(options);
  if (!text.empty()) write_message(who, "note: " + text);
}

int exit_code_of(const GemmReport& report) {
  if (!report.functional || report.functional->mismatches == 0) return kExitFine;
  write_message(kGemmWho,
                fmt::format("C differs from the reference in {} of {} elements; the first: {}",
                            report.functional->mismatches, report.functional->checked_elements,
                            report.functional->text));
  return kExitDifferent;
}

void write_notes(const std::string& who, const GemmOptions& options) {
  std::vector<std::string> notes = options.machine.notes;
  if (options.policy.kernel == "auto") {
    notes.push_back(mapping_note(options.machine, options.policy.stack, options.problem.dtype));
  }
  for (const std::string& note : notes) {
    if (!note.empty()) write_message(who, "note: " + note);
  }
}

void write_timeline(AtomicFile& file, const std::string& name, const GemmReport& report) {
  file.write(timeline_to_json(report));
  file.commit();
  write_message(kGemmWho, fmt::format("{}: {} cycles of SM 0; ui.perfetto.dev opens it", name,
                                      report.timeline->end.index()));
}

int run_gemm_command(const Arguments& arguments) {
  const GemmOptions options = read_gemm_options(arguments);
  std::optional<Framework> caller;
  if (arguments.has(kSimulation.framework)) {
    caller = load_framework(arguments.text(kSimulation.framework));
  }
  Output output(arguments);
  HtmlPage page(arguments, kGemmWho);
  std::optional<AtomicFile> timeline;
  if (options.traced > Cycles()) timeline.emplace(arguments.text(kSimulation.timeline));
  write_forecast(kGemmWho, options);
  write_notes(kGemmWho, options);
  std::string why;
  // Its experiments run in other processes, which have to start before this one simulates.
  if (options.is_explained) why = "\n" + explain_text(explain_gemm(options, 1), output.width());
  MachineRunner runner(options.machine);
  std::optional<Stopwatch> stopwatch(std::in_place, "simulating");
  GemmReport report = simulate_gemm(options, runner);
  if (caller) std::tie(report.framework, report.host) = std::tie(caller->name, caller->launch);
  stopwatch.reset();
  if (timeline) write_timeline(*timeline, arguments.text(kSimulation.timeline), report);
  page.write([&] { return gemm_to_json(report); });
  output.write(kGemmWriters.at(arguments.choice(kOutput.format))(report, output.width()) + why);
  write_next(arguments, {options.is_explained ? "stcsim gemm --energy" : "stcsim explain"},
             same_gemm(arguments));
  return exit_code_of(report);
}

int run_explain_command(const Arguments& arguments) {
  const GemmOptions options = read_gemm_options(arguments);
  Output output(arguments);
  HtmlPage page(arguments, kExplainWho);
  write_forecast(kExplainWho, options);
  write_notes(kExplainWho, options);
  std::optional<Stopwatch> stopwatch(std::in_place, "simulating");
  const ExplainReport report = explain_gemm(options, jobs_of(arguments));
  stopwatch.reset();
  page.write([&] { return explain_to_json(report); });
  output.write(kExplainWriters.at(arguments.choice(kOutput.format))(report, output.width()));
  write_next(arguments, {"stcsim gemm --energy"}, same_gemm(arguments));
  return kExitFine;
}

struct GemmCommandTable {
  GemmTable gemm;
  SimulationTable simulation;
  OutputTable output;
};

struct ExplainTable {
  GemmTable gemm;
  Option jobs = kCommon.jobs;
  OutputTable output;
};

}  // namespace

Command gemm_command() {
  return {"gemm",
          "Simulate one GEMM on one machine",
          "--arch NAME (M N K | --m M --n N --k K | --layer NETWORK:LAYER) [OPTIONS]",
          kGemmNotes,
          plain_sizes(),
          options_of<GemmCommandTable>(),
          &run_gemm_command};
}

Command explain_command() {
  return {"explain",
          "Say why a GEMM takes as long as it does, and what would help",
          "--arch NAME (M N K | --m M --n N --k K) [OPTIONS]",
          kExplainNotes,
          plain_sizes(),
          options_of<ExplainTable>(),
          &run_explain_command};
}

}  // namespace stcsim
