#include "sim/study/network_study.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "models/accelerator/accelerator.hpp"
#include "sim/job/job_key.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {
namespace {

/// Of what multiplies; nothing of kernels that stream. Attention multiplies 16 bits.
std::optional<DataType> multiplied_type(const Work& work) {
  if (const auto* const gemm = std::get_if<GemmWork>(&work)) return gemm->problem.dtype;
  if (std::holds_alternative<AttentionWork>(work)) return DataType::bf16;
  return std::nullopt;
}

}  // namespace

const StudyMachine& StudyMachines::at(const MachineSpec& as_built, double clock_mhz,
                                      const KernelPolicy& policy) {
  Built& built = this->built(as_built);
  const std::pair clock(clock_mhz, policy);
  const auto known = built.clocks.find(clock);
  if (known != built.clocks.end()) return known->second;
  MachineSpec spec{as_built.name, at_clock(as_built.config, clock_mhz)};
  JobMachine of_jobs{&built.spec.config, clock_mhz, machine_digests(spec.config, built.statistics)};
  StudyMachine machine{std::move(of_jobs), std::move(spec), policy};
  return built.clocks.try_emplace(clock, std::move(machine)).first->second;
}

StudyMachines::Built& StudyMachines::built(const MachineSpec& spec) {
  const auto known = std::find_if(built_.begin(), built_.end(), [&spec](const Built& other) {
    return other.spec.name == spec.name && other.spec.config == spec.config;
  });
  if (known != built_.end()) return *known;
  Built& built = built_.emplace_back();
  built.spec = spec;
  if (are_results_kept_) built.statistics = statistic_names(spec.config.accelerator);
  return built;
}

PointResults NetworkStudy::results_of(const Asked& asked) const {
  const bool is_free = !experiment_.clock_mhz && as_built_.config.power.surge_share > 0;
  PointResults results;
  for (std::size_t point = 0; point < asked.runs.size(); ++point) {
    const AskedJob* const run = asked.runs[point];
    std::shared_ptr<const GemmRun> answer = run == nullptr ? nullptr : run->answer();
    const std::optional<DataType> multiplies = multiplied_type(asked.points[point]);
    if (is_free && answer != nullptr && multiplies) {
      GemmRun held = *answer;
      hold_back(as_built_.config, *multiplies, machine_->spec.config.clock_mhz, held.result);
      answer = std::make_shared<const GemmRun>(std::move(held));
    }
    results.push_back(std::move(answer));
  }
  return results;
}

NetworkStudy::NetworkStudy(const Experiment& experiment, const MachineSpec& as_built,
                           const Network& network, StudyMachines& machines, double gain_error)
    : experiment_(experiment),
      as_built_(as_built),
      network_(network),
      machines_(machines),
      gain_error_(gain_error) {
  change_clock(experiment.clock_mhz.value_or(as_built.config.clock_mhz));
}

void NetworkStudy::change_clock(double clock_mhz) {
  machine_ = &machines_.at(as_built_, clock_mhz, policy_of(experiment_, as_built_.config));
  auto [plan, options] = plan_undecided(experiment_, machine_->spec, network_);
  std::erase_if(plan.rows, [this](const PlannedRow& planned) {
    return !is_of_dense_pass(experiment_, planned.row);
  });
  plan.rows.shrink_to_fit();
  undecided_ = {std::exchange(plan.points, {}), {}};
  undecided_.runs.assign(undecided_.points.size(), nullptr);
  dense_pass_ = std::move(plan);
  options_ = std::move(options);
}

void NetworkStudy::start(const Ask& ask) {
  const bool may_slow_down = !experiment_.clock_mhz && as_built_.config.power.limit_watts > 0;
  if (may_slow_down && !experiment_.functional) {
    ask_for_dense_pass(ask);
  } else {
    has_asked_for_all_ = true;
    ask_for_all(undecided_, ask);
  }
}

bool NetworkStudy::go_on(const Ask& ask) {
  if (slow_down()) {
    has_asked_for_all_ = experiment_.functional;
    if (experiment_.functional) {
      ask_for_all(undecided_, ask);
    } else {
      ask_for_dense_pass(ask);
    }
    return true;
  }
  if (!has_asked_for_all_) {
    has_asked_for_all_ = true;
    ask_for_all(undecided_, ask);
    return true;
  }
  if (has_chosen_ || !choose()) return false;
  ask_for_all(chosen_, ask);
  return true;
}

bool NetworkStudy::choose() {
  has_chosen_ = true;
  choices_ = choose_dense(options_, results_of(undecided_), gain_error_);
  options_ = {};
  if (choices_.empty()) return false;
  chosen_ = {plan_network(experiment_, machine_->spec, network_, choices_).points, {}};
  chosen_.runs.assign(chosen_.points.size(), nullptr);
  return true;
}

bool NetworkStudy::slow_down() {
  constexpr int kMostTries = 3;
  const bool is_settled = has_asked_for_all_ && !experiment_.functional;
  if (experiment_.clock_mhz || is_settled || clocks_tried_ == kMostTries) return false;
  const std::optional<LaunchResult> dense_pass =
      dense_pass_of(experiment_, dense_pass_, results_of(undecided_));
  if (!dense_pass) return false;
  const MachineConfig& config = as_built_.config;
  const double affordable = sustained_clock_mhz(config, experiment_.dtype, *dense_pass);
  const double clock_mhz = machine_->spec.config.clock_mhz;
  if (std::abs(affordable - clock_mhz) <= config.power.clock_step_mhz) return false;
  ++clocks_tried_;
  change_clock(affordable);
  return true;
}

void NetworkStudy::ask_for_dense_pass(const Ask& ask) {
  for (const PlannedRow& planned : dense_pass_.rows) {
    for (const auto* const points : {&planned.points, &planned.dense_points}) {
      for (const std::int64_t point : *points) {
        ask_for(undecided_, static_cast<std::size_t>(point), ask);
      }
    }
  }
}

void NetworkStudy::ask_for_all(Asked& asked, const Ask& ask) {
  for (std::size_t point = 0; point < asked.points.size(); ++point) ask_for(asked, point, ask);
}

void NetworkStudy::ask_for(Asked& asked, std::size_t point, const Ask& ask) {
  if (asked.runs[point] != nullptr) return;
  asked.runs[point] = ask(machine_->job(asked.points[point]));
  asked_.push_back(asked.runs[point]);
}

NetworkRows NetworkStudy::rows(RowDetail detail) const {
  const MachinePlan plan = plan_network(experiment_, machine_->spec, network_);
  const PointResults results = results_of(undecided_);
  if (choices_.empty()) return network_rows(experiment_, plan, results, detail);
  const NetworkRows always = network_rows(experiment_, plan, results, RowDetail::totals_only);
  const MachinePlan with = plan_network(experiment_, machine_->spec, network_, choices_);
  NetworkRows chosen = network_rows(experiment_, with, results_of(chosen_), detail);
  for (std::size_t at = 0; at < chosen.totals.size(); ++at) {
    chosen.totals[at].always = always.totals.at(at).step;
  }
  return chosen;
}

NetworkStudy::Ahead NetworkStudy::ahead() const {
  Ahead ahead;
  for (std::size_t point = 0; point < undecided_.points.size(); ++point) {
    if (undecided_.runs[point] != nullptr) continue;
    ++ahead.points;
    ahead.work += estimated_work(undecided_.points[point]);
  }
  return ahead;
}

void NetworkStudy::clear() {
  undecided_ = {};
  options_ = {};
  chosen_ = {};
  dense_pass_ = {};
  asked_ = {};
}

}  // namespace stcsim
