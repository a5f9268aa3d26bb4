#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/eval/eval_line.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "common/io/yaml_node.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/job/job.hpp"
#include "sim/run/launch_cache.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/study/validated_errors.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {

/// What all lines need, read once.
struct EvalTables {
  CostTable areas;
  std::optional<ValidatedErrors> errors;
  /// Machine files as they are, by the names that lines call them.
  std::map<std::string, YamlNode> machines;
  /// Launches that some process has simulated.
  std::shared_ptr<LaunchCache> launches = std::make_shared<LaunchCache>();
};

/// Lines of one machine, which is elaborated when the first comes: for a process of its own.
class MachineEvaluator {
 public:
  /// @param tables  must outlive it; has the line's machine
  /// @throws ConfigError  if the machine cannot be
  MachineEvaluator(const EvalLine& line, const EvalTables& tables);

  [[nodiscard]] nlohmann::ordered_json operator()(const EvalLine& line);

 private:
  /// The figures of `sweep export`; area_mm2, likely intervals, what plain models say and what a
  /// profiler counts beside them.
  [[nodiscard]] nlohmann::ordered_json gemm_figures(const Arguments& arguments);
  /// latency_cycles of one warp with one chain; with `warps` fma_per_clk of an SM.
  [[nodiscard]] nlohmann::ordered_json instruction_figures(const Arguments& arguments);
  /// forward_us and backward_us, with the kernels beside the backward one.
  [[nodiscard]] nlohmann::ordered_json attention_figures(const Arguments& arguments);
  /// time_us of the framework's forward kernel.
  [[nodiscard]] nlohmann::ordered_json stream_figures(const Arguments& arguments);
  /// The machine with the kernels that `asked` has.
  [[nodiscard]] std::shared_ptr<SweepMachine> with_kernels(const GemmOptions& asked) const;

  const EvalTables& tables_;
  std::shared_ptr<SweepMachine> machine_;
  JobMachines job_machines_;
  MachineRunner runner_;
  double area_mm2_ = 0;
};

/// time_us of what GPUs of a system exchange.
[[nodiscard]] nlohmann::ordered_json evaluate_collective(const EvalLine& line);

/// The steps of a line, simulated in a process of their own: of a network under one scheme on one
/// machine its figures; of more a list of them, `steps`. A line that asks for `rows` gets the list
/// besides, the study's rows, and its steps on several GPUs.
[[nodiscard]] nlohmann::ordered_json evaluate_steps(const EvalLine& line, const EvalTables& tables);

/// A machine of a space, the axes that `set` does not name at their first values, with all of the
/// space's work: its time, that of the dense work on the same machine, area_mm2.
[[nodiscard]] nlohmann::ordered_json evaluate_design(const EvalLine& line,
                                                     const EvalTables& tables);

}  // namespace stcsim
