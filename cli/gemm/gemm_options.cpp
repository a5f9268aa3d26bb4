#include "cli/gemm/gemm_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/gemm/layer_gemm.hpp"
#include "cli/gemm/operand_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/sha256.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/letter_case.hpp"
#include "pruning/schemes.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/gemm_layouts.hpp"
#include "sim/config/kernel_space.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/profiled_kernel.hpp"
#include "sim/run/timing_methods.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMaxExtent = 1'000'000'000;
constexpr std::int64_t kMaxCandidates = 1000;
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

DataType dtype_of(const Arguments& arguments) {
  return arguments.has("dtype") ? dtype_given(arguments) : DataType::fp16;
}

/// "; 50 % of zeros is 2:4", if the text is a share that a pattern of a power of two has.
std::string pattern_of_percent(const std::string& text) {
  constexpr int kLargestGroup = 32;
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  if (digits == 0 || text.substr(digits) != "%") return "";
  double percent = 0;
  std::from_chars(text.data(), text.data() + digits, percent);
  for (int m = 4; m <= kLargestGroup; m *= 2) {
    const double kept = m * (1 - percent / 100);
    if (kept < 1 || kept >= m || kept != std::floor(kept)) continue;
    return fmt::format("; {} % of zeros is {}:{}", percent, kept, m);
  }
  return "";
}

Pattern sparsity_of(const Arguments& arguments) {
  std::string text = arguments.text_or("sparsity", "dense");
  auto pattern = pattern_from_string(text);
  if (!pattern) {  // "2-4", as schemes are called
    std::ranges::replace(text, '-', ':');
    pattern = pattern_from_string(text);
  }
  if (!pattern) {
    arguments.refuse(
        "sparsity",
        fmt::format("dense, n:m (n kept out of m) with 1 <= n <= m <= {}, e.g. 2:4, 'n:m pairs' "
                    "with both even, e.g. '4:8 pairs', or V:2:m with m from 4, e.g. 128:2:10{}",
                    kMaxGroup, pattern_of_percent(arguments.text("sparsity"))));
  }
  return *pattern;
}

/// "4096", or "4k".
std::int64_t extent_of(const Arguments& arguments, const std::string& name) {
  constexpr std::int64_t kKilo = 1024;
  const std::string text = arguments.text(name);
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 && names_config(ConfigKind::network, text)) {
    arguments.refuse(name, fmt::format("a whole number from 1 to {}; a layer of that network is "
                                       "--layer {}:NAME",
                                       kMaxExtent, text));
  }
  const bool is_kilo = digits != std::string::npos && same_but_case(text.substr(digits), "k");
  const auto kilo = is_kilo ? to_whole_number(text.substr(0, digits)) : std::nullopt;
  if (kilo && *kilo >= 1 && *kilo <= kMaxExtent / kKilo) return *kilo * kKilo;
  return arguments.integer(name, 1, kMaxExtent);
}

GemmProblem problem_of(const Arguments& arguments) {
  GemmProblem problem;
  problem.m = extent_of(arguments, "m");
  problem.n = extent_of(arguments, "n");
  problem.k = extent_of(arguments, "k");
  problem.batch_count = arguments.integer_or("batch-count", 1, 1, kMaxExtent);
  problem.dtype = dtype_of(arguments);
  problem.a_pattern = sparsity_of(arguments);
  const OperandLayouts layouts = arguments.choice_or("layout", OperandLayouts{}, kOperandLayouts);
  problem.a_layout = layouts.a;
  problem.b_layout = layouts.b;
  problem.c_layout = arguments.choice_or("c-layout", OutputLayout::row_major, kOutputLayouts);
  validate(problem, "the GEMM");
  return problem;
}

/// Those of --set, and --detail as one of them.
std::vector<std::string> overrides_of(const Arguments& arguments) {
  std::vector<std::string> overrides = arguments.all("set");
  if (arguments.has("detail")) {
    const std::vector<std::string> details{"closed", "stages"};
    overrides.push_back("accelerator.sm.detail=" + details[arguments.choose("detail", details)]);
  }
  return overrides;
}

/// The named stack of the machine, its default if the option was not given.
std::string stack_of(const Arguments& arguments, const MachineConfig& machine) {
  const std::vector<std::string> names = machine.stack_names();
  const std::string name = arguments.text_or("stack", names.front());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    arguments.refuse("stack", fmt::format("a stack of {} ({}){}", machine.name,
                                          fmt::join(names, ", "), did_you_mean(name, names)));
  }
  return name;
}

/// The way of timing; without the option, launch after launch, with nothing added.
TimingMethod named_method(const Arguments& arguments) {
  if (!arguments.has("method")) return {};
  const auto methods = read_timing_methods(shipped_timing_file());
  std::vector<std::string> names;
  for (const auto& [name, method] : methods) names.push_back(name);
  return methods.at(names[arguments.choose("method", names)]);
}

TimingMethod method_of(const Arguments& arguments, const MachineConfig& machine) {
  constexpr std::array<std::pair<std::string_view, OperandValues>, 2> kValues{
      {{"random", OperandValues::random}, {"zeros", OperandValues::zeros}}};
  TimingMethod method = named_method(arguments);
  arguments.allow_only_if(
      machine.power.limit_watts > 0, "values",
      fmt::format("has no effect: {} does not say what it draws ('power')", machine.name));
  method.launches.values = arguments.choice_or("values", OperandValues::random, kValues);
  if (arguments.has("clock")) {
    arguments.allow_only_if(!arguments.has("values"), "values",
                            "has no effect on a locked clock (--clock)");
    method.launches.locked_clock_mhz =
        static_cast<double>(arguments.integer("clock", 1, MachineConfig::kMostMhz));
  }
  return method;
}

/// Takes the kernel that --kernel names as a profiler does, if it does so.
void take_profiled(GemmOptions& options, const Arguments& arguments) {
  const auto name = kernel_name(arguments.text_or("kernel", ""));
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
  for (const KernelConfig& kernel : named_kernels(machine)) names.push_back(kernel.name);
  policy.kernel = arguments.text_or("kernel", "auto");
  if (policy.kernel != "auto") {
    for (const char* option : {"candidates", "stack"}) {
      arguments.allow_only_if(false, option,
                              "has no effect with --kernel " + policy.kernel + ", only with auto");
    }
  }
  policy.stack = policy.kernel == "auto" ? stack_of(arguments, machine) : kBestStack;
  policy.sampled = arguments.has("sampled");
  if (arguments.has("candidates")) {
    policy.candidates = arguments.integer("candidates", 1, kMaxCandidates);
  }
  if (std::find(names.begin(), names.end(), policy.kernel) == names.end()) {
    arguments.refuse(
        "kernel",
        fmt::format("auto or a kernel of {} ('stcsim list kernels --arch {}' shows "
                    "all){}",
                    machine.name, arguments.text("arch"), did_you_mean(policy.kernel, names)));
  }
  return policy;
}

SparseWhere where_of(const Arguments& arguments, const GemmOptions& options) {
  constexpr std::array<std::pair<std::string_view, SparseWhere>, 2> kWheres{
      {{"always", SparseWhere::always}, {"faster", SparseWhere::faster}}};
  arguments.allow_only_if(!options.problem.a_pattern.is_dense(), "where",
                          "has no effect on a dense GEMM, only with --sparsity");
  arguments.allow_only_if(!options.functional, "where",
                          "goes without --functional: C is checked of the GEMM that was asked for");
  return arguments.choice_or("where", SparseWhere::always, kWheres);
}

Cycles traced_of(const Arguments& arguments) {
  constexpr std::int64_t kFirstCtas = 20'000;
  constexpr std::int64_t kMostTraced = 10'000'000;
  const bool is_traced = arguments.has("timeline");
  arguments.allow_only_if(is_traced, "timeline-cycles", "has no effect without --timeline");
  arguments.allow_only_if(!arguments.has("functional"), "timeline", "goes without --functional");
  return Cycles(is_traced ? arguments.integer_or("timeline-cycles", kFirstCtas, 1, kMostTraced)
                          : 0);
}

double share_of(const Arguments& arguments, const char* option) {
  const double share = arguments.not_negative_or(option, 0);
  if (share > 1) arguments.refuse(option, "a share from 0 to 1");
  return share;
}

/// Of values, each a simulation of its own.
constexpr std::int64_t kMostDraws = 1000;

std::optional<FunctionalOptions> functional_of(const Arguments& arguments,
                                               const GemmProblem& problem) {
  const bool sparse = !problem.a_pattern.is_dense();
  const bool functional = arguments.has("functional");
  for (const char* option : {"seed", "flip-metadata-bit", "prune", "operand-a", "operand-b",
                             "a-zeros", "b-zeros", "draws"}) {
    arguments.allow_only_if(functional, option, "has no effect without --functional");
  }
  for (const char* option : {"flip-metadata-bit", "prune"}) {
    arguments.allow_only_if(sparse, option, "has no effect on a dense GEMM, only with --sparsity");
  }
  if (!functional) return std::nullopt;
  FunctionalOptions options;
  options.seed = static_cast<std::uint64_t>(arguments.integer_or("seed", 1, 0, kMaxInt));
  if (arguments.has("prune")) {
    std::vector<std::string> names;
    for (const pruning::Scheme& scheme : pruning::schemes()) names.emplace_back(scheme.name);
    options.prune = names[arguments.choose("prune", names)];
  }
  if (arguments.has("operand-a")) {
    options.a = operand_file(arguments.text("operand-a"), problem, Operand::a);
  }
  if (arguments.has("operand-b")) {
    options.b = operand_file(arguments.text("operand-b"), problem, Operand::b);
  }
  options.a_zeros = share_of(arguments, "a-zeros");
  options.b_zeros = share_of(arguments, "b-zeros");
  options.draws = arguments.integer_or("draws", 1, 1, kMostDraws);
  arguments.allow_only_if(!options.a || !options.b, "draws",
                          "has no effect where --operand-a and --operand-b say all values");
  if (arguments.has("flip-metadata-bit")) {
    options.flip_metadata_bit = arguments.integer("flip-metadata-bit", 0, kMaxInt);
  }
  return options;
}

/// As --layout has it.
std::string layout_of(const GemmProblem& problem) {
  for (const auto& [name, layouts] : kOperandLayouts) {
    if (layouts.a == problem.a_layout && layouts.b == problem.b_layout) return std::string(name);
  }
  return "";
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
      {"layout", layout_of(problem)},
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

void add_gemm_options(boost::program_options::options_description& options) {
  add_option(options, "arch", "NAME", "machine: a shipped one, or a path (required)");
  add_option(options, "m", "M", "rows of A and C (required without --layer)");
  add_option(options, "n", "N", "columns of B and C (required without --layer)");
  add_option(options, "k", "K",
             "columns of A, rows of B: the reduction (required without --layer)");
  add_layer_options(options);
  add_option(options, "batch-count", "COUNT", "independent GEMMs of that shape (default 1)");
  add_option(
      options, "sparsity", "N:M",
      "pattern of A, n kept out of m, 'N:M pairs', neighbours together, or V:2:M (default dense)");
  add_option(options, "dtype", "TYPE",
             "fp16, bf16, tf32, int8, int4, fp8_e4m3, fp8_e5m2 or nvfp4 (default fp16)");
  add_option(options, "kernel", "NAME",
             "kernel of the machine's list, one as a profiler names it (nvjet_sm90_..., "
             "sm90_xmma_sparse_gemm_...), or auto (default)");
  add_option(
      options, "stack", "NAME",
      "software whose kernels auto chooses from, one of the machine's 'stacks', or best: the "
      "fastest of these and of all the machine's kernels (default: the machine's first)");
  add_option(
      options, "candidates", "N",
      "how many kernels auto simulates to find the fastest (default: where the stack searches "
      "3, of large GEMMs 1; with best, so many of each stack)");
  add_option(
      options, "where", "always|faster",
      "run sparse also where dense is faster (always, default), or dense where the gain does "
      "not exceed what gains are off");
  add_option(options, "layout", "tn|nn|nt|tt",
             "A and B as BLAS names them: t is k contiguous for A, n is k contiguous for B "
             "(default tn)");
  add_option(options, "c-layout", "row|column", "which axis of C comes row by row (default row)");
  add_set_option(options, "accelerator.num_sms=16");
}

void add_value_options(boost::program_options::options_description& options) {
  add_option(options, "clock", "MHZ",
             "lock the clock (default: the one that the board's power allows)");
  add_option(options, "values", "random|zeros", "operands, for the board's power (default random)");
  options.add_options()("functional", "carry values and compare C with a reference GEMM");
  add_option(options, "seed", "S", "seed of the values of --functional (default 1)");
  add_option(
      options, "prune", "SCHEME",
      "scheme of 'stcsim prune' that prunes A in --functional (default: largest magnitudes)");
  add_option(options, "operand-a", "FILE",
             "A's numbers for --functional, a NumPy file of M x K; they have to satisfy "
             "--sparsity unless --prune is given");
  add_option(options, "operand-b", "FILE", "the same for B, of K x N");
  add_option(options, "a-zeros", "SHARE",
             "make so many of A's kept values zeros, for --functional (default 0)");
  add_option(options, "b-zeros", "SHARE", "the same of B's values, as ReLU does (default 0)");
  add_option(options, "detail", "closed|stages",
             "simulate the stages of sub-cores in closed form or event by event (default: as the "
             "machine's file says)");
  add_fast_forward_option(options);
}

void add_method_option(boost::program_options::options_description& options) {
  add_option(
      options, "method", "NAME",
      "time it that way: loop, loop50, loop50_h100, loop50_rtx4090, graph, kernel, events or "
      "host (default: launch after launch, nothing added)");
}

void add_simulation_options(boost::program_options::options_description& options) {
  add_method_option(options);
  add_value_options(options);
  add_option(options, "draws", "N",
             "simulate so many draws of values for --functional, seed after seed, and say what the "
             "GEMM takes in the mean, at least and at most (default 1)");
  add_option(options, "flip-metadata-bit", "I",
             "flip a bit of the metadata, to see --functional fail");
  add_option(options, "timeline", "FILE",
             "write what each unit of an SM does, cycle by cycle, for ui.perfetto.dev, or for "
             "waveform viewers if FILE ends in .vcd");
  add_option(options, "timeline-cycles", "N", "from the launch's beginning (default 20000)");
  options.add_options()("explain", "say below why, as `stcsim explain` does");
  options.add_options()("sampled",
                        "answer from a part of grids whose waves never recur, with a bound on the "
                        "cycles (default: exact)");
}

void add_output_options(boost::program_options::options_description& options) {
  add_option(options, "format", "table|json|csv", "form of the output (default table)");
  add_option(options, "output", "FILE", "write to a file instead of standard output");
}

std::vector<std::string> same_gemm(const Arguments& arguments) {
  return arguments.again({"arch", "m", "n", "k", "layer", "phase", "scheme", "part", "batch",
                          "batch-count", "sparsity", "dtype", "layout", "c-layout", "kernel",
                          "stack", "set"});
}

GemmOptions read_gemm_options(const Arguments& arguments) {
  return read_gemm_options(arguments, load_by_name(ConfigKind::machine, arguments.text("arch")));
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
  check_layer_options(arguments);
  GemmOptions options;
  options.machine = machine.config;
  if (arguments.has("layer")) {
    nlohmann::ordered_json asked = take_layer(options, arguments, machine);
    if (layer != nullptr) *layer = std::move(asked);
  } else {
    options.problem = problem_of(arguments);
    options.dense = dense_of(options.problem);
  }
  options.functional = functional_of(arguments, options.problem);
  arguments.allow_only_if(
      !options.functional || options.machine.accelerator.sm.passes_messages(), "sampled",
      "goes with --functional only where values decide the time, with --detail stages: else every "
      "CTA is simulated with its values");
  const bool is_pruned_as_layer = !arguments.has("prune") && !arguments.has("operand-a");
  if (options.functional && is_pruned_as_layer) options.functional->prune = options.prune;
  options.fast_forward = fast_forward_of(arguments);
  options.traced = traced_of(arguments);
  options.format = format_of(arguments);
  options.is_explained = arguments.has("explain");
  arguments.allow_only_if(options.format == Format::table && !options.functional, "explain",
                          "goes with --format table and without --functional; stcsim explain "
                          "has other formats");
  take_profiled(options, arguments);
  if (options.policy.kernel == "auto") options.policy = policy_of(arguments, options.machine);
  options.method = method_of(arguments, options.machine);
  options.where = where_of(arguments, options);
  return options;
}

}  // namespace stcsim
