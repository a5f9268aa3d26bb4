#include "sim/explain/explanation.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "sim/explain/relaxation.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/worker_pool.hpp"

namespace stcsim {
namespace {

/// A launch on a machine; adding up what its slices of k leave takes a launch more.
struct Run {
  MachineConfig machine;
  KernelLaunch launch;
  GemmProblem problem;
  bool reduces = false;
};

std::int64_t cycles_of(MachineRunner& runner, const Run& run) {
  std::int64_t cycles = runner.run(run.launch).cycles.count();
  if (run.reduces) {
    cycles +=
        runner.run(reduction_launch(run.machine, run.problem, run.launch.splits)).cycles.count();
  }
  return cycles;
}

struct RunsOfBoth {
  Run dense;
  Run sparse;
};

CyclesOfBoth simulate(const RunsOfBoth& both) {
  // Of a process, all machines are built before one of them runs.
  MachineRunner sparse(both.sparse.machine);
  std::unique_ptr<MachineRunner> other;
  if (both.dense.machine != both.sparse.machine) {
    other = std::make_unique<MachineRunner>(both.dense.machine);
  }
  MachineRunner& dense = other ? *other : sparse;
  const bool is_one = both.dense.launch == both.sparse.launch && !other;
  const std::int64_t cycles = cycles_of(sparse, both.sparse);
  return {is_one ? cycles : cycles_of(dense, both.dense), cycles};
}

/// Runs `experiment(0)` ... `experiment(count - 1)`, each in a process of its own.
std::vector<CyclesOfBoth> run_all(std::size_t count, std::int64_t jobs,
                                  const std::function<CyclesOfBoth(std::size_t)>& experiment) {
  std::vector<CyclesOfBoth> all(count);
  std::string failure;
  WorkerPoolOptions pool;
  pool.workers = jobs;
  pool.one_job_each = true;
  pool.start_worker = [&] {
    return [&](std::int64_t at) {
      const CyclesOfBoth cycles = experiment(static_cast<std::size_t>(at));
      return fmt::format("{} {}", cycles.dense, cycles.sparse);
    };
  };
  pool.on_result = [&](std::int64_t at, const std::string& text) {
    CyclesOfBoth& cycles = all[static_cast<std::size_t>(at)];
    std::istringstream(text) >> cycles.dense >> cycles.sparse;
  };
  pool.on_failure = [&](std::int64_t, const std::string& why) { failure = why; };
  run_jobs(static_cast<std::int64_t>(count), pool);
  if (!failure.empty()) throw SimulationError(failure);
  return all;
}

/// The kernels that were taken, found by simulating the candidates.
struct Choice {
  KernelCandidate dense;
  KernelCandidate sparse;
};

std::size_t fastest(const MachineConfig& machine, const GemmProblem& problem,
                    const std::vector<KernelCandidate>& candidates) {
  if (candidates.size() == 1) return 0;
  MachineRunner runner(machine);
  std::size_t best = 0;
  std::int64_t least = 0;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const KernelLaunch& launch = candidates[at].launch;
    const std::int64_t cycles = cycles_of(runner, {machine, launch, problem, launch.splits > 1});
    if (at > 0 && cycles >= least) continue;
    best = at;
    least = cycles;
  }
  return best;
}

KernelCandidate choose(const MachineConfig& machine, const GemmProblem& problem,
                       const KernelPolicy& policy) {
  require_runnable(machine, problem);
  const auto candidates = gemm_candidates(machine, problem, policy);
  // In another process: this one has to stay free of simulations. An index travels as cycles.
  const auto best = run_all(1, 1, [&](std::size_t) {
    const auto at = static_cast<std::int64_t>(fastest(machine, problem, candidates));
    return CyclesOfBoth{at, at};
  });
  return candidates[static_cast<std::size_t>(best.front().sparse)];
}

class Explainer {
 public:
  Explainer(const MachineConfig& machine, const ExplainQuestion& question, std::int64_t jobs)
      : machine_(machine), question_(question), jobs_(jobs) {}

  Explanation explain() {
    choose_kernels();
    result_.problem = question_.problem;
    result_.hardware_pattern = choice_.sparse.kernel.hardware;
    result_.dense_kernel = kernel_report(machine_, choice_.dense.kernel, choice_.dense.launch);
    result_.sparse_kernel = kernel_report(machine_, choice_.sparse.kernel, choice_.sparse.launch);
    result_.at_peak = {at_peak(question_.dense, kDense),
                       at_peak(question_.problem, result_.hardware_pattern)};
    plan();
    const auto cycles = run_all(experiments_.size(), jobs_,
                                [&](std::size_t at) { return simulate(experiments_[at].runs); });
    for (std::size_t at = 0; at < cycles.size(); ++at) experiments_[at].take(cycles[at]);
    const auto saves_more = [](const Counterfactual& one, const Counterfactual& other) {
      return one.free.sparse < other.free.sparse;
    };
    std::stable_sort(result_.counterfactuals.begin(), result_.counterfactuals.end(), saves_more);
    return std::move(result_);
  }

 private:
  struct Experiment {
    RunsOfBoth runs;
    std::function<void(const CyclesOfBoth&)> take;
  };

  void choose_kernels() {
    choice_.sparse = choose(machine_, question_.problem, question_.policy);
    choice_.dense = question_.problem == question_.dense
                        ? choice_.sparse
                        : choose(machine_, question_.dense, policy_of_dense());
    baseline_ = {run_of(choice_.dense, question_.dense), run_of(choice_.sparse, question_.problem)};
  }

  /// A kernel that is named is the sparse GEMM's.
  [[nodiscard]] KernelPolicy policy_of_dense() const {
    if (question_.policy.kernel == "auto") return question_.policy;
    return {"auto", question_.policy.candidates, ""};
  }

  [[nodiscard]] Run run_of(const KernelCandidate& candidate, const GemmProblem& problem) const {
    return {machine_, candidate.launch, problem, candidate.launch.splits > 1};
  }

  [[nodiscard]] std::int64_t at_peak(const GemmProblem& problem, Pattern hardware) const {
    const std::int64_t rate = machine_.accelerator.sm.tensor_core.fma_per_clk(problem.dtype) *
                              machine_.accelerator.sm.sub_cores * machine_.accelerator.num_sms;
    return ceil_div(problem.macs() * hardware.n, rate * hardware.m);
  }

  void plan() {
    add(baseline_, [this](const CyclesOfBoth& cycles) { result_.cycles = cycles; });
    if (!question_.is_brief) plan_chain();
    result_.counterfactuals.reserve(relaxations().size() + 3);
    for (const Relaxation& one : relaxations()) {
      const std::size_t at = new_counterfactual(one.name, one.what, one.keys);
      result_.counterfactuals[at].is_time = one.is_time;
      add(relaxed(one, kFree),
          [this, at](const CyclesOfBoth& cycles) { result_.counterfactuals[at].free = cycles; });
      if (question_.is_brief) continue;
      add(relaxed(one, 2),
          [this, at](const CyclesOfBoth& cycles) { result_.counterfactuals[at].doubled = cycles; });
    }
    plan_ctas();
    if (!question_.is_brief) plan_other_kernels();
  }

  void plan_chain() {
    const auto all = relaxations();
    for (std::size_t real = 1; real <= all.size(); ++real) {
      RunsOfBoth runs = baseline_;
      for (std::size_t at = real; at < all.size(); ++at) {
        relax(all[at], kFree, runs.dense);
        relax(all[at], kFree, runs.sparse);
      }
      const Relaxation& added = all[real - 1];
      result_.chain.push_back({std::string(added.name), std::string(added.what), {}});
      add(std::move(runs),
          [this, real](const CyclesOfBoth& cycles) { result_.chain[real - 1].cycles = cycles; });
    }
  }

  static void relax(const Relaxation& one, std::int64_t factor, Run& run) {
    one.machine(run.machine, factor);
    if (one.launch != nullptr) one.launch(run.launch, factor);
  }

  [[nodiscard]] RunsOfBoth relaxed(const Relaxation& one, std::int64_t factor) const {
    RunsOfBoth runs = baseline_;
    relax(one, factor, runs.dense);
    relax(one, factor, runs.sparse);
    return runs;
  }

  /// CTAs for SMs without any, or SMs for the CTAs of a last wave that is not full.
  void plan_ctas() {
    RunsOfBoth more_ctas = baseline_;
    if (cut_k(more_ctas.dense) + cut_k(more_ctas.sparse) > 0) {
      const std::size_t at = new_counterfactual(
          kTooFewCtas, "SMs without a CTA",
          "the k axis cut until every SM has a CTA, the parts added up for nothing");
      add(std::move(more_ctas),
          [this, at](const CyclesOfBoth& cycles) { result_.counterfactuals[at].free = cycles; });
    }
    RunsOfBoth more_sms = baseline_;
    if (fill_last_wave(more_sms.dense) + fill_last_wave(more_sms.sparse) > 0) {
      const std::size_t at = new_counterfactual(
          kLastWave, "the last wave of CTAs",
          fmt::format("{} SMs instead of {}, so that it is not needed",
                      more_sms.sparse.machine.accelerator.num_sms, machine_.accelerator.num_sms));
      add(std::move(more_sms),
          [this, at](const CyclesOfBoth& cycles) { result_.counterfactuals[at].free = cycles; });
    }
  }

  /// Returns 1 if that changes the launch.
  static int cut_k(Run& run) {
    KernelLaunch& launch = run.launch;
    const std::int64_t parts = run.machine.accelerator.num_sms / launch.ctas();
    const std::int64_t splits = std::min(launch.splits * parts, launch.k_steps);
    if (splits <= launch.splits) return 0;
    launch.splits = splits;
    return 1;
  }

  /// Also where all CTAs run at once, but some SMs have one more of them than others.
  static int fill_last_wave(Run& run) {
    std::int64_t& sms = run.machine.accelerator.num_sms;
    const std::int64_t ctas = run.launch.ctas();
    const std::int64_t slots = std::min(run.launch.ctas_per_sm * sms, ctas / sms * sms);
    if (slots == 0 || ctas % slots == 0) return 0;
    sms = ceil_div(ctas, slots / sms * (ctas / slots));
    return 1;
  }

  void plan_other_kernels() {
    if (question_.policy.kernel == "auto" && question_.policy.stack == kBestStack) return;
    const KernelPolicy best{"auto", {}, kBestStack};
    const RunsOfBoth runs{run_of(choose(machine_, question_.dense, best), question_.dense),
                          run_of(choose(machine_, question_.problem, best), question_.problem)};
    const std::size_t at = new_counterfactual(kOtherKernels, "the choice of kernels",
                                              "the fastest of all kernels of the machine");
    add(runs,
        [this, at](const CyclesOfBoth& cycles) { result_.counterfactuals[at].free = cycles; });
  }

  std::size_t new_counterfactual(std::string_view name, std::string_view what,
                                 std::string_view change) {
    result_.counterfactuals.push_back(
        {std::string(name), std::string(what), std::string(change), false, {}, {}});
    return result_.counterfactuals.size() - 1;
  }

  void add(RunsOfBoth runs, std::function<void(const CyclesOfBoth&)> take) {
    experiments_.push_back({std::move(runs), std::move(take)});
  }

  const MachineConfig& machine_;
  const ExplainQuestion& question_;
  std::int64_t jobs_;
  Choice choice_;
  RunsOfBoth baseline_;
  std::vector<Experiment> experiments_;
  Explanation result_;
};

}  // namespace

Explanation explain(const MachineConfig& machine, const ExplainQuestion& question,
                    std::int64_t jobs) {
  return Explainer(machine, question, jobs).explain();
}

}  // namespace stcsim
