#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "training/tasks/task.hpp"
#include "training/timeline.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

enum class OptimizerKind : std::uint8_t { sgd, adamw };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double learning_rate = 0.1;
  /// Decay of weights; biases, normalisations and embeddings do not decay.
  double weight_decay = 5e-4;
  double momentum = 0.9;  // sgd
  double beta1 = 0.9;     // adamw
  double beta2 = 0.98;
};

/// A scheme, and how the network is trained with it.
struct SchemeRun {
  Scheme scheme;
  OptimizerOptions optimizer;
};

/// The plan of `stcsim train`: docs/accuracy.md describes the file.
struct Experiment {
  Network network;
  std::variant<ImageTaskOptions, TokenTaskOptions, FileTaskOptions> task;
  std::vector<SchemeRun> schemes;
  Schedule schedule;
  std::int64_t epochs = 8;
  std::int64_t samples_per_epoch = 2048;
  std::int64_t first_seed = 1;
  std::int64_t seeds = 5;
  std::int64_t published_steps = 300'000;

  [[nodiscard]] std::int64_t steps_per_epoch() const { return samples_per_epoch / network.batch; }
  [[nodiscard]] std::int64_t steps() const { return epochs * steps_per_epoch(); }
};

/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] Experiment load_experiment(const std::filesystem::path& path,
                                         const std::vector<std::string>& overrides);

/// All of it as JSON, for the record.
[[nodiscard]] std::string resolved_config(const Experiment& experiment);

/// @throws ConfigError for files that do not fit
[[nodiscard]] std::unique_ptr<Task> make_task(const Experiment& experiment);

}  // namespace stcsim::training
