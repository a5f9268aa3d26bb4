#include <array>
#include <filesystem>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/validation_report.hpp"
#include "reports/validation/validation_run.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr const char* kValidateNotes =
    "FILE is a table (CSV) of GEMMs, instructions, networks, other kernels or collectives "
    "measured\n"
    "on real GPUs, by default the published ones that come with the program. A column `instr` "
    "makes\n"
    "it one of instructions, `network` one of networks, `op` one of kernels beside the products,\n"
    "`collective` one of collectives, `sm_cycles` one of hardware counters; see\n"
    "docs/evidence.md.\n\n"
    "  stcsim evidence rows\n"
    "  stcsim evidence rows --format json > v.json && stcsim page v.json -o validation.html\n"
    "  stcsim evidence rows mine.csv --format json\n";

RowFilter filter_of(const Arguments& arguments) {
  RowFilter filter;
  if (arguments.has("machine"))
    filter.machine = load_machine(arguments.text("machine")).config.name;
  if (arguments.has("dtype")) filter.dtype = dtype_given(arguments);
  if (arguments.has("use")) filter.use = arguments.choice_or("use", RowUse::testing, kRowUses);
  return filter;
}

std::string text_of(const ValidationResults& results, Format format) {
  if (format == Format::json) return validation_to_json(results);
  return format == Format::csv ? validation_to_csv(results)
                               : validation_text(results, output_width());
}

/// Parts to show: everything, or the errors by machine, type and size only.
enum class Show : std::uint8_t { all, cells };

Show show_of(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, Show>, 2> kShows{
      {{"all", Show::all}, {"cells", Show::cells}}};
  const Show show = arguments.choice_or("show", Show::all, kShows);
  if (show == Show::cells && format_of(arguments) == Format::json)
    arguments.refuse("show", "all with this --format");
  return show;
}

std::string cells_text(const ValidationResults& results, Format format) {
  const std::vector<FidelityCell> cells = fidelity_cells(results.gemms);
  if (format == Format::csv) return fidelity_csv(cells);
  return fidelity_table(cells, true).to_string(output_width());
}

/// Writes the page and the cells into a directory, all or nothing.
void write_page(const ValidationResults& results, const std::filesystem::path& directory) {
  std::list<AtomicFile> files;
  for (const auto& [name, text] : validation_page(results)) {
    files.emplace_back(directory / name);
    files.back().write(text);
  }
  for (AtomicFile& file : files) file.commit();
}

int run_validate(const Arguments& arguments) {
  const Format format = format_of(arguments);
  const Show show = show_of(arguments);
  const bool fast_forward = fast_forward_of(arguments);
  const std::string file = arguments.text_or("FILE", "");
  MeasuredTables tables =
      filtered(file.empty() ? shipped_tables() : read_table(file), filter_of(arguments));
  const std::string out = arguments.text_or("out", "");
  HtmlPage page(arguments, "stcsim evidence rows");
  if (!out.empty()) create_output_directory(out);
  ProgressBar bar;
  const ValidationResults results = run_validation(
      std::move(tables), fast_forward, jobs_of(arguments), [&](std::size_t done, std::size_t rows) {
        bar.update({static_cast<std::int64_t>(done), static_cast<std::int64_t>(rows),
                    static_cast<double>(done), static_cast<double>(rows)});
      });
  if (!out.empty()) write_page(results, out);
  page.write([&] { return validation_to_json(results); });
  write_data(show == Show::cells ? cells_text(results, format) : text_of(results, format));
  std::vector<std::string> parts = arguments.again({"FILE", "machine", "dtype", "use"});
  parts.emplace_back("--html rows.html");
  write_next(arguments, {"stcsim evidence rows"}, parts);
  for (const ConfigError& error : results.bad_rows)
    write_message("stcsim evidence rows", error.what());
  return results.bad_rows.empty() ? kExitFine : kExitDifferent;
}

}  // namespace

Command rows_command() {
  Command command{"evidence rows",    "Compare predictions with measurements on real GPUs",
                  "[FILE] [OPTIONS]", kValidateNotes,
                  {"[FILE]"},         boost::program_options::options_description("Options"),
                  &run_validate};
  add_option(
      command.options, "out", "DIR",
      "also write a page of all tables (validation.md) and the cells (CSV) into this directory");
  add_option(command.options, "show", "all|cells",
             "cells: errors of GEMMs by machine, type, size, source and use only (default all)");
  add_option(command.options, "machine", "NAME", "only rows of GPUs that this machine stands for");
  add_option(command.options, "dtype", "TYPE", "only rows of this data type");
  add_option(command.options, "use", "fitting|testing|shown|sealed",
             "only GEMMs and collectives of this use");
  add_jobs_option(command.options);
  add_fast_forward_option(command.options);
  add_option(command.options, "format", "table|json|csv",
             "form of the data on standard output (default table)");
  add_html_option(command.options);
  return command;
}

}  // namespace stcsim
