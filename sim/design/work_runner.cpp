#include "sim/design/work_runner.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// "machine.accelerator.l2_cache.read_bytes_per_clk 7680, gemm ff1"
std::string text_of(const SweepPoint& point) {
  std::string text;
  for (const auto& [name, label] : point.values) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, label);
  }
  return text;
}

}  // namespace

WorkRunner::WorkRunner(const DesignSpace& space, WorkPart part, std::filesystem::path results,
                       const SweepOptions& options, std::function<void(std::size_t)> on_machines)
    : space_(space),
      part_(part),
      results_(std::move(results)),
      options_(options),
      on_machines_(std::move(on_machines)) {}

std::vector<std::size_t> WorkRunner::known() const {
  std::vector<std::size_t> machines;
  for (const auto& [machine, figures] : known_) machines.push_back(machine);
  return machines;
}

std::vector<SweepPoint> WorkRunner::points_of(std::size_t machine) const {
  std::vector<SweepPoint> points = plan_sweep(space_.with_machine(machine)).points;
  std::erase_if(points, [&](const SweepPoint& point) { return point.kind != kind_of(part_); });
  return points;
}

WorkFigures WorkRunner::read(const std::vector<SweepPoint>& points) const {
  std::vector<nlohmann::ordered_json> figures;
  for (const SweepPoint& point : points) {
    if (const auto stored = store_->find_point(point.key)) {
      figures.push_back(nlohmann::ordered_json::parse(stored->figures));
      continue;
    }
    const auto failure = store_->find_failure(point.key);
    throw SimulationError(
        fmt::format("{}: {}", text_of(point), failure ? failure->message : "was not simulated"));
  }
  return work_figures(points, figures, part_);
}

void WorkRunner::prepare(const std::vector<std::size_t>& machines) {
  std::map<std::size_t, std::vector<SweepPoint>> points;
  SweepPlan plan{space_.space(), {}};
  for (const std::size_t machine : machines) {
    if (known_.count(machine) > 0 || points.count(machine) > 0) continue;
    std::vector<SweepPoint>& own = points[machine];
    own = points_of(machine);
    plan.points.insert(plan.points.end(), own.begin(), own.end());
  }
  if (points.empty()) return;
  if (!store_) store_.emplace(results_, Database::Access::write);
  static_cast<void>(run_sweep(plan, *store_, options_));
  for (const auto& [machine, own] : points) known_.emplace(machine, read(own));
  if (on_machines_) on_machines_(known_.size());
}

const WorkFigures& WorkRunner::of(std::size_t machine) {
  if (const auto known = known_.find(machine); known != known_.end()) return known->second;
  prepare({machine});
  return known_.at(machine);
}

}  // namespace stcsim
