#include "cli/gemm/gemm_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/gemm/layer_gemm.hpp"
#include "common/io/catalog.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/suggestion.hpp"
#include "pruning/schemes.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/gemm_layouts.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/timing_methods.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMaxExtent = 1'000'000'000;
constexpr std::int64_t kMaxCandidates = 100'000;
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

DataType dtype_of(const Arguments& arguments) {
  return arguments.has(kCommon.dtype) ? dtype_given(arguments) : DataType::fp16;
}

/// "; 50 % of zeros is 2:4", if the text is a share that a pattern of a power of two has.
std::string pattern_of_percent(const std::string& text) {
  constexpr int kLargestGroup = 32;
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  if (digits == 0 || text.substr(digits) != "%") return "";
  double percent = 0;
  number_from(text.data(), text.data() + digits, percent);
  for (int m = 4; m <= kLargestGroup; m *= 2) {
    const double kept = m * (1 - percent / 100);
    if (kept < 1 || kept >= m || kept != std::floor(kept)) continue;
    return fmt::format("; {} % of zeros is {}:{}", percent, kept, m);
  }
  return "";
}

Pattern sparsity_of(const Arguments& arguments) {
  std::string text = arguments.text_or(kGemm.sparsity, "dense");
  auto pattern = pattern_from_string(text);
  if (!pattern) {  // "2-4", as schemes are called
    std::ranges::replace(text, '-', ':');
    pattern = pattern_from_string(text);
  }
  if (!pattern) {
    arguments.refuse(
        kGemm.sparsity,
        fmt::format("dense, n:m (n kept out of m) with 1 <= n <= m <= {}, e.g. 2:4, 'n:m pairs' "
                    "with both even, e.g. '4:8 pairs', V:2:m with m from 4, e.g. 128:2:10, or 'n:m "
                    "outputs'{}",
                    kMaxGroup, pattern_of_percent(arguments.text(kGemm.sparsity))));
  }
  return *pattern;
}

/// "4096", or "4k".
std::int64_t extent_of(const Arguments& arguments, const Option& option) {
  constexpr std::int64_t kKilo = 1024;
  const std::string text = arguments.text(option);
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 && names_config(ConfigKind::network, text)) {
    arguments.refuse(option, fmt::format("a whole number from 1 to {}; a layer of that network is "
                                         "--layer {}:NAME",
                                         kMaxExtent, text));
  }
  const bool is_kilo = digits != std::string::npos && same_but_case(text.substr(digits), "k");
  const auto kilo = is_kilo ? to_whole_number(text.substr(0, digits)) : std::nullopt;
  if (kilo && *kilo >= 1 && *kilo <= kMaxExtent / kKilo) return *kilo * kKilo;
  return arguments.integer(option, 1, kMaxExtent);
}

GemmProblem problem_of(const Arguments& arguments) {
  GemmProblem problem;
  problem.m = extent_of(arguments, kGemm.m);
  problem.n = extent_of(arguments, kGemm.n);
  problem.k = extent_of(arguments, kGemm.k);
  problem.batch_count = arguments.integer_or(kGemm.batch_count, 1, 1, kMaxExtent);
  problem.dtype = dtype_of(arguments);
  problem.a_pattern = sparsity_of(arguments);
  const OperandLayouts layouts = kOperandLayouts.at(arguments.choice(kGemm.layout)).second;
  problem.a_layout = layouts.a;
  problem.b_layout = layouts.b;
  problem.c_layout = kOutputLayouts.at(arguments.choice(kGemm.c_layout)).second;
  validate(problem, "the GEMM");
  return problem;
}

/// Those of --set, and --detail as one of them.
std::vector<std::string> overrides_of(const Arguments& arguments) {
  std::vector<std::string> overrides = arguments.all(kCommon.set);
  if (arguments.has(kValues.detail)) {
    const std::size_t detail = arguments.choice(kValues.detail);
    overrides.push_back("accelerator.sm.detail=" + kValues.detail.words()[detail]);
  }
  return overrides;
}

/// The named stack of the machine, its default if the option was not given.
std::string stack_of(const Arguments& arguments, const MachineConfig& machine) {
  const std::vector<std::string> names = machine.stack_names();
  const std::string name = arguments.text_or(kGemm.stack, names.front());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    arguments.refuse(kGemm.stack, fmt::format("a stack of {} ({}){}", machine.name,
                                              fmt::join(names, ", "), did_you_mean(name, names)));
  }
  return name;
}

/// The way of timing; without the option, launch after launch, with nothing added.
TimingMethod named_method(const Arguments& arguments) {
  if (!arguments.has(kSimulation.method)) return {};
  const auto methods = read_timing_methods(shipped_timing_file());
  std::vector<std::string> names;
  for (const auto& [name, method] : methods) names.push_back(name);
  return methods.at(names[arguments.choose(kSimulation.method, names)]);
}

TimingMethod method_of(const Arguments& arguments, const MachineConfig& machine) {
  TimingMethod method = named_method(arguments);
  arguments.allow_only_if(
      machine.power.limit_watts > 0, kValues.values,
      fmt::format("has no effect: {} does not say what it draws ('power')", machine.name));
  method.launches.values =
      arguments.choice(kValues.values) == 0 ? OperandValues::random : OperandValues::zeros;
  if (arguments.has(kCommon.clock)) {
    arguments.allow_only_if(!arguments.has(kValues.values), kValues.values,
                            "has no effect on a locked clock (--clock)");
    method.launches.locked_clock_mhz =
        static_cast<double>(arguments.integer(kCommon.clock, 1, MachineConfig::kMostMhz));
  }
  return method;
}

/// Takes the kernel that --kernel names as a profiler does, if it does so.
void take_profiled(GemmOptions& options, const Arguments& arguments) {
  const auto name = kernel_name(arguments.text_or(kGemm.kernel, ""));
  if (!name) return;
  const std::string stack = stack_of(arguments, options.machine);
  NamedKernelRun run = run_of(*name, options.problem, options.machine, stack);
  options.machine = std::move(run.machine);
  options.problem = run.problem;
  options.dense = dense_of(run.problem);
  options.policy.kernel = run.kernel;
  options.policy.stack = stack;
}

KernelPolicy policy_of(const Arguments& arguments, const MachineConfig& machine) {
  KernelPolicy policy;
  std::vector<std::string> names{"auto"};
  for (const KernelConfig& kernel : all_kernels(machine)) names.push_back(kernel.name);
  policy.kernel = arguments.text_or(kGemm.kernel, "auto");
  if (policy.kernel != "auto") {
    for (const Option& option : {kCommon.candidates, kGemm.stack}) {
      arguments.allow_only_if(false, option,
                              "has no effect with --kernel " + policy.kernel + ", only with auto");
    }
  }
  policy.stack = policy.kernel == "auto" ? stack_of(arguments, machine) : kBestStack;
  policy.sampled = arguments.has(kSimulation.sampled);
  if (arguments.has(kCommon.candidates)) {
    policy.candidates = arguments.integer(kCommon.candidates, 1, kMaxCandidates);
  }
  const bool is_known = policy.kernel.starts_with(kMapped) ||
                        std::find(names.begin(), names.end(), policy.kernel) != names.end();
  if (!is_known) {
    arguments.refuse(kGemm.kernel,
                     fmt::format("auto or a kernel of {} ('stcsim list kernels --arch {}' shows "
                                 "all){}",
                                 machine.name, arguments.text(kCommon.arch),
                                 did_you_mean(policy.kernel, names)));
  }
  return policy;
}

SparseWhere where_of(const Arguments& arguments, const GemmOptions& options) {
  arguments.allow_only_if(!options.problem.a_pattern.is_dense(), kGemm.where,
                          "has no effect on a dense GEMM, only with --sparsity");
  arguments.allow_only_if(!options.functional, kGemm.where,
                          "goes without --functional: C is checked of the GEMM that was asked for");
  return arguments.choice(kGemm.where) == 0 ? SparseWhere::always : SparseWhere::faster;
}

Cycles traced_of(const Arguments& arguments) {
  constexpr std::int64_t kFirstCtas = 20'000;
  constexpr std::int64_t kMostTraced = 10'000'000;
  const bool is_traced = arguments.has(kSimulation.timeline);
  return Cycles(is_traced
                    ? arguments.integer_or(kSimulation.timeline_cycles, kFirstCtas, 1, kMostTraced)
                    : 0);
}

double share_of(const Arguments& arguments, const Option& option) {
  const double share = arguments.not_negative_or(option, 0);
  if (share > 1) arguments.refuse(option, "a share from 0 to 1");
  return share;
}

/// Of values, each a simulation of its own.
constexpr std::int64_t kMostDraws = 1000;

std::optional<FunctionalOptions> functional_of(const Arguments& arguments,
                                               const GemmProblem& problem) {
  const bool sparse = !problem.a_pattern.is_dense();
  for (const Option& option : {kSimulation.flip_metadata_bit, kValues.prune}) {
    arguments.allow_only_if(sparse, option, "has no effect on a dense GEMM, only with --sparsity");
  }
  if (!arguments.has(kCommon.functional)) return std::nullopt;
  FunctionalOptions options;
  options.seed = seed_of(arguments);
  if (arguments.has(kValues.prune)) {
    std::vector<std::string> names;
    for (const pruning::Scheme& scheme : pruning::schemes()) names.emplace_back(scheme.name);
    options.prune = names[arguments.choose(kValues.prune, names)];
  }
  if (arguments.has(kValues.operand_a)) {
    options.a = operand_file(arguments.text(kValues.operand_a), problem, Operand::a);
  }
  if (arguments.has(kValues.operand_b)) {
    options.b = operand_file(arguments.text(kValues.operand_b), problem, Operand::b);
  }
  options.a_zeros = share_of(arguments, kValues.a_zeros);
  options.b_zeros = share_of(arguments, kValues.b_zeros);
  options.draws = arguments.integer_or(kCommon.draws, 1, 1, kMostDraws);
  arguments.allow_only_if(!options.a || !options.b, kCommon.draws,
                          "has no effect where --operand-a and --operand-b say all values");
  if (arguments.has(kSimulation.flip_metadata_bit)) {
    options.flip_metadata_bit = arguments.integer(kSimulation.flip_metadata_bit, 0, kMaxInt);
  }
  return options;
}

template <class Value, std::size_t count>
std::string name_of(Value value,
                    const std::array<std::pair<std::string_view, Value>, count>& table) {
  for (const auto& [name, known] : table) {
    if (known == value) return std::string(name);
  }
  return "";
}

nlohmann::ordered_json functional_json(const std::optional<FunctionalOptions>& options) {
  if (!options) return nullptr;
  nlohmann::ordered_json json{{"flip_metadata_bit", nullptr}, {"seed", options->seed}};
  if (!options->prune.empty()) json["prune"] = options->prune;
  if (options->a) json["operand_a_sha256"] = sha256_of(*options->a);
  if (options->b) json["operand_b_sha256"] = sha256_of(*options->b);
  if (options->a_zeros > 0) json["a_zeros"] = options->a_zeros;
  if (options->b_zeros > 0) json["b_zeros"] = options->b_zeros;
  if (options->draws > 1) json["draws"] = options->draws;
  if (options->flip_metadata_bit) json["flip_metadata_bit"] = *options->flip_metadata_bit;
  return json;
}

void resolve(GemmOptions& options, const YamlNode& machine, nlohmann::ordered_json layer) {
  const GemmProblem& problem = options.problem;
  nlohmann::ordered_json candidates;  // null if none are asked for
  if (options.policy.candidates) candidates = *options.policy.candidates;
  nlohmann::ordered_json json{
      {"batch_count", problem.batch_count},
      {"c_layout", name_of(problem.c_layout, kOutputLayouts)},
      {"dtype", to_string(problem.dtype)},
      {"functional", functional_json(options.functional)},
      {"k", problem.k},
      {"kernel", options.policy.kernel},
      {"kernel_candidates", candidates},
      {"layout", name_of(OperandLayouts{problem.a_layout, problem.b_layout}, kOperandLayouts)},
      {"m", problem.m},
      {"machine", to_json(machine)},
      {"method", options.method.name},
      {"values", options.method.launches.values == OperandValues::zeros ? "zeros" : "random"},
      {"n", problem.n},
      {"sparsity", problem.a_pattern.to_string()},
      {"stack", options.policy.stack},
      {"where", to_string(options.where)},
  };
  if (options.policy.sampled) json["sampled"] = true;
  if (!layer.is_null()) json["layer"] = std::move(layer);
  const std::optional<double> locked = options.method.launches.locked_clock_mhz;
  if (locked) json["locked_clock_mhz"] = *locked;
  options.resolved_config =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  options.config_hash = sha256_hex(options.resolved_config);
}

/// Takes the GEMM of --layer; what was asked for.
nlohmann::ordered_json take_layer(GemmOptions& options, const Arguments& arguments,
                                  const MachineSpec& machine) {
  const LayerGemmChoice choice = layer_gemm_of(arguments, machine, dtype_of(arguments));
  validate(choice.problem, "the GEMM");
  options.problem = choice.problem;
  options.dense = choice.dense;
  options.layer_title = choice.title;
  options.layer_reason = choice.reason;
  options.prune = choice.prune;
  return layer_gemm_json(arguments, choice);
}

}  // namespace

std::string GemmOptions::software() const {
  return policy.kernel == "auto" ? describe(stack_named(machine, policy.stack)) : "";
}

std::vector<std::string> same_gemm(const Arguments& arguments) {
  Options options = options_of<GemmTable>();
  std::erase_if(options, [](const Option& option) { return !option.in_next; });
  return arguments.again(options);
}

GemmOptions read_gemm_options(const Arguments& arguments) {
  return read_gemm_options(arguments,
                           load_by_name(ConfigKind::machine, arguments.text(kCommon.arch)));
}

GemmOptions read_gemm_options(const Arguments& arguments, YamlNode machine) {
  apply_overrides(machine, overrides_of(arguments));
  nlohmann::ordered_json layer;
  GemmOptions options = gemm_options_on(read_machine(machine), arguments, &layer);
  resolve(options, machine, std::move(layer));
  return options;
}

GemmOptions gemm_options_on(const MachineSpec& machine, const Arguments& arguments,
                            nlohmann::ordered_json* layer) {
  GemmOptions options;
  options.machine = machine.config;
  if (arguments.has(kGemm.layer)) {
    nlohmann::ordered_json asked = take_layer(options, arguments, machine);
    if (layer != nullptr) *layer = std::move(asked);
  } else {
    options.problem = problem_of(arguments);
    options.dense = dense_of(options.problem);
  }
  options.functional = functional_of(arguments, options.problem);
  arguments.allow_only_if(
      !options.functional || options.machine.accelerator.sm.passes_messages(), kSimulation.sampled,
      "goes with --functional only where values decide the time, with --detail stages: else every "
      "CTA is simulated with its values");
  const bool is_pruned_as_layer =
      !arguments.has(kValues.prune) && !arguments.has(kValues.operand_a);
  if (options.functional && is_pruned_as_layer) options.functional->prune = options.prune;
  options.fast_forward = fast_forward_of(arguments);
  options.with_spread = !options.functional && !arguments.has(kCommon.no_spread);
  options.traced = traced_of(arguments);
  options.is_explained = arguments.has(kCommon.explain);
  const bool is_table = arguments.choice(kOutput.format) == 0;
  arguments.allow_only_if(is_table && !options.functional, kCommon.explain,
                          "goes with --format table and without --functional; stcsim explain "
                          "has other formats");
  take_profiled(options, arguments);
  if (options.policy.kernel == "auto") options.policy = policy_of(arguments, options.machine);
  options.method = method_of(arguments, options.machine);
  options.where = where_of(arguments, options);
  return options;
}

}  // namespace stcsim
