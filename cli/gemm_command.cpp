#include <optional>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/gemm_options.hpp"
#include "cli/gemm_simulation.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "reports/gemm_report.hpp"

namespace stcsim {
namespace {

constexpr const char* kGemmWho = "stcsim gemm";
/// Above this many multiply-accumulates a run with values takes minutes.
constexpr std::int64_t kLongFunctionalMacs = std::int64_t{1} << 36;

constexpr const char* kGemmNotes =
    "C[M x N] = A[M x K] * B[K x N]; only A may be sparse. A sparse GEMM is compared with the "
    "dense\n"
    "one on the same machine. The machine's values can be replaced with --set, e.g.\n\n"
    "  stcsim gemm --arch a100 --m 1024 --n 8192 --k 1024 --sparsity 2:4\n"
    "  stcsim gemm --arch a100 --layer bert_large_s128:enc.ff1 --phase dgrad --scheme slope\n"
    "  stcsim gemm --arch a100 --m 256 --n 256 --k 256 --set accelerator.num_sms=16\n\n"
    "With --functional the exit code is 1 if C is not what the reference computes.\n";

std::string text_of(const GemmReport& report, Format format, std::size_t width) {
  if (format == Format::json) return gemm_to_json(report);
  if (format == Format::csv) return gemm_to_csv(report);
  return gemm_text(report, width);
}

void warn_if_long(const GemmOptions& options) {
  if (!options.functional || options.problem.macs() <= kLongFunctionalMacs) return;
  write_message(kGemmWho, fmt::format("warning: {} multiply-accumulates with values take a while; "
                                      "without --functional it is far faster",
                                      options.problem.macs()));
}

int exit_code_of(const GemmReport& report) {
  if (!report.functional || report.functional->mismatches == 0) return kExitFine;
  write_message(kGemmWho,
                fmt::format("C differs from the reference in {} of {} elements; the first: {}",
                            report.functional->mismatches, report.functional->checked_elements,
                            report.functional->text));
  return kExitDifferent;
}

int run_gemm_command(const Arguments& arguments) {
  const GemmOptions options = read_gemm_options(arguments);
  // Opened first: a file that cannot be written must not cost a simulation.
  std::optional<AtomicFile> file;
  if (!options.output.empty()) file.emplace(options.output);
  warn_if_long(options);
  for (const std::string& note : options.machine.notes) write_message(kGemmWho, "note: " + note);
  const std::size_t width = file ? kPageWidth : output_width();
  std::string why;
  // Its experiments run in other processes, which have to start before this one simulates.
  if (options.is_explained) why = "\n" + explain_text(explain_gemm(options, 1), width);
  MachineRunner runner(options.machine);
  std::optional<Stopwatch> stopwatch(std::in_place, "simulating");
  const GemmReport report = simulate_gemm(options, runner);
  stopwatch.reset();
  const std::string text = text_of(report, options.format, width) + why;
  if (file) {
    file->write(text);
    file->commit();
  } else {
    write_data(text);
  }
  return exit_code_of(report);
}

}  // namespace

Command gemm_command() {
  boost::program_options::options_description options("Options");
  add_gemm_options(options);
  add_simulation_options(options);
  add_output_options(options);
  return {"gemm",
          "Simulate one GEMM on one machine",
          "--arch NAME (--m M --n N --k K | --layer NETWORK:LAYER) [OPTIONS]",
          kGemmNotes,
          {},
          options,
          &run_gemm_command};
}

}  // namespace stcsim
