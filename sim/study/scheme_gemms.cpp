#include "sim/study/scheme_gemms.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "sim/study/study_plan.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// The type the scheme wants for these GEMMs, if the machine multiplies it.
DataType dtype_for(const MachineSpec& machine, SchemeGemms& gemms, DataType dtype) {
  const std::optional<DataType> wanted = gemms.request.dtype;
  if (!wanted) return dtype;
  if (machine.config.supports(*wanted)) return *wanted;
  add_reason(gemms.reason, fmt::format("{} does not multiply {}, ran in {}", machine.name,
                                       to_string(*wanted), to_string(dtype)));
  return dtype;
}

/// Cuts off rows of the sparse operand that stay dense: a product of their own.
void split_dense_rows(double share, std::vector<GemmProblem>& gemms) {
  if (share <= 0 || gemms.size() != 1) return;
  GemmProblem& sparse = gemms.front();
  const std::int64_t rows = dense_channels(share, sparse.m);
  if (rows == sparse.m) {
    sparse.a_pattern = kDense;
    return;
  }
  GemmProblem dense = sparse;
  dense.m = rows;
  dense.a_pattern = kDense;
  sparse.m -= rows;
  gemms.push_back(dense);
}

bool multiplies_packed(const Scheme& scheme, const Layer& layer, Phase phase) {
  const SparsityRequest request = request_for(scheme, layer, phase);
  return !request.pattern.of_a().is_dense() && request.tensor == Tensor::weight &&
         request.dense_because.empty();
}

/// Cycles of one repeat: as they are, and with sparse products as if their gains were too large.
struct OptionCycles {
  double plain = 0;
  double weighed = 0;
};

std::optional<OptionCycles> cycles_of(const std::vector<CostTerm>& terms,
                                      const PointResults& results, double gain_error) {
  OptionCycles sum;
  for (const CostTerm& term : terms) {
    const GemmRun* run = results[static_cast<std::size_t>(term.point)].get();
    if (run == nullptr) return std::nullopt;
    if (term.dense_point >= 0) {
      const GemmRun* const dense = results[static_cast<std::size_t>(term.dense_point)].get();
      if (dense == nullptr) return std::nullopt;
      if (dense->result.cycles < run->result.cycles) run = dense;
    }
    const double cycles = term.times * static_cast<double>(run->result.cycles);
    sum.plain += cycles;
    sum.weighed += cycles * (run->hardware_pattern.is_dense() ? 1.0 : 1.0 + gain_error);
  }
  return sum;
}

bool is_left_dense(std::size_t option, std::size_t unit) {
  return (option >> unit) % 2 == 1;
}

/// @param gain  what the layer would gain if the unit were sparse
std::string reason_of(double gain, double gain_error) {
  if (gain <= 1) return "left dense, where that is faster with pruning paid for";
  return fmt::format("left dense: gains less than gains are off ({})", format_percent(gain_error));
}

/// Adds the choice for a layer, unless all of it runs sparse.
void choose(const LayerOptions& layer, const PointResults& results, double gain_error,
            DenseChoices& choices) {
  std::vector<OptionCycles> cycles;
  for (const auto& option : layer.options) {
    const auto one = cycles_of(option, results, gain_error);
    if (!one) return;
    cycles.push_back(*one);
  }
  const auto best = std::ranges::min_element(
      cycles, [](const auto& one, const auto& other) { return one.weighed < other.weighed; });
  const auto chosen = static_cast<std::size_t>(best - cycles.begin());
  if (chosen == 0) return;
  DenseChoices::Reasons reasons;
  for (std::size_t unit = 0; unit < layer.units.size(); ++unit) {
    if (!is_left_dense(chosen, unit)) continue;
    const OptionCycles& sparse = cycles[chosen - (std::size_t{1} << unit)];
    const std::string reason = reason_of(best->plain / sparse.plain, gain_error);
    for (const Phase phase : layer.units[unit]) {
      reasons.at(static_cast<std::size_t>(phase)) = reason;
    }
  }
  choices.set(layer.scheme, layer.layer, layer.is_inference, std::move(reasons));
}

}  // namespace

void add_reason(std::string& reasons, const std::string& reason) {
  if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
}

SchemeGemms scheme_gemms(const MachineSpec& machine, const Scheme& scheme, const Layer& layer,
                         Phase phase, std::int64_t batch, DataType dtype,
                         const KernelPolicy& policy) {
  SchemeGemms gemms;
  gemms.dense = lower(layer, phase, batch);
  if (gemms.dense.empty()) return gemms;
  gemms.request = request_for(scheme, layer, phase);
  add_reason(gemms.reason, gemms.request.reason);
  const DataType own = dtype_for(machine, gemms, dtype);
  GemmProblem asked =
      gemms.request.on_right ? transposed(gemms.dense.front()) : gemms.dense.front();
  asked.dtype = own;
  asked.a_pattern = gemms.request.pattern;
  gemms.support = sparsity_support(machine.config, asked, policy);
  gemms.storable =
      gemms.support.is_in_windows(asked.a_pattern) ? asked.a_pattern : gemms.support.hardware();
  const std::string& dense_because = gemms.request.dense_because;
  if (!dense_because.empty() && !gemms.storable.is_dense()) gemms.support = {{}, dense_because};
  const bool is_sparse = !gemms.support.patterns.empty();
  for (GemmProblem& dense : gemms.dense) {
    dense.dtype = dtype;
    GemmProblem gemm = is_sparse && gemms.request.on_right ? transposed(dense) : dense;
    gemm.dtype = own;
    if (is_sparse) {
      gemm.a_pattern = gemms.request.pattern;
      if (!gemm.a_pattern.of_outputs) gemm.a_layout = OperandLayout::k_major;
    }
    gemms.gemms.push_back(gemm);
  }
  if (is_sparse) split_dense_rows(gemms.request.dense_share, gemms.gemms);
  const bool asks = !gemms.request.pattern.is_dense();
  if (asks && !is_sparse) add_reason(gemms.reason, gemms.support.reason);
  return gemms;
}

void describe_sparsity(const SchemeGemms& gemms, ResultRow& row) {
  if (gemms.request.pattern.is_dense()) return;
  row.pattern = gemms.request.pattern;
  row.sparse_operand = gemms.request.tensor;
  row.ran_sparse = !gemms.support.patterns.empty();
  row.hardware_pattern = gemms.support.hardware();
}

Pattern kept_scores(const MachineSpec& machine, const Experiment& experiment,
                    const Network& network, const Scheme& scheme, const Layer& layer, Phase phase) {
  const Layer* const reader = reader_of_pruned_scores(network, scheme, layer, phase);
  if (reader == nullptr) return kDense;
  return scheme_gemms(machine, scheme, *reader, phase, network.batch, experiment.dtype,
                      policy_of(experiment, machine.config))
      .support.hardware();
}

namespace {

/// Of scores that are pruned and go through memory.
std::vector<Work> pruned_attention(const MachineSpec& machine, const Experiment& experiment,
                                   const Network& network, const Scheme& scheme,
                                   const Layer& scores, bool is_backward) {
  const Layer& values = *(&scores + 1);
  std::vector<Work> works;
  const auto multiply = [&](Layer layer, Phase phase, Pattern kept = kDense) {
    layer.skipped_block = 0;
    const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, network.batch,
                                           experiment.dtype, policy_of(experiment, machine.config));
    for (const GemmProblem& problem : gemms.gemms) {
      works.emplace_back(GemmWork{problem});
      std::get<GemmWork>(works.back()).problem.c_pattern = kept;
    }
  };
  const Phase phase = is_backward ? Phase::dgrad : Phase::forward;
  const Layer& writer = is_backward ? values : scores;
  const Pattern kept = kept_scores(machine, experiment, network, scheme, writer, phase);
  multiply(writer, phase, kept);
  for (const StreamKernel& between :
       packed_kernels(with_kept_scores(scores, kept), phase, network.batch, experiment.dtype,
                      experiment.framework)) {
    works.emplace_back(between.work);
  }
  multiply(is_backward ? scores : values, phase);
  if (!is_backward) return works;
  for (const Layer* const layer : {&values, &scores}) {
    for (const SchemeKernel& own : scheme_kernels(scheme, *layer, Phase::wgrad, network.batch)) {
      works.emplace_back(own.kernel.work);
    }
    multiply(*layer, Phase::wgrad);
  }
  return works;
}

}  // namespace

AttentionWorks attention_works(const MachineSpec& machine, const Experiment& experiment,
                               const Network& network, const Scheme& scheme, const Layer& scores,
                               const AttentionWork& kernel) {
  AttentionWorks works;
  works.dense.emplace_back(kernel);
  for (const StreamWork& beside : beside_attention(kernel)) works.dense.emplace_back(beside);
  works.own = works.dense;
  const auto kept = [&](const Layer& layer, Phase phase) {
    return kept_scores(machine, experiment, network, scheme, layer, phase);
  };
  const Pattern pattern = kept(scores, Phase::forward);
  if (pattern.is_dense()) return works;
  if (kernel.backward && kept(*(&scores + 1), Phase::dgrad).is_dense()) return works;
  if (experiment.framework.prunes_on_chip) {
    std::get<AttentionWork>(works.own.front()).shape.scores = pattern;
    works.reason = "its kernel prunes the scores";
  } else {
    works.own = pruned_attention(machine, experiment, network, scheme, scores, kernel.backward);
    works.reason = "scores are pruned, and in memory";
  }
  return works;
}

bool meets_transposed(const Framework& framework, const Network& network, const Scheme& scheme,
                      const Layer& layer, Phase phase) {
  const auto& bias = framework.operations.after.at(static_cast<std::size_t>(StreamOp::bias));
  if (!bias || bias->packed_forward.empty()) return false;
  const Layer* const before = layer_that_hands_on(network, layer, phase);
  return before != nullptr && multiplies_packed(scheme, layer, phase) &&
         multiplies_packed(scheme, *before, phase);
}

PruningContext pruning_context(const MachineSpec& machine, const Scheme& scheme, const Layer& layer,
                               const std::vector<Phase>& phases, std::int64_t batch,
                               const Experiment& experiment) {
  PruningContext context;
  context.batch = batch;
  context.dtype = experiment.dtype;
  context.kernels = experiment.pruning_kernels;
  const StreamingMultiprocessorConfig& sm = machine.config.accelerator.sm;
  if (const std::int64_t unit = sm.epilogue.compress_elements_per_clk; unit > 0) {
    context.unit_ops = static_cast<double>(sm.sub_cores * sm.vector_lanes_per_sub_core) /
                       static_cast<double>(unit);
  }
  for (const Phase phase : phases) {
    const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, batch, experiment.dtype,
                                           policy_of(experiment, machine.config));
    if (gemms.gemms.empty()) continue;
    const Pattern asked = gemms.request.pattern;
    const bool in_windows = gemms.support.is_in_windows(asked);
    context.uses.at(static_cast<std::size_t>(phase)) = {
        .exists = true,
        .pruned = prunes(scheme, layer, phase),
        .stored = in_windows ? asked : gemms.support.hardware(),
        .kept = gemms.storable,
        .dtype = gemms.gemms.front().dtype,
        .copies = in_windows ? 2.0 * asked.share() : 1};
  }
  return context;
}

Scheme DenseChoices::apply(const Scheme& scheme, const Layer& layer, bool is_inference) const {
  Scheme applied = scheme.of(layer);
  const auto found = reasons_.find({scheme.name, layer.name, is_inference});
  if (found == reasons_.end()) return applied;
  for (const Phase phase : kPhases) {
    const auto at = static_cast<std::size_t>(phase);
    applied.phases.at(at).dense_because = found->second.at(at);
  }
  return applied;
}

std::vector<PhaseUnit> phase_units(const Scheme& scheme, const std::vector<Phase>& sparse) {
  std::vector<PhaseUnit> units;
  for (const Phase phase : sparse) {
    const PhaseSparsity& rule = *scheme.rule(phase).sparsity;
    const auto shares = [&](const PhaseUnit& unit) {
      const PhaseSparsity& first = *scheme.rule(unit.front()).sparsity;
      return rule.cost.one_mask && rule.tensor == first.tensor && rule.prune == first.prune &&
             rule.pattern == first.pattern;
    };
    const auto known = std::ranges::find_if(units, shares);
    if (known == units.end()) {
      units.push_back({phase});
    } else {
      known->push_back(phase);
    }
  }
  return units;
}

std::vector<Phase> sparse_phases(const MachineSpec& machine, const Experiment& experiment,
                                 const Network& network, const Scheme& scheme, const Layer& layer,
                                 const std::vector<Phase>& phases) {
  std::vector<Phase> sparse;
  for (const Phase phase : phases) {
    if (!prunes(scheme, layer, phase)) continue;
    const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, network.batch,
                                           experiment.dtype, policy_of(experiment, machine.config));
    if (!gemms.support.patterns.empty()) sparse.push_back(phase);
  }
  return sparse;
}

Scheme with_dense_units(Scheme scheme, const std::vector<PhaseUnit>& units, std::size_t option) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    if ((option >> unit) % 2 == 0) continue;
    for (const Phase phase : units[unit]) {
      scheme.phases.at(static_cast<std::size_t>(phase)).dense_because = "to be decided";
    }
  }
  return scheme;
}

DenseChoices choose_dense(const std::vector<LayerOptions>& layers, const PointResults& results,
                          double gain_error) {
  DenseChoices choices;
  for (const LayerOptions& layer : layers) choose(layer, results, gain_error, choices);
  return choices;
}

KernelPolicy policy_of(const Experiment& experiment, const MachineConfig& machine) {
  const std::string stack = experiment.stack.empty()
                                ? machine.preferred_stack(experiment.framework.stacks)
                                : experiment.stack;
  return {experiment.kernel, experiment.kernel_candidates, stack, experiment.sampled};
}

}  // namespace stcsim
