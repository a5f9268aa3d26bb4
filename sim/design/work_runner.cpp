#include "sim/design/work_runner.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr double kMicro = 1e-6;
constexpr std::array<const char*, 6> kWorkPartNames{"gemm",    "step",  "gemms",
                                                    "forward", "dgrad", "wgrad"};

/// 0 where it is null: the machine does not say.
double number(const ordered_json& figures, const std::string& key) {
  const auto value = figures.find(key);
  if (value != figures.end() && value->is_null()) return 0;
  if (value != figures.end() && value->is_number()) return value->get<double>();
  throw SimulationError(fmt::format("a point of the sweep has no number '{}'", key));
}

/// Adds GEMMs up.
class GemmSum {
 public:
  void add(const SweepPoint& point, const ordered_json& figures) {
    const auto repeat = static_cast<double>(point.repeat);
    const double time = repeat * number(figures, "time_us");
    const double dense = repeat * number(figures, "dense_time_us");
    sum_.time_us += time;
    sum_.dense_time_us += dense;
    const double watts = number(figures, "board_watts");
    has_watts_ = has_watts_ && watts > 0;
    joules_ += watts * time * kMicro;
    dense_joules_ += number(figures, "dense_board_watts") * dense * kMicro;
    bound_by_[figures.at("bound_by").get<std::string>()] += time;
    add_reason(figures.at("reason").get<std::string>());
  }

  WorkFigures sum() {
    if (has_watts_) {
      sum_.joules = joules_;
      sum_.dense_joules = dense_joules_;
    }
    for (const auto& [unit, time] : bound_by_) {
      sum_.bound_by.emplace_back(unit, time / sum_.time_us);
    }
    std::stable_sort(sum_.bound_by.begin(), sum_.bound_by.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return std::move(sum_);
  }

 private:
  void add_reason(const std::string& reason) {
    std::vector<std::string>& all = sum_.reasons;
    if (reason.empty() || std::find(all.begin(), all.end(), reason) != all.end()) return;
    all.push_back(reason);
  }

  WorkFigures sum_;
  std::map<std::string, double> bound_by_;
  double joules_ = 0;
  double dense_joules_ = 0;
  bool has_watts_ = true;
};

WorkFigures sum_of_steps(const std::vector<ordered_json>& figures, WorkPart part) {
  const bool is_whole = part == WorkPart::step;
  const std::string prefix = is_whole ? "" : std::string(name_of(part)) + "_";
  WorkFigures sum;
  double joules = 0;
  double dense_joules = 0;
  bool is_energy_known = is_whole;
  for (const ordered_json& step : figures) {
    sum.time_us += number(step, prefix + "time_us");
    sum.dense_time_us += number(step, "dense_" + prefix + "time_us");
    joules += number(step, "joules");
    dense_joules += number(step, "dense_joules");
    is_energy_known = is_energy_known && number(step, "joules") > 0;
  }
  if (is_energy_known) {
    sum.joules = joules;
    sum.dense_joules = dense_joules;
  }
  if (sum.time_us > 0 && sum.dense_time_us > 0) return sum;
  throw ConfigError(
      fmt::format("{} takes no time in this space: its 'phases' must have it", name_of(part)));
}

/// "machine.accelerator.l2_cache.read_bytes_per_clk 7680, gemm ff1"
std::string text_of(const SweepPoint& point) {
  std::string text;
  for (const auto& [name, label] : point.values) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, label);
  }
  return text;
}

}  // namespace

std::optional<double> WorkFigures::watts() const {
  if (!joules) return std::nullopt;
  return *joules / (time_us * kMicro);
}

PointKind kind_of(WorkPart part) {
  return part == WorkPart::gemm ? PointKind::gemm : PointKind::step;
}

const char* name_of(WorkPart part) {
  return kWorkPartNames.at(static_cast<std::size_t>(part));
}

WorkFigures work_figures(const std::vector<SweepPoint>& points,
                         const std::vector<ordered_json>& figures, WorkPart part) {
  if (part != WorkPart::gemm) return sum_of_steps(figures, part);
  GemmSum sum;
  for (std::size_t at = 0; at < points.size(); ++at) sum.add(points[at], figures[at]);
  return sum.sum();
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

WorkFigures WorkRunner::read(const std::vector<SweepPoint>& points) const {
  std::vector<nlohmann::ordered_json> figures;
  for (const SweepPoint& point : points) {
    if (const auto stored = store_->find_point(point.key)) {
      figures.push_back(parse_json(stored->figures, "a stored point"));
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
  if (on_machines_) on_machines_(known_.size(), space_.lattice().count());
}

const WorkFigures& WorkRunner::of(std::size_t machine) {
  if (const auto known = known_.find(machine); known != known_.end()) return known->second;
  prepare({machine});
  return known_.at(machine);
}

}  // namespace stcsim
