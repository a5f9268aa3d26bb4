#include "workloads/pruning_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace stcsim {
namespace {

/// Applying a mask that is there; scaling and converting; finding the largest magnitude; adding a
/// term to a gradient.
constexpr double kMaskOps = 1;
constexpr double kScaleOps = 2;
constexpr double kLargestOps = 1;
constexpr double kDecayOps = 2;

/// Per element of a tensor.
struct Moved {
  double read_bits = 0;
  double write_bits = 0;
  double ops = 0;
  /// Of these, those of choosing what to keep, which compares.
  double choice_ops = 0;

  [[nodiscard]] StreamWork of(std::int64_t elements) const {
    const auto bytes = [&](double bits) {
      return static_cast<std::int64_t>(std::ceil(static_cast<double>(elements) * bits / 8.0));
    };
    return {.read_bytes = bytes(read_bits),
            .write_bytes = bytes(write_bits),
            .vector_ops = std::llround(static_cast<double>(elements) * ops),
            .integer_ops = std::llround(static_cast<double>(elements) * choice_ops)};
  }
};

/// With an element's part of its block's scale.
double element_bits(DataType type) {
  constexpr std::int64_t kElements = 16;
  return static_cast<double>(bytes_of(type, kElements) + scale_bytes_of(type, kElements)) / 2;
}

/// Tensors between GEMMs have the type that these write; int4 ones are converted at once.
double tensor_bits(DataType dtype) {
  return element_bits(dtype == DataType::int4 ? dtype : output_of(dtype));
}

double metadata_bits(Pattern pattern) {
  return static_cast<double>(pattern.metadata_bits_per_group()) / static_cast<double>(pattern.m);
}

std::string_view plural(Tensor tensor) {
  if (tensor == Tensor::weight) return "weights";
  return tensor == Tensor::activation ? "activations" : "gradients";
}

/// One orientation of a pruned tensor, for one phase.
struct Output {
  Phase phase = Phase::forward;
  const PhaseSparsity* rule = nullptr;
  const OperandUse* use = nullptr;

  [[nodiscard]] bool is_compressed() const { return !use->stored.is_dense(); }
};

class LayerPruning {
 public:
  LayerPruning(Scheme scheme, const Layer& layer, const PruningContext& context)
      : scheme_(std::move(scheme)),
        layer_(layer),
        context_(context),
        bits_(tensor_bits(context.dtype)),
        mask_bits_(scheme_.mask_bits > 0 ? static_cast<double>(scheme_.mask_bits) : 1.0) {}

  std::vector<SchemeKernel> kernels() && {
    for (const Tensor tensor : {Tensor::weight, Tensor::activation, Tensor::output_gradient}) {
      if (!comes_pruned(tensor)) prune(tensor);
    }
    for (const Phase phase : kPhases) cast(phase);
    work_on_gradients();
    return std::move(kernels_);
  }

 private:
  [[nodiscard]] bool comes_pruned(Tensor tensor) const {
    const std::vector<Tensor>& before = scheme_.pruned_before;
    return std::find(before.begin(), before.end(), tensor) != before.end();
  }

  [[nodiscard]] std::vector<Output> outputs_of(Tensor tensor) const {
    std::vector<Output> outputs;
    for (const Phase phase : kPhases) {
      const OperandUse& use = context_.use(phase);
      const std::optional<PhaseSparsity>& rule = scheme_.rule(phase).sparsity;
      if (use.pruned && rule->tensor == tensor) outputs.push_back({phase, &*rule, &use});
    }
    return outputs;
  }

  [[nodiscard]] bool is_pruned_in(Phase phase, Tensor tensor) const {
    return context_.use(phase).pruned && scheme_.rule(phase).sparsity->tensor == tensor;
  }

  /// Whether a dense product multiplies the pruned tensor.
  [[nodiscard]] bool is_needed_with_zeros(Tensor tensor, const std::vector<Output>& outputs) const {
    const bool any_dense = std::any_of(outputs.begin(), outputs.end(),
                                       [](const Output& one) { return !one.is_compressed(); });
    return any_dense || (tensor == Tensor::weight && dgrad_takes_forwards());
  }
  [[nodiscard]] bool dgrad_takes_forwards() const {
    return is_pruned_in(Phase::forward, Tensor::weight) && context_.use(Phase::dgrad).exists &&
           !is_pruned_in(Phase::dgrad, Tensor::weight);
  }

  /// Whether operands of a phase have another type than tensors in memory.
  [[nodiscard]] bool is_cast(const OperandUse& use) const {
    return use.dtype != context_.dtype && element_bits(use.dtype) < bits_;
  }

  /// Whether what is pruned for a phase is cast as it is pruned.
  [[nodiscard]] bool is_cast_in_pruning(Phase phase) const {
    return is_cast(context_.use(phase)) && scheme_.rule(phase).has_row_scales;
  }

  /// Kept values are written in the products' type, unless a cast follows.
  [[nodiscard]] double kept_bits(const Output& output) const {
    const OperandUse& use = *output.use;
    const bool is_final = use.dtype == context_.dtype || is_cast_in_pruning(output.phase);
    return use.stored.share() * (is_final ? element_bits(use.dtype) : bits_);
  }

  /// The different choices of what to keep.
  static std::vector<const PhaseSparsity*> masks_of(const std::vector<Output>& outputs) {
    std::vector<const PhaseSparsity*> masks;
    for (const Output& output : outputs) {
      const PhaseSparsity& rule = *output.rule;
      const bool is_known = std::any_of(masks.begin(), masks.end(), [&](const PhaseSparsity* mask) {
        return mask->cost.one_mask && mask->prune == rule.prune && mask->pattern == rule.pattern;
      });
      if (!is_known) masks.push_back(&rule);
    }
    return masks;
  }

  void prune(Tensor tensor) {
    const std::vector<Output> outputs = outputs_of(tensor);
    if (outputs.empty()) return;
    // What is updated are the kept weights: the update writes forward's.
    const double kept = tensor == Tensor::weight ? kept_weights(scheme_, context_) : 1.0;
    choose_masks(tensor, outputs, kept);
    Moved apart{.read_bits = kept * bits_};
    Moved moved;
    if (is_needed_with_zeros(tensor, outputs)) moved.write_bits += bits_;
    for (const Output& output : outputs) {
      if (!output.is_compressed() || (kept < 1 && output.phase == Phase::forward)) continue;
      const double dense = output.rule->dense_share;
      moved.write_bits +=
          dense * bits_ + (1 - dense) * (kept_bits(output) + metadata_bits(output.use->stored));
      if (is_cast_in_pruning(output.phase)) moved.ops += kScaleOps + kLargestOps;
    }
    if (moved.write_bits == 0) return;
    const bool is_fused =
        std::ranges::all_of(outputs, [](const Output& output) { return output.rule->fused; });
    for (const PhaseSparsity* mask : masks_of(outputs)) {
      if (kept < 1 && mask == outputs.front().rule) continue;
      const bool is_stored = mask->mask_every != 1;
      const bool by_unit = is_fused && mask->cost.keeps_largest && context_.unit_ops > 0;
      moved.read_bits += is_stored ? mask_bits_ : 0;
      moved.ops += is_stored ? kMaskOps : by_unit ? context_.unit_ops : mask->cost.ops;
      moved.choice_ops += is_stored || by_unit ? 0 : mask->cost.ops;
    }
    apart.read_bits += moved.read_bits;
    apart.write_bits = moved.write_bits;
    apart.ops = moved.ops;
    apart.choice_ops = moved.choice_ops;
    add("prune", tensor, outputs.front().phase, is_fused ? moved : apart, moved);
    kernels_.back().is_fused = is_fused;
    // The scores' product prunes them: its own row has the cost.
    if (is_fused && layer_.kind == LayerKind::bmm) kernels_.pop_back();
    rescale(tensor, outputs);
  }

  void choose_masks(Tensor tensor, const std::vector<Output>& outputs, double kept) {
    for (const PhaseSparsity* mask : masks_of(outputs)) {
      if (mask->mask_every <= 1) continue;
      const Moved moved{.read_bits = kept * bits_,
                        .write_bits = mask_bits_,
                        .ops = mask->cost.ops,
                        .choice_ops = mask->cost.ops};
      add("choose masks of", tensor, outputs.front().phase, moved).every = mask->mask_every;
    }
  }

  void rescale(Tensor tensor, const std::vector<Output>& outputs) {
    for (const Output& output : outputs) {
      if (!output.rule->cost.rescales) continue;
      const double bits = output.is_compressed() ? kept_bits(output) : bits_;
      add("rescale", tensor, output.phase,
          {.read_bits = bits, .write_bits = bits, .ops = kScaleOps * output.use->stored.share()});
    }
  }

  /// Both operands of a phase whose type is not that of the tensors in memory.
  void cast(Phase phase) {
    const OperandUse& use = context_.use(phase);
    if (!use.exists) return;
    const PhaseOperands operands = operands_of(phase);
    if (!is_cast(use)) {
      return copy_rows(phase, is_pruned_in(phase, operands.left) ? operands.right : operands.left);
    }
    for (const Tensor tensor : {operands.left, operands.right}) {
      if (comes_pruned(tensor)) continue;
      const bool is_compressed = is_pruned_in(phase, tensor) && !use.stored.is_dense();
      if (is_compressed && is_cast_in_pruning(phase)) continue;
      if (!is_compressed && !cast_.insert({tensor, use.dtype}).second) continue;
      const bool is_pruned = is_pruned_in(phase, tensor) ||
                             (tensor == Tensor::weight && is_pruned_in(Phase::forward, tensor));
      const bool is_found = is_pruned || context_.kernels == PruningKernels::fused;
      const bool is_read_once = is_found || scheme_.rule(phase).has_row_scales;
      const double share = is_compressed ? use.stored.share() : 1.0;
      add("cast", tensor, phase,
          {.read_bits = share * bits_ * (is_read_once ? 1 : 2),
           .write_bits =
               share * element_bits(use.dtype) * (is_pruned_in(phase, tensor) ? 1 : use.copies),
           .ops = share * (kScaleOps + (is_found ? 0 : kLargestOps))},
          StreamKind::casts);
    }
  }

  /// Of the operand beside one in windows.
  void copy_rows(Phase phase, Tensor tensor) {
    const OperandUse& use = context_.use(phase);
    if (use.copies == 1) return;
    add("copy rows of", tensor, phase,
        {.read_bits = bits_, .write_bits = element_bits(use.dtype) * use.copies});
  }

  /// What happens to the gradients of pruned weights between wgrad and the update.
  void work_on_gradients() {
    if (!is_pruned_in(Phase::forward, Tensor::weight) || !context_.use(Phase::wgrad).exists) return;
    const PhaseSparsity& rule = *scheme_.rule(Phase::forward).sparsity;
    const bool is_stored = rule.mask_every != 1;
    const double mask = is_stored ? mask_bits_ : 0;
    const double choice_ops = is_stored ? 0 : rule.cost.ops;
    const double mask_ops = is_stored ? kMaskOps : choice_ops;
    const Moved masked{.read_bits = mask, .ops = mask_ops, .choice_ops = choice_ops};
    const auto beside = [&](double read_bits, double write_bits, double ops) {
      Moved moved = masked;
      moved.read_bits += read_bits;
      moved.write_bits = write_bits;
      moved.ops += ops;
      return moved;
    };
    if (scheme_.decay) {
      update("decay of", beside(2 * bits_, bits_, kDecayOps), beside(0, 0, kDecayOps));
    }
    if (context_.use(Phase::wgrad).stored.of_outputs) return;  // no other was computed
    if (scheme_.masks_gradients) update("mask gradients of", beside(bits_, bits_, 0), masked);
    const double kept = kept_weights(scheme_, context_);
    if (kept == 1) return;
    add("compress gradients of", Tensor::weight, Phase::wgrad, beside(bits_, kept * bits_, 0));
  }

  void update(const std::string& what, const Moved& apart, const Moved& added) {
    SchemeKernel& kernel = add(what, Tensor::weight, Phase::wgrad, apart);
    kernel.part_of = Producer::update;
    kernel.added = added.of(layer_.weight_elements());
  }

  /// A kernel that can be part of what writes the tensor.
  void add(const std::string& what, Tensor tensor, Phase phase, const Moved& apart,
           const Moved& added) {
    SchemeKernel& kernel = add(what, tensor, phase, apart);
    if (tensor == Tensor::activation) return;
    kernel.part_of = tensor == Tensor::weight ? Producer::weights : Producer::output_gradient;
    kernel.added = added.of(elements_of(layer_, tensor, context_.batch));
  }

  SchemeKernel& add(const std::string& what, Tensor tensor, Phase phase, const Moved& moved,
                    StreamKind kind = StreamKind::pruning) {
    std::string name = what + " " + std::string(plural(tensor));
    if (kind == StreamKind::casts) name += " for " + std::string(to_string(phase));
    const StreamWork work = moved.of(elements_of(layer_, tensor, context_.batch));
    kernels_.push_back({.kernel = {std::move(name), work, phase != Phase::forward, kind},
                        .per_update = tensor == Tensor::weight});
    return kernels_.back();
  }

  const Scheme scheme_;
  const Layer& layer_;
  const PruningContext& context_;
  double bits_;       // of an element in memory
  double mask_bits_;  // of a mask that is kept
  std::set<std::pair<Tensor, DataType>> cast_;
  std::vector<SchemeKernel> kernels_;
};

}  // namespace

std::vector<SchemeKernel> pruning_kernels(const Scheme& scheme, const Layer& layer,
                                          const PruningContext& context) {
  return LayerPruning(scheme.of(layer), layer, context).kernels();
}

double kept_weights(const Scheme& scheme, const PruningContext& context) {
  const OperandUse& use = context.use(Phase::forward);
  const std::optional<PhaseSparsity>& rule = scheme.rule(Phase::forward).sparsity;
  const bool is_kept = scheme.updates_kept && use.pruned && rule->tensor == Tensor::weight;
  return is_kept ? use.kept.share() : 1.0;
}

bool packs_weight(const Scheme& scheme, const PruningContext& context, Phase phase) {
  const OperandUse& use = context.use(phase);
  const std::optional<PhaseSparsity>& rule = scheme.rule(phase).sparsity;
  return use.exists && use.pruned && !use.stored.is_dense() && rule->tensor == Tensor::weight;
}

}  // namespace stcsim
