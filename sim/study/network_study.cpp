#include "sim/study/network_study.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "sim/run/sustained_clock.hpp"

namespace stcsim {

NetworkStudy::NetworkStudy(const Experiment& experiment, const MachineSpec& as_built,
                           const Network& network, StudyMachines& machines)
    : experiment_(experiment), as_built_(as_built), network_(network), machines_(machines) {
  change_clock(experiment.clock_mhz.value_or(as_built.config.clock_mhz));
}

void NetworkStudy::change_clock(double clock_mhz) {
  machine_ = &machines_.at(as_built_, clock_mhz, policy_of(experiment_, as_built_.config));
  MachinePlan plan = plan_network(experiment_, machine_->spec, network_);
  std::erase_if(plan.rows, [this](const PlannedRow& planned) {
    return !is_of_dense_pass(experiment_, planned.row);
  });
  plan.rows.shrink_to_fit();
  points_ = std::exchange(plan.points, {});
  dense_pass_ = std::move(plan);
  runs_.assign(points_.size(), nullptr);
}

void NetworkStudy::start(const Ask& ask) {
  const bool may_slow_down = !experiment_.clock_mhz && as_built_.config.power.limit_watts > 0;
  if (may_slow_down && !experiment_.functional) {
    ask_for_dense_pass(ask);
  } else {
    ask_for_all(ask);
  }
}

bool NetworkStudy::go_on(const Ask& ask) {
  if (slow_down()) {
    has_asked_for_all_ = false;
    if (experiment_.functional) {
      ask_for_all(ask);
    } else {
      ask_for_dense_pass(ask);
    }
    return true;
  }
  if (has_asked_for_all_) return false;
  ask_for_all(ask);
  return true;
}

bool NetworkStudy::slow_down() {
  constexpr int kMostTries = 3;
  const bool is_settled = has_asked_for_all_ && !experiment_.functional;
  if (experiment_.clock_mhz || is_settled || clocks_tried_ == kMostTries) return false;
  const std::optional<LaunchResult> dense_pass = dense_pass_of(experiment_, dense_pass_, results());
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
      for (const std::int64_t point : *points) ask_for(static_cast<std::size_t>(point), ask);
    }
  }
}

void NetworkStudy::ask_for_all(const Ask& ask) {
  has_asked_for_all_ = true;
  for (std::size_t point = 0; point < points_.size(); ++point) ask_for(point, ask);
}

void NetworkStudy::ask_for(std::size_t point, const Ask& ask) {
  if (runs_[point] != nullptr) return;
  runs_[point] = ask(*machine_, points_[point]);
  asked_.push_back(runs_[point]);
}

PointResults NetworkStudy::results() const {
  PointResults results;
  for (const PointRun* const run : runs_) results.push_back(run == nullptr ? nullptr : run->run());
  return results;
}

NetworkRows NetworkStudy::rows(RowDetail detail) const {
  const MachinePlan plan = plan_network(experiment_, machine_->spec, network_);
  return network_rows(experiment_, plan, results(), detail);
}

NetworkStudy::Ahead NetworkStudy::ahead() const {
  Ahead ahead;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    if (runs_[point] != nullptr) continue;
    ++ahead.points;
    ahead.work += estimated_work(points_[point]);
  }
  return ahead;
}

void NetworkStudy::clear() {
  points_ = {};
  dense_pass_ = {};
  runs_ = {};
  asked_ = {};
}

}  // namespace stcsim
