#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/counts.hpp"
#include "common/io/field_reader.hpp"
#include "common/suggestion.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

using enum PassTensor;

/// What passes of a place in the file may name, and the kind of its kernels if they say none.
struct PassPlace {
  std::vector<PassTensor> tensors;
  StreamKind kind;
};

const std::vector<PassTensor> kOfOperation{x, dx, z, dz, y, dy, channel, mask};
const std::vector<PassTensor> kSaved{x, z, y, mask};
const std::vector<PassTensor> kOfOptimizer{w, g, m, v, u};

using ReadPasses = std::optional<std::vector<Pass>> (*)(std::string_view);

void check_passes(MapReader& map, const char* key, const PassPlace& place,
                  ReadPasses read = &passes_from_string) {
  if (!map.has(key)) return;
  const std::string text = map.get_string(key);
  const auto passes = read(text);
  std::vector<std::string_view> names;
  for (const PassTensor tensor : place.tensors) names.push_back(to_string(tensor));
  const auto is_known = [&](const Pass& pass) {
    return std::ranges::find(place.tensors, pass.tensor) != place.tensors.end();
  };
  if (passes && std::ranges::all_of(*passes, is_known)) return;
  map.fail(key, fmt::format("'{}' is '{}', must be passes like '2 {} + {}.fp32' over {}, as fp32, "
                            "fp16, int64, int32, byte or bit",
                            key, text, names.front(), names.back(), fmt::join(names, ", ")));
}

void check_grid(MapReader& entry, const KernelRecipe& kernel) {
  if (kernel.cta_threads % kWarpThreads != 0) {
    entry.fail("cta_threads", fmt::format("'cta_threads' is {}, must be a multiple of {}",
                                          kernel.cta_threads, kWarpThreads));
  }
  if (kernel.least_columns > kernel.most_columns) {
    entry.fail("least_columns", fmt::format("'least_columns' is {}, must be at most "
                                            "'most_columns', which is {}",
                                            kernel.least_columns, kernel.most_columns));
  }
  if (kernel.rows_per_cta > 0 && kernel.channels_per_cta == 0) {
    entry.fail("rows_per_cta",
               "'rows_per_cta' is of CTAs that share channels, must have 'channels_per_cta' beside "
               "it");
  }
  if (!kernel.cta_per_row) return;
  if (kernel.channels_per_cta > 0) {
    entry.fail("cta_per_row",
               "'cta_per_row' and 'channels_per_cta' exclude each other, must be one of them");
  }
  if (kernel.reads.empty()) {
    entry.fail("cta_per_row",
               "'cta_per_row' is true of a kernel that reads nothing, must be of "
               "one that has 'reads'");
  }
}

/// Checks the kernels of a list, and gives those the place's kind that say none.
void settle_kernels(MapReader& map, std::string_view key, std::vector<KernelRecipe>& kernels,
                    const PassPlace& place) {
  if (kernels.empty()) return;
  std::vector<MapReader> entries = map.get_maps(key);
  for (std::size_t at = 0; at < kernels.size(); ++at) {
    MapReader& entry = entries[at];
    KernelRecipe& kernel = kernels[at];
    if (!entry.has("kind")) kernel.kind = place.kind;
    check_passes(entry, "reads", place);
    check_passes(entry, "writes", place);
    check_grid(entry, kernel);
    if (kernel.reads.empty() && kernel.writes.empty()) {
      entry.fail("name",
                 fmt::format("kernel '{}' moves nothing, must have reads or writes", kernel.name));
    }
  }
}

void settle_directions(MapReader& map, Directions& kernels, const PassPlace& place) {
  settle_kernels(map, "forward", kernels.forward, place);
  settle_kernels(map, "backward", kernels.backward, place);
  settle_kernels(map, "packed_forward", kernels.packed_forward, place);
  settle_kernels(map, "packed_backward", kernels.packed_backward, place);
}

void settle_operation(MapReader& map, OperationKernels& kernels, StreamKind kind) {
  settle_directions(map, kernels, {kOfOperation, kind});
  check_passes(map, "saved", {kSaved, kind}, &SavedText::read);
}

void check_sequence(MapReader& map, const std::vector<StreamOp>& operations) {
  if (!operations.empty()) return;
  const std::string text = map.get_string("operations");
  std::vector<std::string> names;
  for (const Operation& operation : kOperations) names.emplace_back(operation.name);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const std::string name = text.substr(at, end - at);
    at = end + 1;
    if (std::ranges::find(names, name) != names.end()) continue;
    map.fail("operations",
             fmt::format("'operations' is '{}', must be operations with + between them, like "
                         "batch_norm+relu; '{}' is none{}",
                         text, name, did_you_mean(name, names)));
  }
}

void settle_rules(MapReader& map, std::vector<OperationRecipe>& rules) {
  if (rules.empty()) return;
  std::vector<MapReader> entries = map.get_maps("rules");
  for (std::size_t at = 0; at < rules.size(); ++at) {
    check_sequence(entries[at], rules[at].operations);
    settle_operation(entries[at], rules[at].kernels,
                     operation_of(rules[at].operations.front()).kind);
  }
  std::ranges::stable_sort(rules, [](const OperationRecipe& one, const OperationRecipe& other) {
    return one.operations.size() > other.operations.size();
  });
}

void settle_operations(MapReader& map, SingleOperations& operations) {
  for (const Operation& operation : kOperations) {
    if (!map.has(operation.name)) continue;
    MapReader entry = map.get_map(operation.name);
    settle_operation(entry, *operations.after.at(static_cast<std::size_t>(operation.op)),
                     operation.kind);
  }
  if (!map.has("loss")) return;
  MapReader entry = map.get_map("loss");
  settle_operation(entry, operations.loss, StreamKind::loss);
}

void settle_layers(MapReader& map, LayerKernels& layers) {
  const auto settle = [&](const char* key, Directions& kernels, std::vector<PassTensor> tensors,
                          StreamKind kind) {
    if (!map.has(key)) return;
    MapReader entry = map.get_map(key);
    settle_directions(entry, kernels, {std::move(tensors), kind});
  };
  settle("conv", layers.conv, {x, y, w, untouched, channel}, StreamKind::layout);
  settle("linear", layers.linear, {x, y, w}, StreamKind::layout);
  settle("opening", layers.opening, {x, dx, y, w}, StreamKind::layout);
  settle("merged", layers.merged, {x, y, dy, w}, StreamKind::layout);
  settle("head", layers.head, {x, dx, y, w}, StreamKind::layout);
  settle("waves", layers.waves, {x, y, w, channel}, StreamKind::layout);
  settle("scores", layers.scores, {a, b, y, channel}, StreamKind::layout);
  settle("context", layers.context, {a, b, y}, StreamKind::layout);
  settle("embedding", layers.embedding, {x, y, dy, w, g, channel}, StreamKind::layout);
  settle("weights", layers.weights, {w, channel, g}, StreamKind::casts);
}

void settle_optimizers(MapReader& map, OptimizerKernels& optimizers) {
  for (const auto& [name, optimizer] : names_until(kLastOptimizer)) {
    settle_kernels(map, name, optimizers.at(static_cast<std::size_t>(optimizer)),
                   {kOfOptimizer, StreamKind::optimizer});
  }
}

/// The map below a key, if it is there.
template <class Value>
void settle_below(MapReader& map, const char* key, Value& value,
                  void (*settle)(MapReader&, Value&)) {
  if (!map.has(key)) return;
  MapReader inner = map.get_map(key);
  settle(inner, value);
}

}  // namespace

Framework read_framework(MapReader& map) {
  Framework framework = read_fields<Framework>(map);
  settle_rules(map, framework.rules);
  settle_below(map, "operations", framework.operations, &settle_operations);
  settle_below(map, "layers", framework.layers, &settle_layers);
  settle_below(map, "optimizers", framework.optimizers, &settle_optimizers);
  return framework;
}

}  // namespace stcsim
