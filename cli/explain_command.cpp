#include <optional>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/gemm_options.hpp"
#include "cli/gemm_simulation.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "reports/explain_report.hpp"

namespace stcsim {
namespace {

constexpr const char* kExplainWho = "stcsim explain";
constexpr const char* kExplainNotes =
    "Simulates the GEMM of `stcsim gemm` again on machines of which one thing each costs nothing, "
    "or "
    "half,\n"
    "and says where its cycles go and what would help. The options are those of gemm.\n\n"
    "  stcsim explain --arch a100 --m 768 --n 768 --k 8192 --sparsity 2:4\n"
    "  stcsim explain --arch a100 --layer bert_large_s128:enc.ff1 --phase dgrad --scheme slope\n";

void refuse_what_has_no_effect(const Arguments& arguments) {
  for (const char* option : {"functional", "seed", "prune", "flip-metadata-bit", "method", "clock",
                             "values", "explain", "fast-forward"}) {
    arguments.allow_only_if(false, option, "has no effect on an explanation, only with gemm");
  }
}

std::string text_of(const ExplainReport& report, Format format, std::size_t width) {
  if (format == Format::json) return explain_to_json(report);
  if (format == Format::csv) return explain_to_csv(report);
  return explain_text(report, width);
}

int run_explain_command(const Arguments& arguments) {
  refuse_what_has_no_effect(arguments);
  const GemmOptions options = read_gemm_options(arguments);
  std::optional<AtomicFile> file;
  if (!options.output.empty()) file.emplace(options.output);
  for (const std::string& note : options.machine.notes) write_message(kExplainWho, "note: " + note);
  std::optional<Stopwatch> stopwatch(std::in_place, "simulating");
  const ExplainReport report = explain_gemm(options, jobs_of(arguments));
  stopwatch.reset();
  const std::string text = text_of(report, options.format, file ? kPageWidth : output_width());
  if (file) {
    file->write(text);
    file->commit();
  } else {
    write_data(text);
  }
  return kExitFine;
}

}  // namespace

Command explain_command() {
  boost::program_options::options_description options = gemm_options_description();
  add_jobs_option(options);
  return {"explain",
          "Say why a GEMM takes as long as it does, and what would help",
          "--arch NAME --m M --n N --k K [OPTIONS]",
          kExplainNotes,
          {},
          options,
          &run_explain_command};
}

}  // namespace stcsim
