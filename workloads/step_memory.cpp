#include "workloads/step_memory.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/counts.hpp"
#include "workloads/lowering.hpp"
#include "workloads/operation_groups.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kByteBits = 8;

std::int64_t bytes_for(std::int64_t elements, std::int64_t bits) {
  return elements / kByteBits * bits + ceil_div(elements % kByteBits * bits, kByteBits);
}

bool is_on_chip(const OperationGroup& group) {
  return group.kernels != nullptr && group.kernels->on_chip;
}

/// A number in fp32 for each row of scores.
std::int64_t bytes_of_rows(const Layer& scores, std::int64_t batch) {
  return bytes_of(DataType::fp32, batch * scores.count * scores.bmm_n);
}

/// The gradient of Q while it is added up, and what the kernel before has summed for each row.
std::int64_t attention_bytes(const Layer& scores, std::int64_t batch) {
  return bytes_of_rows(scores, batch) * (scores.bmm_k + 1);
}

/// Tensors that one kernel reads or writes and that nothing keeps.
std::int64_t passing_bytes(const KernelRecipe& kernel, const OperationGroup& group,
                           std::size_t place, const SavedTensors& saved) {
  std::set<std::tuple<PassTensor, std::int64_t>> seen;
  std::int64_t bytes = 0;
  const auto add = [&](const std::vector<Pass>& passes) {
    for (const Pass& pass : passes) {
      const auto tensor = chain_tensor(pass, place, group.types);
      const bool is_kept =
          tensor ? saved.tensors.contains(*tensor) : pass.tensor == PassTensor::mask;
      const auto key = std::tuple(pass.tensor, bits_of(pass, group.types, true));
      if (is_kept || !seen.insert(key).second) continue;
      bytes += bytes_of({1, pass.tensor, pass.type}, group);
    }
  };
  add(kernel.reads);
  add(kernel.writes);
  return bytes;
}

/// Bits per parameter of each type in which the optimizer's kernels move a tensor.
std::set<std::int64_t> kept_bits(const std::vector<KernelRecipe>& kernels, PassTensor tensor) {
  constexpr StreamTypes kMaster{DataType::fp32, DataType::fp32};
  std::set<std::int64_t> kept;
  for (const KernelRecipe& kernel : kernels) {
    for (const auto* const passes : {&kernel.reads, &kernel.writes}) {
      for (const Pass& pass : *passes) {
        if (pass.tensor == tensor) kept.insert(bits_of(pass, kMaster, true));
      }
    }
  }
  return kept;
}

std::int64_t sum(const std::set<std::int64_t>& numbers) {
  std::int64_t all = 0;
  for (const std::int64_t number : numbers) all += number;
  return all;
}

/// Bits per weight of the copies that kernels of `weights` write for the products.
std::int64_t copied_bits(const Framework& framework, DataType dtype,
                         const std::set<std::int64_t>& kept) {
  const DataType type = types_after_gemm(dtype).tensor;
  const StreamTypes types{type, type};
  std::set<std::int64_t> copied;
  for (const KernelRecipe& kernel : framework.layers.weights.forward) {
    if (is_no_cast(kernel, types)) continue;
    for (const Pass& pass : kernel.writes) {
      const std::int64_t bits = bits_of(pass, types, false);
      if (pass.tensor == PassTensor::w && !kept.contains(bits)) copied.insert(bits);
    }
  }
  return sum(copied);
}

/// Whether the kernels that move `u` have one tensor of parameters at a time.
bool works_by_tensor(const std::vector<KernelRecipe>& kernels) {
  const auto moves_u = [](const std::vector<Pass>& passes) {
    return std::any_of(passes.begin(), passes.end(),
                       [](const Pass& pass) { return pass.tensor == PassTensor::u; });
  };
  return std::all_of(kernels.begin(), kernels.end(), [&](const KernelRecipe& kernel) {
    return kernel.tensors_per_launch == 1 || !(moves_u(kernel.reads) || moves_u(kernel.writes));
  });
}

std::int64_t largest_tensor(const Network& network) {
  std::int64_t most = network.other_parameters;
  for (const Layer& layer : network.layers) {
    if (!layer.frozen) most = std::max(most, layer.weight_elements());
  }
  return most;
}

/// What is known of one layer's weights under the scheme.
struct LayerWeights {
  std::int64_t elements = 0;  // all repeats
  std::int64_t kept = 0;      // of them in memory: all, or what the scheme keeps
  std::int64_t copied = 0;    // of them in the framework's own copies
  int packed = 0;             // products that read them packed
};

std::int64_t kept_of(std::int64_t elements, Pattern pattern) {
  return ceil_div(elements, pattern.m) * pattern.n;
}

/// Values and metadata of a tensor, dense values of the last group included.
std::pair<std::int64_t, std::int64_t> packed_bytes(std::int64_t elements,
                                                   const PackedTensor& packed) {
  const std::int64_t groups = ceil_div(elements, packed.pattern.m);
  return {bytes_of(packed.dtype, groups * packed.pattern.n),
          bytes_for(groups, packed.pattern.metadata_bits_per_group())};
}

/// The same in all, with the channels that stay dense.
std::int64_t all_packed_bytes(std::int64_t elements, const PackedTensor& packed) {
  const auto dense = static_cast<std::int64_t>(packed.dense_share * static_cast<double>(elements));
  const auto [values, metadata] = packed_bytes(elements - dense, packed);
  return values + metadata + bytes_of(packed.dtype, dense);
}

/// What a product reads of the layer before it.
ChainTensor output_of_chain(const std::vector<OperationGroup>& groups, DataType dtype) {
  return {groups.size(), bytes_of(types_after_gemm(dtype).tensor, kByteBits), false};
}

/// Adds up a network layer by layer.
class Sum {
 public:
  Sum(const Network& network, DataType dtype, const Framework& framework, const Scheme& scheme,
      const PackedAs& packed_as)
      : network_(network),
        dtype_(dtype),
        framework_(framework),
        scheme_(scheme),
        packed_as_(packed_as) {}

  StepMemory run() {
    const std::int64_t bits = bytes_of(types_after_gemm(dtype_).tensor, kByteBits);
    memory_.activations =
        bytes_for(network_.batch * network_.layers.front().input_elements(), bits);
    for (const Layer& layer : network_.layers) add_layer(layer);
    add_parameters();
    return memory_;
  }

 private:
  void add_layer(const Layer& layer) {
    const bool is_read = &layer != &network_.layers.back() && !layer.ends_adapter();
    const Layer kept = kept_scores(layer);
    memory_.activations += layer.repeat * (saved_bytes(kept, network_.batch, dtype_, framework_,
                                                       is_read, packed_output_of(layer)) -
                                           unread_bytes(layer));
    std::int64_t working = working_bytes(layer, network_.batch, dtype_, framework_);
    LayerWeights weights;
    weights.elements = weights.kept = layer.repeat * layer.weight_elements();
    weights.copied = layer.has_product() ? weights.elements : 0;
    for (const Phase phase : kPhases) {
      const auto packed = packed_as_(layer, phase);
      if (!packed) continue;
      if (phase == Phase::wgrad && stays_packed_.contains(layer.name)) continue;
      if (packed->tensor == Tensor::weight) {
        add_packed_weight(layer, phase, *packed, weights);
      } else {
        working += packed_activation(layer, *packed);
      }
    }
    memory_.working = std::max(memory_.working, working);
    if (layer.frozen) {
      packed_only_ += weights.packed == (layer.needs_dgrad ? 2 : 1) ? weights.elements : 0;
      return;
    }
    if (scheme_.of(layer).layers.matches(layer)) {
      memory_.masks += bytes_for(weights.elements, scheme_.mask_bits);
    }
    spared_ += weights.elements - weights.kept;
    copied_ += weights.copied;
  }

  /// Scores that their product prunes stay until backward as they are; others are counted whole.
  Layer kept_scores(const Layer& layer) {
    const Layer* const reader = reader_of_pruned_scores(network_, scheme_, layer, Phase::forward);
    const auto packed = reader == nullptr ? std::nullopt : packed_as_(*reader, Phase::forward);
    if (!packed) return layer;
    memory_.activations +=
        layer.repeat *
        packed_bytes(elements_of(*reader, packed->tensor, network_.batch), *packed).second;
    return with_kept_scores(layer, packed->pattern);
  }

  /// Of the input of products that follow each other, if all of them are of frozen weights: they do
  /// not need it backward. Attention keeps its result, and some operations do.
  [[nodiscard]] std::int64_t unread_bytes(const Layer& layer) const {
    const auto at = network_.layers.begin() + (&layer - network_.layers.data());
    if (!layer.frozen || !layer.has_product() || at == network_.layers.begin()) return 0;
    const Layer& before = *std::prev(at);
    const auto reads_same = [&](const Layer& other) {
      return other.has_product() && other.input_elements() == layer.input_elements();
    };
    if (before.ends_adapter() || before.kind == LayerKind::bmm || reads_same(before)) return 0;
    const auto end = std::find_if_not(at, network_.layers.end(), reads_same);
    if (!std::all_of(at, end, [](const Layer& one) { return one.frozen; })) return 0;
    const auto groups = operation_groups(before, network_.batch, dtype_, framework_);
    const ChainTensor input = output_of_chain(groups, dtype_);
    if (saved_tensors(groups).tensors.contains(input)) return 0;
    return bytes_for(network_.batch * layer.input_elements(), input.bits);
  }

  /// As all products that read the layer's output take it in wgrad: nothing if one takes it dense,
  /// or an operation after the layer keeps it. Products with inputs of one size that follow each
  /// other are taken to read the same.
  std::optional<PackedTensor> packed_output_of(const Layer& layer) {
    const auto groups = operation_groups(layer, network_.batch, dtype_, framework_);
    if (saved_tensors(groups).tensors.contains(output_of_chain(groups, dtype_))) return {};
    const auto first = network_.layers.begin() + (&layer - network_.layers.data()) + 1;
    if (first == network_.layers.end() || first->repeat != layer.repeat) return {};
    std::optional<PackedTensor> all;
    std::set<std::string> readers;
    for (auto next = first; next != network_.layers.end(); ++next) {
      if (next->input_elements() != first->input_elements()) break;
      const auto packed = packed_as_(*next, Phase::wgrad);
      if (!packed || packed->tensor != Tensor::activation) return {};
      all = packed;
      readers.insert(next->name);
    }
    stays_packed_.merge(readers);
    return all;
  }

  void add_packed_weight(const Layer& layer, Phase phase, const PackedTensor& packed,
                         LayerWeights& weights) {
    const auto [values, metadata] = packed_bytes(layer.weight_elements(), packed);
    memory_.compressed += layer.repeat * values;
    memory_.metadata += layer.repeat * metadata;
    ++weights.packed;
    if (!scheme_.updates_kept || layer.frozen || phase != Phase::forward) return;
    weights.kept = layer.repeat * kept_of(layer.weight_elements(), packed.pattern);
    weights.copied = 0;
  }

  [[nodiscard]] std::int64_t packed_activation(const Layer& layer,
                                               const PackedTensor& packed) const {
    return all_packed_bytes(elements_of(layer, packed.tensor, network_.batch), packed);
  }

  void add_parameters() {
    const auto& update = framework_.optimizers.at(static_cast<std::size_t>(network_.optimizer));
    const std::int64_t trained = network_.trained_parameters();
    const std::int64_t parameters = trained - spared_;
    using enum PassTensor;
    const std::set<std::int64_t> weight_bits = kept_bits(update, w);
    memory_.weights =
        bytes_for(parameters, sum(weight_bits)) +
        bytes_for(copied_, copied_bits(framework_, dtype_, weight_bits)) +
        // What is frozen has the products' type alone.
        bytes_of(types_after_gemm(dtype_).tensor, network_.parameters() - trained - packed_only_);
    memory_.gradients = bytes_for(parameters, sum(kept_bits(update, g)));
    memory_.optimizer =
        bytes_for(parameters, sum(kept_bits(update, m)) + sum(kept_bits(update, v)));
    // When the optimizer works, the activations have gone.
    const std::int64_t at_a_time =
        works_by_tensor(update) ? std::min(parameters, largest_tensor(network_)) : parameters;
    const std::int64_t update_bytes = bytes_for(at_a_time, sum(kept_bits(update, u)));
    memory_.working = std::max(memory_.working, update_bytes - memory_.activations);
  }

  const Network& network_;
  DataType dtype_;
  const Framework& framework_;
  const Scheme& scheme_;
  const PackedAs& packed_as_;
  StepMemory memory_;
  std::set<std::string> stays_packed_;  // layers whose wgrad takes what is kept
  std::int64_t spared_ = 0;             // parameters that the scheme does not keep
  std::int64_t packed_only_ = 0;        // frozen weights that no product reads dense
  std::int64_t copied_ = 0;             // weights of which the framework keeps copies
};

}  // namespace

std::int64_t saved_bytes(const Layer& layer, std::int64_t batch, DataType dtype,
                         const Framework& framework, bool is_read,
                         const std::optional<PackedTensor>& packed) {
  const std::vector<OperationGroup> groups = operation_groups(layer, batch, dtype, framework);
  SavedTensors saved = saved_tensors(groups);
  if (is_read) {
    const std::int64_t elements =
        groups.empty() ? batch * layer.output_elements() : groups.back().after;
    const ChainTensor output = output_of_chain(groups, dtype);
    const bool is_packed = packed && !saved.tensors.contains(output);
    saved.tensors[output] =
        is_packed ? all_packed_bytes(elements, *packed) : bytes_for(elements, output.bits);
  }
  for (std::size_t place = 0; place < groups.size(); ++place) {
    if (!is_on_chip(groups[place])) continue;
    std::erase_if(saved.tensors,
                  [&](const auto& tensor) { return tensor.first.place == place + 1; });
  }
  // The logarithms of the rows' sums, of which backward computes scores anew.
  const bool keeps_sums = has_attention_kernel(layer, dtype, framework);
  return saved.bytes() + (keeps_sums ? bytes_of_rows(layer, batch) : 0);
}

std::int64_t working_bytes(const Layer& layer, std::int64_t batch, DataType dtype,
                           const Framework& framework) {
  const std::vector<OperationGroup> groups = operation_groups(layer, batch, dtype, framework);
  const SavedTensors saved = saved_tensors(groups);
  const bool has_output = groups.empty() || !is_on_chip(groups.front());
  const std::int64_t gradients =
      (layer.needs_dgrad ? layer.input_elements() : 0) + (has_output ? layer.output_elements() : 0);
  std::int64_t most = bytes_of(types_after_gemm(dtype).tensor, batch * gradients);
  if (has_attention_kernel(layer, dtype, framework)) most += attention_bytes(layer, batch);
  for (std::size_t place = 0; place < groups.size(); ++place) {
    const OperationGroup& group = groups[place];
    if (group.kernels == nullptr) continue;
    for (const auto* const kernels : {&group.kernels->forward, &group.kernels->backward}) {
      for (const KernelRecipe& kernel : *kernels) {
        if (is_no_cast(kernel, group.types)) continue;
        most = std::max(most, passing_bytes(kernel, group, place, saved));
      }
    }
  }
  return most;
}

StepMemory step_memory(const Network& network, DataType dtype, const Framework& framework,
                       const Scheme& scheme, const PackedAs& packed_as) {
  return Sum(network, dtype, framework, scheme, packed_as).run();
}

}  // namespace stcsim
