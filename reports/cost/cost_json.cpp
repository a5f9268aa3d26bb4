#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "reports/cost/cost_report.hpp"
#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

std::optional<double> ratio(double one, double other) {
  return other > 0 ? std::optional(one / other) : std::nullopt;
}

ordered_json table_json(const CostTable& table) {
  return figures({{"name", table.name},
                  {"description", table.description},
                  {"node_nm", table.node_nm > 0 ? std::optional(table.node_nm) : std::nullopt},
                  {"basis", table.basis}});
}

std::vector<ordered_json> actions_json(const GemmCost& gemm) {
  return figures_of_each(gemm.cost.actions, [&](const ActionCost& one) {
    const CostName<Action>& name = name_of(one.action);
    const auto joules_of = [&](const LaunchCost& dense) { return dense.of(one.action); };
    return figures({{"unit", name.unit},
                    {"action", name.name},
                    {"count", one.count},
                    {"joules", one.joules},
                    {"share", one.joules / gemm.cost.joules},
                    {"dense_joules", figures_if(gemm.dense, joules_of)}});
  });
}

template <class What>
std::vector<ordered_json> names_json(const std::vector<What>& all) {
  return figures_of_each(all, [](What one) {
    return std::string(name_of(one).unit) + "." + std::string(name_of(one).name);
  });
}

ordered_json other_json(const OtherCost& one) {
  return figures({{"table", one.table}, {"node_nm", one.node_nm}, {"of_dense", one.of_dense}});
}

ordered_json gemm_json(const GemmCost& gemm) {
  const LaunchCost dense = gemm.dense.value_or(LaunchCost());
  const auto [low, high] = std::ranges::minmax_element(gemm.others, {}, &OtherCost::of_dense);
  const bool has_others = !gemm.others.empty();
  ordered_json object;
  add_problem(object, gemm.run.problem);
  add_figures(object,
              {{"hardware_pattern", gemm.run.hardware_pattern},
               {"reason", gemm.run.reason},
               {"cycles", gemm.run.launch.cycles},
               {"clock_mhz", gemm.run.launch.clock_mhz},
               {"board_watts", gemm.run.launch.board_watts},
               {"seconds", gemm.cost.seconds},
               {"joules", gemm.cost.joules},
               {"dense_joules", gemm.dense ? std::optional(dense.joules) : std::nullopt},
               {"of_dense", ratio(gemm.cost.joules, dense.joules)},
               {"of_dense_low", has_others ? std::optional(low->of_dense) : std::nullopt},
               {"of_dense_high", has_others ? std::optional(high->of_dense) : std::nullopt},
               {"pj_per_useful_mac", gemm.pj_per_useful_mac()},
               {"joule_seconds", gemm.cost.energy_delay()},
               {"joule_seconds_of_dense", ratio(gemm.cost.energy_delay(), dense.energy_delay())},
               {"missing", names_json(gemm.cost.missing)}});
  return object;
}

std::vector<ordered_json> parts_json(const AreaComparison& compared) {
  std::vector<ordered_json> parts;
  for (const auto* const of : {&compared.area.sm, &compared.area.shared}) {
    for (const PartOfMachine& one : *of) {
      const CostName<Part>& name = name_of(one.part);
      parts.push_back(figures({{"unit", name.unit},
                               {"part", name.name},
                               {"amount", one.amount},
                               {"um2", one.um2},
                               {"of_a100", ratio(one.um2, compared.a100.of(one.part))}}));
    }
  }
  return parts;
}

ordered_json depth_json(const SelectorDepth& depth) {
  return figures({{"pattern", depth.pattern},
                  {"levels", depth.levels},
                  {"levels_a_cycle", depth.levels_a_cycle},
                  {"stages_needed", depth.stages_needed},
                  {"stages", depth.stages}});
}

ordered_json area_json(const AreaComparison& compared) {
  const MachineArea& area = compared.area;
  return figures({{"costs", table_json(compared.table)},
                  {"sms", area.sms},
                  {"dense_core_um2", area.dense_core_um2},
                  {"tensor_core_um2", area.tensor_core_um2},
                  {"core_of_dense", area.core_ratio()},
                  {"least_core_of_dense", ratio(area.least_core_um2, area.dense_core_um2)},
                  {"most_core_of_dense", ratio(area.most_core_um2, area.dense_core_um2)},
                  {"sm_um2", area.sm_um2},
                  {"sm_of_a100", ratio(area.sm_um2, compared.a100.sm_um2)},
                  {"machine_um2", area.machine_um2},
                  {"machine_of_a100", ratio(area.machine_um2, compared.a100.machine_um2)},
                  {"selector_depth", figures_if(area.depth, depth_json)},
                  {"missing", names_json(area.missing)},
                  {"unlimited", names_json(area.unlimited)}});
}

/// A row of the CSV: an action's or a part's figures.
ordered_json row_of(const CostReport& report, const char* kind, const CostTable& table) {
  ordered_json row = document_head(kCostSchema, report.config_hash);
  row["machine"] = report.machine;
  row["costs"] = table.name;
  row["kind"] = kind;
  for (const char* key :
       {"unit", "name", "count", "joules", "share", "dense_joules", "um2", "of_a100"}) {
    row[key] = nullptr;
  }
  return row;
}

}  // namespace

std::string cost_to_json(const CostReport& report) {
  ordered_json document = document_head(kCostSchema, report.config_hash);
  document["config"] = config_object(report.resolved_config);
  document["machine"] = report.machine;
  document["gemm"] = nullptr;
  document["area"] = nullptr;
  if (report.gemm) {
    add_figures(document, {{"costs", table_json(report.table)},
                           {"gemm", gemm_json(*report.gemm)},
                           {"actions", actions_json(*report.gemm)},
                           {"tables", figures_of_each(report.gemm->others, &other_json)}});
  }
  if (report.area) {
    document["area"] = area_json(*report.area);
    document["parts"] = parts_json(*report.area);
  }
  document["assumptions"] = cost_assumptions(report);
  return document_text(document);
}

std::string cost_to_csv(const CostReport& report) {
  std::vector<ordered_json> rows;
  const auto add = [&](const char* kind, const CostTable& table, const char* name,
                       const char* count, const std::vector<ordered_json>& all) {
    for (const ordered_json& figures : all) {
      ordered_json& row = rows.emplace_back(row_of(report, kind, table));
      for (const auto& [key, value] : figures.items()) {
        row[key == name ? "name" : key == count ? "count" : key] = value;
      }
    }
  };
  if (report.gemm) add("energy", report.table, "action", "count", actions_json(*report.gemm));
  if (report.area) add("area", report.area->table, "part", "amount", parts_json(*report.area));
  return to_csv(row_of(report, "energy", report.table), rows);
}

}  // namespace stcsim
