#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/eval_line.hpp"
#include "common/io/yaml_node.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/job/job.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/study/validated_errors.hpp"
#include "sim/sweep/sweep_parts.hpp"

namespace stcsim {

/// What all lines need, read once.
struct EvalTables {
  CostTable areas;
  std::optional<ValidatedErrors> errors;
  /// Machine files as they are, by the names that lines call them.
  std::map<std::string, YamlNode> machines;
};

/// GEMMs on one machine, which is elaborated when the first comes: for a process of its own.
class GemmEvaluator {
 public:
  /// @param tables  must outlive it; has the line's machine
  /// @throws ConfigError  if the machine cannot be
  GemmEvaluator(const EvalLine& line, const EvalTables& tables);

  /// The figures of `sweep export`, with area_mm2 and the likely interval of the speedup.
  [[nodiscard]] nlohmann::ordered_json operator()(const EvalLine& line);

 private:
  const EvalTables& tables_;
  std::shared_ptr<SweepMachine> machine_;
  JobMachines job_machines_;
  MachineRunner runner_;
  double area_mm2_ = 0;
};

/// The steps of a line, simulated in a process of their own: of a network under one scheme on one
/// machine its figures; of more a list of them, `steps`.
[[nodiscard]] nlohmann::ordered_json evaluate_steps(const EvalLine& line, const EvalTables& tables);

/// A machine of a space, the axes that `set` does not name at their first values, with all of the
/// space's work: its time, that of the dense work on the same machine, area_mm2.
[[nodiscard]] nlohmann::ordered_json evaluate_design(const EvalLine& line,
                                                     const EvalTables& tables);

}  // namespace stcsim
