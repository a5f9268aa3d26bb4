#include "reports/cost/cost_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"

namespace stcsim {
namespace {

std::string basis_line(const CostReport& report) {
  const CostTable& table = report.table;
  if (table.basis == CostBasis::board) {
    return fmt::format("costs: {}, what the board draws ({:.0f} of {:.0f} W at {:.0f} MHz)",
                       table.name, report.gemm->run.launch.board_watts,
                       report.gemm->run.power_limit_watts, report.gemm->run.launch.clock_mhz);
  }
  const std::string node = table.node_nm > 0 ? fmt::format(" ({} nm)", table.node_nm) : "";
  return fmt::format("costs: {}{}, good for ratios; other tables' picojoules are other ones",
                     table.name, node);
}

/// "0.61 J, 0.55 of dense (1.10 J)".
std::string answer_of(const GemmCost& gemm) {
  std::string text = fmt::format("{} takes {}", gemm.run.hardware_pattern.to_string(),
                                 format_joules(gemm.cost.joules));
  if (gemm.dense) {
    text +=
        fmt::format(", {} of dense ({})", format_significant(gemm.cost.joules / gemm.dense->joules),
                    format_joules(gemm.dense->joules));
  }
  text += fmt::format("; {} pJ for each useful multiply-accumulate",
                      format_significant(gemm.pj_per_useful_mac()));
  if (gemm.dense) {
    text += fmt::format("; energy x delay {} of dense",
                        format_significant(gemm.cost.energy_delay() / gemm.dense->energy_delay()));
  }
  return text;
}

std::string range_line(const GemmCost& gemm) {
  if (gemm.others.empty()) return "";
  const auto [low, high] = std::ranges::minmax_element(gemm.others, {}, &OtherCost::of_dense);
  std::vector<std::string> all;
  for (const OtherCost& one : gemm.others) {
    all.push_back(fmt::format("{} {}", one.table, format_significant(one.of_dense)));
  }
  return fmt::format("of dense, by every table: {} .. {} ({})\n", format_significant(low->of_dense),
                     format_significant(high->of_dense), fmt::join(all, ", "));
}

std::string head_of(const CostReport& report) {
  const GemmCost& gemm = *report.gemm;
  const GemmProblem& problem = gemm.run.problem;
  std::string text = fmt::format("GEMM {} {}, {}, on {}\n",
                                 format_shape(problem.m, problem.n, problem.k, problem.batch_count),
                                 to_string(problem.dtype), problem.sparsity(), report.machine);
  if (!gemm.run.reason.empty()) text += "note: " + gemm.run.reason + "\n";
  text += answer_of(gemm) + "\n" + basis_line(report) + "\n" + range_line(gemm);
  return text;
}

std::string energy_table(const GemmCost& gemm) {
  std::vector<Column> columns{{"unit"},
                              {"action"},
                              {"count", Align::right},
                              {"energy", Align::right},
                              {"share", Align::right}};
  if (gemm.dense) columns.push_back({"dense", Align::right});
  Table table(std::move(columns));
  const auto add = [&](std::string_view unit, std::string_view action, const std::string& count,
                       double joules, double dense) {
    std::vector<std::string> cells{std::string(unit), std::string(action), count,
                                   format_joules(joules),
                                   format_percent(joules / gemm.cost.joules)};
    if (gemm.dense) cells.push_back(format_joules(dense));
    table.add_row(std::move(cells));
  };
  for (const ActionCost& one : gemm.cost.actions) {
    const CostName<Action>& name = name_of(one.action);
    add(name.unit, name.name, format_amount(one.count), one.joules,
        gemm.dense ? gemm.dense->of(one.action) : 0);
  }
  table.add_rule();
  add("all", "", "", gemm.cost.joules, gemm.dense ? gemm.dense->joules : 0);
  return table.to_string();
}

std::string format_area(double um2) {
  return um2 < 1e4 ? format_significant(um2) + " um2" : format_significant(um2 * 1e-6) + " mm2";
}

std::string area_table(const AreaComparison& compared) {
  Table table({{"unit"},
               {"part"},
               {"how many", Align::right},
               {"area", Align::right},
               {"of the A100's", Align::right}});
  const auto ratio = [](double one, double other) {
    return other > 0 ? format_significant(one / other) : "-";
  };
  const auto add_parts = [&](const std::vector<PartOfMachine>& parts) {
    for (const PartOfMachine& one : parts) {
      const CostName<Part>& name = name_of(one.part);
      table.add_row({std::string(name.unit), std::string(name.name),
                     format_amount(static_cast<std::int64_t>(one.amount)), format_area(one.um2),
                     ratio(one.um2, compared.a100.of(one.part))});
    }
  };
  const MachineArea& area = compared.area;
  add_parts(area.sm);
  table.add_row(
      {"an SM", "", "", format_area(area.sm_um2), ratio(area.sm_um2, compared.a100.sm_um2)});
  table.add_rule();
  add_parts(area.shared);
  table.add_row({fmt::format("all, {} SMs", area.sms), "", "", format_area(area.machine_um2),
                 ratio(area.machine_um2, compared.a100.machine_um2)});
  return table.to_string();
}

/// "a, b" of the units and parts or actions.
template <class What>
std::string names_of(const std::vector<What>& all) {
  std::vector<std::string> names;
  for (const What one : all) {
    names.push_back(fmt::format("{} {}", name_of(one).unit, name_of(one).name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string area_text(const CostReport& report, std::size_t width) {
  const AreaComparison& compared = *report.area;
  const MachineArea& area = compared.area;
  std::string head = fmt::format(
      "Area of {} by {}: tensor cores {} of dense ones, an SM {} of the A100's, all {}\n",
      report.machine, compared.table.name, format_significant(area.core_ratio()),
      format_significant(area.sm_um2 / compared.a100.sm_um2),
      format_significant(area.machine_um2 / compared.a100.machine_um2));
  if (area.most_core_um2 > 0) {
    head += fmt::format(
        "by gates (configs/costs/selector_gates.csv, generic CMOS) {} to {} of dense ones\n",
        format_significant(area.least_core_um2 / area.dense_core_um2),
        format_significant(area.most_core_um2 / area.dense_core_um2));
  }
  return wrap_lines(head, width) + "\n" + area_table(compared);
}

void add_board_assumptions(std::vector<std::string>& lines) {
  lines.emplace_back(
      "The sum is what the board draws, times the time: the clock follows from the same energies "
      "('power'). How a multiply-accumulate's divides is not measured: what feeds the multipliers "
      "are other machines' ratios, the rest is theirs.");
  lines.emplace_back(
      "One energy of a multiply-accumulate explains dense and 2:4 GEMMs: it contains what feeds a "
      "2:4 one. What wider patterns need beyond that is added.");
}

}  // namespace

double GemmCost::pj_per_useful_mac() const {
  const Pattern& pattern = run.problem.a_pattern;
  return cost.joules * 1e12 /
         (static_cast<double>(run.problem.macs()) * static_cast<double>(pattern.n) /
          static_cast<double>(pattern.m));
}

std::string format_joules(double joules) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1.0, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}, {1e-9, "nJ"}}};
  for (const auto& [one, name] : kUnits) {
    if (joules >= one) return format_significant(joules / one) + " " + name;
  }
  return joules > 0 ? format_significant(joules * 1e12) + " pJ" : "0 J";
}

std::vector<std::string> cost_assumptions(const CostReport& report) {
  std::vector<std::string> lines;
  if (report.gemm) {
    if (report.table.basis == CostBasis::board) add_board_assumptions(lines);
    if (!report.gemm->cost.missing.empty()) {
      lines.push_back(
          fmt::format("Not in {}: {}.", report.table.name, names_of(report.gemm->cost.missing)));
    }
    lines.emplace_back("Vector instructions are not counted.");
  }
  if (!report.area) return lines;
  const MachineArea& area = report.area->area;
  lines.emplace_back(
      "A selector is a full crossbar for every group; the A100 is this project's model of it, by "
      "the same table.");
  if (area.depth) {
    const SelectorDepth& depth = *area.depth;
    lines.push_back(
        fmt::format("Assumed, with {:g} ps a level: the selector of {} is {} levels of logic deep, "
                    "a cycle lets "
                    "{} pass. Its clock needs {} registers in it ('selector_stages'), it has {}.",
                    report.area->table.logic->ps_per_level, depth.pattern.to_string(), depth.levels,
                    depth.levels_a_cycle, depth.stages_needed, depth.stages));
  }
  if (!area.missing.empty()) {
    lines.push_back(
        fmt::format("No area in {}: {}.", report.area->table.name, names_of(area.missing)));
  }
  if (!area.unlimited.empty()) {
    lines.push_back(fmt::format("Without a limit, and left out: {}.", names_of(area.unlimited)));
  }
  return lines;
}

std::string cost_text(const CostReport& report, std::size_t width) {
  std::string text;
  if (report.gemm) {
    text += wrap_lines(head_of(report), width) + "\n" + energy_table(*report.gemm) + "\n";
  }
  if (report.area) text += area_text(report, width) + "\n";
  for (const std::string& line : cost_assumptions(report)) {
    text += wrap_lines(line + "\n", width);
  }
  return text;
}

}  // namespace stcsim
