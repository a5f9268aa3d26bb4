#include "sim/config/scheme_config.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/named_file.hpp"
#include "pruning/schemes.hpp"
#include "sim/config/field_reader.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {
namespace {

/// What the pruning library says of the scheme that a phase names; the workloads do not know it.
void take_costs(MapReader& map, Scheme& scheme) {
  std::vector<std::pair<std::string_view, const pruning::Scheme*>> names;
  for (const pruning::Scheme& known : pruning::schemes()) names.emplace_back(known.name, &known);
  for (const Phase phase : kPhases) {
    std::optional<PhaseSparsity>& sparsity =
        scheme.phases.at(static_cast<std::size_t>(phase)).sparsity;
    if (!sparsity) continue;
    MapReader rule = map.get_map(to_string(phase));
    const pruning::Scheme& pruning =
        rule.has("prune") ? *rule.get_enum("prune", names) : pruning::find_scheme(sparsity->prune);
    sparsity->cost = {pruning.ops, pruning.kind == pruning::Kind::transposable, pruning.rescales()};
  }
}

void check_works(MapReader& map, const Scheme& scheme) {
  if (scheme.work.empty()) return;
  const std::vector<MapReader> entries = map.get_maps("work");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const SchemeWork& work = scheme.work[at];
    const double compressed = work.compressed_reads + work.compressed_writes;
    if (work.reads + work.writes + compressed <= 0) {
      entries[at].fail("name", "work '" + work.name + "' moves nothing, must have reads or writes");
    }
    if (compressed > 0 && pattern_of(scheme, work.tensor).is_dense()) {
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

}  // namespace

Scheme read_scheme(MapReader& map) {
  Scheme scheme = read_fields<Scheme>(map);
  check_file_name(map, scheme.name);
  take_costs(map, scheme);
  check_works(map, scheme);
  check_updates(map, scheme);
  return scheme;
}

}  // namespace stcsim
