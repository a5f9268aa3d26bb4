#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/gemm/gemm_forecast.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/gemm/gemm_simulation.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "reports/gemm/explain_report.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "sim/kernel/fallback.hpp"

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

std::string text_of(const GemmReport& report, Format format, std::size_t width) {
  if (format == Format::json) return gemm_to_json(report);
  return format == Format::csv ? gemm_to_csv(report) : gemm_text(report, width);
}

std::string text_of(const ExplainReport& report, Format format, std::size_t width) {
  if (format == Format::json) return explain_to_json(report);
  return format == Format::csv ? explain_to_csv(report) : explain_text(report, width);
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
    notes.push_back(fallback_note(options.machine, options.policy.stack, options.problem.dtype));
  }
  for (const std::string& note : notes) {
    if (!note.empty()) write_message(who, "note: " + note);
  }
}

void write_timeline(AtomicFile& file, const std::string& name, const GemmReport& report) {
  const bool is_vcd = name.ends_with(".vcd");
  file.write(is_vcd ? timeline_to_vcd(report) : timeline_to_json(report));
  file.commit();
  write_message(kGemmWho, fmt::format("{}: {} cycles of SM 0; {} opens it", name,
                                      report.timeline->end.index(),
                                      is_vcd ? "a waveform viewer" : "ui.perfetto.dev"));
}

int run_gemm_command(const Arguments& arguments) {
  const GemmOptions options = read_gemm_options(arguments);
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
  const GemmReport report = simulate_gemm(options, runner);
  stopwatch.reset();
  if (timeline) write_timeline(*timeline, arguments.text(kSimulation.timeline), report);
  page.write([&] { return gemm_to_json(report); });
  output.write(text_of(report, options.format, output.width()) + why);
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
  output.write(text_of(report, options.format, output.width()));
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
