#include "sim/parallel/parallel_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/parallel/streams.hpp"

namespace stcsim {
namespace {

constexpr double kByteBits = 8;

/// Units that a run of layers makes: the first, and how many equal ones.
struct UnitRun {
  std::size_t first = 0;
  std::int64_t count = 1;
};

/// By layer. Layers in a row that repeat are one run.
std::vector<UnitRun> runs_of(const Network& network) {
  const std::vector<Layer>& layers = network.layers;
  std::vector<UnitRun> runs(layers.size());
  std::size_t units = 0;
  for (std::size_t at = 0; at < layers.size();) {
    std::size_t end = at + 1;
    std::int64_t count = layers[at].repeat;
    while (layers[at].repeat > 1 && end < layers.size() && layers[end].repeat > 1) {
      count = std::gcd(count, layers[end++].repeat);
    }
    for (; at < end; ++at) runs[at] = {units, count};
    units += static_cast<std::size_t>(count);
  }
  return runs;
}

/// Bits of what a pattern keeps of a tensor and, with `metadata`, where that stood; over all bits.
double kept_share(const Pattern& pattern, double bits, bool metadata) {
  const auto places = static_cast<double>(metadata ? pattern.metadata_bits_per_group() : 0);
  return pattern.share() + places / (static_cast<double>(pattern.m) * bits);
}

/// In which weights travel: 16 bits, or all of those that the products read.
double bytes_of_weights(DataType dtype) {
  return dtype == DataType::tf32 || dtype == DataType::fp32 ? 4 : 2;
}

class PartsBuilder {
 public:
  PartsBuilder(const Network& network, const Scheme& scheme, const ParallelConfig& parallel,
               bool dense)
      : network_(network), scheme_(scheme), parallel_(parallel), dense_(dense) {
    const std::vector<UnitRun> runs = runs_of(network);
    parts_.accumulation = network.accumulation;
    for (std::size_t at = 0; at < runs.size(); ++at) {
      layers_.emplace(network.layers[at].name, std::pair(&network.layers[at], runs[at]));
      parts_.units.resize(runs[at].first + static_cast<std::size_t>(runs[at].count));
    }
  }

  StepParts take(const std::vector<const ResultRow*>& rows) {
    for (const ResultRow* const row : rows) add_row(*row);
    for (const auto& [name, place] : layers_) add_bytes(*place.first, place.second, rows);
    if (!dense_ && parallel_.masks == MaskAgreement::broadcast) add_masks(rows);
    parts_.units.front().gradient_bytes +=
        static_cast<double>(network_.other_parameters) * gradient_bytes();
    return std::move(parts_);
  }

 private:
  [[nodiscard]] double gradient_bytes() const {
    return parallel_.gradients == DataType::fp32 ? 4 : 2;
  }

  void add_row(const ResultRow& row) {
    const double us = row.per_step() * (dense_ ? row.dense_time_us : row.time_us);
    if (row.phase == RowPhase::optimizer) {
      parts_.optimizer_us += us * static_cast<double>(network_.accumulation);
      return;
    }
    const auto place = layers_.find(row.layer);
    if (place == layers_.end()) {
      parts_.wait_us += us;
      return;
    }
    const auto& [layer, run] = place->second;
    const bool is_attention = layer->kind == LayerKind::bmm;
    const KernelClass kind = !row.is_gemm() ? KernelClass::other
                             : is_attention ? KernelClass::attention
                                            : KernelClass::product;
    for (std::int64_t unit = 0; unit < run.count; ++unit) {
      UnitParts& parts = parts_.units[run.first + static_cast<std::size_t>(unit)];
      (row.backward ? parts.backward : parts.forward).at(static_cast<std::size_t>(kind)) +=
          us / static_cast<double>(run.count);
    }
  }

  /// The pattern in which the phase's product reads the layer's weights, if they may travel so.
  [[nodiscard]] Pattern pattern_in(const Layer& layer, Phase phase,
                                   const std::vector<const ResultRow*>& rows) const {
    if (dense_ || !parallel_.compressed) return kDense;
    for (const ResultRow* const row : rows) {
      if (row->layer == layer.name && row->phase == row_phase(phase) && row->ran_sparse &&
          row->sparse_operand == Tensor::weight) {
        return row->pattern;
      }
    }
    return kDense;
  }

  void add_bytes(const Layer& layer, const UnitRun& run,
                 const std::vector<const ResultRow*>& rows) {
    const double elements =
        static_cast<double>(layer.repeat * layer.parameters()) / static_cast<double>(run.count);
    const DataType dtype = rows.empty() ? DataType::fp16 : rows.front()->dtype;
    const double bytes = bytes_of_weights(dtype);
    const Pattern forward = pattern_in(layer, Phase::forward, rows);
    const Pattern backward = pattern_in(layer, Phase::dgrad, rows);
    const Pattern gradient = scheme_.updates_kept ? forward : kDense;
    const double updated = layer.frozen ? 0 : elements;
    for (std::int64_t unit = 0; unit < run.count; ++unit) {
      UnitParts& parts = parts_.units[run.first + static_cast<std::size_t>(unit)];
      parts.forward_bytes += elements * bytes * kept_share(forward, 8 * bytes, true);
      parts.backward_bytes += elements * bytes * kept_share(backward, 8 * bytes, true);
      parts.gradient_bytes += updated * gradient_bytes() * kept_share(gradient, 1, false);
      if (!is_row_parallel(layer)) continue;
      // Outputs have 16 bits unless products have more.
      const auto outputs = static_cast<double>(layer.output_elements() * network_.batch);
      for (std::int64_t at = 0; at < layer.repeat / run.count; ++at) {
        parts.sums_bytes.push_back(outputs * bytes);
      }
    }
  }

  /// Of weights that forward prunes, and that are pruned anew: metadata as the hardware reads it.
  void add_masks(const std::vector<const ResultRow*>& rows) {
    for (const ResultRow* const row : rows) {
      if (row->phase != RowPhase::forward || row->sparse_operand != Tensor::weight) continue;
      const Layer& layer = *layers_.at(row->layer).first;
      const Scheme own = scheme_.of(layer);
      const std::optional<PhaseSparsity>& pruned = own.rule(Phase::forward).sparsity;
      if (!pruned || pruned->mask_every == 0 || layer.frozen) continue;
      const double share = kept_share(row->pattern, 1, true) - kept_share(row->pattern, 1, false);
      parts_.mask_bytes += static_cast<double>(layer.repeat * layer.weight_elements()) * share /
                           kByteBits / static_cast<double>(pruned->mask_every);
    }
  }

  const Network& network_;
  const Scheme& scheme_;
  const ParallelConfig& parallel_;
  bool dense_;
  std::map<std::string, std::pair<const Layer*, UnitRun>> layers_;
  StepParts parts_;
};

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

void split(const Layer& layer, std::int64_t& count, std::int64_t gpus, const char* what) {
  if (count % gpus != 0) {
    throw ConfigError(
        fmt::format("layer '{}' has {} {}, which {} GPUs cannot share: must be a "
                    "multiple",
                    layer.name, count, what, gpus));
  }
  count /= gpus;
}

void split(Layer& layer, std::int64_t gpus) {
  if (layer.kind == LayerKind::bmm) {
    split(layer, layer.count, gpus, "heads");
    layer.shared_by = std::min(layer.shared_by, layer.count);
  } else if (is_row_parallel(layer)) {
    split(layer, layer.in_channels, gpus, "inputs");
  } else if (layer.kind == LayerKind::linear) {
    split(layer, layer.out_channels, gpus, "outputs");
  }
}

}  // namespace

StepParts step_parts(const Network& network, const Scheme& scheme,
                     const std::vector<const ResultRow*>& rows, const ParallelConfig& parallel,
                     bool dense) {
  return PartsBuilder(network, scheme, parallel, dense).take(rows);
}

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

std::string part_name(const std::string& network, std::int64_t gpus) {
  return fmt::format("{}-tp{}", network, gpus);
}

bool is_row_parallel(const Layer& layer) {
  return layer.kind == LayerKind::linear && layer.role != LayerRole::classifier &&
         std::ranges::find(layer.after, StreamOp::residual_add) != layer.after.end();
}

Network tensor_parallel_part(Network network, std::int64_t gpus) {
  network.name = part_name(network.name, gpus);
  network.note.clear();  // the whole network's says it
  for (Layer& layer : network.layers) split(layer, gpus);
  return network;
}

Experiment with_parts(Experiment experiment) {
  if (!experiment.parallel || experiment.parallel->sharding != Sharding::tp) return experiment;
  const std::vector<Network> whole = experiment.networks;
  for (const Network& network : whole) {
    for (const std::int64_t gpus : experiment.parallel->gpus) {
      if (gpus > 1) experiment.networks.push_back(tensor_parallel_part(network, gpus));
    }
  }
  return experiment;
}

}  // namespace stcsim
