#include "sim/design/work_runner.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr double kMicro = 1e-6;
constexpr std::array<std::string_view, 6> kWorkPartNames{"gemm",    "step",  "gemms",
                                                         "forward", "dgrad", "wgrad"};

/// 0 where it is null: the machine does not say.
double number(const ordered_json& figures, const std::string& key) {
  const auto value = figures.find(key);
  if (value != figures.end() && value->is_null()) return 0;
  if (value != figures.end() && value->is_number()) return value->get<double>();
  throw SimulationError(fmt::format("a point of the sweep has no number '{}'", key));
}

}  // namespace

std::optional<double> WorkFigures::watts() const {
  if (!joules) return std::nullopt;
  return *joules / (time_us * kMicro);
}

PointKind kind_of(WorkPart part) {
  return part == WorkPart::gemm ? PointKind::gemm : PointKind::step;
}

std::string_view to_string(WorkPart part) {
  return kWorkPartNames.at(static_cast<std::size_t>(part));
}

WorkFigures work_figures(const std::vector<SweepPoint>& points,
                         const std::vector<ordered_json>& figures, WorkPart part) {
  const bool is_gemm = part == WorkPart::gemm;
  const bool is_whole = is_gemm || part == WorkPart::step;
  const std::string prefix = is_whole ? "" : fmt::format("{}_", to_string(part));
  WorkFigures sum;
  double joules = 0;
  double dense_joules = 0;
  bool is_energy_known = is_whole;
  std::map<std::string, double> bound_by;
  for (std::size_t at = 0; at < figures.size(); ++at) {
    const auto of = [&](const std::string& key) { return number(figures[at], key); };
    const double repeat = is_gemm ? static_cast<double>(points[at].repeat) : 1;
    const double time = repeat * of(prefix + "time_us");
    const double dense = repeat * of("dense_" + prefix + "time_us");
    const double energy = is_gemm ? of("board_watts") * time * kMicro : of("joules");
    sum.time_us += time;
    sum.dense_time_us += dense;
    joules += energy;
    dense_joules += is_gemm ? of("dense_board_watts") * dense * kMicro : of("dense_joules");
    is_energy_known = is_energy_known && energy > 0;
    if (!is_gemm) continue;
    bound_by[figures[at].at("bound_by").get<std::string>()] += time;
    const std::string reason = figures[at].at("reason").get<std::string>();
    const bool is_new = std::ranges::find(sum.reasons, reason) == sum.reasons.end();
    if (!reason.empty() && is_new) sum.reasons.push_back(reason);
  }
  if (sum.time_us <= 0 || sum.dense_time_us <= 0) {
    throw ConfigError(
        fmt::format("{} takes no time in this space: its 'phases' must have it", to_string(part)));
  }
  if (is_energy_known) sum.joules = joules;
  if (is_energy_known) sum.dense_joules = dense_joules;
  for (const auto& [unit, time] : bound_by) sum.bound_by.emplace_back(unit, time / sum.time_us);
  std::ranges::stable_sort(sum.bound_by, std::greater(), &std::pair<std::string, double>::second);
  return sum;
}

WorkRunner::WorkRunner(const DesignSpace& space, WorkPart part, std::filesystem::path results,
                       const SweepOptions& options, MachinesDone on_machines)
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
  for (const auto& [machine, own] : points) {
    std::vector<ordered_json> figures;
    for (const SweepPoint& point : own) figures.push_back(stored_figures(*store_, point));
    known_.emplace(machine, work_figures(own, figures, part_));
  }
  if (on_machines_) on_machines_(known_.size(), space_.lattice().count());
}

const WorkFigures& WorkRunner::of(std::size_t machine) {
  if (const auto known = known_.find(machine); known != known_.end()) return known->second;
  prepare({machine});
  return known_.at(machine);
}

}  // namespace stcsim
