#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/validation/gemm_run.hpp"
#include "sim/config/config_readers.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/study/study.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

std::string reason_to_skip(const MeasuredNetwork& network, const MachineConfig* machine) {
  if (!network.unusable.empty()) return network.unusable;
  if (machine == nullptr) return "no machine for GPU '" + network.gpu + "'";
  if (!machine->supports(network.dtype)) {
    return machine->name + " does not multiply " + std::string(to_string(network.dtype));
  }
  const NetworkFigures& measured = network.measured;
  const bool has_any = measured.dense_us || measured.sparse_us || !measured.speedup.is_empty();
  return has_any ? "" : "nothing was measured";
}

/// The part of a row's cycles that counts: with the scheme and dense.
struct Cost {
  double with = 0;
  double dense = 0;
};

Cost cost_of(const ResultRow& row, double share) {
  const double repeat = row.per_step();
  const double dense = repeat * static_cast<double>(row.dense_cycles);
  return {share * repeat * static_cast<double>(row.cycles) + (1.0 - share) * dense, dense};
}

std::set<std::string> sparse_layers(const std::vector<ResultRow>& rows) {
  std::set<std::string> layers;
  for (const ResultRow& row : rows) {
    if (row.ran_sparse) layers.insert(row.layer);
  }
  return layers;
}

/// The rows of the scope, all but best_layer and scheme_work.
std::vector<const ResultRow*> rows_in(const std::vector<ResultRow>& rows, Scope scope) {
  const std::set<std::string> sparse = sparse_layers(rows);
  std::vector<const ResultRow*> chosen;
  for (const ResultRow& row : rows) {
    const bool is_gemm = row.is_gemm();
    const bool belongs =
        scope == Scope::step ||
        (scope == Scope::passes && row.layer != "optimizer" && row.phase != RowPhase::optimizer) ||
        (scope == Scope::sparse_gemms && row.ran_sparse) ||
        (scope == Scope::sparse_layers && is_gemm && sparse.count(row.layer) != 0);
    if (belongs) chosen.push_back(&row);
  }
  return chosen;
}

NetworkFigures best_layer(const std::vector<ResultRow>& rows) {
  NetworkFigures figures;
  for (const ResultRow& row : rows) {
    if (!row.ran_sparse) continue;
    const double best = std::max(figures.speedup.high.value_or(0), row.speedup);
    figures.speedup = {best, best};
  }
  return figures;
}

constexpr const char* kCopying = "copying";

/// Adds the copy of a tensor in a phase, once.
void add_copy(LayerRules& copying, Phase phase, Tensor tensor) {
  const bool is_known = std::any_of(
      copying.work.begin(), copying.work.end(),
      [&](const SchemeWork& copy) { return copy.phase == phase && copy.tensor == tensor; });
  if (is_known) return;
  SchemeWork copy;
  copy.name = "copy";
  copy.phase = phase;
  copy.tensor = tensor;
  copy.reads = copy.writes = 1;
  copying.work.push_back(copy);
}

/// In the place of all work, copies of what is worked on, once per phase; of weights that are
/// pruned for several phases once.
void set_copies(LayerRules& rules) {
  const std::vector<SchemeWork> works = std::exchange(rules.work, {});
  bool copies_weights = false;
  for (const Phase phase : kPhases) {
    const std::optional<PhaseSparsity>& pruned = rules.rule(phase).sparsity;
    if (!pruned || (pruned->tensor == Tensor::weight && copies_weights)) continue;
    copies_weights = copies_weights || pruned->tensor == Tensor::weight;
    add_copy(rules, phase, pruned->tensor);
  }
  for (const SchemeWork& work : works) add_copy(rules, work.phase, work.tensor);
}

/// A scheme that does nothing but copy each tensor that `scheme` works on.
Scheme copying(const Scheme& scheme) {
  Scheme copying = scheme;
  copying.name = kCopying;
  set_copies(copying);
  for (LayerRules& rules : copying.others) set_copies(rules);
  copying.decay = copying.masks_gradients = false;
  copying.mask_bits = 0;
  copying.updates_kept = false;
  copying.pruned_before = {Tensor::weight, Tensor::activation, Tensor::output_gradient};
  return copying;
}

/// Times of what a scheme does itself, and of the copies that stand against it.
NetworkFigures scheme_work(const std::vector<ResultRow>& rows, double clock_mhz) {
  Cost sum;
  for (const ResultRow& row : rows) {
    if (!row.scheme_work) continue;
    (row.scheme == kCopying ? sum.dense : sum.with) += cost_of(row, 1.0).with;
  }
  if (sum.with <= 0) return {};
  const double speedup = sum.dense / sum.with;
  return {sum.dense / clock_mhz, sum.with / clock_mhz, {speedup, speedup}};
}

/// Runs rows; what several of them need once.
class NetworkRunner {
 public:
  explicit NetworkRunner(const ValidationOptions& options) {
    study_.fast_forward = options.fast_forward;
    study_.jobs = options.jobs;
  }

  void simulate(NetworkRow& row, const MachineConfig& machine) {
    const MeasuredNetwork& wanted = row.measured;
    const Scheme scheme = load_at(wanted, ConfigKind::scheme, wanted.scheme, &read_scheme);
    const double share = scheme.share_of_training;
    Interval speedup;
    for (const std::int64_t batch : wanted.batches) {
      const StudyResult& study = study_of(wanted, scheme, machine, batch);
      const NetworkFigures figures =
          figures_of(study.rows, wanted.scope, share, study.totals.front().clock_mhz);
      if (wanted.batches.size() == 1) row.simulated = figures;
      if (figures.speedup.is_empty()) continue;
      speedup.low = std::min(speedup.low.value_or(*figures.speedup.low), *figures.speedup.low);
      speedup.high = std::max(speedup.high.value_or(0), *figures.speedup.high);
    }
    row.simulated.speedup = speedup;
    if (speedup.is_empty()) row.skipped = "nothing runs sparse";
    if (scheme.is_dense()) row.simulated = {row.simulated.dense_us, std::nullopt, {}};
  }

 private:
  /// Loads the configuration that a row names.
  template <class Value>
  static Value load_at(const MeasuredNetwork& row, ConfigKind kind, const std::string& name,
                       Value (*read)(MapReader&)) {
    const YamlNode node = load_by_name(kind, name, row.where);
    MapReader map(node, "");
    return read(map);
  }

  const StudyResult& study_of(const MeasuredNetwork& wanted, const Scheme& scheme,
                              const MachineConfig& machine, std::int64_t batch) {
    std::vector<std::string_view> phases;
    for (const Phase phase : wanted.phases) phases.push_back(to_string(phase));
    const std::string key = fmt::format(
        "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", machine.name, wanted.model, scheme.name,
        to_string(wanted.dtype), batch, wanted.framework, wanted.stack, wanted.accumulation,
        wanted.inference, fmt::join(phases, ","), wanted.scope == Scope::scheme_work,
        wanted.clock_mhz.value_or(0), wanted.optimizer ? to_string(*wanted.optimizer) : "");
    auto known = results_.find(key);
    if (known == results_.end()) {
      known = results_.emplace(key, run(wanted, scheme, machine, batch)).first;
    }
    return known->second;
  }

  StudyResult run(const MeasuredNetwork& wanted, const Scheme& scheme, const MachineConfig& machine,
                  std::int64_t batch) const {
    Network network = load_at(wanted, ConfigKind::network, wanted.model, &read_network);
    network.batch = batch;
    network.accumulation = wanted.accumulation;
    network.optimizer = wanted.optimizer.value_or(network.optimizer);
    for (const Layer& layer : network.layers) {
      const std::string fault = find_fault(layer, batch);
      if (!fault.empty()) throw ConfigError(wanted.where, "layer '" + layer.name + "': " + fault);
    }
    Experiment experiment;
    experiment.machines = {{machine.name, machine}};
    experiment.inference = wanted.inference;
    if (!wanted.inference) experiment.phases = wanted.phases;
    experiment.schemes = {scheme};
    if (wanted.scope == Scope::scheme_work) experiment.schemes.push_back(copying(scheme));
    experiment.dtype = wanted.dtype;
    experiment.clock_mhz = wanted.clock_mhz;
    check_stack(wanted.stack, wanted.where, machine);
    experiment.stack = wanted.stack;
    experiment.framework =
        load_at(wanted, ConfigKind::framework, wanted.framework, &read_framework);
    skip_blocks(network, experiment.framework);
    experiment.networks = {std::move(network)};
    StudyResult result = run_study(experiment, study_);
    if (!result.failures.empty()) throw SimulationError(result.failures.front());
    return result;
  }

  StudyOptions study_;
  std::map<std::string, StudyResult> results_;
};

}  // namespace

NetworkFigures figures_of(const std::vector<ResultRow>& rows, Scope scope, double share_of_training,
                          double clock_mhz) {
  if (scope == Scope::best_layer) return best_layer(rows);
  if (scope == Scope::scheme_work) return scheme_work(rows, clock_mhz);
  const bool is_whole = scope == Scope::step || scope == Scope::passes;
  Cost sum;
  for (const ResultRow* const row : rows_in(rows, scope)) {
    const Cost cost = cost_of(*row, is_whole ? share_of_training : 1.0);
    sum.with += cost.with;
    sum.dense += cost.dense;
  }
  if (sum.with <= 0) return {};
  const double speedup = sum.dense / sum.with;
  return {sum.dense / clock_mhz, sum.with / clock_mhz, {speedup, speedup}};
}

std::vector<NetworkRow> validate_networks(const std::vector<MeasuredNetwork>& networks,
                                          const std::map<std::string, MachineConfig>& machines,
                                          const ValidationOptions& options) {
  NetworkRunner runner(options);
  std::vector<NetworkRow> rows;
  for (const MeasuredNetwork& measured : networks) {
    const auto found = machines.find(measured.gpu);
    const MachineConfig* const machine = found == machines.end() ? nullptr : &found->second;
    NetworkRow row;
    row.measured = measured;
    row.skipped = reason_to_skip(measured, machine);
    if (machine != nullptr) row.machine = machine->name;
    try {
      if (row.skipped.empty()) runner.simulate(row, *machine);
      rows.push_back(std::move(row));
    } catch (const ConfigError& error) {
      if (!options.on_bad_row) throw;
      options.on_bad_row(error);
    }
    if (options.progress) options.progress(rows.size());
  }
  return rows;
}

}  // namespace stcsim
