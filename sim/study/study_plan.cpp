#include "sim/study/study_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/study/scheme_gemms.hpp"
#include "workloads/inference.hpp"
#include "workloads/lowering.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {
namespace {

/// Numbers points in order of first use.
class PointTable {
 public:
  std::int64_t index_of(const StudyPoint& point) {
    const auto [entry, is_new] = indices_.try_emplace(point, points_.size());
    if (is_new) points_.push_back(point);
    return entry->second;
  }
  std::vector<StudyPoint> take() { return std::move(points_); }

 private:
  std::map<StudyPoint, std::int64_t> indices_;
  std::vector<StudyPoint> points_;
};

class Planner {
 public:
  Planner(const Experiment& experiment, const MachineSpec& machine)
      : experiment_(experiment), machine_(machine) {}

  MachinePlan plan() {
    for (const Network& network : experiment_.networks) {
      phases_ = experiment_.phases;
      for (const Scheme& scheme : experiment_.schemes) plan_scheme(network, scheme);
      if (experiment_.inference) plan_inference(for_inference(network));
    }
    return {&machine_, points_.take(), std::move(rows_)};
  }

 private:
  void plan_inference(const Network& network) {
    is_inference_ = true;
    phases_ = {Phase::forward};
    for (const Scheme& scheme : experiment_.schemes) plan_scheme(network, for_inference(scheme));
    is_inference_ = false;
  }

  void plan_scheme(const Network& network, const Scheme& scheme) {
    for (const Layer& layer : network.layers) {
      for (const Phase phase : phases_) plan_gemms(network, scheme, layer, phase);
      if (experiment_.stream_kernels) plan_streams(network, scheme, layer);
      if (experiment_.scheme_work) plan_scheme_work(network, scheme, layer);
    }
    if (experiment_.stream_kernels && has_backward()) {
      for (const StreamKernel& kernel : optimizer_kernels(network, experiment_.framework)) {
        add_stream(network, scheme, "optimizer", 1, kernel);
        rows_.back().row.phase = kOptimizerPhase;
        rows_.back().row.every = network.accumulation;
      }
    }
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
    row.dtype = to_string(experiment_.dtype);
    return row;
  }

  void plan_gemms(const Network& network, const Scheme& scheme, const Layer& layer, Phase phase) {
    const SchemeGemms gemms =
        scheme_gemms(machine_, scheme, layer, phase, network.batch, experiment_.dtype);
    if (gemms.gemms.empty()) return;
    PlannedRow planned;
    planned.row = new_row(network, scheme, layer.name, layer.repeat);
    planned.row.phase = is_inference_ ? kInferenceName : to_string(phase);
    planned.row.dtype = to_string(gemms.gemms.front().dtype);
    planned.row.reason = gemms.reason;
    planned.share_of_training = scheme.share_of_training;
    planned.row.gemm_count = static_cast<std::int64_t>(gemms.gemms.size());
    planned.gemms = gemms.gemms;
    planned.dense_gemms = gemms.dense;
    describe_sparsity(planned.row, gemms);
    const bool is_sparse = !gemms.support.patterns.empty();
    planned.may_run_dense = is_sparse && gemms.gemms.front().dtype == experiment_.dtype &&
                            may_run_dense(machine_.config, policy_of(experiment_));
    for (const GemmProblem& dense : gemms.dense) {
      planned.dense_points.push_back(gemm_point(dense, ""));
    }
    for (const GemmProblem& gemm : gemms.gemms) {
      planned.points.push_back(gemm_point(gemm, gemms.request.prune));
      planned.macs.push_back(gemm.macs());
    }
    rows_.push_back(std::move(planned));
  }

  std::int64_t gemm_point(const GemmProblem& gemm, const std::string& prune) {
    StudyPoint point;
    point.gemm = gemm;
    point.with_values = experiment_.functional;
    if (point.with_values && !gemm.a_pattern.is_dense()) point.prune = prune;
    return points_.index_of(point);
  }

  static void describe_sparsity(ResultRow& row, const SchemeGemms& gemms) {
    if (gemms.request.pattern.is_dense()) return;
    row.pattern = gemms.request.pattern.to_string();
    row.sparse_operand = to_string(gemms.request.tensor);
    row.ran_sparse = !gemms.support.patterns.empty();
    row.hardware_pattern = gemms.support.hardware().to_string();
  }

  void plan_streams(const Network& network, const Scheme& scheme, const Layer& layer) {
    const Framework& framework = experiment_.framework;
    const DataType dtype = experiment_.dtype;
    std::vector<StreamKernel> kernels = stream_kernels(layer, network.batch, dtype, framework);
    if (!is_inference_) {
      const std::vector<StreamKernel> weights = weight_kernels(layer, dtype, framework);
      kernels.insert(kernels.end(), weights.begin(), weights.end());
    }
    for (const StreamKernel& kernel : kernels) {
      if (kernel.backward ? has_backward() : has(Phase::forward)) {
        add_stream(network, scheme, layer.name, layer.repeat, kernel);
      }
    }
  }

  /// Rows that only the scheme has: nothing stands against them in the dense step.
  void plan_scheme_work(const Network& network, const Scheme& scheme, const Layer& layer) {
    for (const Phase phase : phases_) {
      for (const SchemeKernel& work : scheme_kernels(scheme, layer, phase, network.batch)) {
        const std::optional<DataType> dtype = scheme.rule(phase).dtype;
        if (work.casts && dtype && !machine_.config.supports(*dtype)) continue;
        add_stream(network, scheme, layer.name, layer.repeat, work.kernel);
        PlannedRow& planned = rows_.back();
        planned.dense_points.clear();
        planned.share_of_training = scheme.share_of_training;
        planned.row.scheme_work = true;
        planned.row.every = work.every;
      }
    }
  }

  void add_stream(const Network& network, const Scheme& scheme, const std::string& layer,
                  std::int64_t repeat, const StreamKernel& kernel) {
    PlannedRow planned;
    planned.row = new_row(network, scheme, layer, repeat * kernel.launches);
    planned.row.phase = is_inference_ ? kInferenceName : kOtherPhase;
    planned.row.op = kernel.name;
    planned.row.kind = to_string(kernel.kind);
    StudyPoint point;
    point.is_gemm = false;
    point.stream = kernel.work;
    planned.points = {points_.index_of(point)};
    planned.dense_points = planned.points;
    rows_.push_back(std::move(planned));
  }

  const Experiment& experiment_;
  const MachineSpec& machine_;
  /// What is being planned: these phases of the training step, or the pass after training.
  std::vector<Phase> phases_;
  bool is_inference_ = false;
  PointTable points_;
  std::vector<PlannedRow> rows_;
};

}  // namespace

double estimated_work(const StudyPoint& point) {
  constexpr double kMacsPerEvent = 20000.0;
  constexpr double kBytesPerEvent = 2000.0;
  constexpr double kLeast = 5000.0;
  constexpr double kMacsPerEventWithValues = 300.0;
  if (point.with_values) {
    return kLeast + static_cast<double>(point.gemm.macs()) / kMacsPerEventWithValues;
  }
  if (point.is_gemm) return kLeast + static_cast<double>(point.gemm.macs()) / kMacsPerEvent;
  return kLeast +
         static_cast<double>(point.stream.read_bytes + point.stream.write_bytes) / kBytesPerEvent;
}

KernelPolicy policy_of(const Experiment& experiment) {
  return {experiment.kernel, experiment.kernel_candidates, experiment.stack};
}

MachinePlan plan_machine(const Experiment& experiment, const MachineSpec& machine) {
  return Planner(experiment, machine).plan();
}

}  // namespace stcsim
