#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/gemm/gemm_simulation.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "reports/cost/cost_report.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {
namespace {

constexpr const char* kEnergyWho = "stcsim gemm --energy";
/// What stands in where nobody says what the board draws.
constexpr const char* kOwnCosts = "horowitz_45nm";

constexpr const char* kEnergyNotes =
    "Energy of a GEMM by unit, beside the dense one's, and area of the machine beside the A100's.\n"
    "Where a machine file says what its board draws ('power'), the energies add up to that. TABLE\n"
    "is one of those 'stcsim list costs' shows, or a file like them.\n\n"
    "  stcsim gemm --energy --arch a100 --m 8192 --n 8192 --k 8192 --sparsity 2:4\n"
    "  stcsim gemm --energy --arch a100_nm --m 8192 --n 8192 --k 8192 --sparsity 1:8 --format "
    "csv\n";
constexpr const char* kMachineNotes =
    "Area of the machine by unit, beside the A100's.\n\n"
    "  stcsim list machine a100_nm --set accelerator.num_sms=120\n";

constexpr Option kMachine{"MACHINE"};

CostTable costs_for(const Arguments& arguments, const MachineConfig& machine, DataType dtype) {
  if (arguments.has(kCommon.costs)) return load_costs(arguments.text(kCommon.costs));
  CostTable table = load_costs(kDefaultCosts);
  return has_costs(machine, dtype, table) ? table : load_costs(kOwnCosts);
}

/// What every shipped table says the GEMM takes of the dense one's energy.
std::vector<OtherCost> by_every_table(const MachineConfig& machine, const GemmReport& gemm,
                                      OperandValues values) {
  std::vector<OtherCost> others;
  const DataType dtype = gemm.problem.dtype;
  for (const CatalogEntry& entry : list_configs(ConfigKind::cost)) {
    const CostTable table = load_costs(entry.path.string());
    if (!has_costs(machine, dtype, table)) continue;
    const double dense = cost_of(machine, dtype, *gemm.dense, table, values).joules;
    const double own = cost_of(machine, dtype, gemm.launch, table, values).joules;
    others.push_back({table.name, table.node_nm, own / dense});
  }
  return others;
}

GemmCost cost_of_gemm(const MachineConfig& machine, const GemmReport& gemm, const CostTable& table,
                      OperandValues values) {
  const DataType dtype = gemm.problem.dtype;
  GemmCost cost{gemm, cost_of(machine, dtype, gemm.launch, table, values), {}, {}};
  if (!gemm.dense) return cost;
  cost.dense = cost_of(machine, dtype, *gemm.dense, table, values);
  cost.others = by_every_table(machine, gemm, values);
  return cost;
}

/// Of the table asked for; without one, of the one that has areas.
std::optional<AreaComparison> compared_area(const Arguments& arguments, const CostTable& table,
                                            const MachineConfig& machine) {
  if (table.areas.empty() && arguments.has(kCommon.costs)) return std::nullopt;
  AreaComparison compared;
  compared.table = table.areas.empty() ? load_costs(kDefaultCosts) : table;
  compared.area = area_of(machine, compared.table);
  compared.a100 = area_of(load_machine("a100").config, compared.table);
  return compared;
}

CostReport area_alone(const Arguments& arguments) {
  YamlNode node = load_by_name(ConfigKind::machine, arguments.text(kMachine));
  apply_overrides(node, arguments.all(kCommon.set));
  const MachineConfig machine = read_machine(node).config;
  CostReport report;
  report.machine = machine.name;
  report.table = load_costs(arguments.text_or(kCommon.costs, kDefaultCosts));
  require_areas(report.table);
  report.area = compared_area(arguments, report.table, machine);
  report.resolved_config = nlohmann::ordered_json{{"machine", to_json(node)}}.dump();
  report.config_hash = sha256_hex(report.resolved_config);
  return report;
}

CostReport cost_of_options(const Arguments& arguments, const GemmOptions& options) {
  CostReport report;
  report.machine = options.machine.name;
  report.table = costs_for(arguments, options.machine, options.problem.dtype);
  require_costs(options.machine, options.problem.dtype, report.table);
  for (const std::string& note : options.machine.notes) write_message(kEnergyWho, "note: " + note);
  MachineRunner runner(options.machine);
  const Stopwatch stopwatch("simulating");
  const GemmReport gemm = simulate_gemm(options, runner);
  if (gemm.functional && gemm.functional->mismatches > 0) {
    throw SimulationError("C is not what the reference computes: " + gemm.functional->text);
  }
  report.gemm = cost_of_gemm(options.machine, gemm, report.table, options.method.launches.values);
  report.area = compared_area(arguments, report.table, options.machine);
  report.resolved_config = options.resolved_config;
  report.config_hash = options.config_hash;
  return report;
}

constexpr Writers<CostReport> kCostWriters{
    &cost_text, [](const CostReport& report, std::size_t) { return cost_to_json(report); },
    [](const CostReport& report, std::size_t) { return cost_to_csv(report); }};

template <class Make>
void write_cost(const Arguments& arguments, const char* who, const Make& make) {
  const auto write = kCostWriters.at(arguments.choice(kOutput.format));
  Output output(arguments);
  HtmlPage page(arguments, who);
  const CostReport report = make();
  page.write([&] { return cost_to_json(report); });
  output.write(write(report, output.width()));
}

int run_energy(const Arguments& arguments) {
  write_cost(arguments, kEnergyWho,
             [&] { return cost_of_options(arguments, read_gemm_options(arguments)); });
  write_next(arguments, {"stcsim explain"}, same_gemm(arguments));
  return kExitFine;
}

int list_machine(const Arguments& arguments) {
  write_cost(arguments, "stcsim list machine", [&] { return area_alone(arguments); });
  write_next(arguments, {"stcsim gemm", "--arch " + shell_word(arguments.text(kMachine))},
             {"4096 4096 4096", "--sparsity 2:4"});
  return kExitFine;
}

struct EnergyTable {
  GemmTable gemm;
  Option costs = kCommon.costs.as("TABLE",
                                  "energies and areas: a shipped table, or a file (default: "
                                  "ga100_7nm, what the machine's board "
                                  "draws; horowitz_45nm where nobody says that)");
  ValueTable values;
  OutputTable output;
};

struct MachineTable {
  Option costs = kCommon.costs;
  Option set = kGemm.set;
  OutputTable output;
};

}  // namespace

Command energy_command() {
  return {"gemm --energy",
          "Say what a GEMM takes in energy",
          "--arch NAME (M N K | --m M --n N --k K | --layer NETWORK:LAYER) [OPTIONS]",
          kEnergyNotes,
          plain_sizes(),
          options_of<EnergyTable>(),
          &run_energy};
}

Command list_machine_command() {
  return {"list machine", "Say what a machine takes in area", "MACHINE [OPTIONS]", kMachineNotes,
          {kMachine},     options_of<MachineTable>(),         &list_machine};
}

}  // namespace stcsim
