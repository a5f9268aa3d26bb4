#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/option.hpp"
#include "cli/base/output.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/pattern.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {
namespace {

constexpr const char* kNewMachineNotes =
    "FILE is a new one, such as mine.yaml. What is not said is as of the shipped machine that is\n"
    "nearest to what is. Without any option, a terminal is asked for all of them.\n\n"
    "  stcsim new machine mine.yaml --sms 16 --clock 1200 --shared-memory 64 --patterns 1:4,1:8\n"
    "  stcsim gemm --arch ./mine.yaml 1024 1024 1024 --sparsity 1:4\n";

constexpr struct NewMachineTable {
  Option sms{"sms", "N", "SMs"};
  Option clock = kCommon.clock.as("MHZ", "highest clock of the SMs, MHz");
  Option tflops{"tflops", "N", "dense fp16 TFLOP/s of all SMs at that clock"};
  Option patterns{"patterns", "N:M,...", "patterns of sparse tensor cores, beside the nearest's"};
  Option shared_memory{"shared-memory", "KIB", "shared memory of an SM, KiB"};
  Option cache_size{"cache-size", "MIB", "L2 cache, MiB"};
  Option cache_bandwidth{"cache-bandwidth", "GB/S", "what the L2 cache delivers, GB/s"};
  Option memory{"memory", "GIB", "memory, GiB"};
  Option memory_bandwidth{"memory-bandwidth", "GB/S",
                          "what memory sustains, GB/s (about 0.9 of what data sheets say)"};
  Option watts{"watts", "W", "power limit of the board, W"};
} kNew;
Options all_options() {
  return {
      kNew.sms,        kNew.clock,           kNew.tflops, kNew.patterns,         kNew.shared_memory,
      kNew.cache_size, kNew.cache_bandwidth, kNew.memory, kNew.memory_bandwidth, kNew.watts};
}

double real_of(std::int64_t value) {
  return static_cast<double>(value);
}

/// A number that may be said, and its line.
struct Number {
  const Option* option;
  const char* line;
  /// What the file has of one of it: in all, or in all clks of a microsecond.
  double unit;
  bool is_per_clk;
  double (*stated)(const MachineConfig&);

  [[nodiscard]] double of(const MachineConfig& machine) const {
    return stated(machine) / unit * (is_per_clk ? machine.clock_mhz : 1);
  }
};
using Machine = const MachineConfig&;
constexpr Number kMhz{&kNew.clock, "clock_mhz: {}", 1, false,
                      [](Machine one) { return one.clock_mhz; }};
constexpr Number kSms{&kNew.sms, "accelerator:\n  num_sms: {}", 1, false,
                      [](Machine one) { return real_of(one.accelerator.num_sms); }};
/// Multiply-accumulates of all SMs in a clk; a TFLOP/s are half a million in a microsecond.
constexpr Number kTflops{
    &kNew.tflops, "", 5e5, true, [](Machine one) {
      const auto& sm = one.accelerator.sm;
      const auto fp16 =
          std::ranges::find(sm.tensor_core.multipliers, DataType::fp16, &MultiplierRate::dtype);
      return real_of(fp16->fma_per_clk * sm.sub_cores * one.accelerator.num_sms);
    }};
constexpr std::array<Number, 9> kNumbers{
    {kMhz,
     kSms,
     kTflops,
     {&kNew.shared_memory, "    shared_memory: {{capacity_bytes: {}}}", 1024, false,
      [](Machine one) { return real_of(one.accelerator.sm.shared_memory.capacity_bytes); }},
     {&kNew.cache_size, "  l2_cache:\n    capacity_bytes: {}", 1 << 20, false,
      [](Machine one) { return real_of(one.accelerator.l2_cache.capacity_bytes); }},
     {&kNew.cache_bandwidth, "    read_bytes_per_clk: {}", 1e3, true,
      [](Machine one) { return real_of(one.accelerator.l2_cache.read_bytes_per_clk); }},
     {&kNew.memory, "  dram:\n    capacity_bytes: {}", 1 << 30, false,
      [](Machine one) { return real_of(one.accelerator.dram.capacity_bytes); }},
     {&kNew.memory_bandwidth, "    bytes_per_clk: {}", 1e3, true,
      [](Machine one) { return real_of(one.accelerator.dram.bytes_per_clk); }},
     {&kNew.watts, "power: {{limit_watts: {}}}", 1, false,
      [](Machine one) { return one.power.limit_watts; }}}};

/// What is said, more than nothing, or what a machine has.
double value_of(const Arguments& arguments, const Number& number, const MachineConfig& machine) {
  if (!arguments.has(*number.option)) return number.of(machine);
  const double value = arguments.number(*number.option);
  if (value <= 0) arguments.refuse(*number.option, "more than 0");
  return value;
}

/// The shipped machine of known software and power that is nearest to the numbers given: whose
/// logarithms differ least in the sum.
MachineSpec nearest_machine(const Arguments& arguments) {
  std::optional<MachineSpec> nearest;
  double least = 0;
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) {
    MachineSpec one = load_machine(entry.name);
    if (one.config.stacks.empty() || one.config.power.limit_watts == 0) continue;
    double distance = 0;
    for (const Number& number : kNumbers) {
      distance +=
          std::abs(std::log(value_of(arguments, number, one.config) / number.of(one.config)));
    }
    if (nearest && distance >= least) continue;
    least = distance;
    nearest = std::move(one);
  }
  return std::move(*nearest);
}

std::int64_t whole(double value) {
  return std::max<std::int64_t>(1, std::llround(value));
}

/// Of all types as many more as of fp16.
std::string multipliers(const Arguments& arguments, const MachineConfig& base) {
  const double clks = value_of(arguments, kSms, base) * value_of(arguments, kMhz, base) /
                      (kSms.of(base) * base.clock_mhz);
  const bool is_said = arguments.has(kNew.tflops);
  const double more =
      is_said ? value_of(arguments, kTflops, base) / (kTflops.of(base) * clks) : 1.0;
  std::vector<std::string> rates;
  for (const MultiplierRate& rate : base.accelerator.sm.tensor_core.multipliers) {
    rates.push_back(fmt::format("{{dtype: {}, fma_per_clk: {}}}", to_string(rate.dtype),
                                whole(more * real_of(rate.fma_per_clk))));
  }
  return fmt::format("  sm:\n    tensor_core: {{multipliers: [{}]}}", fmt::join(rates, ", "));
}

std::string patterns(const Arguments& arguments, const MachineConfig& base) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Pattern one : base.accelerator.sm.operand_selector.native_patterns) {
    add(one.to_string());
  }
  if (arguments.has(kNew.patterns))
    std::ranges::for_each(comma_list(arguments, kNew.patterns), add);
  return fmt::format("    operand_selector: {{native_patterns: [\"{}\"]}}",
                     fmt::join(names, "\", \""));
}

/// A file's lines, each with a place for the source of what it states.
std::string machine_text(const Arguments& arguments, const MachineSpec& nearest,
                         const std::string& name) {
  std::string text = fmt::format(
      "# {0}: in place of each 'SOURCE?', say where the number is from.\nname: {0}\n"
      "extends: {1}\ndescription: {0}, what is not stated here as {1}\n",
      name, nearest.name);
  const auto add = [&](const std::string& line, const Option& option) {
    const std::string source = arguments.has(option) ? "SOURCE?" : "as " + nearest.name;
    const std::size_t last = line.rfind('\n') + 1;
    text += line.substr(0, last) +
            fmt::format("{:<60}  # {}: {}\n", line.substr(last), option.help, source);
  };
  const double mhz = value_of(arguments, kMhz, nearest.config);
  for (const Number& number : kNumbers) {
    if (number.option == &kNew.tflops) {
      add(multipliers(arguments, nearest.config), kNew.tflops);
      add(patterns(arguments, nearest.config), kNew.patterns);
      continue;
    }
    double value = value_of(arguments, number, nearest.config) * number.unit;
    if (number.unit > 1) value = real_of(whole(value / (number.is_per_clk ? mhz : 1)));
    add(fmt::format(fmt::runtime(number.line), value), *number.option);
  }
  return text;
}

/// What a terminal answers, as the words that would have said it.
std::vector<std::string> answers_of_terminal(const Options& options) {
  std::vector<std::string> words;
  for (const Option& option : options) {
    std::cerr << fmt::format("{} ({}; nothing: as the nearest shipped machine): ", option.help,
                             option.value);
    std::string answer;
    std::getline(std::cin, answer);
    if (!answer.empty()) words.push_back(option.spelled() + "=" + answer);
  }
  return words;
}

int write_machine(const Arguments& arguments) {
  const std::filesystem::path file = arguments.text(kCommon.file);
  const MachineSpec nearest = nearest_machine(arguments);
  write_file_atomically(file, machine_text(arguments, nearest, file.stem().string()));
  const std::string arch = file.has_parent_path() ? file.string() : "./" + file.string();
  try {
    static_cast<void>(load_machine(arch));
  } catch (const ConfigError&) {
    std::filesystem::remove(file);
    throw;
  }
  write_message("stcsim new machine",
                fmt::format("{} extends {}; say where its numbers are from", arch, nearest.name));
  write_data(
      next_lines({"stcsim gemm", "--arch " + shell_word(arch), "1024 1024 1024"}, output_width()));
  return kExitFine;
}

int run_new_machine(const Arguments& arguments) {
  const std::string file = arguments.text(kCommon.file);
  if (!file.ends_with(".yaml")) arguments.refuse(kCommon.file, "the name of a new .yaml file");
  if (std::filesystem::exists(file)) {
    throw ConfigError(fmt::format("'{}' is there already, must be a new file", file));
  }
  const Options options = all_options();
  const auto is_given = [&](const Option& option) { return arguments.has(option); };
  if (std::ranges::any_of(options, is_given)) return write_machine(arguments);
  if (isatty(STDIN_FILENO) == 0) {
    throw ConfigError(
        "nothing is said of the machine; 'stcsim new machine --help' has what may be");
  }
  std::vector<std::string> words = answers_of_terminal(options);
  words.push_back(file);
  return write_machine(Arguments(options, {kCommon.file}, words));
}

}  // namespace

Command new_machine_command() {
  return {"new machine",    "Write a file of a machine that nobody has, from what is known of it",
          "FILE [OPTIONS]", kNewMachineNotes,
          {kCommon.file},   all_options(),
          &run_new_machine};
}

}  // namespace stcsim
