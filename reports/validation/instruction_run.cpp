#include "reports/validation/instruction_run.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kRowsOfPair = 128;
constexpr std::int64_t kMostChains = 6;
constexpr double kConverged = 0.03;

/// Rows of the array of one SM. A pair that shares 128 rows fills it with 64 of them twice, each
/// time with half of the columns (layout of cta_group::2, PTX instruction set).
std::int64_t rows_of_sm(const MeasuredInstruction& wanted) {
  return wanted.sms > 1 ? std::max(wanted.m / wanted.sms, kRowsOfPair) : wanted.m;
}

bool has_tile(const MmaInstruction& one, const MeasuredInstruction& wanted) {
  if (!wanted.of_warp_group) return one.m == wanted.m && one.n == wanted.n;
  return one.m * kWarpsOfGroup == rows_of_sm(wanted) && wanted.n % one.n == 0;
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
  const std::int64_t macs = measured.m * measured.n * measured.k / measured.sms;
  return static_cast<double>(macs * groups * loop.chains) / cycles;
}

InstructionLoop throughput_loop(const MeasuredInstruction& measured, std::int64_t chains,
                                const MachineConfig& machine) {
  InstructionLoop loop = loop_of(measured, machine);
  loop.warps = measured.warps;
  loop.chains = chains;
  loop.fragments.a *= chains;
  loop.fragments.b *= chains;
  return loop;
}

/// That of the smallest number of chains that is nearly as good as the best.
void take_converged(const std::vector<double>& figures, InstructionRow& row) {
  const double best = *std::max_element(figures.begin(), figures.end());
  const auto at = std::find_if(figures.begin(), figures.end(),
                               [&](double figure) { return figure >= best * (1.0 - kConverged); });
  row.ilp = at - figures.begin() + 1;
  row.fma_per_clk = *at;
}

/// A row that is simulated: a loop for its latency, then those for its throughput, as far as they
/// were measured.
class RowLoops {
 public:
  RowLoops(std::size_t row, const MeasuredInstruction& measured, const JobMachine& machine)
      : row_(row), machine_(machine) {
    const MachineConfig& config = *machine.as_built;
    if (measured.latency_cycles && measured.in_tensor_memory) {
      latency_ =
          static_cast<double>(latency_in_tensor_memory(loop_of(measured, config), config).count());
    } else if (measured.latency_cycles) {
      loops_.push_back(loop_of(measured, config));
    }
    if (!measured.fma_per_clk) return;
    is_searched_ = measured.ilp == 0 && !measured.of_warp_group;
    const std::int64_t given = std::max<std::int64_t>(measured.ilp, 1);
    const std::int64_t most = is_searched_ ? kMostChains : given;
    for (std::int64_t chains = is_searched_ ? 1 : given; chains <= most; ++chains) {
      loops_.push_back(throughput_loop(measured, chains, config));
    }
  }

  void add_jobs(std::vector<Job>& jobs) {
    first_job_ = jobs.size();
    for (const InstructionLoop& loop : loops_) {
      const auto [whole, warm_up] = loop_launches(loop);
      jobs.push_back({&machine_, LaunchSequence{{whole}}});
      jobs.push_back({&machine_, LaunchSequence{{warm_up}}});
    }
  }

  void finish(const Answers& answers, std::vector<InstructionRow>& rows) const {
    InstructionRow& row = rows[row_];
    row.latency_cycles = latency_;
    std::vector<double> figures;
    for (std::size_t at = 0; at < loops_.size(); ++at) {
      const auto cycles_of = [&](std::size_t job) { return answers[job]->result.cycles; };
      const std::size_t job = first_job_ + 2 * at;
      // What was measured as a slope over the number of instructions has no cold start.
      const double cycles =
          row.measured.in_tensor_memory
              ? static_cast<double>(cycles_of(job) - cycles_of(job + 1)) / kMeasuredPasses
              : cycles_per_pass(machine_.as_built->accelerator, cycles_of(job), cycles_of(job + 1));
      if (at == 0 && row.measured.latency_cycles && !latency_) {
        row.latency_cycles = cycles;
      } else {
        figures.push_back(fma_per_clk(row.measured, loops_[at], cycles));
      }
    }
    if (is_searched_) {
      take_converged(figures, row);
    } else if (!figures.empty()) {
      row.ilp = loops_.back().chains;
      row.fma_per_clk = figures.front();
    }
  }

 private:
  std::size_t row_;
  const JobMachine& machine_;
  std::vector<InstructionLoop> loops_;
  std::size_t first_job_ = 0;
  /// Of a loop that need not be simulated.
  std::optional<double> latency_;
  /// The number of chains is not given.
  bool is_searched_ = false;
};

}  // namespace

InstructionLoop loop_of(const MeasuredInstruction& measured, const MachineConfig& machine) {
  const MmaInstruction* const instruction = find_instruction(measured, machine);
  if (instruction == nullptr) {
    throw ConfigError(machine.name + " has no instruction " + text_of(measured));
  }
  InstructionLoop loop{*instruction, 1, 1, 1, {}};
  if (!measured.of_warp_group) return loop;
  loop.warps = kWarpsOfGroup;
  loop.in_tensor_memory = measured.in_tensor_memory;
  loop.of_cta_pair = measured.sms > 1;
  const std::int64_t times = measured.sms * rows_of_sm(measured) / measured.m;
  loop.parts = measured.n / instruction->n / times;
  // The group reads B once, a pair half of it in each SM; a warp reads its own rows of A, unless
  // they are in registers (in tensor memory), as the metadata always are.
  const InstructionOperands operands = operands_of(*instruction);
  loop.fragments.b =
      operands.b_bytes * (measured.n / instruction->n) / kWarpsOfGroup / measured.sms;
  loop.fragments.a = measured.a_from_registers ? 0 : operands.a_bytes / times;
  return loop;
}

std::vector<InstructionRow> validate_instructions(
    const std::vector<MeasuredInstruction>& instructions,
    const std::map<std::string, MachineConfig>& machines, const ValidationOptions& options) {
  JobMachines of_jobs;
  std::vector<InstructionRow> rows;
  std::vector<RowLoops> simulated;
  for (const MeasuredInstruction& measured : instructions) {
    const std::string& key = measured.machine.empty() ? measured.gpu : measured.machine;
    const auto found = machines.find(key);
    const MachineConfig* const machine = found == machines.end() ? nullptr : &found->second;
    InstructionRow row;
    row.measured = measured;
    row.skipped = reason_to_skip(measured, machine);
    if (machine != nullptr) row.machine = machine->name;
    if (row.skipped.empty()) simulated.emplace_back(rows.size(), measured, of_jobs.of(*machine));
    rows.push_back(std::move(row));
  }
  std::vector<Job> jobs;
  for (RowLoops& loops : simulated) loops.add_jobs(jobs);
  const Answers answers =
      answers_to(jobs, {options.jobs, options.fast_forward}, [&](std::size_t done) {
        if (options.progress) options.progress(simulated.size() * done / jobs.size());
      });
  for (const RowLoops& loops : simulated) loops.finish(answers, rows);
  return rows;
}

}  // namespace stcsim
