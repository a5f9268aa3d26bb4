#include "sim/parallel/parallel_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "sim/parallel/step_parts.hpp"

namespace stcsim {
namespace {

/// A scheme's step of a network on a machine.
struct SchemeStep {
  const Network* network = nullptr;
  const Scheme* scheme = nullptr;
  const StudyTotal* total = nullptr;
  std::vector<const ResultRow*> rows;
};

class ParallelStudy {
 public:
  ParallelStudy(const Experiment& experiment, const StudyResult& study)
      : experiment_(experiment), parallel_(*experiment.parallel), study_(study) {}

  std::vector<ParallelTotal> totals() {
    for (const MachineSpec& machine : experiment_.machines) {
      for (const Network& network : experiment_.networks) {
        for (const Scheme& scheme : experiment_.schemes) {
          for (const std::int64_t gpus : parallel_.gpus) add(machine, network, scheme, gpus);
        }
      }
    }
    return std::move(totals_);
  }

 private:
  [[nodiscard]] bool is_split() const { return parallel_.sharding == Sharding::tp; }

  [[nodiscard]] SchemeStep step_of(const MachineSpec& machine, const Network& network,
                                   const Scheme& scheme) const {
    SchemeStep step{&network, &scheme, nullptr, {}};
    const auto is_of = [&](const auto& one) {
      return one.machine == machine.name && one.network == network.name &&
             one.scheme == scheme.name;
    };
    for (const ResultRow& row : study_.rows) {
      if (is_of(row) && row.pass() == kTrainingPass) step.rows.push_back(&row);
    }
    for (const StudyTotal& total : study_.totals) {
      if (is_of(total) && total.pass == kTrainingPass) step.total = &total;
    }
    return step;
  }

  /// @param own, collectives  what the GPU's own work and collectives take, of what is predicted
  [[nodiscard]] StreamTimes times(const SchemeStep& step, std::int64_t gpus, bool dense,
                                  double own = 1, double collectives = 1) const {
    const StepParts parts = step_parts(*step.network, *step.scheme, step.rows, parallel_, dense);
    StepStreams streams = step_streams(parts, parallel_, gpus);
    for (ComputeItem& item : streams.compute) item.us *= own;
    for (CommItem& item : streams.comm) item.us *= collectives;
    return run_streams(streams, parallel_.system.beside);
  }

  [[nodiscard]] LikelyInterval likely(const SchemeStep& step, std::int64_t gpus) const {
    const LikelyInterval& alone = step.total->step_interval;
    if (!alone.is_known() || step.scheme->name == kBaselineScheme) return {};
    const double predicted = times(step, 1, true).us / times(step, 1, false).us;
    const auto gain_if = [&](double of_one, double collectives) {
      return gain(step, times(step, gpus, false, predicted / of_one, collectives).us,
                  times(step, gpus, true, 1, collectives).us);
    };
    constexpr std::array<double, 2> kCollectives{1 - kErrorOfCollectives, 1 + kErrorOfCollectives};
    LikelyInterval found{gain_if(alone.low, 1), gain_if(alone.high, 1), alone.is_assumed};
    for (const double collectives : kCollectives) {
      found.low = std::min(found.low, gain_if(alone.low, collectives));
      found.high = std::max(found.high, gain_if(alone.high, collectives));
    }
    return found;
  }

  /// Of a training whose other steps are dense.
  static double gain(const SchemeStep& step, double us, double dense_us) {
    const double share = step.total->share_of_training;
    return dense_us / (share * us + (1 - share) * dense_us);
  }

  void add(const MachineSpec& machine, const Network& whole, const Scheme& scheme,
           std::int64_t gpus) {
    const Network network = is_split() && gpus > 1 ? tensor_parallel_part(whole, gpus) : whole;
    const SchemeStep step = step_of(machine, network, scheme);
    if (step.total == nullptr || !step.total->is_complete()) return;
    ParallelTotal total;
    total.machine = machine.name;
    total.network = whole.name;
    total.scheme = scheme.name;
    total.gpus = gpus;
    total.nodes = parallel_.system.nodes_of(gpus);
    total.times = times(step, gpus, false);
    const StreamTimes dense = times(step, gpus, true);
    total.dense_us = dense.us;
    total.speedup = gain(step, total.times.us, dense.us);
    total.likely = likely(step, gpus);
    total.kernels_speedup = gain(step, total.times.kernels_us, dense.kernels_us);
    const double alone = times(step_of(machine, whole, scheme), 1, false).us;
    total.efficiency = alone / total.times.us / static_cast<double>(is_split() ? gpus : 1);
    total.memory_bytes = memory(step, gpus);
    total.capacity_bytes = step.total->capacity_bytes;
    if (!is_split()) total.gains_nothing_from = gains_nothing_from(step);
    totals_.push_back(std::move(total));
  }

  [[nodiscard]] std::int64_t memory(const SchemeStep& step, std::int64_t gpus) const {
    const StepParts parts = step_parts(*step.network, *step.scheme, step.rows, parallel_, true);
    const auto largest = std::ranges::max_element(parts.units, {}, &UnitParts::forward_bytes);
    return sharded_bytes(step.total->memory, parallel_.sharding, gpus, largest->forward_bytes);
  }

  [[nodiscard]] std::optional<std::int64_t> gains_nothing_from(const SchemeStep& step) const {
    const bool is_linked = parallel_.system.links.between_nodes.has_value();
    const std::int64_t most = is_linked ? kMostGpusAsked : parallel_.system.gpus_per_node;
    if (step.scheme->name == kBaselineScheme) return std::nullopt;
    for (std::int64_t gpus = 1; gpus <= most; gpus *= 2) {
      if (times(step, gpus, true).us <= times(step, gpus, false).us) return gpus;
    }
    return std::nullopt;
  }

  const Experiment& experiment_;
  const ParallelConfig& parallel_;
  const StudyResult& study_;
  std::vector<ParallelTotal> totals_;
};

}  // namespace

std::vector<ParallelTotal> parallel_totals(const Experiment& experiment, const StudyResult& study) {
  return ParallelStudy(experiment, study).totals();
}

std::int64_t sharded_bytes(const StepMemory& memory, Sharding sharding, std::int64_t gpus,
                           double unit_bytes) {
  if (gpus == 1 || sharding == Sharding::ddp || sharding == Sharding::tp) return memory.total();
  const auto part = [&](std::int64_t bytes) { return (bytes + gpus - 1) / gpus; };
  StepMemory left = memory;
  left.optimizer = part(memory.optimizer);
  if (sharding != Sharding::zero1) left.gradients = part(memory.gradients);
  if (sharding == Sharding::fsdp) {
    left.weights = part(memory.weights);
    left.compressed = part(memory.compressed);
    left.metadata = part(memory.metadata);
    left.masks = part(memory.masks);
    left.working += 2 * std::llround(unit_bytes);
  }
  return left.total();
}

}  // namespace stcsim
