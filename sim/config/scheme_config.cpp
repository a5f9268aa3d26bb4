#include "sim/config/scheme_config.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/catalog.hpp"
#include "pruning/schemes.hpp"
#include "sim/config/workload_names.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostMaskBits = 64;

/// bmm layers have no weight, so a scheme cannot name them.
constexpr LayerKind kLastPrunable = LayerKind::linear;

LayerFilter read_filter(MapReader map) {
  LayerFilter filter;
  if (map.has("types")) filter.kinds = map.get_enum_list("types", names_until(kLastPrunable));
  if (map.has("roles"))
    filter.roles = map.get_enum_list("roles", names_until(LayerRole::classifier));
  filter.min_in_channels = map.get_int_or("min_in_channels", 0, kNotNegative);
  filter.rows_multiple_of = map.get_int_or("rows_multiple_of", 1, kPositive);
  filter.reduction_multiple_of = map.get_int_or("reduction_multiple_of", 1, kPositive);
  filter.narrowing = map.get_bool_or("narrowing", false);
  map.finish();
  return filter;
}

/// The name of a scheme of the pruning library.
std::string read_pruning(MapReader& map) {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    names.emplace_back(scheme.name, scheme.name);
  }
  return std::string(map.get_enum("prune", names));
}

PruningCost cost_of(const std::string& prune) {
  const pruning::Scheme& scheme = pruning::find_scheme(prune);
  return {scheme.ops, scheme.kind == pruning::Kind::transposable, scheme.rescales()};
}

PhaseRule read_rule(MapReader map) {
  PhaseRule rule;
  if (map.has("dtype")) rule.dtype = map.get_dtype("dtype");
  if (map.has("tensor") || map.has("axis") || map.has("pattern") || map.has("prune") ||
      map.has("mask_every")) {
    rule.sparsity =
        PhaseSparsity{.tensor = map.get_enum("tensor", names_until(Tensor::output_gradient)),
                      .axis = map.get_enum("axis", names_until(GroupAxis::tokens)),
                      .pattern = map.get_pattern("pattern")};
    if (map.has("prune")) rule.sparsity->prune = read_pruning(map);
    rule.sparsity->mask_every = map.get_int_or("mask_every", 1, kNotNegative);
    rule.sparsity->cost = cost_of(rule.sparsity->prune);
  }
  map.finish();
  return rule;
}

SchemeTraining read_training(MapReader map) {
  SchemeTraining training;
  training.freezes_variance = map.get_bool_or("freeze_variance", false);
  training.decay_strength =
      map.get_double_or("decay_strength", training.decay_strength, {.min = 0, .max = 1});
  if (map.has("scale")) training.scale = map.get_double("scale", {.min = 0, .max = 1e3});
  map.finish();
  return training;
}

SchemeWork read_work(MapReader& map) {
  constexpr double kMost = 1e6;
  SchemeWork work;
  work.name = map.get_string("name");
  work.phase = map.get_enum("phase", names_until(Phase::wgrad));
  work.tensor = map.get_enum("tensor", names_until(Tensor::output_gradient));
  work.reads = map.get_double_or("reads", 0, {.min = 0, .max = kMost});
  work.writes = map.get_double_or("writes", 0, {.min = 0, .max = kMost});
  work.compressed_reads = map.get_double_or("compressed_reads", 0, {.min = 0, .max = kMost});
  work.compressed_writes = map.get_double_or("compressed_writes", 0, {.min = 0, .max = kMost});
  work.ops = map.get_double_or("ops", 0, {.min = 0, .max = kMost});
  work.every = map.get_int_or("every", 1, kPositive);
  map.finish();
  if (work.reads + work.writes + work.compressed_reads + work.compressed_writes <= 0) {
    map.fail("name", "work '" + work.name + "' moves nothing, must have reads or writes");
  }
  return work;
}

void read_works(MapReader& map, Scheme& scheme) {
  if (!map.has("work")) return;
  for (MapReader& entry : map.get_maps("work")) {
    const SchemeWork work = read_work(entry);
    const bool packs = work.compressed_reads + work.compressed_writes > 0;
    if (packs && pattern_of(scheme, work.tensor).is_dense()) {
      entry.fail("tensor", "work '" + work.name + "' has compressed passes, but no phase prunes " +
                               std::string(to_string(work.tensor)));
    }
    scheme.work.push_back(work);
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

}  // namespace

Scheme read_scheme(MapReader& map) {
  Scheme scheme;
  scheme.name = read_file_name(map);
  scheme.description = map.get_string_or("description", "");
  scheme.source = map.get_string_or("source", "");
  if (map.has("layers")) scheme.layers = read_filter(map.get_map("layers"));
  scheme.share_of_training =
      map.get_double_or("share_of_training", 1.0, {.min = 0, .max = 1, .above_min = true});
  for (const Phase phase : kPhases) {
    const std::string_view key = to_string(phase);
    if (map.has(key))
      scheme.phases.at(static_cast<std::size_t>(phase)) = read_rule(map.get_map(key));
  }
  scheme.decay = map.get_bool_or("decay", scheme.decay);
  scheme.masks_gradients = map.get_bool_or("mask_gradients", scheme.masks_gradients);
  scheme.updates_kept = map.get_bool_or("updates_kept", scheme.updates_kept);
  read_works(map, scheme);
  scheme.mask_bits = map.get_int_or("mask_bits", 0, {.min = 0, .max = kMostMaskBits});
  scheme.dense_steps =
      map.get_enum_or("dense_steps", scheme.dense_steps, names_until(DenseSteps::before));
  if (map.has("where")) scheme.where = map.get_enum("where", names_until(SparseWhere::faster));
  if (map.has("training")) scheme.training = read_training(map.get_map("training"));
  check_updates(map, scheme);
  map.finish();
  return scheme;
}

}  // namespace stcsim
