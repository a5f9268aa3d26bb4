#include <filesystem>
#include <list>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "reports/atomic_file.hpp"
#include "reports/validation_json.hpp"
#include "reports/validation_page.hpp"
#include "reports/validation_report.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/common_options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/config/catalog.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/validation/gemm_validation.hpp"
#include "sim/validation/measured_table.hpp"

namespace stcsim {
namespace {

constexpr const char* kNotes =
    "FILE is a table (CSV) of GEMMs measured on real GPUs, by default the published ones that "
    "come\n"
    "with the program. Columns: source, gpu, dtype, M, N, K, layout, dense_value, sparse_value,\n"
    "unit, speedup, pattern, note; see docs/validation.md.\n\n"
    "  stcsim validate\n"
    "  stcsim validate mine.csv --format json\n";

/// The machines of the GPUs in the table, as far as there are any.
std::map<std::string, MachineConfig> machines_for(const std::vector<MeasuredGemm>& gemms) {
  const auto known = read_gpu_machines(config_directory() / "validation" / "gpus.yaml");
  std::map<std::string, MachineConfig> machines;
  for (const MeasuredGemm& gemm : gemms) {
    const auto name = known.find(gemm.gpu);
    if (name == known.end() || machines.count(gemm.gpu) != 0) continue;
    machines.emplace(gemm.gpu, load_machine(name->second).config);
  }
  return machines;
}

void check_timings(const std::vector<MeasuredGemm>& gemms,
                   const std::map<std::string, double>& overheads) {
  for (const MeasuredGemm& gemm : gemms) {
    if (overheads.count(gemm.timing) != 0) continue;
    std::vector<std::string> names;
    for (const auto& [name, overhead] : overheads) names.push_back(name);
    throw ConfigError(gemm.where, fmt::format("timing is '{}', must be empty or one of {}",
                                              gemm.timing, fmt::join(names, ", ")));
  }
}

std::string text_of(const std::vector<ValidationRow>& rows, Format format) {
  if (format == Format::json) return validation_to_json(rows);
  if (format == Format::csv) return validation_to_csv(rows);
  return validation_report(rows);
}

/// Writes the page and its pictures into a directory, all or nothing.
void write_page(const std::vector<ValidationRow>& rows, const std::filesystem::path& directory) {
  std::list<AtomicFile> files;
  for (const auto& [name, text] : validation_page(rows)) {
    files.emplace_back(directory / name);
    files.back().write(text);
  }
  for (AtomicFile& file : files) file.commit();
}

void create_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw ConfigError("cannot create directory " + directory.string() + ": " + error.message());
  }
}

int run_validate(const Arguments& arguments) {
  const Format format = format_of(arguments);
  ValidationOptions options;
  options.fast_forward = fast_forward_of(arguments);
  const std::filesystem::path shipped = config_directory() / "validation" / "gemm.csv";
  const auto gemms = read_measured_gemms(arguments.text_or("FILE", shipped.string()));
  options.timing_overhead_us =
      read_timing_overheads(config_directory() / "validation" / "timing.yaml");
  check_timings(gemms, options.timing_overhead_us);
  const std::string out = arguments.text_or("out", "");
  if (!out.empty()) create_directory(out);
  ProgressBar bar;
  const auto total = static_cast<std::int64_t>(gemms.size());
  options.progress = [&](std::size_t done) {
    const auto rows_done = static_cast<std::int64_t>(done);
    bar.update({rows_done, total, static_cast<double>(done), static_cast<double>(total)});
  };
  const auto rows = validate_gemms(gemms, machines_for(gemms), options);
  bar.wipe();
  if (!out.empty()) write_page(rows, out);
  write_data(text_of(rows, format));
  return kExitFine;
}

}  // namespace

Command validate_command() {
  Command command{"validate",         "Compare predictions with measurements on real GPUs",
                  "[FILE] [OPTIONS]", kNotes,
                  {"[FILE]"},         boost::program_options::options_description("Options"),
                  &run_validate};
  add_option(command.options, "out", "DIR",
             "also write a page with scatter plots (validation.md, SVG) into this directory");
  add_fast_forward_option(command.options);
  add_option(command.options, "format", "table|json|csv",
             "form of the data on standard output (default table)");
  return command;
}

}  // namespace stcsim
