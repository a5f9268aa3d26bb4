#include "reports/papers/kernel_rows.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "models/sub_core/instruction_timing.hpp"
#include "sim/kernel/instruction_choice.hpp"
#include "sim/run/bound_by.hpp"

namespace stcsim {
namespace {

constexpr IntRange kGemmExtent{1, 1'000'000};
constexpr IntRange kInstructionExtent{1, 1024};
constexpr double kFlopsPerMac = 2;
/// Operations per microsecond in a TFLOP/s.
constexpr double kFlopsPerUs = 1e6;

using Sm = StreamingMultiprocessorConfig;

double gemm_value(const GemmRow& row, const LaunchResult& run, const LaunchResult& against) {
  switch (row.quantity) {
    case Quantity::kernel_tflops:
      return kFlopsPerMac * static_cast<double>(row.problem.macs()) / run.time_us() / kFlopsPerUs;
    case Quantity::kernel_us:
      return run.time_us();
    case Quantity::kernel_cycles:
      return static_cast<double>(run.cycles);
    default:
      return against.time_us() / run.time_us();
  }
}

/// What limits a GEMM, in half a line: "multipliers busy 62.1 %, bound by l2".
std::string gemm_limits(const MachineConfig& machine, const LaunchResult& run) {
  const std::string limit = bound_by(at_clock(machine, run.clock_mhz), run);
  const double busy = static_cast<double>(run.multiplier_macs) / static_cast<double>(run.peak_macs);
  return fmt::format("multipliers busy {}, {}", format_percent(busy),
                     limit == "unclear" ? "nothing alone limits" : "bound by " + limit);
}

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

double instruction_value(Quantity quantity, const Sm& sm, const MmaInstruction& one,
                         const MmaInstruction& dense) {
  if (quantity == Quantity::instruction_cycles) return issue_cycles(sm, one);
  const double rate = macs_per_clk(sm, one);
  return quantity == Quantity::instruction_gain ? rate / macs_per_clk(sm, dense) : rate;
}

}  // namespace

GemmRow read_gemm_row(MapReader& map) {
  GemmRow row;
  row.problem.m = map.get_int("m", kGemmExtent);
  row.problem.n = map.get_int("n", kGemmExtent);
  row.problem.k = map.get_int("k", kGemmExtent);
  row.problem.dtype = map.get_dtype_or("dtype", row.problem.dtype);
  row.problem.a_pattern = map.get_pattern_or("pattern", kDense);
  row.against = row.problem;
  row.against.a_pattern = map.get_pattern_or("against", kDense);
  row.against.dtype = map.get_dtype_or("against_dtype", row.problem.dtype);
  row.quantity = read_quantity(map, {Scope::gemm});
  for (const char* const key : {"against", "against_dtype"}) {
    if (map.has(key) && row.quantity != Quantity::kernel_gain) {
      map.fail(key, std::string("'") + key + "' has no effect but on quantity: gain");
    }
  }
  map.finish();
  validate(row.problem, "a row's GEMM");
  return row;
}

std::vector<GemmProblem> gemms_of(const GemmRow& row) {
  if (row.quantity != Quantity::kernel_gain) return {row.problem};
  return {row.problem, row.against};
}

PaperAnswer answer_of(const GemmRow& row, const PaperColumn& column, const MachineConfig& machine,
                      std::span<const std::shared_ptr<const GemmRun>> runs) {
  const LaunchResult& run = runs.front()->result;
  const double value = gemm_value(row, run, runs.back()->result);
  return {column.name, column.machine + ", " + column.stack,
          value,       value,
          value,       gemm_limits(machine, run)};
}

PaperInstructionRow read_instruction_row(MapReader& map) {
  PaperInstructionRow row;
  MmaInstruction& one = row.instruction;
  one.dtype = map.get_dtype("dtype");
  one.accumulator = accumulator_of(one.dtype);
  one.m = map.get_int("m", kInstructionExtent);
  one.n = map.get_int("n", kInstructionExtent);
  one.k = map.get_int("k", kInstructionExtent);
  one.pattern = map.get_pattern_or("pattern", kDense);
  row.quantity = read_quantity(map, {Scope::instruction});
  map.finish();
  return row;
}

std::optional<PaperAnswer> answer_of(const PaperInstructionRow& row, const PaperColumn& column,
                                     const MachineConfig& machine) {
  const Sm& sm = machine.accelerator.sm;
  const std::optional<MmaInstruction> one = find_instruction(sm, row.instruction);
  const auto dense = instruction_for(sm, row.instruction.dtype, kDense);
  if (!one || !dense) return std::nullopt;
  const double value = instruction_value(row.quantity, sm, *one, *dense);
  return PaperAnswer{column.name, column.machine, value, value, value, ""};
}

}  // namespace stcsim
