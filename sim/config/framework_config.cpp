#include "sim/config/framework_config.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/suggestion.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/field_json.hpp"
#include "sim/config/field_reader.hpp"
#include "sim/config/framework_fields.hpp"
#include "sim/config/workload_names.hpp"

namespace stcsim {
namespace {

using enum PassTensor;

/// What `saved` says if there is nothing.
constexpr const char* kNothing = "none";

/// What passes of a place in the file may name, and the kind of its kernels if they say none.
struct PassPlace {
  std::vector<PassTensor> tensors;
  StreamKind kind;
};

const std::vector<PassTensor> kOfOperation{x, dx, z, dz, y, dy, mask};
const std::vector<PassTensor> kSaved{x, z, y, mask};
const std::vector<PassTensor> kOfOptimizer{w, g, m, v, u};

StreamKind kind_of(StreamOp op) {
  switch (op) {
    case StreamOp::bias:
      return StreamKind::bias;
    case StreamOp::batch_norm:
    case StreamOp::layer_norm:
      return StreamKind::normalisation;
    case StreamOp::relu:
    case StreamOp::gelu:
      return StreamKind::activation;
    case StreamOp::softmax:
      return StreamKind::softmax;
    case StreamOp::dropout:
      return StreamKind::dropout;
    case StreamOp::residual_add:
      return StreamKind::residual;
    case StreamOp::max_pool:
    case StreamOp::avg_pool:
      break;
  }
  return StreamKind::pooling;
}

/// In the order of LayerNames.
const std::array<PassPlace, 6> kAroundLayers{{{{x, y, w, untouched}, StreamKind::layout},
                                              {{x, y, w}, StreamKind::layout},
                                              {{a, b, y}, StreamKind::layout},
                                              {{a, b, y}, StreamKind::layout},
                                              {{x, y, dy, w, g}, StreamKind::layout},
                                              {{w, g}, StreamKind::casts}}};

template <class Value>
std::vector<std::string> texts_until(Value last) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : names_until(last)) texts.emplace_back(name);
  return texts;
}

std::vector<Pass> read_passes(const MapReader& map, const char* key, const std::string& text,
                              const PassPlace& place) {
  const auto passes = passes_from_string(text);
  std::vector<std::string_view> names;
  for (const PassTensor tensor : place.tensors) names.push_back(to_string(tensor));
  const auto is_unknown = [&](const Pass& pass) {
    return std::find(place.tensors.begin(), place.tensors.end(), pass.tensor) ==
           place.tensors.end();
  };
  if (!passes || std::any_of(passes->begin(), passes->end(), is_unknown)) {
    map.fail(key,
             fmt::format("'{}' is '{}', must be passes like '2 {} + {}.fp32' over {}, as fp32, "
                         "fp16, int64, int32, byte or bit",
                         key, text, names.front(), names.back(), fmt::join(names, ", ")));
  }
  return *passes;
}

StreamKind read_kind(const MapReader& map, const std::string& text, StreamKind fallback) {
  if (text.empty()) return fallback;
  for (const auto& [name, kind] : names_until(StreamKind::launches)) {
    if (name == text) return kind;
  }
  const std::vector<std::string> names = texts_until(StreamKind::launches);
  map.fail("kind", fmt::format("'kind' is '{}', must be one of {}{}", text, fmt::join(names, ", "),
                               did_you_mean(text, names)));
}

std::vector<KernelRecipe> read_kernels(MapReader& map, const char* key,
                                       const std::vector<KernelFields>& kernels,
                                       const PassPlace& place) {
  std::vector<KernelRecipe> recipes;
  if (kernels.empty()) return recipes;
  const std::vector<MapReader> entries = map.get_maps(key);
  for (std::size_t at = 0; at < kernels.size(); ++at) {
    const KernelFields& kernel = kernels[at];
    recipes.push_back({.name = kernel.name,
                       .kind = read_kind(entries[at], kernel.kind, place.kind),
                       .reads = read_passes(entries[at], "reads", kernel.reads, place),
                       .writes = read_passes(entries[at], "writes", kernel.writes, place),
                       .ops = kernel.ops,
                       .ops_per_output = kernel.ops_per_output,
                       .tensors_per_launch = kernel.tensors_per_launch,
                       .parameters_per_launch = kernel.parameters_per_launch,
                       .channels_per_cta = kernel.channels_per_cta,
                       .cta_threads = kernel.cta_threads,
                       .elements_in_flight = kernel.elements_in_flight});
    if (kernel.cta_threads % kWarpThreads != 0) {
      entries[at].fail("cta_threads", fmt::format("'cta_threads' is {}, must be a multiple of {}",
                                                  kernel.cta_threads, kWarpThreads));
    }
    if (kernel.reads.empty() && kernel.writes.empty()) {
      entries[at].fail(
          "name", fmt::format("kernel '{}' moves nothing, must have reads or writes", kernel.name));
    }
  }
  return recipes;
}

Directions read_directions(MapReader map, const DirectionFields& fields, const PassPlace& place) {
  return {read_kernels(map, "forward", fields.forward, place),
          read_kernels(map, "backward", fields.backward, place), std::nullopt, false};
}

/// The kernels and what is saved.
template <class Fields>
Directions read_operation(MapReader map, const Fields& fields, StreamKind kind) {
  Directions kernels =
      read_directions(map, {fields.forward, fields.backward}, {kOfOperation, kind});
  kernels.on_chip = fields.on_chip;
  if (fields.saved.empty()) return kernels;
  kernels.saved.emplace();
  if (fields.saved != kNothing) {
    kernels.saved = read_passes(map, "saved", fields.saved, {kSaved, kind});
  }
  return kernels;
}

std::vector<StreamOp> read_sequence(const MapReader& map, const std::string& text) {
  std::vector<StreamOp> sequence;
  const auto known = names_until(StreamOp::avg_pool);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const std::string name = text.substr(at, end - at);
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == known.end()) {
      map.fail("operations",
               fmt::format("'operations' is '{}', must be operations with + between them, like "
                           "batch_norm+relu; '{}' is none{}",
                           text, name, did_you_mean(name, texts_until(StreamOp::avg_pool))));
    }
    sequence.push_back(found->second);
    at = end + 1;
  }
  return sequence;
}

std::optional<LayerKind> read_layers(const MapReader& map, const std::string& text) {
  if (text.empty()) return std::nullopt;
  for (const auto& [name, kind] : names_until(LayerKind::embedding)) {
    if (name == text) return kind;
  }
  map.fail("layers", fmt::format("'layers' is '{}', must be conv, linear, bmm or embedding", text));
}

void read_rules(MapReader& map, const std::vector<RuleFields>& rules, Framework& framework) {
  if (rules.empty()) return;
  std::vector<MapReader> entries = map.get_maps("rules");
  for (std::size_t at = 0; at < rules.size(); ++at) {
    OperationRecipe recipe{read_sequence(entries[at], rules[at].operations),
                           read_layers(entries[at], rules[at].layers),
                           {}};
    recipe.kernels = read_operation(entries[at], rules[at], kind_of(recipe.operations.front()));
    framework.operations.push_back(std::move(recipe));
  }
  std::stable_sort(framework.operations.begin(), framework.operations.end(),
                   [](const OperationRecipe& one, const OperationRecipe& other) {
                     return one.operations.size() > other.operations.size();
                   });
}

/// The map below `key`, and in it the one of an entry.
template <class Entry, class Read>
void for_each_entry(MapReader& map, const char* key, const auto& names,
                    const std::vector<Entry>& entries, Read read) {
  if (!map.has(key)) return;
  MapReader inner = map.get_map(key);
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const std::string_view name = names[at].first;
    if (inner.has(name)) read(at, inner.get_map(name), entries[at]);
  }
}

void read_operations(MapReader& map, const FrameworkFields& fields, Framework& framework) {
  for_each_entry(map, "operations", OperationNames::kKeys, fields.operations.entries,
                 [&](std::size_t at, const MapReader& entry, const OperationFields& text) {
                   if (at > static_cast<std::size_t>(StreamOp::avg_pool)) {
                     framework.loss = read_operation(entry, text, StreamKind::loss);
                     return;
                   }
                   const auto op = static_cast<StreamOp>(at);
                   framework.operations.push_back(
                       {{op}, std::nullopt, read_operation(entry, text, kind_of(op))});
                 });
}

/// In the order of LayerNames.
template <class Self>
auto around_layers(Self& framework) {
  return std::array{&framework.conv,    &framework.linear,    &framework.scores,
                    &framework.context, &framework.embedding, &framework.weights};
}

void read_optimizers(MapReader& map, const OptimizerFields& fields, Framework& framework) {
  if (!map.has("optimizers")) return;
  MapReader inner = map.get_map("optimizers");
  for (std::size_t at = 0; at < kOptimizers; ++at) {
    const std::string key(to_string(static_cast<Optimizer>(at)));
    framework.optimizers[at] = read_kernels(inner, key.c_str(), fields.optimizers[at],
                                            {kOfOptimizer, StreamKind::optimizer});
  }
}

PruningKernels read_pruning_kernels(const MapReader& map, const std::string& text) {
  for (const auto& [name, kernels] : names_until(PruningKernels::fused)) {
    if (name == text) return kernels;
  }
  map.fail("pruning_kernels",
           fmt::format("'pruning_kernels' is '{}', must be separate or fused", text));
}

std::vector<KernelFields> fields_of(const std::vector<KernelRecipe>& recipes) {
  std::vector<KernelFields> fields;
  for (const KernelRecipe& recipe : recipes) {
    fields.push_back({recipe.name, std::string(to_string(recipe.kind)), to_string(recipe.reads),
                      to_string(recipe.writes), recipe.ops, recipe.ops_per_output,
                      recipe.tensors_per_launch, recipe.parameters_per_launch,
                      recipe.channels_per_cta, recipe.cta_threads, recipe.elements_in_flight});
  }
  return fields;
}

DirectionFields fields_of(const Directions& kernels) {
  return {fields_of(kernels.forward), fields_of(kernels.backward)};
}

std::string saved_text(const Directions& kernels) {
  if (!kernels.saved) return "";
  return kernels.saved->empty() ? kNothing : to_string(*kernels.saved);
}

std::string sequence_text(const std::vector<StreamOp>& operations) {
  std::vector<std::string_view> names;
  for (const StreamOp op : operations) names.push_back(to_string(op));
  return fmt::format("{}", fmt::join(names, "+"));
}

OperationFields operation_fields_of(const Directions& kernels) {
  return {fields_of(kernels.forward), fields_of(kernels.backward), saved_text(kernels),
          kernels.on_chip};
}

RuleFields rule_of(const OperationRecipe& recipe) {
  const std::string layers = recipe.layers ? std::string(to_string(*recipe.layers)) : "";
  OperationFields kernels = operation_fields_of(recipe.kernels);
  return {sequence_text(recipe.operations), layers,        std::move(kernels.forward),
          std::move(kernels.backward),      kernels.saved, kernels.on_chip};
}

/// A recipe goes where the file has it, so that what was saved replaces the entries of the file it
/// names: one operation after any layer below `operations`, unless it has no kernels.
void add_recipe(FrameworkFields& fields, const OperationRecipe& recipe) {
  RuleFields rule = rule_of(recipe);
  const bool is_known = std::ranges::any_of(fields.rules, [&](const RuleFields& other) {
    return other.operations == rule.operations && other.layers == rule.layers;
  });
  if (is_known) return;  // the first one counts
  const OperationFields kernels = operation_fields_of(recipe.kernels);
  if (recipe.operations.size() > 1 || recipe.layers || kernels == OperationFields{}) {
    fields.rules.push_back(std::move(rule));
    return;
  }
  OperationFields& entry =
      fields.operations.entries[static_cast<std::size_t>(recipe.operations.front())];
  if (entry == OperationFields{}) entry = kernels;
}

}  // namespace

Framework read_framework(MapReader& map) {
  const auto fields = read_fields<FrameworkFields>(map);
  Framework framework;
  framework.name = fields.name;
  framework.description = fields.description;
  framework.source = fields.source;
  framework.stacks = fields.stacks;
  framework.launch = {fields.launch.host_us, fields.launch.host_read_before_optimizer};
  read_rules(map, fields.rules, framework);
  read_operations(map, fields, framework);
  for_each_entry(map, "layers", LayerNames::kKeys, fields.layers.entries,
                 [&](std::size_t at, const MapReader& entry, const DirectionFields& text) {
                   *around_layers(framework)[at] = read_directions(entry, text, kAroundLayers[at]);
                 });
  read_optimizers(map, fields.optimizers, framework);
  framework.pruning_kernels = read_pruning_kernels(map, fields.pruning_kernels);
  return framework;
}

nlohmann::json to_json(const Framework& framework) {
  FrameworkFields fields;
  fields.name = framework.name;
  fields.description = framework.description;
  fields.source = framework.source;
  fields.stacks = framework.stacks;
  fields.launch = {framework.launch.host_us, framework.launch.host_read_before_optimizer};
  for (const OperationRecipe& recipe : framework.operations) add_recipe(fields, recipe);
  fields.operations.entries.back() = operation_fields_of(framework.loss);
  const auto around = around_layers(framework);
  for (std::size_t at = 0; at < around.size(); ++at) {
    fields.layers.entries[at] = fields_of(*around[at]);
  }
  for (std::size_t at = 0; at < framework.optimizers.size(); ++at) {
    fields.optimizers.optimizers[at] = fields_of(framework.optimizers[at]);
  }
  fields.pruning_kernels = to_string(framework.pruning_kernels);
  return fields_to_json(fields);
}

}  // namespace stcsim
