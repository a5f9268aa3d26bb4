#include "workloads/files/workload_config.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "pruning/schemes.hpp"
#include "workloads/files/model_keys.hpp"
#include "workloads/files/readers.hpp"
#include "workloads/network_graph.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {
namespace {

/// What the pruning library says of the scheme that a phase names; the workloads do not know it.
void take_costs(MapReader& map, LayerRules& rules) {
  std::vector<std::pair<std::string_view, const pruning::Scheme*>> names;
  for (const pruning::Scheme& known : pruning::schemes()) names.emplace_back(known.name, &known);
  for (const Phase phase : kPhases) {
    std::optional<PhaseSparsity>& sparsity =
        rules.phases.at(static_cast<std::size_t>(phase)).sparsity;
    if (!sparsity) continue;
    MapReader rule = map.get_map(to_string(phase));
    const pruning::Scheme& pruning =
        rule.has("prune") ? *rule.get_enum("prune", names) : pruning::find_scheme(sparsity->prune);
    if (phase != Phase::wgrad && sparsity->dense_share > 0) {
      rule.fail("dense_share", "'dense_share' is of wgrad, whose groups run along tokens");
    }
    sparsity->cost = {pruning.ops, pruning.kind == pruning::Kind::transposable, pruning.rescales(),
                      pruning.kind == pruning::Kind::groups && !pruning.random};
  }
}

/// Results of wgrad are wanted where forward's mask, known before, keeps their weights.
void check_outputs(MapReader& map, const LayerRules& rules) {
  const std::optional<PhaseSparsity>& forward = rules.rule(Phase::forward).sparsity;
  for (const Phase phase : kPhases) {
    const PhaseRule& rule = rules.rule(phase);
    if (rule.sparsity && rule.sparsity->pattern.of_outputs) {
      map.get_map(to_string(phase))
          .fail("pattern",
                "'pattern' is of an operand, must be n:m; results that are wanted are "
                "'output: n:m' of wgrad");
    }
    if (!rule.output) continue;
    const MapReader at = map.get_map(to_string(phase));
    if (phase != Phase::wgrad) at.fail("output", "'output' is of wgrad alone");
    if (rule.sparsity) at.fail("output", "'output' needs dense operands, leave out 'tensor'");
    if (!forward || forward->tensor != Tensor::weight || forward->mask_every == 1) {
      at.fail("output",
              "'output' needs a mask of forward's weights that holds for several steps, "
              "'mask_every' of 0 or at least 2");
    }
    if (*rule.output != Pattern{forward->pattern.n, forward->pattern.m}) {
      at.fail("output", "'output' is " + rule.output->to_string() + ", must be forward's " +
                            Pattern{forward->pattern.n, forward->pattern.m}.to_string());
    }
  }
}

void check_works(MapReader& map, const LayerRules& rules) {
  if (rules.work.empty()) return;
  const std::vector<MapReader> entries = map.get_maps("work");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const SchemeWork& work = rules.work[at];
    const double compressed = work.compressed_reads + work.compressed_writes;
    if (work.reads + work.writes + compressed <= 0) {
      entries[at].fail("name", "work '" + work.name + "' moves nothing, must have reads or writes");
    }
    if (compressed > 0 && pattern_of(rules, work.tensor).is_dense()) {
      entries[at].fail("tensor", "work '" + work.name +
                                     "' has compressed passes, but no phase prunes " +
                                     std::string(to_string(work.tensor)));
    }
  }
}

/// What is said of pruned weights needs pruned weights; only a mask that stays says which are
/// updated.
void check_updates(const MapReader& map, const Scheme& scheme) {
  const std::optional<PhaseSparsity>& forward = scheme.rule(Phase::forward).sparsity;
  const bool prunes_weights = forward && forward->tensor == Tensor::weight;
  for (const auto& [key, is_said] : {std::pair{"decay", scheme.decay},
                                     {"mask_gradients", scheme.masks_gradients},
                                     {"updates_kept", scheme.updates_kept}}) {
    if (is_said && !prunes_weights) {
      map.fail(key, "'" + std::string(key) + "' is of pruned weights, but forward prunes none");
    }
  }
  if (scheme.updates_kept && forward->mask_every != 0) {
    map.fail("updates_kept",
             "'updates_kept' needs a mask that never changes, 'mask_every: 0' of forward");
  }
}

/// Other patterns of some layers are those of phases that prune.
void check_layer_patterns(const MapReader& map, const Scheme& scheme) {
  for (const LayerPattern& one : scheme.layer_patterns) {
    if (!one.pattern.of_outputs) continue;
    map.fail("layer_patterns",
             "'layer_patterns' has '" + one.pattern.to_string() + "', must be of operands, n:m");
  }
  const auto prunes = [](const PhaseRule& rule) { return rule.sparsity.has_value(); };
  if (scheme.layer_patterns.empty() || std::ranges::any_of(scheme.phases, prunes)) return;
  map.fail("layer_patterns",
           "'layer_patterns' is of what phases prune, but none does; must stand "
           "beside forward, dgrad or wgrad");
}

void check_layers(MapReader& map, Network& network) {
  const std::vector<MapReader> entries = map.get_maps("layers");
  std::set<std::string> names;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    Layer& layer = network.layers[at];
    if (!layer.has_product()) layer.needs_dgrad = false;
    const std::string fault = find_fault(layer, network.batch);
    if (!fault.empty()) {
      throw ConfigError(entries[at].location(), "layer '" + layer.name + "': " + fault);
    }
    if (names.insert(layer.name).second) continue;
    entries[at].fail(
        "name", "layer '" + layer.name + "' is there twice; use 'repeat' for identical layers");
  }
  if (network.layers.empty()) map.fail("layers", "a network needs at least one layer");
}

/// What the operations after layers have that learn: a scale and a shift per channel, of a root
/// mean square the scale.
std::int64_t parameters_of_norms(const Network& network) {
  std::int64_t sum = 0;
  for (const Layer& layer : network.layers) {
    for (const StreamOp op : layer.after) {
      sum += layer.repeat * layer.out_channels * operation_of(op).parameters;
    }
  }
  return sum;
}

void settle_parameters(MapReader& map, Network& network) {
  const std::int64_t norms = parameters_of_norms(network);
  if (!map.has("other_parameters")) network.other_parameters = norms;
  const std::int64_t known = network.other_parameters + network.frozen_parameters;
  if (known >= norms || !network.note.empty()) return;
  network.note =
      fmt::format("other_parameters is {}, but the normalisations after its layers alone have {}",
                  network.other_parameters, norms);
}

/// A layer's name, or its parts between dots, as the file calls them.
std::string renamed(const std::string& name, const std::map<std::string, std::string>& names) {
  if (const auto whole = names.find(name); whole != names.end()) return whole->second;
  std::string result;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string part = name.substr(at, end - at);
    const auto found = names.find(part);
    result += (at == 0 ? "" : ".") + (found == names.end() ? part : found->second);
    at = end + 1;
  }
  return result;
}

/// What `import` says as a file of its own, under the keys that stand beside it.
YamlNode with_imported(MapReader& map) {
  const auto size_of = [](MapReader& sizes, const std::string& key) {
    return sizes.get_int(key, {1, KeyRule::kMostSize});
  };
  ImportOptions options;
  options.is_typed = true;
  if (map.has("tokens")) options.tokens = size_of(map, "tokens");
  if (map.has("sizes")) {
    MapReader sizes = map.get_map("sizes");
    for (const YamlEntry& size : sizes.node().entries) {
      options.sizes[size.key] = size_of(sizes, size.key);
    }
  }
  std::map<std::string, std::string> names;
  if (map.has("names")) {
    MapReader given = map.get_map("names");
    for (const YamlEntry& name : given.node().entries) names[name.key] = given.get_string(name.key);
  }
  const std::string where = map.location_of("import").to_string();
  ImportedNetwork read =
      read_hugging_face(to_json(map.get_map("import").node()), where, "", options);
  options.refuse_others(where);
  for (Layer& layer : read.network.layers) layer.name = renamed(layer.name, names);
  nlohmann::json json = to_json(read.network);
  for (const char* const stated : {"name", "batch"}) json.erase(stated);
  YamlNode network = parse_yaml(json.dump(), where).root;
  YamlNode beside = map.node();
  std::erase_if(beside.entries, [](const YamlEntry& entry) {
    const auto keys = {"import", "tokens", "sizes", "names"};
    return std::ranges::find(keys, entry.key) != keys.end();
  });
  merge_over(network, beside);
  return network;
}

/// An adapter stands before its layer, whose first operation, but for its bias, adds what it makes.
void add_adapter(std::vector<Layer>& layers, Layer& layer, std::int64_t rank) {
  Layer down = layer;
  down.frozen = false;
  down.adapter = true;
  down.tied = down.bias = false;
  down.weight_pattern = std::nullopt;
  down.after.clear();
  Layer up = down;
  down.name += ".lora_A";
  up.name += ".lora_B";
  down.out_channels = up.in_channels = rank;
  layers.insert(layers.end(), {down, up});
  const bool has_bias = !layer.after.empty() && layer.after.front() == StreamOp::bias;
  layer.after.insert(layer.after.begin() + (has_bias ? 1 : 0), StreamOp::adapter_add);
}

/// Replaces `lora` by what it stands for.
void expand_lora(MapReader& map, Network& network) {
  if (!network.lora) return;
  const auto [rank, names] = *network.lora;
  MapReader lora = map.get_map("lora");
  if (network.input) lora.fail("rank", "a network that states its 'input' has no adapters");
  std::vector<Layer> layers;
  for (Layer& layer : network.layers) {
    const auto is_named = [&layer](const std::string& name) {
      return ::fnmatch(name.c_str(), layer.name.c_str(), 0) == 0;
    };
    layer.frozen = layer.kind != LayerKind::bmm;
    const bool is_adapted =
        layer.kind == LayerKind::linear && (names.empty() ? layer.role != LayerRole::classifier
                                                          : std::ranges::any_of(names, is_named));
    if (is_adapted && rank >= std::min(layer.in_channels, layer.out_channels)) {
      lora.fail("rank",
                fmt::format("rank {} must be below the features of '{}'", rank, layer.name));
    }
    if (is_adapted) add_adapter(layers, layer, rank);
    layers.push_back(std::move(layer));
  }
  if (layers.size() == network.layers.size()) lora.fail("layers", "no linear layer is named so");
  network.layers = std::move(layers);
  network.frozen_parameters += std::exchange(network.other_parameters, 0);
  network.lora.reset();
}

}  // namespace

Scheme read_scheme(MapReader& map) {
  Scheme scheme = read_fields<Scheme>(map);
  check_file_name(map, scheme.name);
  take_costs(map, scheme);
  check_outputs(map, scheme);
  check_works(map, scheme);
  std::vector<MapReader> others;
  if (!scheme.others.empty()) others = map.get_maps("others");
  for (std::size_t at = 0; at < others.size(); ++at) {
    take_costs(others[at], scheme.others[at]);
    check_outputs(others[at], scheme.others[at]);
    check_works(others[at], scheme.others[at]);
  }
  check_updates(map, scheme);
  check_layer_patterns(map, scheme);
  return scheme;
}

Network read_network(MapReader& map) {
  if (map.has("import")) {
    const YamlNode whole = with_imported(map);
    MapReader reader(whole, map.path());
    return read_network(reader);
  }
  Network network = read_fields<Network>(map);
  check_file_name(map, network.name);
  check_layers(map, network);
  settle_parameters(map, network);
  expand_lora(map, network);
  const std::string fault = find_graph_fault(network);
  if (!fault.empty()) map.fail("layers", fault);
  return network;
}

}  // namespace stcsim
