#include "reports/sweep/sweep_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/table.hpp"
#include "common/io/yaml_value.hpp"
#include "common/suggestion.hpp"
#include "curves/time_to_accuracy.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/cost/machine_area.hpp"

namespace stcsim {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

/// Endings of keys.
constexpr std::array<Words, 9> kUnits{{{"bytes_per_clk", "B/clk"},
                                       {"elements_per_clk", "elements/clk"},
                                       {"fma_per_clk", "FMA/clk"},
                                       {"gb_per_s", "GB/s"},
                                       {"cycles", "cycles"},
                                       {"bytes", "B"},
                                       {"watts", "W"},
                                       {"mhz", "MHz"},
                                       {"us", "us"}}};
/// Parts of names that are called otherwise, or go without saying.
constexpr std::array<Words, 9> kParts{{{"l2_cache", "L2"},
                                       {"dram", "DRAM"},
                                       {"operand_selector", "selector"},
                                       {"memory_bus", "bus"},
                                       {"num_sms", "SMs"},
                                       {"accelerator", ""},
                                       {"machine", ""},
                                       {"gemm", ""},
                                       {"sm", ""}}};

std::string words_of_part(std::string part) {
  for (const auto& [known, words] : kParts) {
    if (part == known) return std::string(words);
  }
  std::ranges::replace(part, '_', ' ');
  return part;
}

AxisWords plain_words(const std::string& axis) {
  const std::size_t dot = axis.rfind('.');
  if (dot == std::string::npos) return {axis, ""};
  std::string key = axis.substr(dot + 1);
  AxisWords words;
  for (const auto& [ending, unit] : kUnits) {
    const bool is_all = key == ending;
    if (!is_all && !key.ends_with(fmt::format("_{}", ending))) continue;
    key.erase(is_all ? 0 : key.size() - ending.size() - 1);
    words.unit = unit;
    break;
  }
  const std::size_t before = axis.rfind('.', dot - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  words.name = words_of_part(axis.substr(begin, dot - begin));
  const std::string rest = words_of_part(key);
  if (!words.name.empty() && !rest.empty()) words.name += ' ';
  words.name += rest;
  return words;
}

using nlohmann::ordered_json;

/// Areas of machines, each worked out once.
class MachineAreas {
 public:
  void add_to(ordered_json& row, const SweepMachine& machine) {
    const auto [found, is_new] = areas_.try_emplace(&machine);
    if (is_new) found->second = area_of(machine.spec.config, table_);
    const MachineArea& area = found->second;
    row["area_mm2"] = area.machine_um2 * kMm2PerUm2;
    row["least_area_mm2"] = area.least_machine_um2() * kMm2PerUm2;
    row["most_area_mm2"] = area.most_machine_um2() * kMm2PerUm2;
  }

 private:
  static constexpr double kMm2PerUm2 = 1e-6;
  CostTable table_ = load_costs(kDefaultCosts);
  std::unordered_map<const SweepMachine*, MachineArea> areas_;
};

ordered_json row_of(const SweepPoint& point, std::int64_t number, const StoredPoint& stored,
                    MachineAreas& areas) {
  ordered_json row{{"point", number}, {"kind", point.kind == PointKind::gemm ? "gemm" : "step"}};
  for (const auto& [name, label] : point.values) row[name] = label_json(label);
  const ordered_json figures = parse_json(stored.result, "a stored point");
  for (const auto& [key, value] : figures.items()) row[key] = value;
  areas.add_to(row, *point.machine);
  return row;
}

void check_column(const SweepTable& table, const std::string& column) {
  if (!table.shape.contains(column)) {
    const std::string hint = did_you_mean(column, table.columns());
    throw ConfigError(fmt::format(
        "'{}' is no column of the sweep{}", column,
        hint.empty() ? fmt::format("; it has {}", fmt::join(table.columns(), ", ")) : hint));
  }
  const auto has_number = [&](const ordered_json& row) {
    return row.contains(column) && row.at(column).is_number();
  };
  if (std::any_of(table.rows.begin(), table.rows.end(), has_number)) return;
  throw ConfigError(fmt::format("column '{}' has no number", column));
}

/// A row's objectives, turned so that less is better; empty if it lacks one.
std::vector<double> costs_of(const ordered_json& row, const std::vector<Objective>& objectives) {
  std::vector<double> costs;
  for (const Objective& objective : objectives) {
    const auto value = row.find(objective.column);
    if (value == row.end() || !value->is_number()) return {};
    costs.push_back(value->get<double>() * (objective.is_largest_best ? -1 : 1));
  }
  return costs;
}

}  // namespace

AxisWords axis_words(const std::string& axis, const std::vector<std::string>& names) {
  AxisWords words = plain_words(axis);
  const bool is_like_another = std::ranges::any_of(names, [&](const std::string& other) {
    return other != axis && plain_words(other).name == words.name;
  });
  return is_like_another || words.name.empty() ? AxisWords{short_name(axis, names), ""} : words;
}

bool is_axis_of_work(const std::string& axis) {
  const std::string_view root = std::string_view(axis).substr(0, axis.find('.'));
  return axis != "gemm.pattern" && (root == "gemm" || root == "network");
}

std::string pattern_of(const nlohmann::ordered_json& row, const Space& space) {
  for (const Axis& axis : space.axes) {
    const bool is_pattern = axis.name == "gemm.pattern" || axis.name == "scheme.pattern";
    if (is_pattern && axis.values.size() > 1) return cell_of(row, axis.name);
  }
  return "";
}

std::string cell_of(const nlohmann::ordered_json& row, const std::string& column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return "";
  if (value->is_string()) return value->get<std::string>();
  return value->is_number_float() ? fmt::format("{:.5g}", value->get<double>()) : value->dump();
}

std::string work_of(const nlohmann::ordered_json& row, const Space& space) {
  std::string work;
  for (const Axis& axis : space.axes) {
    if (axis.values.size() == 1 || !is_axis_of_work(axis.name)) continue;
    const std::string cell = cell_of(row, axis.name);
    if (!cell.empty()) work += (work.empty() ? "" : " ") + cell;
  }
  return work;
}

std::vector<std::string> SweepTable::columns() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : shape.items()) names.push_back(name);
  return names;
}

ordered_json label_json(const std::string& label) {
  YamlNode node;
  node.kind = YamlKind::scalar;
  node.text = label;
  if (const auto whole = int_of(node)) return *whole;
  if (const auto number = double_of(node)) return *number;
  return label;
}

SweepTable sweep_table(const SweepPlan& plan, const SweepStore& store) {
  SweepTable table;
  table.shape = ordered_json::object();
  const auto points = store.rows("points");
  const auto failures = store.rows("failures");
  MachineAreas areas;
  for (const SweepPoint& point : plan.points) {
    const std::int64_t number = ++table.points;
    if (const auto done = points.find(point.key); done != points.end()) {
      table.rows.push_back(row_of(point, number, done->second, areas));
      for (const auto& [key, value] : table.rows.back().items()) {
        if (!table.shape.contains(key)) table.shape[key] = nullptr;
      }
    } else if (const auto failed = failures.find(point.key); failed != failures.end()) {
      table.failures.emplace_back(number, failed->second.result);
    } else {
      ++table.missing;
    }
  }
  return table;
}

SweepTable pareto_front(const SweepTable& table, const std::vector<Objective>& objectives,
                        const Space& space) {
  for (const Objective& objective : objectives) check_column(table, objective.column);
  using Points = std::pair<std::vector<std::vector<double>>, std::vector<std::size_t>>;
  std::map<std::pair<std::string, std::string>, Points> works;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    std::vector<double> costs = costs_of(table.rows[at], objectives);
    if (costs.empty()) continue;
    auto& [all, rows] = works[{work_of(table.rows[at], space), pattern_of(table.rows[at], space)}];
    all.push_back(std::move(costs));
    rows.push_back(at);
  }
  std::vector<std::size_t> front;
  for (const auto& [work, points] : works) {
    for (const std::size_t place : curves::pareto_front(points.first)) {
      front.push_back(points.second[place]);
    }
  }
  std::ranges::sort(front);
  SweepTable kept = table;
  kept.rows.clear();
  for (const std::size_t at : front) kept.rows.push_back(table.rows[at]);
  return kept;
}

std::string pareto_text(const SweepTable& front, const Space& space,
                        const std::vector<Objective>& objectives, std::size_t width) {
  std::vector<std::string> names{"point"};
  for (const Axis& axis : space.axes) {
    if (axis.values.size() != 1) names.push_back(axis.name);
  }
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({axis_words(name, names).text()});
  columns.front().align = Align::right;
  for (const Objective& objective : objectives) {
    const bool is_shown = std::find(names.begin(), names.end(), objective.column) != names.end();
    if (is_shown) continue;
    names.push_back(objective.column);
    columns.push_back({objective.column, Align::right});
  }
  Table table(columns);
  for (const ordered_json& row : front.rows) {
    std::vector<std::string> cells;
    for (const std::string& name : names) cells.push_back(cell_of(row, name));
    table.add_row(std::move(cells));
  }
  return fmt::format("{} of {} points are not beaten by another of the same work and pattern\n\n{}",
                     front.rows.size(), front.points, table.to_string(width));
}

}  // namespace stcsim
