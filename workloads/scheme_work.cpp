#include "workloads/scheme_work.hpp"

#include <algorithm>
#include <cmath>

namespace stcsim {
namespace {

constexpr double kElementBytes = 2;
constexpr double kBitsPerByte = 8;

/// Bytes of an element's kept values and metadata.
double compressed_bytes(Pattern pattern) {
  return pattern.share() * kElementBytes + static_cast<double>(pattern.metadata_bits_per_group()) /
                                               static_cast<double>(pattern.m) / kBitsPerByte;
}

std::int64_t rounded(double value) {
  return static_cast<std::int64_t>(std::llround(value));
}

/// Gradients or activations whose products all run dense kernels are not pruned, and what is not
/// pruned itself has no work where no pruned tensor is left.
bool is_left_dense(const LayerRules& rules, Tensor tensor) {
  if (tensor == Tensor::weight) return false;
  const bool is_pruned = !pattern_of(rules, tensor).is_dense();
  const auto is_sparse = [&](const PhaseRule& rule) {
    if (!rule.sparsity || (is_pruned && rule.sparsity->tensor != tensor)) return false;
    return rule.dense_because.empty() || rule.sparsity->tensor == Tensor::weight;
  };
  return std::none_of(rules.phases.begin(), rules.phases.end(), is_sparse);
}

bool prunes_tensor(const Scheme& scheme, const Layer& layer, Tensor tensor) {
  return std::ranges::any_of(kPhases, [&](Phase phase) {
    return prunes(scheme, layer, phase) && scheme.rule(phase).sparsity->tensor == tensor;
  });
}

bool launched_alike(const std::vector<StreamKernel>& dense, const std::vector<StreamKernel>& own) {
  return std::equal(dense.begin(), dense.end(), own.begin(), own.end(),
                    [](const StreamKernel& one, const StreamKernel& other) {
                      return one.name == other.name && one.launches == other.launches;
                    });
}

/// Every launch of the kernels of that name.
std::vector<StreamWork> launches_of(const std::vector<StreamKernel>& kernels,
                                    const std::string& name) {
  std::vector<StreamWork> launches;
  for (const StreamKernel& kernel : kernels) {
    if (kernel.name != name) continue;
    launches.insert(launches.end(), static_cast<std::size_t>(kernel.launches), kernel.work);
  }
  return launches;
}

void add_share(StreamWork& work, const StreamWork& added, std::int64_t launches) {
  work.read_bytes += added.read_bytes / launches;
  work.write_bytes += added.write_bytes / launches;
  work.vector_ops += added.vector_ops / launches;
  work.integer_ops += added.integer_ops / launches;
}

}  // namespace

std::int64_t elements_of(const Layer& layer, Tensor tensor, std::int64_t batch) {
  if (tensor == Tensor::weight) return layer.weight_elements();
  const bool is_input = tensor == Tensor::activation;
  if (is_input && layer.kind == LayerKind::bmm) {
    return batch * layer.bmm_n * layer.bmm_k * layer.count;
  }
  return batch * (is_input ? layer.input_elements() : layer.output_elements());
}

StreamWork take_part(std::vector<SchemeKernel>& kernels, Producer producer, bool all) {
  StreamWork sum;
  std::erase_if(kernels, [&](const SchemeKernel& kernel) {
    if (kernel.part_of != producer || !(all || kernel.is_fused)) return false;
    add_times(sum, kernel.added, 1);
    return true;
  });
  return sum;
}

void add_times(StreamWork& sum, const StreamWork& more, std::int64_t times) {
  sum.read_bytes += more.read_bytes * times;
  sum.write_bytes += more.write_bytes * times;
  sum.vector_ops += more.vector_ops * times;
  sum.integer_ops += more.integer_ops * times;
}

Pattern pattern_of(const LayerRules& rules, Tensor tensor) {
  for (const PhaseRule& rule : rules.phases) {
    if (rule.sparsity && rule.sparsity->tensor == tensor) return rule.sparsity->pattern;
  }
  return kDense;
}

std::vector<SchemeKernel> scheme_kernels(const Scheme& scheme, const Layer& layer, Phase phase,
                                         std::int64_t batch) {
  std::vector<SchemeKernel> kernels;
  const bool is_pruned = std::any_of(kPhases.begin(), kPhases.end(),
                                     [&](Phase any) { return prunes(scheme, layer, any); });
  if (!is_pruned || lower(layer, phase, batch).empty()) return kernels;
  const Scheme own = scheme.of(layer);
  for (const SchemeWork& work : own.work) {
    if (work.phase != phase || is_left_dense(own, work.tensor)) continue;
    if (layer.kind == LayerKind::bmm && !prunes_tensor(own, layer, work.tensor)) continue;
    const auto elements = static_cast<double>(elements_of(layer, work.tensor, batch));
    const Pattern pattern = pattern_of(own, work.tensor);
    const double packed = pattern.is_dense() ? kElementBytes : compressed_bytes(pattern);
    const StreamWork stream{
        .read_bytes =
            rounded(elements * (work.reads * kElementBytes + work.compressed_reads * packed)),
        .write_bytes =
            rounded(elements * (work.writes * kElementBytes + work.compressed_writes * packed)),
        .vector_ops = rounded(elements * work.ops)};
    kernels.push_back({{work.name, stream, phase != Phase::forward}, work.every});
  }
  return kernels;
}

bool shares_update_of_weights(const Network& network, const Framework& framework) {
  const std::vector<StreamKernel> kernels = optimizer_kernels(network, framework);
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const StreamKernel& one) { return one.writes == Tensor::weight; });
}

std::vector<UpdateRow> update_rows(const Network& network, const Framework& framework,
                                   const SchemeUpdate& update) {
  const std::vector<StreamKernel> dense = optimizer_kernels(network, framework);
  std::vector<StreamKernel> own = optimizer_kernels(network, framework, update.kept);
  for (StreamKernel& kernel : own) {
    if (kernel.writes == Tensor::weight) add_share(kernel.work, update.added, kernel.launches);
  }
  const bool alike = launched_alike(dense, own);
  std::vector<UpdateRow> rows;
  for (std::size_t at = 0; at < dense.size(); ++at) {
    UpdateRow row{dense[at], {dense[at].work}, {}};
    if (alike) {
      row.own = {own[at].work};
    } else if (!rows.empty() && rows.back().kernel.name == dense[at].name) {
      continue;
    } else {
      row.kernel.launches = 1;
      row.dense = launches_of(dense, dense[at].name);
      row.own = launches_of(own, dense[at].name);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stcsim
