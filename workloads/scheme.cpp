#include "workloads/scheme.hpp"

#include <algorithm>
#include <cmath>

#include <fnmatch.h>

#include "common/counts.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 3> kTensorNames{"weight", "activation", "output_gradient"};
constexpr std::array<std::string_view, 3> kAxisNames{"c_in", "c_out", "tokens"};

template <class Value>
bool allows(const std::vector<Value>& allowed, Value value) {
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

GroupAxis reduction_axis(Phase phase) {
  constexpr std::array<GroupAxis, 3> kAxes{GroupAxis::c_in, GroupAxis::c_out, GroupAxis::tokens};
  return kAxes.at(static_cast<std::size_t>(phase));
}

/// Why channel groups of m do not fit the channels that one filter tap of one convolution group
/// reduces over, or "".
std::string straddling(const Layer& layer, const PhaseSparsity& sparsity) {
  const bool one_reduction = layer.kernel_height * layer.kernel_width * layer.groups == 1;
  if (one_reduction || sparsity.axis == GroupAxis::tokens) return "";
  const std::int64_t channels = sparsity.axis == GroupAxis::c_in ? layer.in_channels_per_group()
                                                                 : layer.out_channels_per_group();
  if (channels % sparsity.pattern.m == 0) return "";
  return "groups of " + std::to_string(sparsity.pattern.m) +
         " straddle filter taps: the layer has " + std::to_string(channels) + " channels along " +
         std::string(to_string(sparsity.axis));
}

/// Why `sparsity` is of no use to the GEMM of `phase`, or "".
std::string illegal(const Layer& layer, Phase phase, const PhaseSparsity& sparsity) {
  const PhaseOperands operands = operands_of(phase);
  const std::string phase_name(to_string(phase));
  const bool is_of_scores = (phase == Phase::forward && sparsity.tensor == Tensor::activation) ||
                            (phase == Phase::dgrad && sparsity.tensor == Tensor::output_gradient);
  if (layer.kind == LayerKind::bmm && !is_of_scores) {
    return "of attention only scores can be pruned, forward's activation, and their gradients, "
           "dgrad's output_gradient";
  }
  if (sparsity.tensor != operands.left && sparsity.tensor != operands.right) {
    return std::string(to_string(sparsity.tensor)) + " is not an operand of " + phase_name;
  }
  if (sparsity.axis != reduction_axis(phase)) {
    return "groups run along " + std::string(to_string(sparsity.axis)) + ", but " + phase_name +
           " reduces over " + std::string(to_string(reduction_axis(phase)));
  }
  return straddling(layer, sparsity);
}

void ask(SparsityRequest& request, const Layer& layer, Phase phase, const PhaseSparsity& sparsity) {
  request.reason = illegal(layer, phase, sparsity);
  request.not_asked = request.reason.empty() ? NotAsked::none : NotAsked::illegal;
  if (request.not_asked != NotAsked::none) return;
  request.pattern = sparsity.pattern;
  request.tensor = sparsity.tensor;
  request.prune = sparsity.prune;
  request.on_right = sparsity.tensor == operands_of(phase).right;
  request.dense_share = sparsity.dense_share;
}

/// The results of wgrad that are wanted are weights' gradients, whose rows are along c_in.
void ask_outputs(SparsityRequest& request, const Layer& layer, Pattern wanted) {
  request.reason = straddling(layer, {Tensor::weight, GroupAxis::c_in, wanted});
  request.not_asked = request.reason.empty() ? NotAsked::none : NotAsked::illegal;
  if (request.not_asked != NotAsked::none) return;
  request.pattern = wanted;
  request.pattern.of_outputs = true;
}

/// Forward prunes scores where they mix values, dgrad their gradients where scores come from.
bool touches(const LayerRules& rules, const Layer& layer, Phase phase) {
  const bool is_beside =
      layer.kind == LayerKind::bmm && layer.is_scores() != (phase == Phase::dgrad);
  return rules.layers.matches(layer) && !is_beside;
}

void set_pattern_of(LayerRules& rules, Pattern pattern) {
  for (PhaseRule& rule : rules.phases) {
    if (rule.sparsity) rule.sparsity->pattern = pattern;
    if (rule.output) rule.output = pattern;
  }
}

}  // namespace

std::string_view to_string(Tensor tensor) {
  return kTensorNames.at(static_cast<std::size_t>(tensor));
}

std::string_view to_string(DenseSteps steps) {
  constexpr std::array<std::string_view, 3> kNames{"last", "first", "before"};
  return kNames.at(static_cast<std::size_t>(steps));
}

std::string_view to_string(SparseWhere where) {
  return where == SparseWhere::always ? "always" : "faster";
}

std::string_view to_string(GroupAxis axis) {
  return kAxisNames.at(static_cast<std::size_t>(axis));
}

bool LayerFilter::matches(const Layer& layer) const {
  const bool is_named = !kinds.empty() && layer.kind == LayerKind::bmm;
  return (layer.multiplies_weight() || is_named) && !layer.adapter && allows(kinds, layer.kind) &&
         allows(roles, layer.role) && layer.in_channels >= min_in_channels &&
         layer.out_channels % rows_multiple_of == 0 &&
         layer.in_channels_per_group() % reduction_multiple_of == 0 &&
         (!narrowing || layer.out_channels < layer.in_channels);
}

void Scheme::set_pattern(Pattern pattern) {
  set_pattern_of(*this, pattern);
  for (LayerRules& rules : others) set_pattern_of(rules, pattern);
  layer_patterns.clear();
}

bool LayerRules::is_dense() const {
  return std::all_of(phases.begin(), phases.end(), [](const PhaseRule& rule) {
    return (!rule.sparsity || rule.sparsity->pattern.is_dense()) && !rule.output;
  });
}

bool Scheme::is_dense() const {
  const auto is_sparse = [](const LayerPattern& one) { return !one.pattern.is_dense(); };
  return std::ranges::none_of(layer_patterns, is_sparse) && LayerRules::is_dense() &&
         std::ranges::all_of(others, &LayerRules::is_dense);
}

Scheme Scheme::of(const Layer& layer) const {
  Scheme own = *this;
  own.others.clear();
  own.layer_patterns.clear();
  if (!layers.matches(layer)) {
    const auto matches = [&](const LayerRules& rules) { return rules.layers.matches(layer); };
    const auto found = std::ranges::find_if(others, matches);
    if (found != others.end()) static_cast<LayerRules&>(own) = *found;
  }
  for (const LayerPattern& one : layer_patterns) {
    if (::fnmatch(one.layers.c_str(), layer.name.c_str(), 0) == 0) {
      set_pattern_of(own, one.pattern);
    }
  }
  if (layer.frozen) {
    own = for_inference(std::move(own));
    own.share_of_training = share_of_training;
  }
  return own;
}

bool prunes(const Scheme& scheme, const Layer& layer, Phase phase) {
  const Scheme own = scheme.of(layer);
  const std::optional<PhaseSparsity>& sparsity = own.rule(phase).sparsity;
  const bool is_left_dense = !own.rule(phase).dense_because.empty();
  if (is_left_dense && sparsity && sparsity->tensor != Tensor::weight) return false;
  return sparsity && !sparsity->pattern.is_dense() && touches(own, layer, phase) &&
         illegal(layer, phase, *sparsity).empty();
}

const Layer* reader_of_pruned_scores(const Network& network, const Scheme& scheme,
                                     const Layer& layer, Phase phase) {
  const bool is_forward = phase == Phase::forward;
  const Layer& last = is_forward ? network.layers.back() : network.layers.front();
  const bool is_writer = layer.kind == LayerKind::bmm && layer.is_scores() == is_forward;
  if (!is_writer || phase == Phase::wgrad || &layer == &last) return nullptr;
  const Layer& reader = *(is_forward ? &layer + 1 : &layer - 1);
  const bool is_pruned = reader.kind == LayerKind::bmm && prunes(scheme, reader, phase);
  return is_pruned && scheme.of(reader).rule(phase).sparsity->fused ? &reader : nullptr;
}

std::int64_t dense_channels(double dense_share, std::int64_t channels) {
  constexpr std::int64_t kAligned = 16;
  const double wanted = std::ceil(dense_share * static_cast<double>(channels));
  return std::min(channels, ceil_div(static_cast<std::int64_t>(wanted), kAligned) * kAligned);
}

SparsityRequest request_for(const Scheme& scheme, const Layer& layer, Phase phase) {
  SparsityRequest request;
  const Scheme own = scheme.of(layer);
  const PhaseRule& rule = own.rule(phase);
  const bool touched = touches(own, layer, phase);
  if (touched) request.dtype = rule.dtype;
  const std::optional<PhaseSparsity>& sparsity = rule.sparsity;
  if (sparsity && !sparsity->pattern.is_dense()) {
    if (touched) {
      ask(request, layer, phase, *sparsity);
      if (!request.pattern.is_dense()) request.dense_because = rule.dense_because;
    } else {
      request.not_asked = NotAsked::left_out;
      request.reason = scheme.name + " does not prune this layer";
    }
  }
  if (touched && rule.output && !rule.output->is_dense() && layer.multiplies_weight()) {
    ask_outputs(request, layer, *rule.output);
  }
  const bool pruned_before = layer.weight_pattern && !layer.weight_pattern->is_dense();
  if (phase == Phase::forward && request.pattern.is_dense() && pruned_before) {
    ask(request, layer, phase, {Tensor::weight, GroupAxis::c_in, *layer.weight_pattern});
  }
  return request;
}

Network for_inference(Network network) {
  for (Layer& layer : network.layers) {
    std::erase(layer.after, StreamOp::dropout);
    std::replace(layer.after.begin(), layer.after.end(), StreamOp::batch_norm, StreamOp::bias);
  }
  return network;
}

Scheme for_inference(Scheme scheme) {
  const auto drop_work = [](LayerRules& rules) {
    std::erase_if(rules.work, [](const SchemeWork& work) { return work.tensor == Tensor::weight; });
  };
  drop_work(scheme);
  for (LayerRules& rules : scheme.others) drop_work(rules);
  scheme.pruned_before = {Tensor::weight};
  scheme.updates_kept = false;
  scheme.share_of_training = 1.0;
  return scheme;
}

}  // namespace stcsim
