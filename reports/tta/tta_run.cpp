#include "reports/tta/tta_run.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/sha256.hpp"
#include "curves/metric.hpp"
#include "curves/published.hpp"
#include "curves/read_runs.hpp"
#include "curves/run.hpp"
#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_config.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

using Batches = std::map<std::string, std::int64_t>;

struct SchemeRuns {
  std::string scheme;
  std::vector<curves::Run> runs;
};

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
    if (!of.runs.empty()) all.push_back(std::move(of));
  }
  return all;
}

void check_axis(curves::Axis axis) {
  if (axis != curves::Axis::hours && axis != curves::Axis::seconds) return;
  throw ConfigError(fmt::format(
      "the curves are over {}, which are those of the machine they were trained on; must be over "
      "epochs, steps or samples ('over' of time_to_accuracy)",
      axis_name(axis)));
}

/// So many points (hundredths of a fraction) worse than where dense's runs end in the mean.
double below_dense(const std::vector<SchemeRuns>& all, const curves::AnalysisOptions& question,
                   double points) {
  const auto dense = std::ranges::find(all, kBaselineScheme, &SchemeRuns::scheme);
  if (dense == all.end()) {
    throw ConfigError("--target is below where dense ends, but dense has no curves");
  }
  const curves::Curve& curve = *dense->runs.front().find(question.metric);
  const bool is_fraction = curves::is_share(curve.metric) && curves::is_fraction(curve);
  const double loss = is_fraction ? points / 100 : points;
  const double end = curves::figures_of(dense->runs, question).final_value.mean;
  return question.lower_is_better ? end + loss : end - loss;
}

void settle_question(const std::vector<SchemeRuns>& all, const TtaOptions& options,
                     TtaSummary& summary) {
  TtaQuestion& question = summary.question;
  const TtaConfig& config = summary.config;
  question.budget_hours = options.budget_hours;
  question.curves.target = options.target ? options.target : config.target;
  question.curves.extrapolate = options.extrapolate;
  question.curves.seed = options.seed;
  question.curves.metric = config.metric;
  question.over = config.over.value_or(curves::Axis::epochs);
  if (all.empty()) return;
  std::vector<curves::Run> runs;
  for (const SchemeRuns& of : all) runs.insert(runs.end(), of.runs.begin(), of.runs.end());
  question.curves.metric = curves::choose_metric(runs, config.metric);
  curves::check_comparable(runs, question.curves.metric);
  question.curves.lower_is_better =
      config.lower_is_better.value_or(curves::sounds_lower_is_better(question.curves.metric));
  if (options.points_below_dense) {
    question.is_below_dense = true;
    question.curves.target = below_dense(all, question.curves, *options.points_below_dense);
  }
  if (question.curves.target) {
    curves::check_target(runs, question.curves.metric, *question.curves.target);
  }
  question.over = runs.front().find(question.curves.metric)->axis;
  check_axis(question.over);
}

TtaCurves curves_of(const SchemeRuns& of, const TtaSummary& summary, const Batches& batches) {
  const TtaQuestion& question = summary.question;
  const auto epochs = [&](double x) {
    return epochs_of(x, question.over, summary.config, batches);
  };
  TtaCurves found{of.scheme, curves::figures_of(of.runs, question.curves), {}, {}, {}, {}, {}};
  std::vector<std::vector<curves::Point>> as_measured;
  for (std::size_t at = 0; at < of.runs.size(); ++at) {
    as_measured.push_back(of.runs[at].find(question.curves.metric)->points);
    found.runs.push_back(as_measured.back());
    for (curves::Point& point : found.runs.back()) point.x = epochs(point.x);
    const curves::RunFigures& run = found.figures.runs[at];
    const auto in_epochs = [&](const std::optional<double>& x) {
      return x ? std::optional(epochs(*x)) : std::nullopt;
    };
    found.to_target.push_back(in_epochs(run.first_crossing));
    found.extrapolated.push_back(
        in_epochs(run.first_crossing ? run.first_crossing : run.extrapolated_crossing));
  }
  found.mean = curves::mean_curve(as_measured);
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
  }
  if (row.axis != question.over) {
    throw ConfigError(fmt::format("published_runs are over {}, the other curves over {}",
                                  axis_name(row.axis), axis_name(question.over)));
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
                           const TtaSummary& summary, const Batches& batches) {
  TtaCurves found;
  found.scheme = scheme;
  std::vector<double> crossings;
  for (const curves::PublishedCrossing& row : rows) {
    crossings.push_back(row.to_target);
    found.to_target.emplace_back(epochs_of(row.to_target, row.axis, summary.config, batches));
    curves::RunFigures& run = found.figures.runs.emplace_back();
    run.run = row.source;
    run.format = "published";
    run.first_crossing = row.to_target;
  }
  found.extrapolated = found.to_target;
  found.figures.first_crossing = curves::Reaching{
      crossings.size(), curves::spread_of(crossings, summary.question.curves.seed), std::nullopt};
  found.published_by = rows.front().source;
  return found;
}

/// Schemes of which published runs are named.
void add_published(TtaSummary& summary, const Batches& batches,
                   const std::vector<curves::PublishedCrossing>& published) {
  for (const TrainedScheme& training : summary.config.trainings) {
    if (!training.published_runs) continue;
    const auto rows = rows_named(published, *training.published_runs);
    settle_published(rows.front(), !summary.curves.empty(), summary.question);
    summary.curves.push_back(published_curves(training.scheme, rows, summary, batches));
  }
}

std::filesystem::path curves_directory() {
  return config_directory() / "curves";
}

void add_gains_beside(const StudyResult& study, std::vector<TtaResult>& results) {
  for (TtaResult& result : results) {
    const auto total =
        std::find_if(study.totals.begin(), study.totals.end(), [&](const StudyTotal& one) {
          return one.machine == result.machine && one.scheme == result.scheme &&
                 one.pass == kTrainingPass;
        });
    if (total != study.totals.end()) result.beside = total->beside;
  }
}

}  // namespace

double epochs_of(double x, curves::Axis axis, const TtaConfig& config, const Batches& batches) {
  const std::int64_t batch = batches.at(config.schedule.front().network);
  const bool is_constant =
      std::all_of(config.schedule.begin(), config.schedule.end(),
                  [&](const NetworkSpan& span) { return batches.at(span.network) == batch; });
  if (axis == curves::Axis::steps && !is_constant) {
    throw ConfigError(
        "the curves are over steps, but the networks of 'schedule' have different batches; must be "
        "over epochs or samples ('over' of time_to_accuracy)");
  }
  if (axis == curves::Axis::epochs) return x;
  const double step = static_cast<double>(batch * config.devices);
  const curves::TrainingSize size{config.samples_per_epoch, step};
  return *curves::steps_of(x, axis, size) * step / config.samples_per_epoch;
}

void read_tta_curves(TtaSummary& summary, const TtaOptions& options, const Batches& batches,
                     const std::vector<curves::PublishedCrossing>& published) {
  const std::vector<SchemeRuns> all = read_runs_of(summary.config, summary.notes);
  settle_question(all, options, summary);
  for (const SchemeRuns& of : all) summary.curves.push_back(curves_of(of, summary, batches));
  add_published(summary, batches, published);
}

TtaQuery read_tta_query(const YamlDocument& document, const TtaOptions& options,
                        const std::string& metric) {
  TtaQuery query;
  query.experiment = load_experiment(document, {});
  TtaSummary& summary = query.summary;
  summary.config = read_tta_config(document.root, query.experiment);
  if (!metric.empty()) summary.config.metric = metric;
  read_tta_curves(summary, options, batches_of(query.experiment),
                  curves::read_published_crossings(curves_directory() / "to_target.csv"));
  summary.resolved_experiment = query.experiment.resolved_config;
  summary.resolved_config = resolved_tta_config(summary.config);
  summary.config_hash = sha256_hex(summary.resolved_experiment + summary.resolved_config);
  return query;
}

StudyResult answer_tta_query(TtaQuery& query,
                             const std::function<StudyResult(const Experiment&)>& run) {
  const auto published = curves::read_published_finals(curves_directory() / "final_values.csv");
  StudyResult study = run(query.experiment);
  analyse_tta(query.summary, query.experiment, step_times(study), published);
  if (query.experiment.networks.size() == 1) add_gains_beside(study, query.summary.results);
  return study;
}

}  // namespace stcsim
