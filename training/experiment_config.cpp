#include "sim/config/experiment_config.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "training/experiment.hpp"
#include "training/operand_pruners.hpp"

namespace stcsim::training {
namespace {

/// The schemes, each with its optimizer: one of `optimizers`, by the scheme's name, or the usual.
std::vector<SchemeRun> read_schemes(MapReader& map, const OptimizerOptions& usual,
                                    std::vector<Scheme> schemes) {
  std::vector<SchemeRun> runs;
  for (Scheme& scheme : schemes) runs.push_back({std::move(scheme), usual});
  if (map.has("optimizers")) {
    MapReader own = map.get_map("optimizers");
    for (SchemeRun& run : runs) {
      if (!own.has(run.scheme.name)) continue;
      MapReader optimizer = own.get_map(run.scheme.name);
      run.optimizer = read_fields<OptimizerOptions>(optimizer);
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
  const bool images = experiment.task.kind == TaskKind::images;
  if (images && (input.is_tokens() || input.channels != 3 || input.height != 16 ||
                 input.width != 16 || classes < 10)) {
    map.fail("task", fmt::format("task 'images' has 3 channels of 16x16 and 10 classes; network "
                                 "'{}' does not take that",
                                 experiment.network.name));
  }
  const bool tokens = experiment.task.kind == TaskKind::tokens;
  if (tokens && (!input.is_tokens() || classes != input.vocabulary || input.vocabulary < 2)) {
    map.fail("task", fmt::format("task 'tokens' needs a network that predicts one token of its "
                                 "vocabulary for each; '{}' does not",
                                 experiment.network.name));
  }
}

/// Says what of a network cannot be trained here.
void check_trainable(const MapReader& map, const Network& network) {
  for (const Layer& layer : network.layers) {
    const auto refuse = [&](bool condition, std::string_view what) {
      if (!condition) return;
      map.fail("task", fmt::format("network '{}', layer '{}': {} cannot be trained here",
                                   network.name, layer.name, what));
    };
    for (const StreamOp op : layer.after) refuse(!operation_of(op).trains, to_string(op));
    refuse(!layer.phases.empty(), "a product in some phases only");
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

/// Paths as the experiment writes them are relative to its folder.
void resolve_paths(MapReader& map, FileTaskOptions& files) {
  MapReader task = map.get_map("task");
  for (const auto& [key, path] :
       {std::pair{"inputs", &files.inputs}, std::pair{"labels", &files.labels}}) {
    *path = (base_directory(task.location_of(key)) / *path).string();
  }
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
  check_network(map, simulated.networks, simulated.schemes);
  Experiment experiment{read_fields<TrainingPlan>(map), std::move(simulated.networks.front()), {}};
  experiment.schemes = read_schemes(map, experiment.optimizer, std::move(simulated.schemes));
  if (experiment.task.kind == TaskKind::files) resolve_paths(map, experiment.task.files);
  if (experiment.steps_per_epoch() == 0) {
    map.fail("samples_per_epoch",
             fmt::format("'samples_per_epoch' is {}, must be at least the "
                         "batch of {}",
                         experiment.samples_per_epoch, experiment.network.batch));
  }
  check_task(map, experiment);
  if (experiment.task.kind == TaskKind::tokens) {
    experiment.task.tokens.vocabulary = experiment.network.input->vocabulary;
    experiment.task.tokens.length = experiment.network.input->height;
  }
  return experiment;
}

std::string resolved_config(const Experiment& experiment) {
  nlohmann::json json = to_json<TrainingPlan>(experiment);
  json.erase("optimizer");  // each scheme has its own
  json["network"] = to_json(experiment.network);
  for (const SchemeRun& run : experiment.schemes) {
    nlohmann::json scheme = to_json(run.scheme);
    scheme["optimizer"] = to_json(run.optimizer);
    json["schemes"].push_back(std::move(scheme));
  }
  return json.dump();
}

std::unique_ptr<Task> make_task(const Experiment& experiment) {
  const TaskOptions& task = experiment.task;
  if (task.kind == TaskKind::images) return make_image_task(task.images);
  if (task.kind == TaskKind::tokens) return make_token_task(task.tokens);
  return make_file_task(task.files, experiment.network);
}

}  // namespace stcsim::training
