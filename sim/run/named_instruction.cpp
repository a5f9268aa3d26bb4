#include "sim/run/named_instruction.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kWarpGroup = "wgmma";
constexpr std::string_view kTensorMemory = "tcgen05";
constexpr std::string_view kPair = "cta_group::2";
constexpr std::int64_t kLargestSize = 4096;
constexpr std::int64_t kRowsOfPair = 128;

bool ends_with_word(const std::string& text, std::string_view word) {
  return text.size() > word.size() && text.ends_with(word) &&
         text[text.size() - word.size() - 1] == ' ';
}

/// NVIDIA's instruction set: 1:2 for tf32, 4:8 pairs for 4-bit types, 2:4 for the others.
Pattern sparse_pattern_of(DataType dtype) {
  if (dtype == DataType::tf32) return {1, 2};
  if (bytes_of(dtype, 2) == 1) return {4, 8, 2};
  return {2, 4};
}

void read_types(NamedInstruction& instruction) {
  const std::size_t slash = instruction.types.find('/');
  const std::string operand = instruction.types.substr(0, slash);
  const auto dtype = data_type_from_string(operand);
  if (!dtype) throw ConfigError("data type '" + operand + "' is not simulated");
  instruction.dtype = *dtype;
  instruction.accumulator = accumulator_of(*dtype);
  if (slash == std::string::npos) return;
  const std::string sum = instruction.types.substr(slash + 1);
  const auto accumulator = data_type_from_string(sum);
  if (!accumulator) throw ConfigError("accumulator type '" + sum + "' is not simulated");
  instruction.accumulator = *accumulator;
}

void read_shape(NamedInstruction& instruction) {
  std::string_view rest = instruction.shape;
  const std::array<std::pair<char, std::int64_t*>, 3> parts{
      {{'m', &instruction.m}, {'n', &instruction.n}, {'k', &instruction.k}}};
  const auto refuse = [&] {
    throw ConfigError("shape '" + instruction.shape + "' is not m..n..k..");
  };
  for (const auto& [letter, size] : parts) {
    const std::size_t end = rest.find_first_not_of("0123456789", 1);
    const bool named = !rest.empty() && rest.front() == letter;
    const auto value = named ? to_whole_number(rest.substr(1, end - 1)) : std::nullopt;
    if (!value || *value < 1 || *value > kLargestSize) refuse();
    *size = *value;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  if (!rest.empty()) refuse();
}

/// Rows of the array of one SM. A pair that shares 128 rows fills it with 64 of them twice, each
/// time with half of the columns (layout of cta_group::2, PTX instruction set).
std::int64_t rows_of_sm(const NamedInstruction& wanted) {
  return wanted.sms > 1 ? std::max(wanted.m / wanted.sms, kRowsOfPair) : wanted.m;
}

bool has_tile(const MmaInstruction& one, const NamedInstruction& wanted) {
  if (!wanted.of_warp_group) return one.m == wanted.m && one.n == wanted.n;
  return one.m * kWarpsOfGroup == rows_of_sm(wanted) && wanted.n % one.n == 0;
}

const MmaInstruction* find_instruction(const NamedInstruction& wanted, DataType accumulator,
                                       const MachineConfig& machine) {
  const auto& known = machine.accelerator.sm.tensor_core.instructions;
  const auto at = std::find_if(known.begin(), known.end(), [&](const MmaInstruction& one) {
    return has_tile(one, wanted) && one.dtype == wanted.dtype && one.accumulator == accumulator &&
           one.pattern == wanted.pattern && one.k == wanted.k;
  });
  return at == known.end() ? nullptr : &*at;
}

/// The instruction of one warp: the named one itself, or the part of a warp group's.
const MmaInstruction* find_instruction(const NamedInstruction& wanted,
                                       const MachineConfig& machine) {
  const MmaInstruction* const same = find_instruction(wanted, wanted.accumulator, machine);
  return same != nullptr ? same : find_instruction(wanted, accumulator_of(wanted.dtype), machine);
}

std::string text_of(const NamedInstruction& instruction) {
  return fmt::format("{} {} {}", instruction.name, to_string(instruction.dtype), instruction.shape);
}

/// Cycles of a pass. What is measured as a slope over the number of instructions has no cold start.
double pass_cycles(const NamedInstruction& instruction, const InstructionLoop& loop,
                   MachineRunner& runner) {
  const auto cycles_of = [&](const KernelLaunch& launch) {
    return to_result(runner.run(launch)).cycles;
  };
  runner.set_sampling(std::nullopt);
  runner.set_clock(runner.machine_as_built().clock_mhz);
  const auto [whole, warm_up] = loop_launches(loop);
  const std::int64_t all = cycles_of(whole);
  const std::int64_t before = cycles_of(warm_up);
  if (instruction.in_tensor_memory) return static_cast<double>(all - before) / kMeasuredPasses;
  return cycles_per_pass(runner.machine_as_built().accelerator, all, before);
}

}  // namespace

NamedInstruction named_instruction(const std::string& name, const std::string& types,
                                   const std::string& shape, bool sparse) {
  NamedInstruction instruction{name, types, shape};
  instruction.in_tensor_memory = name.starts_with(kTensorMemory);
  instruction.of_warp_group = instruction.in_tensor_memory || name.starts_with(kWarpGroup);
  instruction.a_from_registers = ends_with_word(name, instruction.in_tensor_memory ? "TS" : "RS");
  if (name.find(kPair) != std::string::npos) instruction.sms = 2;
  read_types(instruction);
  if (sparse) instruction.pattern = sparse_pattern_of(instruction.dtype);
  read_shape(instruction);
  return instruction;
}

InstructionLoop loop_of(const NamedInstruction& wanted, const MachineConfig& machine) {
  const MmaInstruction* const instruction = find_instruction(wanted, machine);
  if (instruction == nullptr) {
    throw ConfigError(machine.name + " has no instruction " + text_of(wanted));
  }
  InstructionLoop loop{*instruction, 1, 1, 1, {}};
  if (!wanted.of_warp_group) return loop;
  loop.warps = kWarpsOfGroup;
  loop.in_tensor_memory = wanted.in_tensor_memory;
  loop.of_cta_pair = wanted.sms > 1;
  const std::int64_t times = wanted.sms * rows_of_sm(wanted) / wanted.m;
  loop.parts = wanted.n / instruction->n / times;
  // The group reads B once, a pair half of it in each SM; a warp reads its own rows of A, unless
  // they are in registers (in tensor memory), as the metadata always are.
  const InstructionOperands operands = operands_of(*instruction);
  loop.fragments.b = operands.b_bytes * (wanted.n / instruction->n) / kWarpsOfGroup / wanted.sms;
  loop.fragments.a = wanted.a_from_registers ? 0 : operands.a_bytes / times;
  return loop;
}

double latency_cycles(const NamedInstruction& instruction, MachineRunner& runner) {
  const InstructionLoop loop = loop_of(instruction, runner.machine_as_built());
  if (!instruction.in_tensor_memory) return pass_cycles(instruction, loop, runner);
  return static_cast<double>(latency_in_tensor_memory(loop, runner.machine_as_built()).count());
}

double fma_per_clk(const NamedInstruction& instruction, std::int64_t warps, std::int64_t chains,
                   MachineRunner& runner) {
  const MachineConfig& machine = runner.machine_as_built();
  InstructionLoop loop = loop_of(instruction, machine);
  if (warps > machine.accelerator.sm.max_warps) {
    throw ConfigError(fmt::format("an SM of {} holds at most {} warps", machine.name,
                                  machine.accelerator.sm.max_warps));
  }
  if (instruction.of_warp_group && warps % kWarpsOfGroup != 0) {
    throw ConfigError("the number of warps is not a multiple of a warp group's 4");
  }
  loop.warps = warps;
  loop.chains = chains;
  loop.fragments.a *= chains;
  loop.fragments.b *= chains;
  const std::int64_t groups = instruction.of_warp_group ? warps / kWarpsOfGroup : warps;
  const std::int64_t macs = instruction.m * instruction.n * instruction.k / instruction.sms;
  return static_cast<double>(macs * groups * chains) / pass_cycles(instruction, loop, runner);
}

}  // namespace stcsim
