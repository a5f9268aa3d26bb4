#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config_field.hpp"
#include "common/error.hpp"
#include "curves/analysis.hpp"
#include "curves/run.hpp"
#include "curves/statistics.hpp"

namespace stcsim::curves {

/// A final value that was published with or without N:M sparsity: a row of
/// configs/curves/final_values.csv.
struct PublishedFinal {
  std::string source;
  std::string scheme;          // as published
  std::string config;          // the shipped scheme of that method, or ""
  std::string network;         // as published
  std::string network_config;  // the shipped network of that shape, or ""
  std::string dataset;
  std::string pattern;  // "2:4", or as published
  std::string operands;
  std::string metric;
  /// At least one is there.
  std::optional<double> dense;
  std::optional<double> sparse;
  std::string length;
  std::string schedule;
  std::string missing;  // what the source does not have, separated by "; "
  std::string note;
  SourceLocation where;

  /// The columns.
  static void visit_fields(auto& self, auto& visitor) {
    const auto optional = [](std::string_view key, std::string_view help) {
      return field::text(key, help).optional("blank");
    };
    visitor.field(field::text("source", "who published it"), self.source);
    visitor.field(field::text("scheme", "as published"), self.scheme);
    visitor.field(optional("config", "the shipped scheme of that method"), self.config);
    visitor.field(field::text("network", "as published"), self.network);
    visitor.field(optional("network_config", "the shipped network of that shape"),
                  self.network_config);
    visitor.field(field::text("dataset", "trained on"), self.dataset);
    visitor.field(field::text("pattern", "2:4, or as published"), self.pattern);
    visitor.field(optional("operands", "that are pruned"), self.operands);
    visitor.field(field::text("metric", "of the values"), self.metric);
    visitor.field(field::real("dense", "final value without sparsity").optional("blank"),
                  self.dense);
    visitor.field(field::real("sparse", "and with it: one at least").optional("blank"),
                  self.sparse);
    visitor.field(optional("length", "of the training"), self.length);
    visitor.field(optional("schedule", "of sparsity"), self.schedule);
    visitor.field(optional("missing", "what the source does not have, separated by `; `"),
                  self.missing);
    visitor.field(optional("note", "what else there is to say"), self.note);
  }
};

/// The length of one dense training up to a target: a row of configs/curves/to_target.csv.
struct PublishedCrossing {
  std::string source;
  std::string network;
  std::string metric;
  double target = 0;
  double batch = 0;       // samples a step
  std::string optimizer;  // or ""
  double to_target = 0;
  Axis axis = Axis::epochs;
  SourceLocation where;

  /// The columns.
  static void visit_fields(auto& self, auto& visitor) {
    const auto amount = [](std::string_view key, std::string_view help) {
      return field::real(key, help).above(0, field::kMostBytes);
    };
    visitor.field(field::text("source", "who published it"), self.source);
    visitor.field(field::text("network", "as published"), self.network);
    visitor.field(field::text("metric", "of the target"), self.metric);
    visitor.field(amount("target", "value to reach"), self.target);
    visitor.field(amount("batch", "samples of a step"), self.batch);
    visitor.field(field::text("optimizer", "that trained it").optional("blank"), self.optimizer);
    visitor.field(amount("to_target", "how much was trained by then"), self.to_target);
    visitor.field(field::one_of("unit", "of `to_target`", Axis::seconds), self.axis);
  }
};

/// What equal dense trainings of a network ended with: a row of configs/curves/seeds.csv.
struct PublishedSeeds {
  std::string source;
  std::string network;         // as published
  std::string network_config;  // the shipped network of that shape, or ""
  std::string dataset;
  std::string metric;
  std::optional<double> runs;
  std::optional<double> mean;
  double standard_deviation = 0;
  std::string length;
  std::string note;
  SourceLocation where;

  /// The columns.
  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("source", "who published it"), self.source);
    visitor.field(field::text("network", "as published"), self.network);
    visitor.field(
        field::text("network_config", "the shipped network of that shape").optional("blank"),
        self.network_config);
    visitor.field(field::text("dataset", "trained on").optional("blank"), self.dataset);
    visitor.field(field::text("metric", "of the values"), self.metric);
    visitor.field(field::of("runs", "count", "that differ in their seed").optional("blank"),
                  self.runs);
    visitor.field(field::real("mean", "of their final values").optional("blank"), self.mean);
    visitor.field(field::real("standard_deviation", "of single runs").above(0, field::kMostBytes),
                  self.standard_deviation);
    visitor.field(field::text("length", "of the training").optional("blank"), self.length);
    visitor.field(field::text("note", "what else there is to say").optional("blank"), self.note);
  }
};

/// The mean over seeds of own small trainings after an epoch, and its 95 % interval: a row of
/// configs/papers/trained.csv.
struct TrainedMean {
  std::string task;
  std::string scheme;
  double epoch = 0;
  double seeds = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
  std::string metric;
  SourceLocation where;

  /// The columns.
  static void visit_fields(auto& self, auto& visitor) {
    const auto number = [](std::string_view key) { return field::real(key, ""); };
    visitor.field(field::text("task", ""), self.task);
    visitor.field(field::text("scheme", ""), self.scheme);
    visitor.field(number("epoch"), self.epoch);
    visitor.field(number("seeds"), self.seeds);
    visitor.field(number("mean"), self.mean);
    visitor.field(number("low"), self.low);
    visitor.field(number("high"), self.high);
    visitor.field(field::text("metric", ""), self.metric);
  }
};

/// @throws ConfigError with file:line:column if a column is missing or unknown, a cell that must be
///         a number is none, or a row has neither value
[[nodiscard]] std::vector<PublishedFinal> read_published_finals(const std::filesystem::path& path);
[[nodiscard]] std::vector<PublishedCrossing> read_published_crossings(
    const std::filesystem::path& path);
[[nodiscard]] std::vector<PublishedSeeds> read_published_seeds(const std::filesystem::path& path);
[[nodiscard]] std::vector<TrainedMean> read_trained_means(const std::filesystem::path& path);

/// By how much a training ends worse than dense training, in the unit of its curve (negative: it
/// ends better), and between what that lies.
struct LossAtEnd {
  double value = 0;
  Interval between;
};

/// The logarithm by which epochs that predict_crossing() says are off, in 95 % of cases: the
/// quantile over the project's own trainings (configs/papers/trained.csv, every scheme on both
/// generated tasks, epochs to 80, 90 and 97 % of dense's end), which a test computes anew.
inline constexpr double kLossFormError = 0.18;

/// A dense run that is so many times as long ends with a loss (nats) that is this power of it
/// lower: loss ~ length^-exponent, for 20 to 200 tokens a parameter. The middle of seven public
/// pairs of lengths, 124 M to 3 B parameters; python/stcsim/losses/chance.py finds it from
/// configs/curves/dense_runs.csv and says how far off it is, which a test holds beside these.
inline constexpr double kLengthExponent = 0.0331;
/// The share that the logarithm of a length by that law may be off: the largest of those pairs.
inline constexpr double kLengthError = 0.32;
/// The law is said of a tenth of a run's length on.
inline constexpr double kShortestLength = 0.1;

/// The ends of dense runs of a tenth of the length to all of it, by that law.
[[nodiscard]] Curve ends_by_length(const std::string& metric, double end, double epochs);

/// The curve of a training of which nothing but its loss at the end is known: the dense one lowered
/// by the loss in proportion to progress, which is the share of its last value that it has reached.
/// Lowered in proportion to the epochs, by the loss all along, shifted or stretched in time it
/// predicts own trainings worse on the worse of both tasks. Where lower is better, it is raised by
/// the loss all along.
/// @param dense  of a metric that is 0 before training and gets higher, with a last value above 0;
///   or of one that gets lower
[[nodiscard]] Curve lowered(const Curve& dense, double loss, bool lower_is_better = false);

/// How much is trained up to a target, by a dense curve and a loss at its end.
struct PredictedCrossing {
  /// On straight lines between points; nothing: the lowered curve ends short of the target.
  std::optional<double> x;
  /// The least it may be. Nothing if it is not reached with the least loss either.
  std::optional<double> low;
  /// The most; nothing if it may never get there.
  std::optional<double> high;
  /// Where the lowered curve ends, and between what.
  double end = 0;
  Interval end_between;
};

/// @param form_error  the logarithm by which x may be off although the loss is right
[[nodiscard]] PredictedCrossing predict_crossing(const Curve& dense, const Target& target,
                                                 const LossAtEnd& loss,
                                                 double form_error = kLossFormError);

/// Whether a row publishes both values, in a metric that says a loss in that of a curve.
[[nodiscard]] bool says_loss(const PublishedFinal& row, std::string_view metric);

/// By how much two equal dense trainings differ at their end in 95 % of cases: by the middle of the
/// standard deviations published of the network in that metric, or else of any network. 0 of a
/// metric that none is published of.
[[nodiscard]] double difference_of_equal_runs(const std::vector<PublishedSeeds>& rows,
                                              const std::string& network, std::string_view metric);

/// A scheme's last epoch of a task; nothing if it was not trained.
[[nodiscard]] std::optional<TrainedMean> trained_end(const std::vector<TrainedMean>& rows,
                                                     const std::string& task,
                                                     const std::string& scheme);
/// By how much worse than dense it ends there; half of both intervals are added in quadrature.
/// Nothing of trainings that ended before dense did: their numbers were no longer finite.
[[nodiscard]] std::optional<LossAtEnd> trained_loss(const std::vector<TrainedMean>& rows,
                                                    const std::string& task,
                                                    const std::string& scheme);

/// The loss that a row publishes, in the unit of `dense`: it lies within the rounding of both
/// values and the difference of equal runs, added in quadrature. Of perplexities it is the
/// logarithm of their ratio where the curve is of a loss. Nothing if one of the two is not
/// published, or if the row's metric is not that of the curve.
/// @param equal_runs  difference_of_equal_runs(), in the row's metric
[[nodiscard]] std::optional<LossAtEnd> published_loss(const PublishedFinal& row, const Curve& dense,
                                                      double equal_runs);

}  // namespace stcsim::curves
