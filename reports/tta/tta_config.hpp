#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/config_field.hpp"
#include "common/io/yaml_node.hpp"
#include "curves/run.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

namespace field {

/// A number above 0.
constexpr Field amount(std::string_view key, std::string_view unit, std::string_view help) {
  return of(key, unit, help).above(0, 1'000'000'000'000'000);
}

}  // namespace field

/// A network of a schedule and the epochs it is trained for.
struct NetworkSpan {
  std::string network;
  double epochs = 0;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("network", "one of the experiment's"), self.network);
    visitor.field(field::amount("epochs", "epochs", "it is trained for"), self.epochs);
  }
};

/// Published runs of which only the way to a target is known: rows of configs/curves/to_target.csv.
struct PublishedRuns {
  std::string network;
  double batch = 0;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("network", "of configs/curves/to_target.csv"), self.network);
    visitor.field(field::amount("batch", "samples", "of a step of theirs"), self.batch);
  }
};

/// Files of runs, each once: in a file a pattern, or a list of them; in results their names.
struct CurveFiles : std::vector<std::filesystem::path> {
  using vector::vector;

  void read(MapReader& map, const Field& field);
  [[nodiscard]] nlohmann::json to_json() const;
};

/// What is known of the trainings with one scheme.
struct TrainedScheme {
  std::string scheme;
  /// Whose runs they are compared with: dense ones, unless those were trained otherwise (another
  /// optimizer).
  std::string against = kBaselineScheme;
  CurveFiles curves;
  /// Epochs that run dense whatever the scheme does.
  double warm_up_epochs = 0;
  /// The dense training that a scheme begins with is in the curves, as the first half of them,
  /// rather than before them.
  bool curves_have_dense = false;
  /// Instead of curves: what a whole training ends with, or where runs reached a target.
  std::optional<double> end;
  std::optional<PublishedRuns> published_runs;
  /// What else there is to say of where the figures come from; or "".
  std::string evidence;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("scheme", "one of the experiment's"), self.scheme);
    visitor.field(field::text("against", "whose hours and final values its own are compared with")
                      .optional("dense"),
                  self.against);
    visitor.field(field::of("curves", "patterns", "files of its runs, from this file's folder on")
                      .omitted("those of `curves` above"),
                  self.curves);
    visitor.field(field::of("warm_up_epochs", "epochs", "that run dense whatever the scheme does")
                      .from(0, 1'000'000'000)
                      .optional(),
                  self.warm_up_epochs);
    visitor.field(field::flag("curves_have_dense",
                              "the dense training that it begins with is the first half of its "
                              "curves")
                      .optional(),
                  self.curves_have_dense);
    visitor.field(
        field::text("evidence", "what else there is to say of the figures").optional("none"),
        self.evidence);
    visitor.field(field::real("end",
                              "in place of `curves`: the metric's value at the end of a whole "
                              "training")
                      .optional("none"),
                  self.end);
    visitor.field(field::map("published_runs",
                             "in place of `curves`: runs of which only the way "
                             "to a target is known")
                      .optional("none"),
                  self.published_runs);
  }
};

/// Two schemes whose steps are compared, and what was published of their trainings.
struct SchemePair {
  std::string scheme;
  std::string against;
  /// Share of the other one's time that this one is said to save; how many times as long a step of
  /// the other one is said to take.
  std::optional<double> published_less_time;
  std::optional<double> published_step_ratio;
  std::string source;
  /// What was claimed of the two, in words; or "".
  std::string claim;

  friend bool operator==(const SchemePair&, const SchemePair&) = default;

  /// Whether the time of a step is asked for: it is not where a claim is all that is said.
  [[nodiscard]] bool asks_for_time() const {
    return claim.empty() || published_less_time || published_step_ratio;
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("scheme", "one of the experiment's"), self.scheme);
    visitor.field(field::text("against", "another of them"), self.against);
    visitor.field(
        field::real("published_less_time", "share of the other's time that it is said to save")
            .above(-1, 1)
            .optional("none"),
        self.published_less_time);
    visitor.field(field::amount("published_step_ratio", "times",
                                "as long a step of the other is said to take")
                      .optional("none"),
                  self.published_step_ratio);
    visitor.field(field::text("source", "who published these figures").optional("none"),
                  self.source);
    visitor.field(
        field::text(
            "claim",
            "what was claimed of the two, in words; without a figure of time no steps are compared")
            .optional("none"),
        self.claim);
  }
};

/// A training whose time was measured on a machine of the experiment.
struct MeasuredTraining {
  std::string machine;
  std::string scheme;
  /// How much had been trained, as curves count it.
  double x = 0;
  double seconds = 0;
  std::string source;

  friend bool operator==(const MeasuredTraining&, const MeasuredTraining&) = default;

  [[nodiscard]] double hours() const { return seconds / 3600; }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("machine", "one of the experiment's"), self.machine);
    visitor.field(field::text("scheme", "one of the experiment's"), self.scheme);
    visitor.field(field::amount("x", "as curves", "how much had been trained"), self.x);
    visitor.field(field::amount("seconds", "s", "it took"), self.seconds);
    visitor.field(field::text("source", "who measured it"), self.source);
  }
};

/// The map `time_to_accuracy` of an experiment; docs/reference/experiments.md has its keys.
struct TtaConfig {
  double samples_per_epoch = 0;
  /// Length of a whole training, if it is said.
  std::optional<double> epochs;
  /// Devices that train together, each with the network's batch; what an hour of one costs.
  std::int64_t devices = 1;
  std::optional<double> price_per_device_hour;
  std::optional<double> target;
  std::string metric;
  std::optional<curves::Axis> over;
  std::optional<bool> lower_is_better;
  std::string curves_of;
  /// One network at least, with the epochs of each; 0 epochs where the length is not known.
  std::vector<NetworkSpan> schedule;
  /// One per scheme of the experiment, in its order.
  std::vector<TrainedScheme> trainings;
  std::vector<SchemePair> pairs;
  std::vector<MeasuredTraining> measured;

  [[nodiscard]] const TrainedScheme& training_of(const std::string& scheme) const;
  /// Whether the metric is a loss in nats, whose end follows from a training's length.
  [[nodiscard]] bool is_of_loss() const { return metric.find("loss") != std::string::npos; }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::amount("samples_per_epoch", "samples", "in the data"),
                  self.samples_per_epoch);
    visitor.field(field::amount("epochs", "epochs", "of a whole training")
                      .optional("those of `schedule`; else the longest run's"),
                  self.epochs);
    visitor.field(field::of("devices", "count",
                            "that train together, each with the network's batch; exchanging "
                            "gradients takes no time")
                      .from(1, 1'000'000)
                      .optional(),
                  self.devices);
    visitor.field(
        field::amount("price_per_device_hour", "money", "of whatever currency").optional("none"),
        self.price_per_device_hour);
    visitor.field(field::real("target", "value of the metric to reach; `--target` replaces it")
                      .optional("none"),
                  self.target);
    visitor.field(field::text("metric", "of the curves").optional("as of `--curves-only`"),
                  self.metric);
    visitor.field(
        field::one_of("over", "which curve: over epochs, steps of all devices, or samples",
                      curves::Axis::samples)
            .optional("what their files have"),
        self.over);
    visitor.field(field::flag("lower_is_better", "of the metric").optional("as of `--curves-only`"),
                  self.lower_is_better);
    visitor.field(
        field::text("curves_of", "what was trained, if that is not the network that is timed")
            .optional("none"),
        self.curves_of);
    visit_lists(self, visitor);
  }

 private:
  static void visit_lists(auto& self, auto& visitor) {
    visitor.field(
        field::list("schedule",
                    "networks one after the other: another resolution or batch is another network")
            .optional("one network"),
        self.schedule);
    visitor.field(
        field::text(
            "curves",
            "pattern of files, with the scheme's name for `{scheme}`: one without has no curve")
            .optional("none"),
        ReadElsewhere());
    visitor.field(field::list("trainings", "what is known of schemes").optional("none"),
                  self.trainings);
    visitor.field(
        field::list("compare", "pairs of schemes, and what was published of them").omitted("none"),
        self.pairs, {});
    visitor.field(field::list("measured", "trainings whose time was measured").omitted("none"),
                  self.measured, {});
  }
};

/// @param root of the experiment's file, with its `--set` applied
/// @throws ConfigError with file:line:column for what is missing, misspelt or out of range, names
///   what the experiment does not have, or does not go together
[[nodiscard]] TtaConfig read_tta_config(const YamlNode& root, const Experiment& experiment);

/// As JSON text, keys sorted; files as their names.
[[nodiscard]] std::string resolved_tta_config(const TtaConfig& config);

}  // namespace stcsim
