#include "reports/papers/instruction_row.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/sub_core/sub_core.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<std::string_view, InstructionQuantity>, 3> kInstructionQuantities{
    {{"cycles", InstructionQuantity::cycles},
     {"macs_per_clk", InstructionQuantity::macs_per_clk},
     {"gain", InstructionQuantity::gain}}};

constexpr IntRange kInstructionExtent{1, 1024};

using Sm = StreamingMultiprocessorConfig;

bool is_same(const MmaInstruction& known, const MmaInstruction& wanted) {
  return known.dtype == wanted.dtype && known.pattern == wanted.pattern && known.m == wanted.m &&
         known.n == wanted.n && known.k == wanted.k && known.accumulator == wanted.accumulator;
}

/// As the file lists it, or as kernels derive it of a native pattern.
std::optional<MmaInstruction> find_instruction(const Sm& sm, const MmaInstruction& wanted) {
  std::vector<MmaInstruction> known = sm.tensor_core.instructions;
  for (const MmaInstruction& one : instructions_for(sm, wanted.dtype, wanted.pattern)) {
    known.push_back(one);
  }
  const auto at = std::find_if(known.begin(), known.end(),
                               [&](const MmaInstruction& one) { return is_same(one, wanted); });
  return at == known.end() ? std::nullopt : std::optional(*at);
}

double issue_cycles(const Sm& sm, const MmaInstruction& instruction) {
  return static_cast<double>(timing_of(sm, instruction).pace.interval.count());
}

double macs_per_clk(const Sm& sm, const MmaInstruction& one) {
  return static_cast<double>(one.m * one.n * one.k * sm.sub_cores) / issue_cycles(sm, one);
}

}  // namespace

PaperInstructionRow read_instruction_row(MapReader& map) {
  PaperInstructionRow row;
  MmaInstruction& one = row.instruction;
  one.dtype = map.get_dtype("dtype");
  one.accumulator = accumulator_of(one.dtype);
  one.m = map.get_int("m", kInstructionExtent);
  one.n = map.get_int("n", kInstructionExtent);
  one.k = map.get_int("k", kInstructionExtent);
  one.pattern = map.get_pattern_or("pattern", kDense);
  row.quantity = map.get_enum("quantity", kInstructionQuantities);
  map.finish();
  return row;
}

PaperQuantity quantity_of(const PaperInstructionRow& row) {
  switch (row.quantity) {
    case InstructionQuantity::cycles:
      return {"cycles from one to the next", PaperUnit::cycles, std::nullopt};
    case InstructionQuantity::macs_per_clk:
      return {"multiplications per cycle of an SM", PaperUnit::count, std::nullopt};
    case InstructionQuantity::gain:
      return {"gain of the instruction", PaperUnit::ratio, 1};
  }
  return {};
}

std::optional<PaperAnswer> answer_of(const PaperInstructionRow& row, const PaperColumn& column,
                                     const MachineConfig& machine) {
  const Sm& sm = machine.accelerator.sm;
  const std::optional<MmaInstruction> one = find_instruction(sm, row.instruction);
  const auto dense = instruction_for(sm, row.instruction.dtype, kDense);
  if (!one || !dense) return std::nullopt;
  PaperAnswer answer;
  answer.column = column.name;
  answer.where = column.machine;
  switch (row.quantity) {
    case InstructionQuantity::cycles:
      answer.value = issue_cycles(sm, *one);
      break;
    case InstructionQuantity::macs_per_clk:
      answer.value = macs_per_clk(sm, *one);
      break;
    case InstructionQuantity::gain:
      answer.value = macs_per_clk(sm, *one) / macs_per_clk(sm, *dense);
      break;
  }
  answer.low = answer.high = answer.value;
  return answer;
}

}  // namespace stcsim
