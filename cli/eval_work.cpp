#include "cli/eval_work.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/experiment_options.hpp"
#include "cli/gemm_options.hpp"
#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/cost/machine_area.hpp"
#include "sim/design/work_runner.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/study/study.hpp"
#include "sim/sweep/gemm_figures.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

double area_in_mm2(const MachineConfig& machine, const CostTable& areas) {
  constexpr double kSquareMillimetre = 1e6;  // um2
  return area_of(machine, areas).machine_um2 / kSquareMillimetre;
}

std::shared_ptr<SweepMachine> machine_of(const EvalLine& line, const EvalTables& tables) {
  auto machine = std::make_shared<SweepMachine>();
  machine->node = tables.machines.at(line.name);
  apply_overrides(machine->node, line.set);
  machine->spec = read_machine(machine->node);
  return machine;
}

TimeErrors errors_of(const EvalTables& tables, const std::string& machine, DataType dtype) {
  return tables.errors ? tables.errors->of(machine, dtype, "") : TimeErrors();
}

void add_interval(ordered_json& object, const std::string& name, const LikelyInterval& interval) {
  if (!interval.is_known()) return;
  add_figures(object, {{name + "_low", interval.low}, {name + "_high", interval.high}});
}

ordered_json step_figures_of(const StudyTotal& total, const EvalTables& tables,
                             const Experiment& experiment) {
  ordered_json object = figures({{"network", total.network},
                                 {"arch", total.machine},
                                 {"scheme", total.scheme},
                                 {"cycles", total.step.cycles},
                                 {"time_us", total.step.time_us},
                                 {"dense_time_us", total.step.dense_time_us},
                                 {"speedup", total.step.speedup}});
  add_interval(object, "speedup", total.step_interval);
  add_figures(object, {{"training_speedup", total.training.speedup},
                       {"clock_mhz", total.clock_mhz},
                       {"forward_time_us", total.forward.time_us},
                       {"dgrad_time_us", total.dgrad.time_us},
                       {"wgrad_time_us", total.wgrad.time_us},
                       {"other_time_us", total.other.time_us},
                       {"optimizer_time_us", total.optimizer.time_us},
                       {"scheme_work_time_us", total.scheme_work.time_us},
                       {"joules", total.joules},
                       {"dense_joules", total.dense_joules}});
  // Nobody says what products alone keep in memory.
  const bool has_memory = !total.products_only;
  add_figures(object,
              {{"memory_bytes", has_memory ? std::optional(total.memory.total()) : std::nullopt},
               {"fits", has_memory ? std::optional(total.fits()) : std::nullopt}});
  const auto machine = std::ranges::find(experiment.machines, total.machine, &MachineSpec::name);
  if (machine != experiment.machines.end()) {
    add_figures(object, {{"area_mm2", area_in_mm2(machine->config, tables.areas)}});
  }
  return object;
}

/// The axis of a space that "machine.accelerator.num_sms", or that without its "machine.", names.
Axis& machine_axis(Space& space, const std::string& key) {
  std::vector<std::string> names;
  for (Axis& axis : space.axes) {
    if (axis.root() != "machine") continue;
    if (axis.name == key || axis.name == "machine." + key) return axis;
    names.push_back(axis.name);
  }
  throw ConfigError("set: space '" + space.name + "' has no axis '" + key + "'" +
                    did_you_mean(key, names));
}

/// The space with one machine: what is set, else the first value of each axis.
Space with_one_machine(Space space, const std::vector<std::string>& set) {
  if (space.sampling) throw ConfigError("space '" + space.name + "' is sampled: it has no machine");
  for (Axis& axis : space.axes) {
    if (axis.root() == "machine") axis.values.resize(1);
  }
  for (const std::string& assignment : set) {
    const std::size_t equals = assignment.find('=');
    YamlNode value;
    apply_override(value, "value=[" + assignment.substr(equals + 1) + "]");
    Axis& axis = machine_axis(space, assignment.substr(0, equals));
    axis.values = read_axis(axis.name, axis.where, *value.find("value")).values;
  }
  return space;
}

ordered_json point_figures(const SweepPoint& point, const EvalTables& tables) {
  if (point.kind == PointKind::step) {
    StudyOptions options;
    options.totals_only = true;
    return step_point_figures(run_study(experiment_of(point), options), scheme_name(point));
  }
  GemmJobs jobs;
  const auto [own, dense] = jobs.of(point);
  const Answers answers = answers_to({own, dense}, {});
  const double gain_error =
      errors_of(tables, point.machine->spec.name, point.gemm.dtype).gain.mean();
  return gemm_point_figures(point, *answers[0], *answers[1], gain_error);
}

}  // namespace

GemmEvaluator::GemmEvaluator(const EvalLine& line, const EvalTables& tables)
    : tables_(tables),
      machine_(machine_of(line, tables)),
      runner_(machine_->spec.config),
      area_mm2_(area_in_mm2(machine_->spec.config, tables.areas)) {}

ordered_json GemmEvaluator::operator()(const EvalLine& line) {
  const GemmOptions asked =
      gemm_options_on(machine_->spec, Arguments(gemm_line_options(), {}, line.words));
  const MachineConfig& config = machine_->spec.config;
  const JobMachine& machine = job_machines_.of(config);
  const LaunchConditions& conditions = asked.method.launches;
  const GemmRun own =
      run_job(runner_, {&machine, GemmWork{asked.problem}, asked.policy, conditions});
  const bool is_dense = asked.problem == asked.dense;
  const GemmRun dense = is_dense ? own
                                 : run_job(runner_, {&machine, GemmWork{asked.dense},
                                                     policy_of_dense(asked.policy), conditions});
  SweepPoint point;
  point.machine = machine_;
  point.gemm = asked.problem;
  point.policy = asked.policy;
  point.where = asked.where;
  const TimeErrors errors = errors_of(tables_, config.name, asked.problem.dtype);
  ordered_json object = gemm_point_figures(point, own, dense, errors.gain.mean());
  if (!asked.layer_reason.empty()) object["reason"] = asked.layer_reason;
  if (tables_.errors) {
    const GemmIntervals likely =
        gemm_intervals(errors, {asked.problem.m, asked.problem.n, object.at("time_us"),
                                object.at("dense_time_us"), !is_dense});
    add_interval(object, "speedup", likely.speedup);
    add_interval(object, "time_us", likely.time);
  }
  add_figures(object, {{"area_mm2", area_mm2_}});
  return object;
}

ordered_json evaluate_steps(const EvalLine& line, const EvalTables& tables) {
  const Experiment experiment =
      experiment_of(Arguments(step_line_options(), {"[EXPERIMENT]"}, line.words));
  StudyOptions options;
  options.errors = tables.errors ? &*tables.errors : nullptr;
  options.totals_only = true;
  const StudyResult study = run_study(experiment, options);
  if (!study.failures.empty()) throw SimulationError(study.failures.front());
  std::vector<ordered_json> steps;
  for (const StudyTotal& total : study.totals) {
    steps.push_back(step_figures_of(total, tables, experiment));
  }
  if (steps.size() == 1) return steps.front();
  return {{"steps", steps}};
}

ordered_json evaluate_design(const EvalLine& line, const EvalTables& tables) {
  const SweepPlan plan = plan_sweep(with_one_machine(load_space(line.name), line.set));
  std::vector<ordered_json> all;
  for (const SweepPoint& point : plan.points) all.push_back(point_figures(point, tables));
  const WorkPart part = plan.space.has_steps ? WorkPart::step : WorkPart::gemm;
  const WorkFigures work = work_figures(plan.points, all, part);
  ordered_json object = figures({{"time_us", work.time_us},
                                 {"dense_time_us", work.dense_time_us},
                                 {"speedup", work.speedup()},
                                 {"joules", work.joules},
                                 {"dense_joules", work.dense_joules}});
  if (!work.reasons.empty()) object["reason"] = work.reasons.front();
  const MachineConfig& machine = plan.points.front().machine->spec.config;
  add_figures(object, {{"area_mm2", area_in_mm2(machine, tables.areas)}});
  return object;
}

}  // namespace stcsim
