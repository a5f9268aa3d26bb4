#include "training/operand_pruners.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "pruning/prune.hpp"
#include "pruning/schemes.hpp"

namespace stcsim::training {
namespace {

/// Random numbers of the phases are apart: one gradient may be pruned for two of them.
std::uint64_t seed_for(std::uint64_t seed, Phase phase) {
  return seed * kPhases.size() + static_cast<std::uint64_t>(phase);
}

bool is_plain(const Layer& layer) {
  return layer.kernel_height * layer.kernel_width * layer.stride == 1 && layer.pad == 0;
}

constexpr std::size_t kRowAxis = 0;     // C_out
constexpr std::size_t kColumnAxis = 3;  // C_in

std::optional<PhaseSparsity> rule_for(const Scheme& scheme, const Layer& layer, Phase phase) {
  if (!prunes(scheme, layer, phase)) return std::nullopt;
  std::optional<PhaseSparsity> rule = scheme.of(layer).rule(phase).sparsity;
  return rule->tensor == Tensor::weight ? rule : std::nullopt;
}

pruning::Kind kind_of(const PhaseSparsity& rule) {
  return pruning::find_scheme(rule.prune).kind;
}

std::vector<float> kept_of(const pruning::Tensor& pruned) {
  std::vector<float> kept(pruned.values.size());
  std::ranges::transform(pruned.values, kept.begin(),
                         [](float value) { return value == 0 ? 0.0F : 1.0F; });
  return kept;
}

pruning::Tensor masked(const pruning::Tensor& tensor, const std::vector<float>& kept) {
  pruning::Tensor result{tensor.shape, std::vector<float>(tensor.values.size())};
  std::ranges::transform(tensor.values, kept, result.values.begin(),
                         [](float value, float keep) { return keep == 0 ? 0.0F : value; });
  return result;
}

/// Row i of the result is row order[i].
pruning::Tensor in_order(const pruning::Tensor& tensor, const std::vector<std::int64_t>& order) {
  pruning::Tensor result{tensor.shape, {}};
  result.values.reserve(tensor.values.size());
  const std::ptrdiff_t row = std::ssize(tensor.values) / tensor.shape.front();
  for (const std::int64_t index : order) {
    const auto begin = tensor.values.begin() + index * row;
    result.values.insert(result.values.end(), begin, begin + row);
  }
  return result;
}

/// Takes over the channels (columns) with most values that are not zero, of equal ones the first.
void keep_dense_channels(const pruning::Tensor& rows, double share, pruning::Tensor& pruned) {
  if (share <= 0) return;
  const std::int64_t channels = rows.shape.back();
  std::vector<std::int64_t> filled(as_size(channels));
  for (std::size_t at = 0; at < rows.values.size(); ++at) {
    filled[at % as_size(channels)] += rows.values[at] != 0 ? 1 : 0;
  }
  std::vector<std::int64_t> order(as_size(channels));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::int64_t channel) { return filled[as_size(channel)]; });
  order.resize(as_size(dense_channels(share, channels)));
  for (const std::int64_t channel : order) {
    for (std::size_t at = as_size(channel); at < rows.values.size(); at += as_size(channels)) {
      pruned.values[at] = rows.values[at];
    }
  }
}

std::vector<std::int64_t> inverse_of(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    inverse[as_size(order[i])] = static_cast<std::int64_t>(i);
  }
  return inverse;
}

}  // namespace

TensorPruner::TensorPruner(const Scheme& scheme, const Layer& layer, const Timeline& timeline,
                           std::uint64_t seed)
    : timeline_(timeline), seed_(seed) {
  for (const Phase phase : kPhases) {
    if (!stcsim::prunes(scheme, layer, phase)) continue;
    const PhaseSparsity rule = *scheme.of(layer).rule(phase).sparsity;
    if (rule.tensor == stcsim::Tensor::weight) continue;
    rules_.at(static_cast<std::size_t>(phase)) = rule;
  }
}

std::string find_pruning_fault(const Scheme& scheme, const Layer& layer) {
  if (!prunes(scheme, layer, Phase::wgrad) || is_plain(layer)) return "";
  const PhaseSparsity rule = *scheme.of(layer).rule(Phase::wgrad).sparsity;
  if (rule.tensor != stcsim::Tensor::activation) return "";
  return fmt::format(
      "scheme '{}' prunes activations along tokens for wgrad; layer '{}' is a "
      "convolution of several taps, whose wgrad takes each activation more than "
      "once, and is not trained so",
      scheme.name, layer.name);
}

bool TensorPruner::prunes(Phase phase, stcsim::Tensor tensor, std::int64_t step) const {
  const std::optional<PhaseSparsity>& rule = rules_.at(static_cast<std::size_t>(phase));
  return rule && rule->tensor == tensor && timeline_.is_sparse(step);
}

pruning::Tensor TensorPruner::prune(Phase phase, const pruning::Tensor& tensor,
                                    std::int64_t step) const {
  const PhaseSparsity& rule = *rules_.at(static_cast<std::size_t>(phase));
  pruning::PruneOptions options;
  options.pattern = rule.pattern;
  options.seed = seed_for(seed_, phase);
  options.draw = static_cast<std::uint32_t>(step);
  const std::int64_t channels = tensor.shape.back();
  const pruning::Tensor rows{{std::ssize(tensor.values) / channels, channels}, tensor.values};
  options.axis = phase == Phase::wgrad ? 0 : 1;
  pruning::Tensor pruned = pruning::prune(rows, rule.prune, options).values;
  keep_dense_channels(rows, rule.dense_share, pruned);
  return {tensor.shape, std::move(pruned.values)};
}

WeightPruner::WeightPruner(const Scheme& scheme, const Layer& layer, const Timeline& timeline,
                           std::uint64_t seed)
    : timeline_(timeline),
      training_(scheme.training),
      seed_(seed),
      forward_(rule_for(scheme, layer, Phase::forward)),
      dgrad_(rule_for(scheme, layer, Phase::dgrad)),
      scale_(scheme.training.scale) {}

void WeightPruner::prepare(const pruning::Tensor& weights, std::int64_t step) {
  prune(weights, step, true);
}

void WeightPruner::refresh(const pruning::Tensor& weights, std::int64_t step) {
  prune(weights, step, false);
}

void WeightPruner::prune(const pruning::Tensor& weights, std::int64_t step, bool training) {
  mask_.clear();
  if (!prunes() || !timeline_.is_sparse(step)) {
    forward_operand_ = dgrad_operand_ = weights;
    return;
  }
  if (forward_ && kind_of(*forward_) == pruning::Kind::two_prunings) {
    prune_twice(weights, step, training);
  } else {
    prune_groups(weights, step, training);
  }
  if (forward_) mask_ = kept_of(forward_operand_);
}

void WeightPruner::prune_groups(const pruning::Tensor& weights, std::int64_t step, bool training) {
  forward_operand_ =
      forward_ ? pruned(weights, *forward_, kColumnAxis, forward_mask_, step, training) : weights;
  const bool one_mask = dgrad_ && forward_ && kind_of(*forward_) == pruning::Kind::transposable &&
                        forward_->prune == dgrad_->prune && forward_->pattern == dgrad_->pattern;
  dgrad_operand_ = dgrad_ && !one_mask
                       ? pruned(weights, *dgrad_, kRowAxis, dgrad_mask_, step, training)
                       : forward_operand_;
}

/// Magnitude along C_in, and what that leaves once more along C_out, rows in their order.
void WeightPruner::prune_twice(const pruning::Tensor& weights, std::int64_t step, bool training) {
  PhaseSparsity rule = *forward_;
  rule.prune = "magnitude";
  forward_operand_ = pruned(weights, rule, kColumnAxis, forward_mask_, step, training);
  dgrad_operand_ = forward_operand_;
  if (!dgrad_) return;
  search_order(weights, step, training);
  rule = *dgrad_;
  rule.prune = "magnitude";
  const pruning::Tensor ordered = in_order(forward_operand_, order_);
  dgrad_operand_ =
      in_order(pruned(ordered, rule, kRowAxis, dgrad_mask_, step, training), inverse_of(order_));
}

void WeightPruner::search_order(const pruning::Tensor& weights, std::int64_t step, bool training) {
  const bool searches = pruning::find_scheme(forward_->prune).heeds(pruning::Setting::candidates);
  if (order_.empty()) {
    order_.resize(as_size(weights.shape.front()));
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
  }
  if (!searches || !training || !is_due(timeline_.order_period(), step)) return;
  pruning::PruneOptions options;
  options.pattern = forward_->pattern;
  options.axis = kColumnAxis;
  options.rows_axis = kRowAxis;
  options.seed = seed_ + static_cast<std::uint64_t>(step);
  order_ = pruning::prune(weights, forward_->prune, options).rows_order;
}

bool WeightPruner::is_due(std::int64_t period, std::int64_t step) const {
  const std::int64_t since = timeline_.sparse_steps_before(step);
  return since == 0 || (period > 0 && since % period == 0);
}

pruning::Tensor WeightPruner::pruned(const pruning::Tensor& weights, const PhaseSparsity& rule,
                                     std::size_t axis, Mask& mask, std::int64_t step,
                                     bool training) {
  const std::int64_t period = timeline_.period(rule.mask_every);
  if (period == 1) return call(weights, rule, axis, step);
  if (mask.kept.empty() || (training && is_due(period, step))) {
    mask.kept = kept_of(call(weights, rule, axis, step));
  }
  return masked(weights, mask.kept);
}

pruning::Tensor WeightPruner::call(const pruning::Tensor& weights, const PhaseSparsity& rule,
                                   std::size_t axis, std::int64_t step) {
  pruning::PruneOptions options;
  options.pattern = rule.pattern;
  options.axis = axis;
  options.rows_axis = axis == kRowAxis ? kColumnAxis : kRowAxis;
  options.seed = seed_;
  options.draw = static_cast<std::uint32_t>(step);
  options.beta = scale_;
  pruning::Pruned result = pruning::prune(weights, rule.prune, options);
  if (result.beta) scale_ = *result.beta;
  return std::move(result.values);
}

}  // namespace stcsim::training
