#include "sim/study/study_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/study/point_table.hpp"
#include "workloads/lowering.hpp"
#include "workloads/pruning_kernels.hpp"
#include "workloads/scheme.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {
namespace {

class Planner {
 public:
  /// @param choices  must outlive it
  Planner(const Experiment& experiment, const MachineSpec& machine, const DenseChoices& choices)
      : experiment_(experiment), machine_(machine), choices_(choices) {}

  void add(const Network& network) {
    for_each_scheme(network, [this](const Network& of_pass, const Scheme& scheme) {
      plan_scheme(of_pass, scheme);
    });
  }
  /// Adds the points that layers take with some of their phases left dense, wherever that is to be
  /// decided.
  std::vector<LayerOptions> add_options(const Network& network) {
    std::vector<LayerOptions> layers;
    for_each_scheme(network, [&](const Network& of_pass, const Scheme& scheme) {
      if (scheme.where.value_or(experiment_.where) == SparseWhere::always) return;
      for (const Layer& layer : of_pass.layers) add_options(of_pass, scheme, layer, layers);
    });
    return layers;
  }
  MachinePlan take() { return {&machine_, points_.take(), std::move(rows_)}; }

 private:
  /// Of the training step, then of the pass after training.
  template <class Use>
  void for_each_scheme(const Network& network, const Use& use) {
    phases_ = experiment_.phases;
    is_fused_into_update_ = experiment_.runs_streams_of(network) && has_backward() &&
                            shares_update_of_weights(network, experiment_.framework);
    for (const Scheme& scheme : experiment_.schemes) use(network, scheme);
    if (!experiment_.inference) return;
    const Network after = for_inference(network);
    is_inference_ = true;
    is_fused_into_update_ = false;
    phases_ = {Phase::forward};
    for (const Scheme& scheme : experiment_.schemes) use(after, for_inference(scheme));
    is_inference_ = false;
  }

  void plan_scheme(const Network& network, const Scheme& scheme) {
    SchemeUpdate update;
    scheme_ = &scheme;
    for (const Layer& layer : network.layers) {
      const Scheme here = choices_.apply(scheme, layer, is_inference_);
      SchemeUpdate of_layer = plan_layer(network, here, layer);
      update.kept.merge(of_layer.kept);
      add_times(update.added, of_layer.added, layer.repeat);
    }
    if (experiment_.runs_streams_of(network) && has_backward())
      plan_optimizer(network, scheme, update);
  }

  /// @return what the update of its weights takes beside the dense one, of one repeat
  SchemeUpdate plan_layer(const Network& network, const Scheme& scheme, const Layer& layer) {
    SchemeUpdate update;
    for (const Phase phase : phases_) plan_products(network, scheme, layer, phase);
    const PruningContext context =
        pruning_context(machine_, scheme, layer, phases_, network.batch, experiment_);
    std::vector<SchemeKernel> work = work_of(network, scheme, layer, context);
    const double kept = kept_weights(scheme, context);
    if (kept < 1) update.kept[layer.name] = kept;
    if (experiment_.runs_streams_of(network)) plan_streams(network, scheme, layer, kept, work);
    if (is_fused_into_update_) {
      add_times(update.added, take_part(work, Producer::weights, is_fused()), 1);
      add_times(update.added, take_part(work, Producer::update, is_fused()), 1);
    }
    for (const SchemeKernel& kernel : work) add_scheme_work(network, scheme, layer, kernel);
    return update;
  }

  void add_options(const Network& network, const Scheme& scheme, const Layer& layer,
                   std::vector<LayerOptions>& layers) {
    // Pruned scores stay so: the product that writes them is another layer's.
    if (layer.kind == LayerKind::bmm) return;
    scheme_ = &scheme;
    LayerOptions options{scheme.name, layer.name, is_inference_, {}, {}};
    const Scheme own = scheme.of(layer);
    options.units =
        phase_units(own, sparse_phases(machine_, experiment_, network, own, layer, phases_));
    if (options.units.empty()) return;
    for (std::size_t option = 0; option >> options.units.size() == 0; ++option) {
      const Scheme with = with_dense_units(own, options.units, option);
      options.options.push_back(cost_of_layer(network, with, layer));
    }
    layers.push_back(std::move(options));
  }

  /// What is part of the optimizer's kernels counts as if it were a kernel of its own.
  std::vector<CostTerm> cost_of_layer(const Network& network, const Scheme& scheme,
                                      const Layer& layer) {
    const auto first = static_cast<std::ptrdiff_t>(rows_.size());
    const SchemeUpdate update = plan_layer(network, scheme, layer);
    std::vector<CostTerm> terms;
    for (auto row = rows_.begin() + first; row != rows_.end(); ++row) {
      for (std::size_t at = 0; at < row->points.size(); ++at) {
        terms.push_back({row->points[at], row->may_run_dense ? row->dense_points[at] : -1,
                         row->row.per_step()});
      }
    }
    rows_.erase(rows_.begin() + first, rows_.end());
    if (update.added != StreamWork{}) {
      terms.push_back(
          {points_.index_of(update.added), -1,
           static_cast<double>(layer.repeat) / static_cast<double>(network.accumulation)});
    }
    return terms;
  }

  [[nodiscard]] Pattern kept_of(const Network& network, const Layer& layer, Phase phase) const {
    return kept_scores(machine_, experiment_, network, *scheme_, layer, phase);
  }

  /// Whether one kernel of attention, or what takes its place, has the layer's product.
  [[nodiscard]] bool is_of_attention(const Network& network, const Layer& layer) const {
    const Framework& framework = experiment_.framework;
    return is_in_attention(network, layer, experiment_.dtype, framework) ||
           attention_of(network, layer, experiment_.dtype, framework);
  }

  [[nodiscard]] KernelPolicy policy() const { return policy_of(experiment_, machine_.config); }

  [[nodiscard]] bool is_fused() const {
    return experiment_.pruning_kernels == PruningKernels::fused;
  }

  void plan_optimizer(const Network& network, const Scheme& scheme, const SchemeUpdate& update) {
    for (const UpdateRow& row : update_rows(network, experiment_.framework, update)) {
      add_stream(network, scheme, "optimizer", 1, row.kernel);
      PlannedRow& planned = rows_.back();
      planned.row.phase = RowPhase::optimizer;
      planned.row.every = network.accumulation;
      planned.points = points_of(row.own);
      planned.dense_points = points_of(row.dense);
      if (row.own == row.dense) continue;
      planned.share_of_training = scheme.share_of_training;
      planned.row.fused_work = update.kept.empty();
    }
  }

  template <class Works>
  std::vector<std::int64_t> points_of(const Works& works) {
    std::vector<std::int64_t> points;
    for (const auto& work : works) points.push_back(points_.index_of(work));
    return points;
  }

  [[nodiscard]] bool has(Phase phase) const {
    return std::find(phases_.begin(), phases_.end(), phase) != phases_.end();
  }
  [[nodiscard]] bool has_backward() const { return has(Phase::dgrad) || has(Phase::wgrad); }

  ResultRow new_row(const Network& network, const Scheme& scheme, const std::string& layer,
                    std::int64_t repeat) const {
    ResultRow row;
    row.machine = machine_.name;
    row.network = network.name;
    row.layer = layer;
    row.scheme = scheme.name;
    row.repeat = repeat;
    row.dtype = experiment_.dtype;
    return row;
  }

  PlannedRow new_product(const Network& network, const Scheme& scheme, const Layer& layer,
                         Phase phase) const {
    PlannedRow planned;
    planned.row = new_row(network, scheme, layer.name, layer.repeat);
    planned.row.phase = is_inference_ ? RowPhase::inference : row_phase(phase);
    planned.row.backward = phase != Phase::forward;
    if (experiment_.sampled) planned.row.sampled.emplace();
    planned.share_of_training = scheme.share_of_training;
    return planned;
  }

  /// The products of one repeat of the layer, or the kernel of attention that multiplies.
  void plan_products(const Network& network, const Scheme& scheme, const Layer& layer,
                     Phase phase) {
    const DataType dtype = experiment_.dtype;
    if (experiment_.functional) return plan_gemms(network, scheme, layer, phase);
    if (is_in_attention(network, layer, dtype, experiment_.framework)) return;
    const auto shape = attention_of(network, layer, dtype, experiment_.framework);
    if (!shape) return plan_gemms(network, scheme, layer, phase);
    const Phase backward = has(Phase::dgrad) ? Phase::dgrad : Phase::wgrad;
    if (phase == Phase::forward || phase == backward) {
      plan_attention(network, scheme, layer, phase, *shape);
    }
  }

  void plan_attention(const Network& network, const Scheme& scheme, const Layer& layer, Phase phase,
                      const AttentionShape& shape) {
    const bool is_backward = phase != Phase::forward;
    PlannedRow planned = new_product(network, scheme, layer, phase);
    planned.row.op = "attention";
    const AttentionWorks works =
        attention_works(machine_, experiment_, network, *scheme_, layer,
                        {experiment_.framework.attention, is_backward, shape});
    planned.dense_points = points_of(works.dense);
    planned.points = points_of(works.own);
    planned.row.reason = works.reason;
    // Two products, or their four gradients, of the keys that queries meet.
    const std::int64_t macs =
        shape.batch * shape.heads * shape.queries * layer.keys_met() * shape.head_size;
    planned.macs.push_back((is_backward ? 4 : 2) * macs);
    rows_.push_back(std::move(planned));
  }

  void plan_gemms(const Network& network, const Scheme& scheme, const Layer& layer, Phase phase) {
    SchemeGemms gemms =
        scheme_gemms(machine_, scheme, layer, phase, network.batch, experiment_.dtype, policy());
    if (gemms.gemms.empty()) return;
    if (const Pattern kept = kept_of(network, layer, phase); !kept.is_dense()) {
      gemms.gemms.front().c_pattern = kept;
      add_reason(gemms.reason, "the epilogue prunes the scores");
    }
    const bool is_packed = !gemms.support.patterns.empty();
    if (is_packed && meets_transposed(experiment_.framework, network, scheme, layer, phase)) {
      for (GemmProblem& gemm : gemms.gemms) gemm.b_layout = OperandLayout::mn_major;
    }
    PlannedRow planned = new_product(network, scheme, layer, phase);
    planned.row.dtype = gemms.gemms.front().dtype;
    planned.row.reason = gemms.reason;
    planned.row.not_asked = gemms.request.not_asked;
    planned.row.gemm_count = static_cast<std::int64_t>(gemms.gemms.size());
    planned.gemms = gemms.gemms;
    planned.dense_gemms = gemms.dense;
    describe_sparsity(gemms, planned.row);
    const bool is_sparse = !gemms.support.patterns.empty();
    // Products without a dense one of the same size have none in their place.
    const bool is_split = gemms.gemms.size() != gemms.dense.size();
    planned.may_run_dense = is_sparse && !is_split && layer.kind != LayerKind::bmm &&
                            gemms.gemms.front().dtype == experiment_.dtype &&
                            may_run_dense(machine_.config, policy());
    for (const GemmProblem& dense : gemms.dense) {
      planned.dense_points.push_back(gemm_point(dense, ""));
    }
    for (const GemmProblem& gemm : gemms.gemms) {
      planned.points.push_back(gemm_point(gemm, gemms.request.prune));
      planned.macs.push_back(gemm.macs());
    }
    rows_.push_back(std::move(planned));
    add_wave_kernels(network, scheme, layer, phase);
  }

  /// Of the product whose row is the last.
  void add_wave_kernels(const Network& network, const Scheme& scheme, const Layer& layer,
                        Phase phase) {
    if (!experiment_.runs_streams_of(network)) return;
    const std::vector<std::int64_t> product = rows_.back().dense_points;
    for (const StreamKernel& kernel :
         wave_kernels(layer, phase, network.batch, experiment_.dtype, experiment_.framework)) {
      add_stream(network, scheme, layer.name, layer.repeat, kernel);
      rows_.back().waves_of = product;
    }
  }

  std::int64_t gemm_point(const GemmProblem& gemm, const std::string& prune) {
    GemmWork work{gemm, experiment_.functional};
    if (work.with_values && !gemm.a_pattern.is_dense()) work.prune = prune;
    return points_.index_of(work);
  }

  /// @param kept  share of its weights that are there
  /// @param work  what the scheme does itself; kernels that are part of others are taken away
  void plan_streams(const Network& network, const Scheme& scheme, const Layer& layer, double kept,
                    std::vector<SchemeKernel>& work) {
    const Framework& framework = experiment_.framework;
    const DataType dtype = experiment_.dtype;
    const Pattern scores = kept_of(network, layer, Phase::forward);
    const bool keeps_gradients =
        !scores.is_dense() && !kept_of(network, *(&layer + 1), Phase::dgrad).is_dense();
    const Layer kept_layer = with_kept_scores(layer, scores);
    const auto shorter = operation_kernels(kept_layer, network.batch, dtype, framework);
    for (const StreamKernel& kernel : stream_kernels(layer, network.batch, dtype, framework)) {
      const auto own = std::ranges::find(shorter, kernel.name, &StreamKernel::name);
      const bool is_shorter = own != shorter.end() && (!kernel.backward || keeps_gradients);
      plan_stream(network, scheme, layer, kernel, is_shorter ? own->work : kernel.work, work);
    }
    if (is_inference_) return;
    const auto dense = weight_kernels(layer, dtype, framework);
    const auto own = weight_kernels(layer, dtype, framework, kept);
    for (std::size_t at = 0; at < dense.size(); ++at) {
      plan_stream(network, scheme, layer, dense[at], own.at(at).work, work);
    }
  }

  /// @param own  what of the dense step's kernel is left with the scheme
  void plan_stream(const Network& network, const Scheme& scheme, const Layer& layer,
                   const StreamKernel& kernel, StreamWork own, std::vector<SchemeKernel>& work) {
    if (kernel.backward ? !has_backward() : !has(Phase::forward)) return;
    StreamWork added;
    if (kernel.writes) {
      const bool is_weight = *kernel.writes == Tensor::weight;
      added =
          take_part(work, is_weight ? Producer::weights : Producer::output_gradient, is_fused());
    }
    add_times(own, added, 1);
    add_stream(network, scheme, layer.name, layer.repeat, kernel);
    if (own == kernel.work) return;
    PlannedRow& planned = rows_.back();
    planned.points = {points_.index_of(own)};
    planned.share_of_training = scheme.share_of_training;
    planned.row.fused_work = added != StreamWork{};
  }

  /// What the scheme does itself.
  [[nodiscard]] std::vector<SchemeKernel> work_of(const Network& network, const Scheme& scheme,
                                                  const Layer& layer,
                                                  const PruningContext& context) const {
    if (!experiment_.charges_schemes_in(network) || is_of_attention(network, layer)) return {};
    std::vector<SchemeKernel> work = pruning_kernels(scheme, layer, context);
    for (const Phase phase : phases_) {
      const auto more = scheme_kernels(scheme, layer, phase, network.batch);
      work.insert(work.end(), more.begin(), more.end());
      if (!packs_weight(scheme, context, phase) || !experiment_.runs_streams_of(network)) continue;
      for (StreamKernel& kernel :
           packed_kernels(layer, phase, network.batch, experiment_.dtype, experiment_.framework)) {
        work.push_back({.kernel = std::move(kernel)});
      }
    }
    return work;
  }

  /// A row that only the scheme has: nothing stands against it in the dense step.
  void add_scheme_work(const Network& network, const Scheme& scheme, const Layer& layer,
                       const SchemeKernel& work) {
    add_stream(network, scheme, layer.name, layer.repeat, work.kernel);
    PlannedRow& planned = rows_.back();
    planned.dense_points.clear();
    planned.share_of_training = scheme.share_of_training;
    planned.row.scheme_work = true;
    planned.row.every = work.per_update ? work.every * network.accumulation : work.every;
  }

  void add_stream(const Network& network, const Scheme& scheme, const std::string& layer,
                  std::int64_t repeat, const StreamKernel& kernel) {
    PlannedRow planned;
    planned.row = new_row(network, scheme, layer, repeat * kernel.launches);
    planned.row.phase = is_inference_ ? RowPhase::inference : RowPhase::other;
    planned.row.op = kernel.name;
    planned.row.kind = kernel.kind;
    planned.row.backward = kernel.backward;
    planned.points = {points_.index_of(kernel.work)};
    planned.dense_points = planned.points;
    rows_.push_back(std::move(planned));
  }

  const Experiment& experiment_;
  const MachineSpec& machine_;
  const DenseChoices& choices_;
  /// What is being planned: these phases of the training step, or the pass after training.
  std::vector<Phase> phases_;
  bool is_inference_ = false;
  bool is_fused_into_update_ = false;
  const Scheme* scheme_ = nullptr;  // as the experiment has it, for all layers
  PointTable points_;
  std::vector<PlannedRow> rows_;
};

}  // namespace

MachinePlan plan_machine(const Experiment& experiment, const MachineSpec& machine) {
  const DenseChoices none;
  Planner planner(experiment, machine, none);
  for (const Network& network : experiment.networks) planner.add(network);
  return planner.take();
}

MachinePlan plan_network(const Experiment& experiment, const MachineSpec& machine,
                         const Network& network, const DenseChoices& choices) {
  Planner planner(experiment, machine, choices);
  planner.add(network);
  return planner.take();
}

UndecidedPlan plan_undecided(const Experiment& experiment, const MachineSpec& machine,
                             const Network& network) {
  const DenseChoices none;
  Planner planner(experiment, machine, none);
  planner.add(network);
  std::vector<LayerOptions> options = planner.add_options(network);
  return {planner.take(), std::move(options)};
}

}  // namespace stcsim
