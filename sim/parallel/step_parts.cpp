#include "sim/parallel/step_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/parallel/parallel_study.hpp"

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

double parameters_of(const Layer& layer) {
  const std::int64_t bias = layer.bias ? layer.out_channels : 0;
  return static_cast<double>(layer.repeat * (layer.weight_elements() + bias));
}

/// Bits of what a pattern keeps of a tensor and, with `metadata`, where that stood; over all bits.
double kept_share(const Pattern& pattern, double bits, bool metadata) {
  const auto of = static_cast<double>(pattern.m);
  const auto places = static_cast<double>(metadata ? pattern.metadata_bits_per_group() : 0);
  return static_cast<double>(pattern.n) / of + places / (of * bits);
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
    const double elements = parameters_of(layer) / static_cast<double>(run.count);
    const DataType dtype = rows.empty() ? DataType::fp16 : rows.front()->dtype;
    const double bytes = bytes_of_weights(dtype);
    const Pattern forward = pattern_in(layer, Phase::forward, rows);
    const Pattern backward = pattern_in(layer, Phase::dgrad, rows);
    const Pattern gradient = scheme_.updates_kept ? forward : kDense;
    for (std::int64_t unit = 0; unit < run.count; ++unit) {
      UnitParts& parts = parts_.units[run.first + static_cast<std::size_t>(unit)];
      parts.forward_bytes += elements * bytes * kept_share(forward, 8 * bytes, true);
      parts.backward_bytes += elements * bytes * kept_share(backward, 8 * bytes, true);
      parts.gradient_bytes += elements * gradient_bytes() * kept_share(gradient, 1, false);
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
      if (!pruned || pruned->mask_every == 0) continue;
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

}  // namespace

StepParts step_parts(const Network& network, const Scheme& scheme,
                     const std::vector<const ResultRow*>& rows, const ParallelConfig& parallel,
                     bool dense) {
  return PartsBuilder(network, scheme, parallel, dense).take(rows);
}

}  // namespace stcsim
