#include <array>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "common/io/sha256.hpp"
#include "curves/analysis.hpp"
#include "curves/metric.hpp"
#include "curves/read_runs.hpp"
#include "reports/curves/curves_report.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostSmoothed = 1001;
constexpr std::array<std::pair<std::string_view, curves::Axis>, 5> kAxes{{
    {"epochs", curves::Axis::epochs},
    {"steps", curves::Axis::steps},
    {"samples", curves::Axis::samples},
    {"hours", curves::Axis::hours},
    {"seconds", curves::Axis::seconds},
}};

curves::ReadOptions reading_of(const Arguments& arguments) {
  curves::ReadOptions options;
  if (arguments.has("read-as")) {
    const std::vector<std::string> names = curves::format_names();
    options.format = curves::format_from_name(names[arguments.choose("read-as", names)]);
  }
  if (arguments.has("over")) {
    options.axis = arguments.choice_or("over", curves::Axis::epochs, kAxes);
  }
  return options;
}

std::vector<curves::Run> read_all(const std::vector<std::string>& paths,
                                  const curves::ReadOptions& options, CurvesSummary& summary) {
  std::vector<curves::Run> runs;
  for (const std::string& path : paths) {
    curves::RunFile file = curves::read_runs(path, options);
    std::move(file.runs.begin(), file.runs.end(), std::back_inserter(runs));
    std::move(file.notes.begin(), file.notes.end(), std::back_inserter(summary.notes));
  }
  return runs;
}

bool lower_is_better(const Arguments& arguments, const std::string& metric) {
  if (arguments.has("lower-is-better")) return true;
  return !arguments.has("higher-is-better") && curves::sounds_lower_is_better(metric);
}

/// What does not depend on the files.
curves::AnalysisOptions options_of(const Arguments& arguments) {
  curves::AnalysisOptions options;
  if (arguments.has("target")) options.target = arguments.number("target");
  arguments.allow_only_if(options.target.has_value(), "smooth", "has no effect without --target");
  arguments.allow_only_if(options.target.has_value(), "extrapolate",
                          "has no effect without --target");
  options.extrapolate = arguments.has("extrapolate");
  const std::int64_t window = arguments.integer_or("smooth", 5, 1, kMostSmoothed);
  if (window % 2 == 0) arguments.refuse("smooth", "an odd number of points");
  options.window = static_cast<std::size_t>(window);
  options.seed = static_cast<std::uint64_t>(
      arguments.integer_or("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  return options;
}

/// Options that ask for a metric's figures, rather than for a list of what there is.
bool asks_for_figures(const Arguments& arguments) {
  return arguments.has("metric") || arguments.has("target") || arguments.has("against");
}

void analyse(const Arguments& arguments, curves::AnalysisOptions options,
             const std::vector<curves::Run>& against, CurvesSummary& summary) {
  std::vector<curves::Run> all = summary.runs;
  all.insert(all.end(), against.begin(), against.end());
  if (!asks_for_figures(arguments) && curves::common_metrics(all).size() != 1) return;
  options.metric = curves::choose_metric(all, arguments.text_or("metric", ""));
  options.lower_is_better = lower_is_better(arguments, options.metric);
  curves::check_comparable(all, options.metric);
  if (options.target) curves::check_target(all, options.metric, *options.target);
  summary.axis = all.front().find(options.metric)->axis;
  summary.figures = curves::figures_of(summary.runs, options);
  if (!against.empty()) {
    summary.against = curves::figures_of(against, options);
    summary.comparison = curves::compare(*summary.figures, *summary.against, options);
  }
  summary.options = options;
}

std::string hash_of(const Arguments& arguments) {
  nlohmann::ordered_json config;
  for (const char* const name : {"FILE", "against", "metric", "target", "over", "read-as", "smooth",
                                 "extrapolate", "seed", "lower-is-better", "higher-is-better"}) {
    config[name] = arguments.all(name);
  }
  // A file's name may be any bytes.
  return sha256_hex(config.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// A metric where none is chosen, a target for one; then a page of both.
const char* what_is_next(const Arguments& arguments, const CurvesSummary& summary) {
  if (!summary.figures) return "--metric NAME";
  return arguments.has("target") ? "--format json > curves.json && stcsim page curves.json -o "
                                   "curves.html"
                                 : "--target X";
}

int run_curves_command(const Arguments& arguments) {
  arguments.allow_only_if(!arguments.has("lower-is-better"), "higher-is-better",
                          "contradicts --lower-is-better");
  const Format format = format_of(arguments);
  const curves::ReadOptions reading = reading_of(arguments);
  const curves::AnalysisOptions options = options_of(arguments);
  CurvesSummary summary;
  summary.config_hash = hash_of(arguments);
  summary.runs = read_all(arguments.all("FILE"), reading, summary);
  const std::vector<curves::Run> against = read_all(arguments.all("against"), reading, summary);
  analyse(arguments, options, against, summary);
  summary.runs.insert(summary.runs.end(), against.begin(), against.end());
  if (format == Format::json) {
    write_data(curves_to_json(summary));
  } else {
    write_data(format == Format::csv ? curves_to_csv(summary)
                                     : curves_text(summary, output_width()));
  }
  write_next(arguments, {"stcsim tta --curves-only", what_is_next(arguments, summary)},
             arguments.again({"FILE", "metric", "target", "over", "against", "read-as"}));
  return kExitFine;
}

std::string curves_notes() {
  return fmt::format(
      "A file is a run, and several files are the seeds of one experiment; a directory of "
      "TensorBoard's\nis a run too. Formats, which the content tells: {}.\n\n"
      "  stcsim tta --curves-only seed*/metrics.csv --metric val_acc --target 0.94\n"
      "  stcsim tta --curves-only sparse*.csv --against dense1.csv --against dense2.csv --target "
      "76\n",
      fmt::join(curves::format_names(), ", "));
}

}  // namespace

Command curves_command() {
  Command command{
      "tta --curves-only", "Read learning curves: when runs reach a target, and how sure that is",
      "FILE... [OPTIONS]", curves_notes(),
      {"FILE..."},         boost::program_options::options_description("Options"),
      &run_curves_command};
  add_option(command.options, "target", "X", "value of the metric that is to be reached");
  add_option(command.options, "metric", "NAME", "which curve (default: the only one there is)");
  add_option(command.options, "over", "epochs|steps|samples|hours|seconds",
             "what curves are drawn over (default: the first of these that a file has)");
  command.options.add_options()("lower-is-better", "the target is reached from above");
  command.options.add_options()("higher-is-better",
                                "the target is reached from below (default: what the metric's name "
                                "says; loss and error are lower-is-better)");
  command.options.add_options()(
      "against",
      boost::program_options::value<std::vector<std::string>>()->composing()->value_name("FILE"),
      "a run of another set, which to compare with (repeatable)");
  command.options.add_options()("extrapolate",
                                "continue runs that do not reach the target, by a power law");
  add_option(command.options, "smooth", "N", "points that smoothing takes together (default 5)");
  add_option(command.options, "seed", "S", "seed of bootstrap and permutation test (default 1)");
  add_option(command.options, "read-as", "FORMAT", "format of the files, whatever they look like");
  add_option(command.options, "format", "table|json|csv",
             "form of the output (default table); csv: the points");
  return command;
}

}  // namespace stcsim
