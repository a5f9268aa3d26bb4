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
  Option clock{"clock", "MHZ", "highest clock of the SMs, MHz"};
  Option tflops{"tflops", "N", "dense fp16 TFLOP/s of all SMs at that clock"};
  Option patterns{"patterns", "N:M,...", "patterns of its sparse tensor cores, beside the nearest "
                                         "machine's"};
  Option shared_memory{"shared-memory", "KIB", "shared memory of an SM, KiB"};
  Option l2{"cache-size", "MIB", "L2 cache, MiB"};
  Option l2_bandwidth{"cache-bandwidth", "GB/S", "what the L2 cache delivers, GB/s"};
  Option dram{"memory", "GIB", "memory, GiB"};
  Option dram_bandwidth{"memory-bandwidth", "GB/S",
                        "what memory sustains, GB/s (about 0.9 of what data sheets say)"};
  Option watts{"watts", "W", "power limit of the board, W"};
} kNewMachine;
Options all_options() {
  return {kNewMachine.sms,           kNewMachine.clock,          kNewMachine.tflops,
          kNewMachine.patterns,      kNewMachine.shared_memory,  kNewMachine.l2,
          kNewMachine.l2_bandwidth,  kNewMachine.dram,           kNewMachine.dram_bandwidth,
          kNewMachine.watts};
}

double real_of(std::int64_t value) {
  return static_cast<double>(value);
}

double fp16_of(const MachineConfig& machine) {
  for (const MultiplierRate& rate : machine.accelerator.sm.tensor_core.multipliers) {
    if (rate.dtype == DataType::fp16) return real_of(rate.fma_per_clk);
  }
  return 0;
}
double gigabytes_per_s(const MachineConfig& machine, std::int64_t bytes_per_clk) {
  return real_of(bytes_per_clk) * machine.clock_mhz / 1e3;
}
/// TFLOP/s at one multiply-accumulate per clk of each sub-core.
double tflops_of_one(double sub_cores, double sms, double mhz) {
  return 2 * sub_cores * sms * mhz / 1e6;
}

/// A number that is asked for, and what a machine has of it.
struct Number {
  const Option* option;
  double (*of)(const MachineConfig&);
};
using Machine = const MachineConfig&;
constexpr std::array<Number, 9> kNumbers{{
    {&kNewMachine.sms, [](Machine one) { return real_of(one.accelerator.num_sms); }},
    {&kNewMachine.clock, [](Machine one) { return one.clock_mhz; }},
    {&kNewMachine.tflops,
     [](Machine one) {
       const double sms = real_of(one.accelerator.num_sms);
       return fp16_of(one) * tflops_of_one(real_of(one.accelerator.sm.sub_cores), sms,
                                           one.clock_mhz);
     }},
    {&kNewMachine.shared_memory,
     [](Machine one) { return real_of(one.accelerator.sm.shared_memory.capacity_bytes) / 1024; }},
    {&kNewMachine.l2,
     [](Machine one) { return real_of(one.accelerator.l2_cache.capacity_bytes >> 20); }},
    {&kNewMachine.l2_bandwidth,
     [](Machine one) { return gigabytes_per_s(one, one.accelerator.l2_cache.read_bytes_per_clk); }},
    {&kNewMachine.dram, [](Machine one) { return real_of(one.accelerator.dram.capacity_bytes >> 30); }},
    {&kNewMachine.dram_bandwidth,
     [](Machine one) { return gigabytes_per_s(one, one.accelerator.dram.bytes_per_clk); }},
    {&kNewMachine.watts, [](Machine one) { return one.power.limit_watts; }},
}};

/// More than nothing.
double number_given(const Arguments& arguments, const Option& option) {
  const double value = arguments.number(option);
  if (value <= 0) arguments.refuse(option, "more than 0");
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
    for (const auto& [option, of] : kNumbers) {
      if (!arguments.has(*option)) continue;
      distance += std::abs(std::log(number_given(arguments, *option) / of(one.config)));
    }
    if (nearest && distance >= least) continue;
    least = distance;
    nearest = std::move(one);
  }
  return std::move(*nearest);
}

/// A file's lines, each with a place for the source of what it states.
class MachineText {
 public:
  MachineText(const Arguments& arguments, const MachineSpec& nearest)
      : arguments_(arguments), nearest_(nearest), base_(nearest.config) {}

  [[nodiscard]] std::string text(const std::string& name) {
    text_ = fmt::format(
        "# {0}: in place of each 'SOURCE?', say where the number is from.\nname: {0}\n"
        "extends: {1}\ndescription: {0}, what is not stated here as {1}\n",
        name, nearest_.name);
    const double mhz = value(kNewMachine.clock);
    add(fmt::format("clock_mhz: {}", mhz), kNewMachine.clock);
    text_ += "accelerator:\n";
    add(fmt::format("  num_sms: {}", value(kNewMachine.sms)), kNewMachine.sms);
    text_ += "  sm:\n";
    add("    tensor_core: {multipliers: [" + multipliers(mhz) + "]}", kNewMachine.tflops);
    add("    operand_selector: {native_patterns: [" + patterns() + "]}", kNewMachine.patterns);
    add(fmt::format("    shared_memory: {{capacity_bytes: {}}}",
                    whole(1024 * value(kNewMachine.shared_memory))),
        kNewMachine.shared_memory);
    for (const auto& [unit, size, bandwidth, key, shift] :
         {Memory{"l2_cache", &kNewMachine.l2, &kNewMachine.l2_bandwidth, "read_bytes_per_clk", 20},
          Memory{"dram", &kNewMachine.dram, &kNewMachine.dram_bandwidth, "bytes_per_clk", 30}}) {
      text_ += fmt::format("  {}:\n", unit);
      add(fmt::format("    capacity_bytes: {}", whole(std::ldexp(value(*size), shift))), *size);
      add(fmt::format("    {}: {}", key, whole(value(*bandwidth) * 1e3 / mhz)), *bandwidth);
    }
    add(fmt::format("power: {{limit_watts: {}}}", value(kNewMachine.watts)), kNewMachine.watts);
    return std::move(text_);
  }

 private:
  struct Memory {
    const char* unit;
    const Option* size;
    const Option* bandwidth;
    const char* key;
    int shift;
  };

  static std::int64_t whole(double value) {
    return std::max<std::int64_t>(1, std::llround(value));
  }
  void add(const std::string& line, const Option& option) {
    const std::string source = arguments_.has(option) ? "SOURCE?" : "as " + nearest_.name;
    text_ += fmt::format("{:<60}  # {}: {}\n", line, option.help, source);
  }
  [[nodiscard]] double value(const Option& option) const {
    if (arguments_.has(option)) return number_given(arguments_, option);
    return std::ranges::find(kNumbers, &option, &Number::option)->of(base_);
  }
  /// Of all types as many more as of fp16.
  [[nodiscard]] std::string multipliers(double mhz) const {
    const auto sub_cores = real_of(base_.accelerator.sm.sub_cores);
    const double fp16 =
        value(kNewMachine.tflops) / tflops_of_one(sub_cores, value(kNewMachine.sms), mhz);
    const double more = arguments_.has(kNewMachine.tflops) ? fp16 / fp16_of(base_) : 1;
    std::vector<std::string> rates;
    for (const MultiplierRate& rate : base_.accelerator.sm.tensor_core.multipliers) {
      rates.push_back(fmt::format("{{dtype: {}, fma_per_clk: {}}}", to_string(rate.dtype),
                                  whole(more * real_of(rate.fma_per_clk))));
    }
    return fmt::format("{}", fmt::join(rates, ", "));
  }
  [[nodiscard]] std::string patterns() const {
    std::vector<std::string> names;
    for (const Pattern one : base_.accelerator.sm.operand_selector.native_patterns) {
      names.push_back('"' + one.to_string() + '"');
    }
    if (!arguments_.has(kNewMachine.patterns)) return fmt::format("{}", fmt::join(names, ", "));
    for (const std::string& text : comma_list(arguments_, kNewMachine.patterns)) {
      const std::string name = '"' + text + '"';
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const Arguments& arguments_;
  const MachineSpec& nearest_;
  const MachineConfig& base_;
  std::string text_;
};

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
  write_file_atomically(file, MachineText(arguments, nearest).text(file.stem().string()));
  const std::string arch = file.has_parent_path() ? file.string() : "./" + file.string();
  try {
    static_cast<void>(load_machine(arch));
  } catch (const ConfigError&) {
    std::filesystem::remove(file);
    throw;
  }
  write_message("stcsim new machine",
                fmt::format("{} extends {}; say where its numbers are from", arch, nearest.name));
  write_data(next_lines({"stcsim gemm", "--arch " + shell_word(arch), "1024 1024 1024"},
                        output_width()));
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
    throw ConfigError("nothing is said of the machine; 'stcsim new machine --help' has what may be");
  }
  std::vector<std::string> words = answers_of_terminal(options);
  words.push_back(file);
  return write_machine(Arguments(options, {kCommon.file}, words));
}

}  // namespace

Command new_machine_command() {
  return {"new machine",
          "Write a file of a machine that nobody has, from what is known of it",
          "FILE [OPTIONS]",
          kNewMachineNotes,
          {kCommon.file},
          all_options(),
          &run_new_machine};
}

}  // namespace stcsim
