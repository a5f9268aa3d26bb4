#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/config_field.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

enum class OptimizerKind : std::uint8_t { sgd, adamw };

[[nodiscard]] constexpr std::string_view to_string(OptimizerKind kind) {
  return kind == OptimizerKind::sgd ? "sgd" : "adamw";
}

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double learning_rate = 0.1;
  /// Decay of weights; biases, normalisations and embeddings do not decay.
  double weight_decay = 5e-4;
  double momentum = 0.9;  // sgd
  double beta1 = 0.9;     // adamw
  double beta2 = 0.98;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr double kBelowOne = 0.999999;
    visitor.field(field::one_of("type", "which", OptimizerKind::adamw), self.kind);
    visitor.field(field::real("learning_rate", "the full one").above(0, 1000), self.learning_rate);
    visitor.field(
        field::real("weight_decay", "of weights of conv and linear layers").from(0, 1).optional(),
        self.weight_decay, 0.0);
    visitor.only(self.kind == OptimizerKind::sgd, "sgd", [&] {
      visitor.field(field::real("momentum", "of gradients").up_to(kBelowOne).optional(),
                    self.momentum);
    });
    visitor.only(self.kind == OptimizerKind::adamw, "adamw", [&] {
      visitor.field(field::real("beta1", "of the first moments").up_to(kBelowOne).optional(),
                    self.beta1);
      visitor.field(field::real("beta2", "of the second moments").up_to(kBelowOne).optional(),
                    self.beta2);
    });
  }
};

enum class TaskKind : std::uint8_t { images, tokens, files };

[[nodiscard]] constexpr std::string_view to_string(TaskKind kind) {
  if (kind == TaskKind::files) return "files";
  return kind == TaskKind::images ? "images" : "tokens";
}

/// What is learnt (python/stcsim/training/tasks.py says more of it).
struct TaskOptions {
  TaskKind kind = TaskKind::images;
  std::uint64_t seed = 1;  // images, tokens
  std::int64_t evaluation_images = 4000;
  std::int64_t evaluation_sequences = 128;
  double noise = 0.15;  // images
  double label_noise = 0;
  bool distractor = false;
  double likely = 0.65;        // tokens
  std::string inputs, labels;  // files
  double evaluation_share = 0.1;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::one_of("type", "generated images or tokens, or the user's own files",
                                TaskKind::files),
                  self.kind);
    visitor.only(self.kind == TaskKind::images, "images", [&] {
      visitor.field(
          field::real("noise", "its standard deviation at each pixel").from(0, 100).optional(),
          self.noise);
      visitor.field(field::real("label_noise", "part of the training labels that are random")
                        .from(0, 1)
                        .optional(),
                    self.label_noise);
      visitor.field(field::flag("distractor", "another grating behind the shape").optional(),
                    self.distractor);
      visit_generated(self.seed, self.evaluation_images, visitor);
    });
    visitor.only(self.kind == TaskKind::tokens, "tokens", [&] {
      visitor.field(field::real("likely", "probability of table A").from(0, 1).optional(),
                    self.likely);
      visit_generated(self.seed, self.evaluation_sequences, visitor);
    });
    visitor.only(self.kind == TaskKind::files, "files", [&] {
      visitor.field(field::text("inputs", "a NumPy file, from the experiment's folder on"),
                    self.inputs);
      visitor.field(field::text("labels", "the same"), self.labels);
      visitor.field(field::real("evaluation_share", "of the samples, the last, not trained on")
                        .above(0, 0)
                        .up_to(0.9)
                        .optional(),
                    self.evaluation_share);
    });
  }

 private:
  static void visit_generated(auto& seed, auto& evaluation_samples, auto& visitor) {
    constexpr std::int64_t kMost = 1'000'000'000;
    visitor.field(field::of("seed", "count", "of the task").from(0, kMost).optional(), seed);
    visitor.field(field::of("evaluation_samples", "count", "that runs are evaluated on")
                      .from(1, kMost)
                      .optional(),
                  evaluation_samples);
  }
};

enum class ScheduleKind : std::uint8_t { cosine, peak };

[[nodiscard]] constexpr std::string_view to_string(ScheduleKind kind) {
  return kind == ScheduleKind::cosine ? "cosine" : "peak";
}

/// The course of the learning rate over a run.
struct Schedule {
  ScheduleKind kind = ScheduleKind::peak;
  /// Part of the run in which it rises from 0 to the full rate. After that it falls to 0: as a
  /// straight line (peak), or half a wave of a cosine.
  double rise = 0.2;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::one_of("type", "how the rate falls: straight, or as half a wave",
                                ScheduleKind::peak),
                  self.kind);
    visitor.field(
        field::real("rise", "part of the run in which it rises from 0").up_to(0.999999).optional(),
        self.rise);
  }
};

/// The map `training` of an experiment.
struct TrainingPlan {
  TaskOptions task;
  /// Of schemes that `optimizers` does not name.
  OptimizerOptions optimizer;
  Schedule schedule;
  std::int64_t epochs = 8;
  std::int64_t samples_per_epoch = 2048;
  std::int64_t first_seed = 1;
  std::int64_t seeds = 5;
  std::int64_t published_steps = 300'000;
  bool casts = false;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMost = 1'000'000'000;
    const auto count = [](std::string_view key, std::string_view help) {
      return field::of(key, "count", help).from(1, kMost).optional();
    };
    visitor.field(field::map("task", "what is learnt"), self.task);
    visitor.field(field::map("optimizer", "of all schemes"), self.optimizer);
    visitor.field(
        field::map("optimizers", "another for a scheme, by the scheme's name").optional("none"),
        ReadElsewhere());
    visitor.field(field::map("schedule", "of the learning rate").optional("peak, 0.2"),
                  self.schedule);
    visitor.field(count("epochs", "of a run"), self.epochs);
    visitor.field(count("samples_per_epoch", "a step has the network's `batch` of them"),
                  self.samples_per_epoch);
    visitor.field(field::of("first_seed", "count",
                            "a seed decides first weights, order of the data and all draws of "
                            "pruning, for all schemes alike")
                      .from(0, kMost)
                      .optional(),
                  self.first_seed);
    visitor.field(field::of("seeds", "count", "runs of each scheme").from(1, 1000).optional(),
                  self.seeds);
    visitor.field(count("published_steps",
                        "of the runs that `mask_every` was published for: here it is the same part "
                        "of a run, at least one step"),
                  self.published_steps);
    visitor.field(field::flag("casts",
                              "phases multiply in the 8-bit type that the scheme names for them "
                              "(`dtype`: fp8 scaled per tensor, int8), summed in fp32")
                      .optional(),
                  self.casts);
  }
};

/// A scheme, and how the network is trained with it.
struct SchemeRun {
  Scheme scheme;
  OptimizerOptions optimizer;
};

/// The plan of `stcsim train`: docs/accuracy.md describes the file.
struct Experiment : TrainingPlan {
  Network network;
  std::vector<SchemeRun> schemes;
};

/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] Experiment load_experiment(const std::filesystem::path& path,
                                         const std::vector<std::string>& overrides);

/// Leaves the schemes of these names, all if there are none.
/// @throws ConfigError for a name that the experiment does not have
void choose_schemes(Experiment& experiment, const std::vector<std::string>& names);

/// What `python3 -m stcsim.training` is to train, with nothing left for it to look up: `record`,
/// the text of train.json; `places`, where each layer takes its values from; and of each scheme its
/// `rules` for every layer (python/stcsim/training/plan.py reads them).
[[nodiscard]] nlohmann::json training_request(const Experiment& experiment);

}  // namespace stcsim::training
