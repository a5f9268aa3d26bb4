#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/gemm/gemm_simulation.hpp"
#include "cli/run/comparison_options.hpp"
#include "cli/run/study_command.hpp"
#include "common/error.hpp"
#include "common/io/next_command.hpp"
#include "common/version.hpp"
#include "reports/compare/comparison_report.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

/// The two results.
struct ComparedArguments {
  Option a = Option{"A"}.like(": two results, as in 'stcsim compare before.json now.json'");
  Option b{"B"};
};
constexpr ComparedArguments kCompared;

constexpr const char* kCompareWho = "stcsim compare";
constexpr const char* kCompareNotes =
    "A and B are results: what 'run' or 'gemm' wrote with --format json, a folder of 'run --out',\n"
    "or a golden file of 'record'. Without B, --set runs A's configuration again, with other\n"
    "values. First comes what changed in the answer and which values differ, then layers, those\n"
    "that change most of it first. Exit code 1 if anything moved by more than --rtol.\n\n"
    "  stcsim compare out/before out/after\n"
    "  stcsim compare results.json --set machines.0.accelerator.l2_cache.read_bytes_per_clk=2560\n";

/// A, as it is when it is run now with other values.
ComparedResult run_again(const Arguments& arguments, const ComparedResult& recorded) {
  const std::vector<std::string> overrides = arguments.all(kCommon.set);
  const std::string name =
      fmt::format("{} --set {}", recorded.name, fmt::join(overrides, " --set "));
  if (recorded.is_gemm) {
    const GemmOptions options =
        recorded_gemm_options(recorded.study.resolved_config, recorded.name, overrides);
    MachineRunner runner(options.machine);
    return result_from_json(gemm_to_json(simulate_gemm(options, runner)), name);
  }
  const Experiment experiment =
      parse_resolved_experiment(recorded.study.resolved_config, recorded.name, overrides);
  StudyCommandOptions how = study_options_of(arguments);
  how.is_quiet = true;
  return {name, std::string(program_version()), false,
          run_study_with_progress(kCompareWho, experiment, how)};
}

int compare(const Arguments& arguments) {
  const ComparisonOptions options = comparison_options_of(arguments);
  const bool has_other = arguments.has(kCompared.b);
  arguments.allow_only_if(!has_other, kCommon.set,
                          "goes without B: it runs A again, with other values");
  if (!has_other && !arguments.has(kCommon.set)) {
    throw ConfigError("B is missing, or --set KEY=VALUE, which runs A again with that");
  }
  Output output(arguments);
  HtmlPage page(arguments, kCompareWho);
  ComparedResult before = read_result(arguments.text(kCompared.a));
  ComparedResult now =
      has_other ? read_result(arguments.text(kCompared.b)) : run_again(arguments, before);
  if (before.is_gemm != now.is_gemm) {
    throw ConfigError(
        fmt::format("'{}' is of one GEMM and '{}' is not: they have no figure in "
                    "common",
                    (before.is_gemm ? before : now).name, (before.is_gemm ? now : before).name));
  }
  const Comparison comparison = compare_results(std::move(before), std::move(now), options.rtol);
  page.write([&] { return comparison_json(comparison); });
  output.write(comparison_as(comparison, options, output.width()));
  if (comparison.is_equal()) {
    write_next(arguments, {"stcsim compare"},
               {shell_word(arguments.text(kCompared.a)), "--set KEY=VALUE"});
  } else {
    std::vector<std::string> parts =
        arguments.again({kCompared.a, kCompared.b, kCommon.set, kComparison.rtol});
    parts.emplace_back("--html compared.html");
    write_next(arguments, {"stcsim compare"}, parts);
  }
  return exit_code_of(comparison);
}

struct CompareTable {
  Option set = kCommon.set.like("machines.0.accelerator.num_sms=64");
  ComparisonTable comparison;
  StudyTable study;
  Option output = kCommon.output;
};

}  // namespace

ComparisonOptions comparison_options_of(const Arguments& arguments) {
  ComparisonOptions options;
  options.rtol = arguments.not_negative_or(kComparison.rtol, 0);
  options.all_rows = arguments.has(kCommon.layers);
  options.format = format_of(arguments, kComparison.format);
  return options;
}

std::string comparison_as(const Comparison& comparison, const ComparisonOptions& options,
                          std::size_t width) {
  if (options.format == Format::json) return comparison_json(comparison);
  if (options.format == Format::junit) return comparison_junit(comparison);
  return options.format == Format::markdown ? comparison_markdown(comparison, options.all_rows)
                                            : comparison_text(comparison, options.all_rows, width);
}

int exit_code_of(const Comparison& comparison) {
  if (!comparison.now.study.failures.empty()) return kExitFailed;
  return comparison.is_equal() ? kExitFine : kExitDifferent;
}

Command compare_command() {
  return {"compare",
          "Say what differs between two results, and why",
          "A (B | --set KEY=VALUE) [OPTIONS]",
          kCompareNotes,
          {kCompared.a, kCompared.b.optional()},
          options_of<CompareTable>(),
          &compare};
}

}  // namespace stcsim
