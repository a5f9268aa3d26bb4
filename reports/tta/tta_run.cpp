#include "reports/tta/tta_run.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/sha256.hpp"
#include "curves/published.hpp"
#include "curves/read_runs.hpp"
#include "curves/run.hpp"
#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_config.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

struct SchemeRuns {
  std::string scheme;
  std::vector<curves::Run> runs;
};

/// A dense training's ends by its length, if the law is of its metric; else its only end.
curves::Run run_of_end(const TtaConfig& config, double end) {
  curves::Curve curve{config.metric, curves::Axis::epochs, {{*config.epochs, end}}};
  if (config.is_of_loss()) curve = curves::ends_by_length(config.metric, end, *config.epochs);
  return {"end", "end", {std::move(curve)}};
}

std::vector<SchemeRuns> read_runs_of(const TtaConfig& config, std::vector<std::string>& notes) {
  std::vector<SchemeRuns> all;
  for (const TrainedScheme& training : config.trainings) {
    SchemeRuns of{training.scheme, {}};
    for (const auto& file : training.curves) {
      curves::RunFile read = curves::read_runs(file, {std::nullopt, config.over});
      std::move(read.runs.begin(), read.runs.end(), std::back_inserter(of.runs));
      for (const curves::Note& note : read.notes) {
        notes.push_back(note.where.to_string() + ": " + note.text);
      }
    }
    if (training.end && training.scheme == kBaselineScheme) {
      of.runs.push_back(run_of_end(config, *training.end));
    }
    if (!of.runs.empty()) all.push_back(std::move(of));
  }
  return all;
}

void check_axis(curves::Axis axis) {
  if (axis != curves::Axis::hours && axis != curves::Axis::seconds) return;
  throw ConfigError(fmt::format(
      "the curves are over {}, which are those of the machine they were trained on; must be over "
      "epochs, steps or samples ('over' of time_to_accuracy)",
      to_string(axis)));
}

/// So many points (hundredths of a fraction; units of a loss) worse than where dense's runs end in
/// the mean.
double below_dense(const std::vector<SchemeRuns>& all, const curves::AnalysisOptions& question,
                   double points) {
  const auto dense = std::ranges::find(all, kBaselineScheme, &SchemeRuns::scheme);
  if (dense == all.end()) {
    throw ConfigError("--target is below where dense ends, but dense has no curves");
  }
  const curves::Curve& curve = *dense->runs.front().find(question.metric);
  const bool is_fraction = curves::is_share(curve.metric) && curves::is_fraction(curve);
  const double loss = is_fraction ? points / 100 : points;
  if (question.lower_is_better != (loss < 0) && loss != 0) {
    throw ConfigError(
        fmt::format("--target is dense{:+g}, but {} of {} is better: must be dense{:+g}", -points,
                    question.lower_is_better ? "less" : "more", question.metric, points));
  }
  return curves::figures_of(dense->runs, question).final_value.mean - loss;
}

/// Says of all curves what was not asked for.
void settle_question(const std::vector<SchemeRuns>& all, TtaSummary& summary) {
  TtaQuestion& question = summary.question;
  const TtaConfig& config = summary.config;
  if (!question.curves.target) question.curves.target = config.target;
  question.over = config.over.value_or(curves::Axis::epochs);
  if (all.empty()) return;
  std::vector<curves::Run> runs;
  for (const SchemeRuns& of : all) runs.insert(runs.end(), of.runs.begin(), of.runs.end());
  question.curves.metric = curves::choose_metric(runs, question.curves.metric);
  curves::check_comparable(runs, question.curves.metric);
  question.curves.lower_is_better =
      config.lower_is_better.value_or(curves::sounds_lower_is_better(question.curves.metric));
  if (question.points_below_dense) {
    question.curves.target = below_dense(all, question.curves, *question.points_below_dense);
  }
  if (question.curves.target) {
    curves::check_target(runs, question.curves.metric, *question.curves.target);
  }
  question.over = runs.front().find(question.curves.metric)->axis;
  check_axis(question.over);
}

TtaCurves curves_of(const SchemeRuns& of, const TtaSummary& summary) {
  const TtaQuestion& question = summary.question;
  TtaCurves found;
  found.scheme = of.scheme;
  found.is_of_ends = summary.config.training_of(of.scheme).end.has_value();
  curves::AnalysisOptions options = question.curves;
  if (found.is_of_ends) options.window = 1;
  found.figures = curves::figures_of(of.runs, options);
  curves::EpochsToTarget to_target;
  for (curves::RunFigures& run : found.figures.runs) {
    // Lengths lie between those of the points.
    if (found.is_of_ends) run.first_crossing = run.smoothed_crossing;
    to_target.push_back(run.first_crossing);
  }
  found.to_target = summary.epochs_of(to_target);
  for (const curves::Run& run : of.runs) {
    found.runs.push_back(run.find(question.curves.metric)->points);
  }
  found.mean = curves::mean_curve(found.runs);
  for (std::vector<curves::Point>& points : found.runs) {
    for (curves::Point& point : points) point.x = summary.epochs_of(point.x, question.over);
  }
  return found;
}

/// The rows that a scheme's published runs are.
std::vector<curves::PublishedCrossing> rows_named(
    const std::vector<curves::PublishedCrossing>& published, const PublishedRuns& named) {
  std::vector<curves::PublishedCrossing> rows;
  for (const curves::PublishedCrossing& row : published) {
    if (row.network == named.network && row.batch == named.batch) rows.push_back(row);
  }
  if (rows.empty()) {
    throw ConfigError(fmt::format(
        "published_runs: no run of {} with a batch of {:.6g} is in curves/to_target.csv",
        named.network, named.batch));
  }
  return rows;
}

/// Takes metric, unit and target of published runs; refuses those that do not go with the rest.
void settle_published(const curves::PublishedCrossing& row, bool has_curves,
                      TtaQuestion& question) {
  if (!has_curves) {
    question.curves.metric = row.metric;
    question.over = row.axis;
    check_axis(question.over);
  }
  if (row.axis != question.over) {
    throw ConfigError(fmt::format("published_runs are over {}, the other curves over {}",
                                  to_string(row.axis), to_string(question.over)));
  }
  if (!question.curves.target) question.curves.target = row.target;
  if (*question.curves.target != row.target) {
    throw ConfigError(fmt::format(
        "published_runs say how long {:.6g} took, not {:.6g}: the target must be {:.6g}",
        row.target, *question.curves.target, row.target));
  }
}

TtaCurves published_curves(const std::string& scheme,
                           const std::vector<curves::PublishedCrossing>& rows,
                           const TtaSummary& summary) {
  TtaCurves found;
  found.scheme = scheme;
  std::vector<double> crossings;
  for (const curves::PublishedCrossing& row : rows) {
    crossings.push_back(row.to_target);
    found.to_target.emplace_back(summary.epochs_of(row.to_target, row.axis));
    curves::RunFigures& run = found.figures.runs.emplace_back();
    run.run = row.source;
    run.format = "published";
    run.first_crossing = row.to_target;
  }
  found.figures.first_crossing = curves::Reaching{
      crossings.size(), curves::spread_of(crossings, summary.question.curves.seed), std::nullopt};
  found.published_by = rows.front().source;
  return found;
}

/// Reads the curves of all schemes, and says what is asked of them.
void read_tta_curves(TtaSummary& summary) {
  const std::vector<SchemeRuns> all = read_runs_of(summary.config, summary.notes);
  settle_question(all, summary);
  for (const SchemeRuns& of : all) summary.curves.push_back(curves_of(of, summary));
  const auto published =
      curves::read_published_crossings(config_directory() / "curves" / "to_target.csv");
  for (const TrainedScheme& training : summary.config.trainings) {
    if (!training.published_runs) continue;
    const auto rows = rows_named(published, *training.published_runs);
    settle_published(rows.front(), !summary.curves.empty(), summary.question);
    summary.curves.push_back(published_curves(training.scheme, rows, summary));
  }
}

void add_gains_beside(const StudyResult& study, std::vector<TtaResult>& results) {
  for (TtaResult& result : results) {
    const auto total = std::ranges::find_if(study.totals, [&](const StudyTotal& one) {
      return one.machine == result.machine && one.scheme == result.scheme &&
             one.pass == kTrainingPass;
    });
    if (total != study.totals.end()) result.beside = total->beside;
  }
}

}  // namespace

const TtaCurves* TtaSummary::curves_of(const std::string& scheme) const {
  const auto found = std::ranges::find(curves, scheme, &TtaCurves::scheme);
  return found == curves.end() ? nullptr : &*found;
}

double TtaSummary::epochs_of(double x, curves::Axis axis) const {
  if (axis == curves::Axis::epochs) return x;
  const std::int64_t batch = batches.at(config.schedule.front().network);
  const bool is_constant = std::ranges::all_of(
      config.schedule, [&](const NetworkSpan& span) { return batches.at(span.network) == batch; });
  if (axis == curves::Axis::steps && !is_constant) {
    throw ConfigError(
        "the curves are over steps, but the networks of 'schedule' have different batches; must be "
        "over epochs or samples ('over' of time_to_accuracy)");
  }
  const double step = static_cast<double>(batch * config.devices);
  const double steps = axis == curves::Axis::samples ? x / step : x;
  return steps * step / config.samples_per_epoch;
}

curves::EpochsToTarget TtaSummary::epochs_of(const curves::EpochsToTarget& x) const {
  curves::EpochsToTarget epochs = x;
  for (std::optional<double>& one : epochs) {
    if (one) one = epochs_of(*one, question.over);
  }
  return epochs;
}

TtaQuery read_tta_query(const YamlDocument& document, TtaQuestion asked) {
  TtaQuery query;
  query.experiment = load_experiment(document, {});
  TtaSummary& summary = query.summary;
  summary.config = read_tta_config(document.root, query.experiment);
  summary.question = std::move(asked);
  std::string& metric = summary.question.curves.metric;
  if (!metric.empty()) summary.config.metric = metric;
  metric = summary.config.metric;
  for (const Network& network : query.experiment.networks) {
    summary.batches[network.name] = network.batch;
  }
  read_tta_curves(summary);
  summary.resolved_experiment = query.experiment.resolved_config;
  summary.resolved_config = resolved_tta_config(summary.config);
  summary.config_hash = sha256_hex(summary.resolved_experiment + summary.resolved_config);
  return query;
}

StudyResult answer_tta_query(TtaQuery& query,
                             const std::function<StudyResult(const Experiment&)>& run) {
  const std::filesystem::path folder = config_directory() / "curves";
  const TtaPublished published{
      curves::read_published_finals(folder / "final_values.csv"),
      curves::read_published_seeds(folder / "seeds.csv"),
      curves::read_trained_means(config_directory() / "papers" / "trained.csv")};
  StudyResult study = run(query.experiment);
  analyse_tta(query.summary, query.experiment, step_times(study), published);
  if (query.experiment.networks.size() == 1) add_gains_beside(study, query.summary.results);
  return study;
}

}  // namespace stcsim
