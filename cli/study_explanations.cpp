#include "cli/study_explanations.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/progress.hpp"
#include "common/error.hpp"
#include "reports/explain_report.hpp"
#include "reports/page/page_document.hpp"
#include "reports/page/worst_gemms.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/kernel/library.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

const MachineSpec& machine_of(const Experiment& experiment, const WorstGemm& gemm,
                              const std::string& file) {
  const auto found =
      std::find_if(experiment.machines.begin(), experiment.machines.end(),
                   [&](const MachineSpec& machine) { return machine.name == gemm.machine; });
  if (found != experiment.machines.end()) return *found;
  throw ConfigError(SourceLocation{file},
                    fmt::format("'config' has no machine '{}'", gemm.machine));
}

const PlannedRow& row_of(const MachinePlan& plan, const WorstGemm& gemm, const std::string& file) {
  const auto found = std::find_if(plan.rows.begin(), plan.rows.end(), [&](const PlannedRow& one) {
    return one.row.network == gemm.network && one.row.layer == gemm.layer &&
           to_string(one.row.phase) == gemm.phase && one.row.scheme == gemm.scheme &&
           one.gemms.size() > gemm.part && one.dense_gemms.size() > gemm.part;
  });
  if (found != plan.rows.end()) return *found;
  throw ConfigError(SourceLocation{file},
                    fmt::format("'config' has no {} of layer '{}' of '{}' under '{}'", gemm.phase,
                                gemm.layer, gemm.network, gemm.scheme));
}

ordered_json explained(const Experiment& experiment, const MachinePlan& plan, const WorstGemm& gemm,
                       const std::string& file, std::int64_t jobs) {
  const MachineConfig& machine = plan.machine->config;
  const PlannedRow& row = row_of(plan, gemm, file);
  const KernelPolicy policy = policy_of(experiment, machine);
  ExplainReport report;
  report.machine = gemm.machine;
  report.clock_mhz = machine.clock_mhz;
  if (policy.kernel == "auto") report.stack = describe(stack_named(machine, policy.stack));
  LaunchConditions conditions;
  conditions.locked_clock_mhz = gemm.clock_mhz;
  report.explanation = explain(machine,
                               {.problem = row.gemms[gemm.part],
                                .dense = row.dense_gemms[gemm.part],
                                .policy = policy,
                                .conditions = conditions},
                               jobs);
  report.resolved_config = "{}";
  ordered_json document = page_document(file, ordered_json::parse(explain_to_json(report)));
  document.erase("config");
  document.erase("config_hash");
  return document;
}

}  // namespace

ordered_json explain_worst_gemms(const ordered_json& study, const std::string& file,
                                 std::size_t count, std::int64_t jobs) {
  const Experiment experiment = parse_resolved_experiment(study["config"].dump(), file);
  const std::vector<WorstGemm> worst = worst_gemms(study, count);
  ordered_json explanations = ordered_json::array();
  ProgressBar progress;
  const auto count_of_worst = static_cast<std::int64_t>(worst.size());
  const auto work = static_cast<double>(worst.size());
  std::optional<MachinePlan> plan;
  for (const WorstGemm& gemm : worst) {
    const auto done = static_cast<std::int64_t>(explanations.size());
    progress.update({done, count_of_worst, static_cast<double>(done), work}, "GEMMs");
    const MachineSpec& machine = machine_of(experiment, gemm, file);
    if (!plan || plan->machine != &machine) plan = plan_machine(experiment, machine);
    explanations.push_back(explained(experiment, *plan, gemm, file, jobs));
  }
  return explanations;
}

}  // namespace stcsim
