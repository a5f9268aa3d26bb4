#include "reports/validation/instruction_validation.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "reports/validation/measured_fields.hpp"
#include "sim/kernel/instruction_choice.hpp"
#include "sim/study/worker_pool.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostChains = 6;
constexpr double kConverged = 0.03;

bool has_tile(const MmaInstruction& one, const MeasuredInstruction& wanted) {
  if (!wanted.of_warp_group) return one.m == wanted.m && one.n == wanted.n;
  return one.m * kWarpsOfGroup == wanted.m && wanted.n % one.n == 0;
}

const MmaInstruction* find_instruction(const MeasuredInstruction& wanted, DataType accumulator,
                                       const MachineConfig& machine) {
  const auto& known = machine.accelerator.sm.tensor_core.instructions;
  const auto at = std::find_if(known.begin(), known.end(), [&](const MmaInstruction& one) {
    return has_tile(one, wanted) && one.dtype == wanted.dtype && one.accumulator == accumulator &&
           one.pattern == wanted.pattern && one.k == wanted.k;
  });
  return at == known.end() ? nullptr : &*at;
}

/// The instruction of one warp: the measured one itself, or the part of a warp group's. A machine
/// without its accumulator takes as long as with the usual one.
const MmaInstruction* find_instruction(const MeasuredInstruction& wanted,
                                       const MachineConfig& machine) {
  const MmaInstruction* const same = find_instruction(wanted, wanted.accumulator, machine);
  return same != nullptr ? same : find_instruction(wanted, accumulator_of(wanted.dtype), machine);
}

std::string text_of(const MeasuredInstruction& instruction) {
  return fmt::format("{} {} {}", instruction.name, to_string(instruction.dtype), instruction.shape);
}

std::string reason_to_skip(const MeasuredInstruction& measured, const MachineConfig* machine) {
  if (machine == nullptr) return "no machine for GPU '" + measured.gpu + "'";
  if (!measured.latency_cycles && !measured.fma_per_clk) return "nothing was measured";
  if (!measured.unusable.empty()) return measured.unusable;
  if (find_instruction(measured, *machine) == nullptr) {
    return machine->name + " has no instruction " + text_of(measured);
  }
  if (measured.warps > machine->accelerator.sm.max_warps) {
    return fmt::format("an SM of {} holds at most {} warps", machine->name,
                       machine->accelerator.sm.max_warps);
  }
  return "";
}

double fma_per_clk(const MeasuredInstruction& measured, const InstructionLoop& loop,
                   double cycles) {
  const std::int64_t groups = measured.of_warp_group ? loop.warps / kWarpsOfGroup : loop.warps;
  return static_cast<double>(measured.m * measured.n * measured.k * groups * loop.chains) / cycles;
}

double throughput(MachineRunner& runner, const MeasuredInstruction& measured, std::int64_t chains) {
  InstructionLoop loop = loop_of(measured, runner.machine());
  loop.warps = measured.warps;
  loop.chains = chains;
  loop.fragment_bytes *= chains;
  return fma_per_clk(measured, loop, cycles_per_pass(runner, loop));
}

/// Throughput at the smallest number of chains that is nearly as good as the best.
void sweep(MachineRunner& runner, InstructionRow& row) {
  std::vector<double> figures;
  for (std::int64_t chains = 1; chains <= kMostChains; ++chains) {
    figures.push_back(throughput(runner, row.measured, chains));
  }
  const double best = *std::max_element(figures.begin(), figures.end());
  const auto at = std::find_if(figures.begin(), figures.end(),
                               [&](double figure) { return figure >= best * (1.0 - kConverged); });
  row.ilp = at - figures.begin() + 1;
  row.fma_per_clk = *at;
}

std::string encoded(const InstructionRow& row) {
  return fmt::format("{} {} {}", row.latency_cycles.value_or(0), row.fma_per_clk.value_or(0),
                     row.ilp);
}

std::optional<double> decoded(const std::string& text) {
  const auto value = to_number(text);
  return value && *value > 0 ? value : std::nullopt;
}

void decode_into(InstructionRow& row, const std::string& text) {
  const std::size_t first = text.find(' ');
  const std::size_t second = text.find(' ', first + 1);
  row.latency_cycles = decoded(text.substr(0, first));
  row.fma_per_clk = decoded(text.substr(first + 1, second - first - 1));
  row.ilp = to_whole_number(text.substr(second + 1)).value_or(0);
}

/// Runs the rows `at` of one machine in a worker process: SystemC lets a process elaborate before
/// its first run only, and this one may still have to.
void run_rows(std::vector<InstructionRow>& rows, const std::vector<std::size_t>& at,
              const MachineConfig& machine, bool fast_forward,
              const std::function<void()>& row_done) {
  WorkerPoolOptions pool;
  const auto row_of = [&](std::int64_t job) -> InstructionRow& {
    return rows[at[static_cast<std::size_t>(job)]];
  };
  pool.start_worker = [&]() -> Worker {
    auto runner = std::make_shared<MachineRunner>(machine);
    runner->set_fast_forward(fast_forward);
    return [&, runner](std::int64_t job) {
      InstructionRow row = row_of(job);
      simulate_instruction(*runner, row);
      return encoded(row);
    };
  };
  pool.on_result = [&](std::int64_t job, const std::string& text) {
    decode_into(row_of(job), text);
    row_done();
  };
  pool.on_failure = [&](std::int64_t job, const std::string& why) {
    throw SimulationError(text_of(row_of(job).measured) + " on " + machine.name + ": " + why);
  };
  run_jobs(std::ssize(at), pool);
}

}  // namespace

InstructionLoop loop_of(const MeasuredInstruction& measured, const MachineConfig& machine) {
  const MmaInstruction* const instruction = find_instruction(measured, machine);
  if (instruction == nullptr) {
    throw ConfigError(machine.name + " has no instruction " + text_of(measured));
  }
  InstructionLoop loop{*instruction, 1, 1, 1, 0};
  if (!measured.of_warp_group) return loop;
  loop.warps = kWarpsOfGroup;
  loop.parts = measured.n / instruction->n;
  // The group reads B once; a warp reads its own rows of A, unless they are in registers, as the
  // metadata always are.
  const InstructionOperands operands = operands_of(*instruction);
  loop.fragment_bytes = operands.b_bytes * loop.parts / kWarpsOfGroup +
                        (measured.a_from_registers ? 0 : operands.a_bytes);
  return loop;
}

void simulate_instruction(MachineRunner& runner, InstructionRow& row) {
  const MeasuredInstruction& measured = row.measured;
  if (measured.latency_cycles) {
    row.latency_cycles = cycles_per_pass(runner, loop_of(measured, runner.machine()));
  }
  if (!measured.fma_per_clk) return;
  if (measured.ilp > 0 || measured.of_warp_group) {
    row.ilp = std::max<std::int64_t>(measured.ilp, 1);
    row.fma_per_clk = throughput(runner, measured, row.ilp);
  } else {
    sweep(runner, row);
  }
}

std::vector<InstructionRow> validate_instructions(
    const std::vector<MeasuredInstruction>& instructions,
    const std::map<std::string, MachineConfig>& machines, const ValidationOptions& options) {
  std::vector<InstructionRow> rows;
  std::map<std::string, std::vector<std::size_t>> by_machine;
  for (const MeasuredInstruction& measured : instructions) {
    const std::string& key = measured.machine.empty() ? measured.gpu : measured.machine;
    const auto found = machines.find(key);
    const MachineConfig* const machine = found == machines.end() ? nullptr : &found->second;
    InstructionRow row;
    row.measured = measured;
    row.skipped = reason_to_skip(measured, machine);
    if (machine != nullptr) row.machine = machine->name;
    if (row.skipped.empty()) by_machine[key].push_back(rows.size());
    rows.push_back(std::move(row));
  }
  std::size_t done = 0;
  const auto row_done = [&] {
    if (options.progress) options.progress(++done);
  };
  for (const auto& [key, at] : by_machine) {
    run_rows(rows, at, machines.at(key), options.fast_forward, row_done);
  }
  return rows;
}

}  // namespace stcsim
