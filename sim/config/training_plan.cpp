#include "sim/config/training_plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/version.hpp"
#include "pruning/schemes.hpp"
#include "sim/config/experiment_config.hpp"
#include "workloads/network_graph.hpp"

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

/// Refuses a scheme whose operands of a layer cannot be trained with.
void check_pruning(const MapReader& map, const Scheme& scheme, const Layer& layer) {
  if (layer.kind == LayerKind::bmm && prunes(scheme, layer, Phase::forward)) {
    map.fail("task", fmt::format("scheme '{}' prunes the scores that layer '{}' multiplies, which "
                                 "is not trained here",
                                 scheme.name, layer.name));
  }
  const bool is_plain =
      layer.kernel_height * layer.kernel_width * layer.stride == 1 && layer.pad == 0;
  if (is_plain || !prunes(scheme, layer, Phase::wgrad)) return;
  if (scheme.of(layer).rule(Phase::wgrad).sparsity->tensor != Tensor::activation) return;
  map.fail("task",
           fmt::format("scheme '{}' prunes activations along tokens for wgrad; layer '{}' is a "
                       "convolution of several taps, whose wgrad takes each activation more than "
                       "once, and is not trained so",
                       scheme.name, layer.name));
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
    for (const Layer& layer : network.layers) check_pruning(map, scheme, layer);
  }
}

/// Paths as the experiment writes them are relative to its folder.
void resolve_paths(MapReader& map, TaskOptions& files) {
  MapReader task = map.get_map("task");
  for (const auto& [key, path] :
       {std::pair{"inputs", &files.inputs}, std::pair{"labels", &files.labels}}) {
    *path = (base_directory(task.location_of(key)) / *path).string();
  }
}

using Json = nlohmann::json;

Json json_of(const Place& place) {
  return {place.layer, place.operations};
}

/// Where each layer's values come from, and how many channels its product has.
Json places_of(const Network& network) {
  Json places = Json::array();
  for (const LayerEdges& edges : edges_of(network)) {
    const int index = static_cast<int>(places.size());
    Json json{{"inputs", Json::array()}, {"channels", shape_at(network, {index, 0}).channels}};
    for (const Place& place : edges.inputs) json["inputs"].push_back(json_of(place));
    if (edges.shortcut) json["shortcut"] = json_of(*edges.shortcut);
    places.push_back(std::move(json));
  }
  return places;
}

/// What a phase's product of a layer takes: its 8-bit type, and what is pruned.
Json rule_of(const Scheme& scheme, const Layer& layer, Phase phase) {
  Json json = Json::object();
  if (const auto dtype = request_for(scheme, layer, phase).dtype) json["dtype"] = to_string(*dtype);
  if (!prunes(scheme, layer, phase)) return json;
  const PhaseSparsity rule = *scheme.of(layer).rule(phase).sparsity;
  const pruning::Scheme& function = pruning::find_scheme(rule.prune);
  json["tensor"] = to_string(rule.tensor);
  json["pattern"] = rule.pattern.to_string();
  json["prune"] = rule.prune;
  json["mask_every"] = rule.mask_every;
  json["dense_channels"] = dense_channels(
      rule.dense_share, rule.tensor == Tensor::activation ? layer.in_channels : layer.out_channels);
  json["transposable"] = function.kind == pruning::Kind::transposable;
  json["two_prunings"] = function.kind == pruning::Kind::two_prunings;
  json["orders_rows"] = function.heeds(pruning::Setting::candidates);
  return json;
}

Json json_of(const SchemeRun& run, const Network& network) {
  const Scheme& scheme = run.scheme;
  Json json{{"name", scheme.name},
            {"optimizer", to_json(run.optimizer)},
            {"share_of_training", scheme.share_of_training},
            {"dense_steps", to_string(scheme.dense_steps)},
            {"freezes_variance", scheme.training.freezes_variance},
            {"decay", scheme.decay ? scheme.training.decay_strength : 0},
            {"masks", scheme.masks_gradients || scheme.updates_kept ||
                          scheme.rule(Phase::wgrad).output.has_value()},
            {"scale", scheme.training.scale ? Json(*scheme.training.scale) : Json()}};
  for (const Layer& layer : network.layers) {
    Json rules = Json::object();
    for (const Phase phase : kPhases) rules[to_string(phase)] = rule_of(scheme, layer, phase);
    json["rules"].push_back(std::move(rules));
  }
  return json;
}

/// What is trained, as it stands beside its curves.
std::string record_of(const Experiment& experiment) {
  Json config = to_json<TrainingPlan>(experiment);
  config.erase("optimizer");  // each scheme has its own
  config["network"] = to_json(experiment.network);
  for (const SchemeRun& run : experiment.schemes) {
    Json scheme = to_json(run.scheme);
    scheme["optimizer"] = to_json(run.optimizer);
    config["schemes"].push_back(std::move(scheme));
  }
  const nlohmann::ordered_json record{
      {"schema", "stcsim.train/1"}, {"version", program_version()}, {"config", config}};
  return record.dump(1) + "\n";
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
  if (experiment.task.kind == TaskKind::files) resolve_paths(map, experiment.task);
  if (experiment.samples_per_epoch < experiment.network.batch) {
    map.fail("samples_per_epoch",
             fmt::format("'samples_per_epoch' is {}, must be at least the "
                         "batch of {}",
                         experiment.samples_per_epoch, experiment.network.batch));
  }
  check_task(map, experiment);
  return experiment;
}

void choose_schemes(Experiment& experiment, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<std::string> known;
  for (const SchemeRun& run : experiment.schemes) known.push_back(run.scheme.name);
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw ConfigError(
        fmt::format("--schemes has '{}', the experiment has {}", name, fmt::join(known, ", ")));
  }
  std::erase_if(experiment.schemes, [&](const SchemeRun& run) {
    return std::ranges::count(names, run.scheme.name) == 0;
  });
}

nlohmann::json training_request(const Experiment& experiment) {
  Json request{{"record", record_of(experiment)}, {"places", places_of(experiment.network)}};
  for (const SchemeRun& run : experiment.schemes) {
    request["schemes"].push_back(json_of(run, experiment.network));
  }
  return request;
}

}  // namespace stcsim::training
