#include "sim/explain/explanation.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {
namespace {

/// The kernels that were taken, found by simulating the candidates.
struct Choice {
  ChosenKernel dense;
  ChosenKernel sparse;
};

class Explainer {
 public:
  Explainer(const MachineConfig& machine, const ExplainQuestion& question, std::int64_t jobs)
      : machine_(machine), question_(question), jobs_(jobs) {}

  Explanation explain() {
    choice_ = choice_of(question_.policy, policy_of_dense(question_.policy));
    baseline_ = runs_of(choice_, machine_.clock_mhz, machine_.clock_mhz);
    sustained_ = runs_of(choice_, choice_.dense.clock_mhz, choice_.sparse.clock_mhz);
    result_.problem = question_.problem;
    result_.hardware_pattern = choice_.sparse.kernel.kernel.hardware;
    result_.selector = gates_of_selector();
    result_.dense_kernel =
        kernel_report(machine_, choice_.dense.kernel.kernel, choice_.dense.kernel.launch);
    result_.sparse_kernel =
        kernel_report(machine_, choice_.sparse.kernel.kernel, choice_.sparse.kernel.launch);
    result_.dense_search = choice_.dense.search;
    result_.sparse_search = choice_.sparse.search;
    result_.at_peak = {{at_peak(question_.dense, kDense), machine_.clock_mhz},
                       {at_peak(multiplied(), result_.hardware_pattern), machine_.clock_mhz}};
    plan();
    const std::vector<TimesOfBoth> times = times_of(variants_, jobs_);
    for (std::size_t at = 0; at < times.size(); ++at) take_[at](times[at]);
    std::ranges::stable_sort(result_.counterfactuals, std::greater<>(),
                             [this](const Counterfactual& one) { return rank_of(one); });
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::optional<TransistorRange> gates_of_selector() const {
    constexpr std::int64_t kSynthesisedBytes = 2;
    if (bytes_of(question_.problem.dtype, 1) != kSynthesisedBytes) return std::nullopt;
    return transistors_per_multiplier(machine_.accelerator.sm.operand_selector,
                                      result_.hardware_pattern, shipped_selector_gates());
  }

  [[nodiscard]] Choice choice_of(const KernelPolicy& sparse, const KernelPolicy& dense) const {
    std::vector<KernelQuestion> gemms{{question_.problem, sparse}};
    if (question_.problem != question_.dense) gemms.push_back({question_.dense, dense});
    const auto chosen = choose_kernels(machine_, gemms, question_.conditions, jobs_);
    return {chosen.back(), chosen.front()};
  }

  /// Whether it may be a cause, then what it is worth.
  [[nodiscard]] std::pair<bool, double> rank_of(const Counterfactual& one) const {
    if (!one.free || !result_.may_be_cause(one)) return {false, 0};
    return {true, result_.worth(*one.free)};
  }

  [[nodiscard]] bool is_slowed() const {
    return std::min(choice_.dense.clock_mhz, choice_.sparse.clock_mhz) < machine_.clock_mhz;
  }

  [[nodiscard]] VariantsOfBoth runs_of(const Choice& choice, double dense_mhz,
                                       double sparse_mhz) const {
    const auto run_of = [&](const ChosenKernel& chosen, const GemmProblem& problem, double mhz) {
      const KernelLaunch& launch = chosen.kernel.launch;
      return Variant{at_clock(machine_, mhz, question_.conditions.launch_us), launch, problem,
                     launch.splits > 1};
    };
    return {run_of(choice.dense, question_.dense, dense_mhz),
            run_of(choice.sparse, question_.problem, sparse_mhz)};
  }

  /// The columns of the sparse GEMM that its kernel does not leave out, or its windows.
  [[nodiscard]] GemmProblem multiplied() const {
    return choice_.sparse.kernel.launch.gathers() ? of_selected_columns(question_.problem)
                                                  : in_windows(machine_, question_.problem);
  }

  [[nodiscard]] std::int64_t at_peak(const GemmProblem& problem, Pattern hardware) const {
    const std::int64_t rate = machine_.accelerator.sm.tensor_core.fma_per_clk(problem.dtype) *
                              machine_.accelerator.sm.sub_cores * machine_.accelerator.num_sms;
    return ceil_div(problem.macs() * hardware.n, rate * hardware.m);
  }

  void plan() {
    add(sustained_, [this](const TimesOfBoth& times) { result_.all = times; });
    if (!question_.is_brief) plan_chain();
    result_.counterfactuals.reserve(relaxations().size() + 4);
    for (const Relaxation& one : relaxations()) {
      const std::size_t at = add_free(one.name, one.what, one.keys, relaxed(one, kFree));
      result_.counterfactuals[at].is_resource = true;
      result_.counterfactuals[at].is_time = one.is_time;
      if (question_.is_brief) continue;
      add(relaxed(one, 2),
          [this, at](const TimesOfBoth& times) { result_.counterfactuals[at].doubled = times; });
    }
    plan_ctas();
    if (is_slowed()) plan_power();
    if (!question_.is_brief) plan_clock();
    if (!question_.is_brief) plan_other_kernels();
  }

  void plan_chain() {
    const auto all = relaxations();
    for (std::size_t real = 1; real <= all.size(); ++real) {
      VariantsOfBoth runs = baseline_;
      for (std::size_t at = real; at < all.size(); ++at) {
        relax(all[at], kFree, runs.dense);
        relax(all[at], kFree, runs.sparse);
      }
      const Relaxation& added = all[real - 1];
      result_.chain.push_back({std::string(added.name), std::string(added.what), {}});
      add(std::move(runs),
          [this, real](const TimesOfBoth& times) { result_.chain[real - 1].times = times; });
    }
    if (!is_slowed()) return;
    result_.chain.push_back({kPower, clock_text(), {}});
    add(sustained_, [this](const TimesOfBoth& times) { result_.chain.back().times = times; });
  }

  /// The cause that keeps the clock below the machine's own.
  [[nodiscard]] const char* clock_text() const {
    return question_.conditions.locked_clock_mhz ? "the locked clock" : "the board's power";
  }

  /// The same at the machine's own clock.
  void plan_power() {
    add_free(kPower, clock_text(),
             fmt::format("a clock of {:.0f} MHz, whatever it draws", machine_.clock_mhz),
             baseline_);
  }

  static void relax(const Relaxation& one, std::int64_t factor, Variant& run) {
    one.machine(run.machine, factor);
    if (one.launch != nullptr) one.launch(run.launch, factor);
  }

  [[nodiscard]] VariantsOfBoth relaxed(const Relaxation& one, std::int64_t factor) const {
    VariantsOfBoth runs = sustained_;
    relax(one, factor, runs.dense);
    relax(one, factor, runs.sparse);
    return runs;
  }

  /// Everything takes its cycles at twice the clock but DRAM, which takes twice as many.
  void plan_clock() {
    VariantsOfBoth runs = sustained_;
    for (Variant* const run : {&runs.dense, &runs.sparse}) {
      DramConfig& dram = run->machine.accelerator.dram;
      dram.bytes_per_clk = std::max<std::int64_t>(dram.bytes_per_clk / 2, 1);
      dram.latency_cycles *= 2;
    }
    const std::size_t at = new_counterfactual(kClock, "the clock", "clock_mhz, DRAM as it is");
    add(std::move(runs), [this, at](const TimesOfBoth& times) {
      result_.counterfactuals[at].doubled =
          TimesOfBoth{{times.dense.cycles, 2 * times.dense.clock_mhz},
                      {times.sparse.cycles, 2 * times.sparse.clock_mhz}};
    });
  }

  /// CTAs for SMs without any, or SMs for the CTAs of a last wave that is not full. The dense GEMM
  /// runs on as many SMs.
  void plan_ctas() {
    VariantsOfBoth more_ctas = sustained_;
    if (cut_k(more_ctas.dense) + cut_k(more_ctas.sparse) > 0) {
      add_free(kTooFewCtas, "SMs without a CTA",
               "the k axis cut until every SM has a CTA, the parts added up for nothing",
               std::move(more_ctas));
    }
    VariantsOfBoth more_sms = sustained_;
    if (fill_last_wave(more_sms.sparse)) {
      const std::int64_t sms = more_sms.sparse.machine.accelerator.num_sms;
      more_sms.dense.machine.accelerator.num_sms = sms;
      add_free(kLastWave, "the last wave of CTAs",
               fmt::format("{} SMs instead of {}, so that it is not needed", sms,
                           machine_.accelerator.num_sms),
               std::move(more_sms));
    }
  }

  /// Returns 1 if that changes the launch.
  static int cut_k(Variant& run) {
    KernelLaunch& launch = run.launch;
    const std::int64_t parts = run.machine.accelerator.num_sms / launch.ctas();
    const std::int64_t splits = std::min(launch.splits * parts, launch.k_steps);
    if (splits <= launch.splits) return 0;
    launch.splits = splits;
    return 1;
  }

  /// Also where all CTAs run at once, but some SMs have one more of them than others.
  /// Returns whether that changes the machine.
  static bool fill_last_wave(Variant& run) {
    std::int64_t& sms = run.machine.accelerator.num_sms;
    const std::int64_t ctas = run.launch.ctas();
    const std::int64_t slots = std::min(run.launch.ctas_per_sm * sms, ctas / sms * sms);
    if (slots == 0 || ctas % slots == 0) return false;
    sms = ceil_div(ctas, slots / sms * (ctas / slots));
    return true;
  }

  void plan_other_kernels() {
    if (question_.policy.kernel == "auto" && question_.policy.stack == kBestStack) return;
    const KernelPolicy best{"auto", {}, kBestStack};
    const Choice others = choice_of(best, best);
    add_free(kOtherKernels, "the choice of kernels", "the fastest of all kernels of the machine",
             runs_of(others, others.dense.clock_mhz, others.sparse.clock_mhz));
  }

  std::size_t new_counterfactual(std::string_view name, std::string_view what,
                                 std::string_view change) {
    result_.counterfactuals.push_back(
        {std::string(name), std::string(what), std::string(change), false, false, {}, {}});
    return result_.counterfactuals.size() - 1;
  }

  /// Adds one whose variants cost nothing.
  std::size_t add_free(std::string_view name, std::string_view what, std::string_view change,
                       VariantsOfBoth runs) {
    const std::size_t at = new_counterfactual(name, what, change);
    add(std::move(runs),
        [this, at](const TimesOfBoth& times) { result_.counterfactuals[at].free = times; });
    return at;
  }

  void add(VariantsOfBoth runs, std::function<void(const TimesOfBoth&)> take) {
    variants_.push_back(std::move(runs));
    take_.push_back(std::move(take));
  }

  const MachineConfig& machine_;
  const ExplainQuestion& question_;
  std::int64_t jobs_;
  Choice choice_;
  VariantsOfBoth baseline_;   // at the machine's clock
  VariantsOfBoth sustained_;  // at the clocks that power allows
  std::vector<VariantsOfBoth> variants_;
  std::vector<std::function<void(const TimesOfBoth&)>> take_;  // what becomes of their times
  Explanation result_;
};

}  // namespace

const Counterfactual* Explanation::best_of(std::optional<TimesOfBoth> Counterfactual::*how,
                                           double least) const {
  const Counterfactual* best = nullptr;
  for (const Counterfactual& one : counterfactuals) {
    if (!(one.*how) || !may_be_cause(one)) continue;
    if (best == nullptr || worth(*(one.*how)) > worth(*(best->*how))) best = &one;
  }
  return best != nullptr && worth(*(best->*how)) >= least ? best : nullptr;
}

Explanation explain(const MachineConfig& machine, const ExplainQuestion& question,
                    std::int64_t jobs) {
  return Explainer(machine, question, jobs).explain();
}

}  // namespace stcsim
