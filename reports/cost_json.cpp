#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "reports/cost_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json table_json(const CostTable& table) {
  return {{"name", table.name},
          {"description", table.description},
          {"node_nm", table.node_nm > 0 ? ordered_json(table.node_nm) : ordered_json()},
          {"basis", table.basis == CostBasis::board ? "board" : "own"}};
}

ordered_json action_json(const ActionCost& one, const GemmCost& gemm) {
  const CostName<Action>& name = name_of(one.action);
  ordered_json object{{"unit", name.unit}, {"action", name.name}, {"count", one.count}};
  object["joules"] = json_number(one.joules, "joules");
  object["share"] = json_number(one.joules / gemm.cost.joules, "share");
  object["dense_joules"] =
      gemm.dense ? json_number(gemm.dense->of(one.action), "dense_joules") : ordered_json();
  return object;
}

template <class What>
ordered_json names_json(const std::vector<What>& all) {
  ordered_json names = ordered_json::array();
  for (const What one : all) {
    names.push_back(std::string(name_of(one).unit) + "." + std::string(name_of(one).name));
  }
  return names;
}

ordered_json ratio_json(double one, double other, const char* key) {
  return other > 0 ? json_number(one / other, key) : ordered_json();
}

ordered_json others_json(const GemmCost& gemm) {
  ordered_json others = ordered_json::array();
  for (const OtherCost& one : gemm.others) {
    others.push_back({{"table", one.table},
                      {"node_nm", one.node_nm},
                      {"of_dense", json_number(one.of_dense, "of_dense")}});
  }
  return others;
}

void write_range(ordered_json& object, const GemmCost& gemm) {
  object["of_dense_low"] = nullptr;
  object["of_dense_high"] = nullptr;
  if (gemm.others.empty()) return;
  double low = gemm.others.front().of_dense;
  double high = low;
  for (const OtherCost& one : gemm.others) {
    low = std::min(low, one.of_dense);
    high = std::max(high, one.of_dense);
  }
  object["of_dense_low"] = json_number(low, "of_dense_low");
  object["of_dense_high"] = json_number(high, "of_dense_high");
}

ordered_json gemm_json(const GemmCost& gemm) {
  const GemmProblem& problem = gemm.problem;
  const double dense = gemm.dense ? gemm.dense->joules : 0;
  ordered_json object{{"m", problem.m},
                      {"n", problem.n},
                      {"k", problem.k},
                      {"batch_count", problem.batch_count},
                      {"dtype", to_string(problem.dtype)},
                      {"pattern", problem.a_pattern.to_string()},
                      {"hardware_pattern", gemm.hardware_pattern.to_string()},
                      {"reason", gemm.reason},
                      {"cycles", gemm.launch.cycles}};
  object["clock_mhz"] = json_number(gemm.launch.clock_mhz, "clock_mhz");
  object["board_watts"] = json_number(gemm.launch.board_watts, "board_watts");
  object["seconds"] = json_number(gemm.cost.seconds, "seconds");
  object["joules"] = json_number(gemm.cost.joules, "joules");
  object["dense_joules"] = gemm.dense ? json_number(dense, "dense_joules") : ordered_json();
  object["of_dense"] = ratio_json(gemm.cost.joules, dense, "of_dense");
  write_range(object, gemm);
  object["pj_per_useful_mac"] = json_number(gemm.pj_per_useful_mac(), "pj_per_useful_mac");
  object["joule_seconds"] = json_number(gemm.cost.energy_delay(), "joule_seconds");
  object["joule_seconds_of_dense"] =
      ratio_json(gemm.cost.energy_delay(), gemm.dense ? gemm.dense->energy_delay() : 0,
                 "joule_seconds_of_dense");
  object["missing"] = names_json(gemm.cost.missing);
  return object;
}

ordered_json part_json(const PartOfMachine& one, const MachineArea& a100) {
  const CostName<Part>& name = name_of(one.part);
  ordered_json object{{"unit", name.unit}, {"part", name.name}};
  object["amount"] = json_number(one.amount, "amount");
  object["um2"] = json_number(one.um2, "um2");
  object["of_a100"] = ratio_json(one.um2, a100.of(one.part), "of_a100");
  return object;
}

ordered_json parts_json(const AreaComparison& compared) {
  ordered_json parts = ordered_json::array();
  for (const auto* const of : {&compared.area.sm, &compared.area.shared}) {
    for (const PartOfMachine& one : *of) parts.push_back(part_json(one, compared.a100));
  }
  return parts;
}

ordered_json area_json(const AreaComparison& compared) {
  const MachineArea& area = compared.area;
  ordered_json object{{"costs", table_json(compared.table)}, {"sms", area.sms}};
  object["dense_core_um2"] = json_number(area.dense_core_um2, "dense_core_um2");
  object["tensor_core_um2"] = json_number(area.tensor_core_um2, "tensor_core_um2");
  object["core_of_dense"] = json_number(area.core_ratio(), "core_of_dense");
  object["sm_um2"] = json_number(area.sm_um2, "sm_um2");
  object["sm_of_a100"] = ratio_json(area.sm_um2, compared.a100.sm_um2, "sm_of_a100");
  object["machine_um2"] = json_number(area.machine_um2, "machine_um2");
  object["machine_of_a100"] =
      ratio_json(area.machine_um2, compared.a100.machine_um2, "machine_of_a100");
  object["missing"] = names_json(area.missing);
  object["unlimited"] = names_json(area.unlimited);
  return object;
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
    document["costs"] = table_json(report.table);
    document["gemm"] = gemm_json(*report.gemm);
    document["actions"] = ordered_json::array();
    for (const ActionCost& one : report.gemm->cost.actions) {
      document["actions"].push_back(action_json(one, *report.gemm));
    }
    document["tables"] = others_json(*report.gemm);
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
  if (report.gemm) {
    for (const ActionCost& one : report.gemm->cost.actions) {
      ordered_json row = row_of(report, "energy", report.table);
      const ordered_json figures = action_json(one, *report.gemm);
      row.update(figures);
      row["name"] = figures["action"];
      row.erase("action");
      rows.push_back(std::move(row));
    }
  }
  if (report.area) {
    for (const ordered_json& figures : parts_json(*report.area)) {
      ordered_json row = row_of(report, "area", report.area->table);
      row["unit"] = figures["unit"];
      row["name"] = figures["part"];
      row["count"] = figures["amount"];
      row["um2"] = figures["um2"];
      row["of_a100"] = figures["of_a100"];
      rows.push_back(std::move(row));
    }
  }
  return to_csv(row_of(report, "energy", report.table), rows);
}

}  // namespace stcsim
