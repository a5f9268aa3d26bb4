#include "sim/config/experiment_config.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/workload_json.hpp"
#include "training/experiment.hpp"
#include "training/operand_pruners.hpp"

namespace stcsim::training {
namespace {

using Json = nlohmann::json;
using TaskOptions = decltype(Experiment::task);

constexpr IntRange kCounts{1, 1'000'000'000};
constexpr DoubleRange kShare{.min = 0, .max = 1};
constexpr DoubleRange kBelowOne{.min = 0, .max = 0.999999};
constexpr std::array<std::pair<std::string_view, OptimizerKind>, 2> kOptimizers{
    {{"sgd", OptimizerKind::sgd}, {"adamw", OptimizerKind::adamw}}};
constexpr std::array<std::pair<std::string_view, ScheduleKind>, 2> kSchedules{
    {{"cosine", ScheduleKind::cosine}, {"peak", ScheduleKind::peak}}};
enum class TaskKind : std::uint8_t { images, tokens, files };
constexpr std::array<std::pair<std::string_view, TaskKind>, 3> kTasks{
    {{"images", TaskKind::images}, {"tokens", TaskKind::tokens}, {"files", TaskKind::files}}};

template <class Value, class Table>
std::string_view name_of(Value value, const Table& table) {
  return std::ranges::find(table, value, &Table::value_type::second)->first;
}

OptimizerOptions read_optimizer(MapReader map) {
  OptimizerOptions options;
  options.kind = map.get_enum("type", kOptimizers);
  options.learning_rate =
      map.get_double("learning_rate", {.min = 0, .max = 1000, .above_min = true});
  options.weight_decay = map.get_double_or("weight_decay", 0, kShare);
  if (options.kind == OptimizerKind::sgd) {
    options.momentum = map.get_double_or("momentum", options.momentum, kBelowOne);
  } else {
    options.beta1 = map.get_double_or("beta1", options.beta1, kBelowOne);
    options.beta2 = map.get_double_or("beta2", options.beta2, kBelowOne);
  }
  map.finish();
  return options;
}

Schedule read_schedule(MapReader map) {
  Schedule schedule;
  schedule.kind = map.get_enum("type", kSchedules);
  schedule.rise = map.get_double_or("rise", schedule.rise, kBelowOne);
  map.finish();
  return schedule;
}

std::uint64_t read_seed(MapReader& map) {
  return static_cast<std::uint64_t>(map.get_int_or("seed", 1, {0, kCounts.max}));
}

ImageTaskOptions read_image_task(MapReader& map) {
  ImageTaskOptions options;
  options.noise = map.get_double_or("noise", options.noise, {.min = 0, .max = 100});
  options.label_noise = map.get_double_or("label_noise", options.label_noise, kShare);
  options.distractor = map.get_bool_or("distractor", options.distractor);
  options.seed = read_seed(map);
  options.evaluation_samples =
      map.get_int_or("evaluation_samples", options.evaluation_samples, kCounts);
  return options;
}

TokenTaskOptions read_token_task(MapReader& map) {
  TokenTaskOptions options;
  options.likely = map.get_double_or("likely", options.likely, kShare);
  options.seed = read_seed(map);
  options.evaluation_samples =
      map.get_int_or("evaluation_samples", options.evaluation_samples, kCounts);
  return options;
}

/// A path as the experiment writes it: relative to its folder.
std::string path_of(MapReader& map, std::string_view key) {
  const std::string text = map.get_string(key);
  return (base_directory(map.location_of(key)) / text).string();
}

FileTaskOptions read_file_task(MapReader& map) {
  FileTaskOptions options;
  options.inputs = path_of(map, "inputs");
  options.labels = path_of(map, "labels");
  options.evaluation_share = map.get_double_or("evaluation_share", options.evaluation_share,
                                               {.min = 0, .max = 0.9, .above_min = true});
  return options;
}

TaskOptions read_task(MapReader map) {
  TaskOptions options;
  switch (map.get_enum("type", kTasks)) {
    case TaskKind::images:
      options = read_image_task(map);
      break;
    case TaskKind::tokens:
      options = read_token_task(map);
      break;
    case TaskKind::files:
      options = read_file_task(map);
      break;
  }
  map.finish();
  return options;
}

/// The schemes, each with its optimizer: one of `optimizers`, by the scheme's name, or the usual.
std::vector<SchemeRun> read_schemes(MapReader& map, std::vector<Scheme> schemes) {
  const OptimizerOptions usual = read_optimizer(map.get_map("optimizer"));
  std::vector<SchemeRun> runs;
  for (Scheme& scheme : schemes) runs.push_back({std::move(scheme), usual});
  if (map.has("optimizers")) {
    MapReader own = map.get_map("optimizers");
    for (SchemeRun& run : runs) {
      if (own.has(run.scheme.name)) run.optimizer = read_optimizer(own.get_map(run.scheme.name));
    }
    own.finish();
  }
  for (const SchemeRun& run : runs) {
    if (!run.scheme.training.freezes_variance || run.optimizer.kind == OptimizerKind::adamw) {
      continue;
    }
    map.fail("optimizer", fmt::format("scheme '{}' freezes Adam's variance, so its optimizer must "
                                      "be adamw; 'optimizers' can name one for it",
                                      run.scheme.name));
  }
  return runs;
}

/// The task as the network sees it must be the one the network was made for.
void check_task(const MapReader& map, const Experiment& experiment) {
  const NetworkInput& input = *experiment.network.input;
  const std::int64_t classes = experiment.network.layers.back().out_channels;
  const bool images = std::holds_alternative<ImageTaskOptions>(experiment.task);
  if (images && (input.is_tokens() || input.channels != 3 || input.height != 16 ||
                 input.width != 16 || classes < 10)) {
    map.fail("task", fmt::format("task 'images' has 3 channels of 16x16 and 10 classes; network "
                                 "'{}' does not take that",
                                 experiment.network.name));
  }
  const bool tokens = std::holds_alternative<TokenTaskOptions>(experiment.task);
  if (tokens && (!input.is_tokens() || classes != input.vocabulary || input.vocabulary < 2)) {
    map.fail("task", fmt::format("task 'tokens' needs a network that predicts one token of its "
                                 "vocabulary for each; '{}' does not",
                                 experiment.network.name));
  }
}

/// Says what of a network cannot be trained here.
void check_trainable(const MapReader& map, const Network& network) {
  for (const Layer& layer : network.layers) {
    const auto refuse = [&](bool condition, const char* what) {
      if (!condition) return;
      map.fail("task", fmt::format("network '{}', layer '{}': {} cannot be trained here",
                                   network.name, layer.name, what));
    };
    refuse(std::ranges::count(layer.after, StreamOp::dropout) > 0, "dropout");
    refuse(layer.tied, "a tied weight");
    refuse(layer.weight_pattern.has_value(), "a weight pruned beforehand");
    // Weights and gradients are saved under the layer's name.
    refuse(!is_file_name(layer.name), "a name that is a path");
  }
  const Layer& last = network.layers.back();
  if (last.kind == LayerKind::bmm || last.after.empty() || last.after.back() != StreamOp::softmax) {
    map.fail("task", fmt::format("network '{}' must end in a layer with a softmax after it, its "
                                 "loss",
                                 network.name));
  }
}

/// Says what of a network or its schemes cannot be trained.
void check_network(const MapReader& map, const std::vector<Network>& networks,
                   const std::vector<Scheme>& schemes) {
  if (networks.size() != 1) {
    map.fail("task",
             fmt::format("an experiment with 'training' has one network, not {}", networks.size()));
  }
  const Network& network = networks.front();
  if (!network.input) {
    map.fail("task", fmt::format("network '{}' does not state its 'input', so it can be timed, but "
                                 "not trained (docs/accuracy.md)",
                                 network.name));
  }
  check_trainable(map, network);
  for (const Scheme& scheme : schemes) {
    for (const Layer& layer : network.layers) {
      const std::string fault = find_pruning_fault(scheme, layer);
      if (!fault.empty()) map.fail("task", fault);
    }
  }
}

Json to_json(const OptimizerOptions& options) {
  Json json{{"type", name_of(options.kind, kOptimizers)},
            {"learning_rate", options.learning_rate},
            {"weight_decay", options.weight_decay}};
  if (options.kind == OptimizerKind::sgd) {
    json["momentum"] = options.momentum;
  } else {
    json["beta1"] = options.beta1;
    json["beta2"] = options.beta2;
  }
  return json;
}

Json to_json(const TaskOptions& options) {
  if (const auto* images = std::get_if<ImageTaskOptions>(&options)) {
    return {{"type", "images"},
            {"noise", images->noise},
            {"label_noise", images->label_noise},
            {"distractor", images->distractor},
            {"seed", images->seed},
            {"evaluation_samples", images->evaluation_samples}};
  }
  if (const auto* tokens = std::get_if<TokenTaskOptions>(&options)) {
    return {{"type", "tokens"},
            {"likely", tokens->likely},
            {"seed", tokens->seed},
            {"evaluation_samples", tokens->evaluation_samples}};
  }
  const auto& files = std::get<FileTaskOptions>(options);
  return {{"type", "files"},
          {"inputs", files.inputs},
          {"labels", files.labels},
          {"evaluation_share", files.evaluation_share}};
}

}  // namespace

Experiment load_experiment(const std::filesystem::path& path,
                           const std::vector<std::string>& overrides) {
  YamlDocument document = load_config(ConfigKind::experiment, path);
  stcsim::Experiment simulated = stcsim::load_experiment(document, overrides);
  apply_overrides(document.root, overrides);
  MapReader whole(document);
  if (!whole.has(kTrainingKey)) {
    throw ConfigError({path.string()},
                      "the experiment has no 'training', so there is nothing to "
                      "train (docs/accuracy.md)");
  }
  MapReader map = whole.get_map(kTrainingKey);
  Experiment experiment;
  check_network(map, simulated.networks, simulated.schemes);
  experiment.network = std::move(simulated.networks.front());
  experiment.task = read_task(map.get_map("task"));
  experiment.schemes = read_schemes(map, std::move(simulated.schemes));
  if (map.has("schedule")) experiment.schedule = read_schedule(map.get_map("schedule"));
  experiment.epochs = map.get_int_or("epochs", experiment.epochs, kCounts);
  experiment.samples_per_epoch =
      map.get_int_or("samples_per_epoch", experiment.samples_per_epoch, kCounts);
  experiment.first_seed = map.get_int_or("first_seed", experiment.first_seed, {0, kCounts.max});
  experiment.seeds = map.get_int_or("seeds", experiment.seeds, {1, 1000});
  experiment.published_steps =
      map.get_int_or("published_steps", experiment.published_steps, kCounts);
  map.finish();
  if (experiment.steps_per_epoch() == 0) {
    map.fail("samples_per_epoch",
             fmt::format("'samples_per_epoch' is {}, must be at least the "
                         "batch of {}",
                         experiment.samples_per_epoch, experiment.network.batch));
  }
  check_task(map, experiment);
  if (auto* tokens = std::get_if<TokenTaskOptions>(&experiment.task)) {
    tokens->vocabulary = experiment.network.input->vocabulary;
    tokens->length = experiment.network.input->height;
  }
  return experiment;
}

std::string resolved_config(const Experiment& experiment) {
  Json json{{"network", stcsim::to_json(experiment.network)},
            {"task", to_json(experiment.task)},
            {"schedule",
             {{"type", name_of(experiment.schedule.kind, kSchedules)},
              {"rise", experiment.schedule.rise}}},
            {"epochs", experiment.epochs},
            {"samples_per_epoch", experiment.samples_per_epoch},
            {"first_seed", experiment.first_seed},
            {"seeds", experiment.seeds},
            {"published_steps", experiment.published_steps}};
  for (const SchemeRun& run : experiment.schemes) {
    Json scheme = stcsim::to_json(run.scheme);
    scheme["optimizer"] = to_json(run.optimizer);
    json["schemes"].push_back(std::move(scheme));
  }
  return json.dump();
}

std::unique_ptr<Task> make_task(const Experiment& experiment) {
  if (const auto* images = std::get_if<ImageTaskOptions>(&experiment.task)) {
    return make_image_task(*images);
  }
  if (const auto* tokens = std::get_if<TokenTaskOptions>(&experiment.task)) {
    return make_token_task(*tokens);
  }
  return make_file_task(std::get<FileTaskOptions>(experiment.task), experiment.network);
}

}  // namespace stcsim::training
