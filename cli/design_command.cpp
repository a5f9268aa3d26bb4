#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/program_options/options_description.hpp>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/design_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_options.hpp"
#include "reports/design/design_json.hpp"
#include "reports/design/design_report.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {
namespace {

enum class DesignFormat : std::uint8_t { table, markdown, json };

constexpr const char* kDefaultAreas = "ga100_7nm";
constexpr const char* kDesignNotes =
    "SPACE is one of 'stcsim list spaces' or a path, as for 'stcsim sweep': its machine axes are\n"
    "what can grow, from the first value to the last; zipped ones grow together. The work is all\n"
    "its GEMMs, each as often as its 'repeat' says, or the steps of its networks.\n"
    "Results are kept in the sweep's file, so that a second question is answered sooner.\n\n"
    "  stcsim design one_of_eight --at-least 4\n"
    "  stcsim design one_of_eight --at-least 90% --max area=1.2\n"
    "  stcsim design one_of_eight --max dram_gb_per_s=2000 --jobs auto --format json\n";

DesignFormat design_format_of(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, DesignFormat>, 3> kFormats{
      {{"table", DesignFormat::table},
       {"markdown", DesignFormat::markdown},
       {"json", DesignFormat::json}}};
  return arguments.choice_or("format", DesignFormat::table, kFormats);
}

std::string text_in(DesignFormat format, const Design& design, std::size_t width) {
  if (format == DesignFormat::json) return design_to_json(design);
  return format == DesignFormat::markdown ? design_markdown(design) : design_text(design, width);
}

int run_design(const Arguments& arguments) {
  const DesignFormat format = design_format_of(arguments);
  DesignOptions options;
  options.question = question_of(arguments);
  options.areas = load_costs(arguments.text_or("costs", kDefaultAreas));
  options.sweep.jobs = jobs_of(arguments);
  options.sweep.fast_forward = fast_forward_of(arguments);
  options.sweep.interrupted = &InterruptWatch::interrupted;
  Space space = load_space(arguments.text("SPACE"), arguments.all("set"));
  const std::filesystem::path results = results_of(arguments, space);
  ProgressBar bar;
  const InterruptWatch watch;
  options.on_machines = [&bar](std::size_t machines) {
    bar.show(fmt::format("{} machines simulated", machines));
  };
  const Design design = find_design(std::move(space), options, results);
  bar.wipe();
  write_result(arguments,
               text_in(format, design, arguments.has("output") ? kPageWidth : output_width()));
  return kExitFine;
}

}  // namespace

Command design_command() {
  Command command{"design",
                  "Find the cheapest machine that reaches a speedup, or the fastest in a budget",
                  "SPACE --at-least SPEEDUP|--max WHAT=NUMBER... [OPTIONS]",
                  kDesignNotes,
                  {"SPACE"},
                  boost::program_options::options_description("Options"),
                  &run_design};
  add_question_options(command.options);
  add_option(command.options, "costs", "TABLE",
             "areas: a shipped table, or a file (default ga100_7nm)");
  add_option(command.options, "results", "FILE",
             "SQLite file of what is simulated (default: the space's name and .sqlite)");
  add_jobs_option(command.options);
  add_fast_forward_option(command.options);
  add_set_option(command.options, "machines.0=a100_nm8");
  add_option(command.options, "format", "table|markdown|json",
             "form of the output (default table)");
  add_option(command.options, "output", "FILE", "write to a file instead of standard output");
  return command;
}

}  // namespace stcsim
