#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/python_program.hpp"
#include "common/io/sha256.hpp"
#include "curves/analysis.hpp"
#include "curves/read_runs.hpp"
#include "curves/run.hpp"
#include "reports/curves/curves_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostSmoothed = 1001;
constexpr const char* kCurvesNotes =
    "A file is a run, and several files are the seeds of one experiment; a directory of "
    "TensorBoard's\nis a run too. Formats, which the content tells: csv, tensorboard, "
    "json-lines.\n\n"
    "  stcsim tta --curves-only seed*/metrics.csv --metric val_acc --target 0.94\n"
    "  stcsim tta --curves-only sparse*.csv --against dense1.csv --against dense2.csv --target "
    "76\n";

constexpr struct CurvesTable {
  Option target = kCommon.target.as("X", "value of the metric that is to be reached");
  Option metric = kCommon.metric.as("NAME", "which curve (default: the only one there is)");
  Option over{"over", "epochs|steps|samples|hours|seconds",
              "what curves are drawn over (default: the first of these that a file has)"};
  Option lower_is_better =
      Option{"lower-is-better", "", "the target is reached from above"}.refusing(
          "contradicts --lower-is-better");
  Option higher_is_better =
      Option{"higher-is-better", "",
             "the target is reached from below (default: what the metric's name says; loss and "
             "error are lower-is-better)"}
          .not_with(&lower_is_better);
  Option against =
      kCommon.against.as("FILE", "a run of another set, which to compare with (repeatable)")
          .repeated();
  Option planned{
      "planned", "N",
      "length of runs that go on, as their curves count: predict when they get there, by "
      "finished ones (--against) or public ones",
      &target};
  Option rate_decay{
      "rate-decay", "SHARE[^POWER]",
      "last part of --planned in which the learning rate falls, as what is left of it to "
      "POWER (default 0.7^1)",
      &planned};
  Option smooth{"smooth", "N", "points that smoothing takes together (default 5)", &target};
  Option seed = kCommon.seed;
  Option read_as{"read-as", "csv|tensorboard|json-lines",
                 "format of the files, whatever they look like"};
  Option format =
      kCommon.format.as("table|json|csv", "form of the output (default table); csv: the points");
} kCurves;

curves::ReadOptions reading_of(const Arguments& arguments) {
  curves::ReadOptions options;
  if (arguments.has(kCurves.read_as)) {
    options.format = static_cast<curves::FileFormat>(arguments.choice(kCurves.read_as));
  }
  if (arguments.has(kCurves.over)) {
    options.axis = static_cast<curves::Axis>(arguments.choice(kCurves.over));
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
  if (arguments.has(kCurves.lower_is_better)) return true;
  return !arguments.has(kCurves.higher_is_better) && curves::sounds_lower_is_better(metric);
}

/// What does not depend on the files.
curves::AnalysisOptions options_of(const Arguments& arguments) {
  curves::AnalysisOptions options;
  if (arguments.has(kCommon.target)) options.target = arguments.number(kCommon.target);
  const std::int64_t window = arguments.integer_or(kCurves.smooth, 5, 1, kMostSmoothed);
  if (window % 2 == 0) arguments.refuse(kCurves.smooth, "an odd number of points");
  options.window = static_cast<std::size_t>(window);
  options.seed = seed_of(arguments);
  return options;
}

/// Options that ask for a metric's figures, rather than for a list of what there is.
bool asks_for_figures(const Arguments& arguments) {
  return arguments.has(kCommon.metric) || arguments.has(kCommon.target) ||
         arguments.has(kCommon.against);
}

void analyse(const Arguments& arguments, curves::AnalysisOptions options,
             const std::vector<curves::Run>& against, CurvesSummary& summary) {
  std::vector<curves::Run> all = summary.runs;
  all.insert(all.end(), against.begin(), against.end());
  if (!asks_for_figures(arguments) && curves::common_metrics(all).size() != 1) return;
  options.metric = curves::choose_metric(all, arguments.text_or(kCommon.metric, ""));
  options.lower_is_better = lower_is_better(arguments, options.metric);
  curves::check_comparable(all, options.metric);
  if (options.target) curves::check_target(all, options.metric, *options.target);
  summary.axis = all.front().find(options.metric)->axis;
  summary.figures = curves::figures_of(summary.runs, options);
  if (!against.empty()) {
    summary.against = curves::figures_of(against, options);
    const curves::SetFigures& own = *summary.figures;
    summary.final_difference = difference_of_finals(own, *summary.against, options.seed);
    if (options.target) {
      summary.crossing_difference = difference_of_crossings(own, *summary.against, options.seed);
    }
  }
  summary.options = options;
}

std::string hash_of(const Arguments& arguments) {
  ordered_json config;
  const CurvesTable& of = kCurves;
  for (const Option& option :
       {kCommon.file, of.against, of.metric, of.target, of.over, of.read_as, of.smooth, of.planned,
        of.rate_decay, of.seed, of.lower_is_better, of.higher_is_better}) {
    config[option.name] = arguments.all(option);
  }
  // A file's name may be any bytes.
  return sha256_hex(config.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

/// A metric where none is chosen, a target for one; then a page of both.
const char* what_is_next(const Arguments& arguments, const CurvesSummary& summary) {
  if (!summary.figures) return "--metric NAME";
  return arguments.has(kCommon.target)
             ? "--format json > curves.json && stcsim page curves.json -o "
               "curves.html"
             : "--target X";
}

ordered_json points_of(const std::vector<curves::Run>& runs, const std::string& metric) {
  ordered_json list = ordered_json::array();
  for (const curves::Run& run : runs) {
    ordered_json points = ordered_json::array();
    for (const curves::Point& point : run.find(metric)->points) {
      points.push_back({point.x, point.value});
    }
    list.push_back({{"name", run.name}, {"points", std::move(points)}});
  }
  return list;
}

/// What python/stcsim/losses is asked: when runs that go on reach the target.
[[noreturn]] void predict_rest(const Arguments& arguments, const CurvesSummary& summary,
                               const std::vector<curves::Run>& against) {
  if (!summary.options) arguments.refuse(kCurves.planned, "beside --metric NAME: which curve");
  const curves::AnalysisOptions& options = *summary.options;
  if (!options.lower_is_better) {
    arguments.refuse(kCurves.planned, "left out: only the rest of a loss is known to be predicted");
  }
  const double planned = arguments.number(kCurves.planned);
  become_python("stcsim.losses", {"request"},
                ordered_json{{"runs", points_of(summary.runs, options.metric)},
                             {"against", points_of(against, options.metric)},
                             {"metric", options.metric},
                             {"over", to_string(summary.axis)},
                             {"target", *options.target},
                             {"planned", planned},
                             {"decay", arguments.text_or(kCurves.rate_decay, "0.7")},
                             {"format", arguments.text_or(kCommon.format, "table")}}
                    .dump());
}

int run_curves_command(const Arguments& arguments) {
  const Format format = format_of(arguments);
  const curves::ReadOptions reading = reading_of(arguments);
  const curves::AnalysisOptions options = options_of(arguments);
  CurvesSummary summary;
  summary.config_hash = hash_of(arguments);
  summary.runs = read_all(arguments.all(kCommon.file), reading, summary);
  const std::vector<curves::Run> against =
      read_all(arguments.all(kCommon.against), reading, summary);
  analyse(arguments, options, against, summary);
  if (arguments.has(kCurves.planned)) predict_rest(arguments, summary, against);
  summary.runs.insert(summary.runs.end(), against.begin(), against.end());
  if (format == Format::json) {
    write_data(curves_to_json(summary));
  } else {
    write_data(format == Format::csv ? curves_to_csv(summary)
                                     : curves_text(summary, output_width()));
  }
  write_next(arguments, {"stcsim tta --curves-only", what_is_next(arguments, summary)},
             arguments.again({kCommon.file, kCommon.metric, kCommon.target, kCurves.over,
                              kCommon.against, kCurves.read_as}));
  return kExitFine;
}

}  // namespace

Command curves_command() {
  return {"tta --curves-only",
          "Read learning curves: when runs reach a target, and how sure that is",
          "FILE... [OPTIONS]",
          kCurvesNotes,
          {kCommon.file.repeated()},
          options_of<CurvesTable>(),
          &run_curves_command};
}

}  // namespace stcsim
