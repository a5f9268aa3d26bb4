#include "cli/eval/eval_work.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cli/run/experiment_options.hpp"
#include "common/config_field.hpp"
#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/suggestion.hpp"
#include "models/collectives/collective.hpp"
#include "reports/run/study_report.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/system.hpp"
#include "sim/cost/machine_area.hpp"
#include "sim/design/work_runner.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/kernel/library.hpp"
#include "sim/parallel/parallel_study.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/named_instruction.hpp"
#include "sim/run/result_figures.hpp"
#include "sim/run/simple_models.hpp"
#include "sim/study/study.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "sim/sweep/sweep_run.hpp"
#include "workloads/files/workload_config.hpp"
#include "workloads/lowering.hpp"

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
  add_interval(object, "time_us", total.time_interval);
  if (total.measured) {
    add_figures(object, {{"kernels_us", total.kernels_us},
                         {"dense_kernels_us", total.dense_kernels_us},
                         {"kernels_speedup", total.kernels_speedup}});
    add_interval(object, "kernels_speedup", total.kernels_interval);
  }
  add_figures(object, {{"training_speedup", total.training.speedup},
                       {"share_of_training", total.share_of_training},
                       {"clock_mhz", total.clock_mhz},
                       {"forward_time_us", total.forward.time_us},
                       {"dgrad_time_us", total.dgrad.time_us},
                       {"wgrad_time_us", total.wgrad.time_us},
                       {"other_time_us", total.other.time_us},
                       {"optimizer_time_us", total.optimizer.time_us},
                       {"scheme_work_time_us", total.scheme_work.time_us},
                       {"waits_time_us", total.waits_us},
                       {"joules", total.joules},
                       {"dense_joules", total.dense_joules}});
  // Nobody says what products alone keep in memory.
  const auto of_memory = [&](auto value) {
    return total.products_only ? std::nullopt : std::optional(value);
  };
  const std::int64_t of_samples = total.memory.activations + total.memory.working;
  add_figures(object, {{"memory_bytes", of_memory(total.memory.total())},
                       {"samples_bytes", of_memory(of_samples)},
                       {"capacity_bytes", of_memory(total.capacity_bytes)},
                       {"fits", of_memory(total.fits())}});
  const TimeErrors errors = errors_of(tables, total.machine, experiment.dtype);
  add_figures(object,
              {{"product_error", errors.dense.mean()}, {"stream_error", errors.stream.mean}});
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

/// What the way of timing adds to the times.
void add_method(ordered_json& object, const TimingMethod& method) {
  for (const char* const time : {"time_us", "dense_time_us", "always_time_us"}) {
    object[time] = method.time_us(object.at(time).get<double>());
  }
  const double dense_us = object.at("dense_time_us");
  object["speedup"] = dense_us / object.at("time_us").get<double>();
  object["always_speedup"] = dense_us / object.at("always_time_us").get<double>();
}

void add_plain_models(ordered_json& object, const GemmOptions& asked, const MachineConfig& config) {
  const auto& locked = asked.method.launches.locked_clock_mhz;
  const MachineConfig machine = at_clock(config, locked.value_or(config.clock_mhz));
  add_figures(object, {{"roofline_us", roofline_us(asked.problem, machine)},
                       {"dense_roofline_us", roofline_us(asked.dense, machine)},
                       {"tiles_us", tile_model_us(asked.problem, machine)},
                       {"dense_tiles_us", tile_model_us(asked.dense, machine)}});
}

/// What a profiler says of a launch beside the simulator's own counters.
void add_profile(ordered_json& object, const GemmProblem& problem, const MachineConfig& machine,
                 const LaunchResult& launch) {
  add_figures(object, {{"stages", launch.kernel.stages},
                       {"sm_read_bytes", received_bytes(machine, problem, launch.kernel)}});
}

/// The forward kernel of an operation on a tensor of rows and columns, as a framework launches it.
std::vector<StreamKernel> stream_kernels_of(const Arguments& arguments) {
  constexpr std::int64_t kMostElements = 1'000'000'000;
  const StreamOp op = value_of(arguments, kStream.op, kLastStreamOp);
  Layer layer;
  layer.kind = LayerKind::linear;
  layer.in_channels = 1;
  layer.out_channels = arguments.integer(kStream.columns, 1, kMostElements);
  layer.height = arguments.integer(kStream.rows, 1, kMostElements);
  layer.after = {op};
  const Framework framework =
      load_framework(arguments.text_or(kExperiment.framework, kDefaultFramework), {});
  // Products of tf32 leave fp32 behind.
  constexpr std::array kTypes{DataType::fp16, DataType::bf16, DataType::tf32};
  const DataType dtype = kTypes.at(arguments.choice(kStream.dtype));
  std::vector<StreamKernel> kernels = operation_kernels(layer, 1, dtype, framework);
  const bool backward = arguments.has(kStream.backward);
  // Beside its own kernels there may be others that frameworks launch around them.
  std::erase_if(kernels, [&](const StreamKernel& one) {
    return one.backward != backward || !one.name.starts_with(to_string(op));
  });
  if (!kernels.empty()) return kernels;
  throw ConfigError(fmt::format("framework '{}' has no kernel '{} {}'", framework.name,
                                to_string(op), backward ? "backward" : "forward"));
}

AttentionShape attention_shape_of(const Arguments& arguments) {
  constexpr std::int64_t kMost = 1 << 20;
  constexpr std::array kTypes{DataType::fp16, DataType::bf16};
  AttentionShape shape;
  shape.batch = arguments.integer_or(kAttention.batch, 1, 1, kMost);
  shape.heads = arguments.integer(kAttention.heads, 1, kMost);
  shape.kv_heads = arguments.integer_or(kAttention.kv_heads, shape.heads, 1, shape.heads);
  shape.queries = shape.keys = arguments.integer(kAttention.tokens, 1, kMost);
  shape.head_size = arguments.integer(kAttention.head_size, 1, kLargestHead);
  shape.causal = arguments.has(kAttention.causal);
  shape.dropout = arguments.has(kAttention.dropout);
  shape.dtype = kTypes.at(arguments.choice(kAttention.dtype));
  if (shape.heads % shape.kv_heads != 0) {
    arguments.refuse(kAttention.kv_heads, "a divisor of the number of heads");
  }
  return shape;
}

}  // namespace

MachineEvaluator::MachineEvaluator(const EvalLine& line, const EvalTables& tables)
    : tables_(tables),
      machine_(machine_of(line, tables)),
      runner_(machine_->spec.config),
      area_mm2_(area_in_mm2(machine_->spec.config, tables.areas)) {
  runner_.remember_launches(tables.launches);
}

ordered_json MachineEvaluator::operator()(const EvalLine& line) {
  const Arguments arguments(line_options(line.kind), {}, line.words);
  if (line.kind == EvalLine::Kind::instruction) return instruction_figures(arguments);
  if (line.kind == EvalLine::Kind::stream) return stream_figures(arguments);
  if (line.kind == EvalLine::Kind::attention) return attention_figures(arguments);
  return gemm_figures(arguments);
}

std::shared_ptr<SweepMachine> MachineEvaluator::with_kernels(const GemmOptions& asked) const {
  if (asked.machine.kernels == machine_->spec.config.kernels) return machine_;
  auto profiled = std::make_shared<SweepMachine>(*machine_);
  profiled->spec.config = asked.machine;
  return profiled;
}

ordered_json MachineEvaluator::gemm_figures(const Arguments& arguments) {
  const GemmOptions asked = gemm_options_on(machine_->spec, arguments);
  SweepPoint point;
  point.machine = with_kernels(asked);
  point.gemm = asked.problem;
  point.policy = asked.policy;
  point.where = asked.where;
  const MachineConfig& config = point.machine->spec.config;
  runner_.take_kernels(config);
  const JobMachine machine{&config, config.clock_mhz, {}};
  const LaunchConditions& conditions = asked.method.launches;
  const GemmRun own =
      run_job(runner_, {&machine, GemmWork{asked.problem}, asked.policy, conditions});
  const bool is_dense = asked.problem == asked.dense;
  const GemmRun dense = is_dense ? own
                                 : run_job(runner_, {&machine, GemmWork{asked.dense},
                                                     policy_of_dense(asked.policy), conditions});
  const TimeErrors errors = errors_of(tables_, config.name, asked.problem.dtype);
  ordered_json object = gemm_point_figures(point, own, dense, errors.gain.mean());
  if (!asked.layer_reason.empty()) object["reason"] = asked.layer_reason;
  add_method(object, asked.method);
  add_plain_models(object, asked, config);
  add_profile(object, asked.problem, config, own.result);
  add_figures(object, {{"software", asked.software()},
                       {"dense_kernel", dense.result.kernel.name},
                       {"dense_bound_by",
                        bound_by(at_clock(config, dense.result.clock_mhz), dense.result)}});
  if (tables_.errors) {
    const GemmIntervals likely =
        gemm_intervals(errors, {asked.problem, asked.dense, own.hardware_pattern,
                                object.at("time_us"), object.at("dense_time_us")});
    add_interval(object, "speedup", likely.speedup);
    add_interval(object, "time_us", likely.time);
    add_interval(object, "dense_time_us", likely.dense_time);
  }
  add_figures(object, {{"area_mm2", area_mm2_}});
  return object;
}

ordered_json MachineEvaluator::instruction_figures(const Arguments& arguments) {
  const NamedInstruction instruction = named_instruction(
      arguments.text(kInstruction.instruction), arguments.text_or(kCommon.dtype, "fp16"),
      arguments.text(kInstruction.shape), arguments.has(kInstruction.sparse));
  constexpr std::int64_t kMostChains = 1024;
  if (!arguments.has(kInstruction.warps)) {
    return figures({{"latency_cycles", latency_cycles(instruction, runner_)}});
  }
  const std::int64_t warps = arguments.integer(kInstruction.warps, 1, kMostChains);
  const std::int64_t chains = arguments.integer_or(kInstruction.chains, 1, 1, kMostChains);
  return figures({{"fma_per_clk", fma_per_clk(instruction, warps, chains, runner_)}});
}

ordered_json MachineEvaluator::attention_figures(const Arguments& arguments) {
  const MachineConfig& config = machine_->spec.config;
  JobMachine machine{&config, config.clock_mhz, {}};
  const AttentionShape shape = attention_shape_of(arguments);
  const auto kernel = static_cast<AttentionKernel>(1 + arguments.choice(kAttention.attention));
  const auto run = [&](const Work& work) { return run_job(runner_, {&machine, work}).result; };
  // One after the other, at the clock that the board sustains with each.
  const auto run_sustained = [&](const AttentionWork& work) {
    machine.clock_mhz = config.clock_mhz;
    machine.clock_mhz = sustained_clock_mhz(config, shape.dtype, run(work));
    return run(work);
  };
  const LaunchResult forward = run_sustained({kernel, false, shape});
  const LaunchResult main = run_sustained({kernel, true, shape});
  LaunchResult backward = main;
  for (const StreamWork& beside : beside_attention({kernel, true, shape}))
    append_result(backward, run(beside));
  return figures({{"forward_cycles", forward.cycles},
                  {"forward_us", forward.time_us()},
                  {"clock_mhz", forward.clock_mhz},
                  {"backward_clock_mhz", main.clock_mhz},
                  {"backward_kernel_us", main.time_us()},
                  {"backward_us", backward.time_us()}});
}

ordered_json MachineEvaluator::stream_figures(const Arguments& arguments) {
  const JobMachine machine{&machine_->spec.config, machine_->spec.config.clock_mhz, {}};
  LaunchResult sum;
  for (const StreamKernel& kernel : stream_kernels_of(arguments)) {
    const LaunchResult one = run_job(runner_, {&machine, kernel.work}).result;
    sum.cycles += one.cycles;
    sum.clock_mhz = one.clock_mhz;
  }
  return figures({{"cycles", sum.cycles}, {"time_us", sum.time_us()}});
}

ordered_json evaluate_collective(const EvalLine& line) {
  constexpr std::int64_t kMostGpus = 1'000'000;
  const Arguments arguments(line_options(line.kind), {}, line.words);
  const SystemConfig system = load_system(arguments.text(kExperiment.system));
  Collective what;
  what.op = value_of(arguments, kCollective.collective, CollectiveOp::all_to_all);
  what.bytes = arguments.number(kCollective.bytes);
  what.gpus = arguments.integer(kExperiment.gpus, 1, kMostGpus);
  what.nodes = arguments.integer_or(kCollective.nodes, system.nodes_of(what.gpus), 1, what.gpus);
  if (what.bytes <= 0) arguments.refuse(kCollective.bytes, "a number above 0");
  if (what.nodes > 1 && !system.links.between_nodes) {
    throw ConfigError("system '" + system.name + "' has no links between nodes");
  }
  return figures({{"time_us", collective_time(system.links, what).us}});
}

ordered_json evaluate_steps(const EvalLine& line, const EvalTables& tables) {
  const Arguments arguments(line_options(line.kind), {kCommon.experiment.optional()}, line.words);
  const Experiment experiment =
      line.experiment.empty()
          ? experiment_of(arguments)
          : load_experiment(parse_yaml(line.experiment, "the line"), arguments.all(kCommon.set));
  StudyOptions options;
  options.errors = tables.errors ? &*tables.errors : nullptr;
  options.totals_only = !arguments.has(kSteps.rows);
  options.launches = tables.launches;
  StudyResult study = run_study(with_parts(experiment), options);
  if (!study.failures.empty()) throw SimulationError(study.failures.front());
  if (experiment.parallel) study.parallel = parallel_totals(experiment, study);
  std::vector<ordered_json> steps;
  for (const StudyTotal& total : study.totals) {
    steps.push_back(step_figures_of(total, tables, experiment));
  }
  if (options.totals_only && steps.size() == 1) return steps.front();
  if (options.totals_only) return {{"steps", steps}};
  return {{"totals", steps},
          {"rows", figures_of_each(study.rows, &row_figures)},
          {"parallel", figures_of_each(study.parallel, &figures_of<ParallelTotal>)}};
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
