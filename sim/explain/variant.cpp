#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "sim/explain/explanation.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {
namespace {

void widen(std::int64_t& bytes_per_clk, std::int64_t factor) {
  bytes_per_clk = std::min(bytes_per_clk * factor, field::kMostBytesPerClk);
}

void shorten(std::int64_t& cycles, std::int64_t factor) {
  cycles /= factor;
}

void multipliers(MachineConfig& machine, std::int64_t factor) {
  for (MultiplierRate& rate : machine.accelerator.sm.tensor_core.multipliers) {
    rate.fma_per_clk *= factor;
  }
}

void selector(MachineConfig& machine, std::int64_t factor) {
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  widen(selector.b_bytes_per_clk, factor);
  for (std::int64_t* const inputs : {&selector.lane_inputs, &selector.block_inputs}) {
    *inputs = std::min(*inputs * factor, field::kMostUnits);
  }
}

void metadata(MachineConfig& machine, std::int64_t factor) {
  OperandSelectorConfig& selector = machine.accelerator.sm.operand_selector;
  shorten(selector.metadata_decode_cycles, factor);
  widen(selector.metadata_fill_bytes_per_clk, factor);
  widen(selector.metadata_decode_bytes_per_clk, factor);
  selector.metadata_buffer_bytes =
      std::min(selector.metadata_buffer_bytes, field::kMostBytes / factor) * factor;
}

void register_file(MachineConfig& machine, std::int64_t factor) {
  OperandFetchConfig& fetch = machine.accelerator.sm.operand_fetch;
  widen(fetch.register_bytes_per_clk, factor);
  widen(fetch.accumulator_bytes_per_clk, factor);
}

void shared_memory_port(MachineConfig& machine, std::int64_t factor) {
  constexpr std::int64_t kMost = 1'000'000;  // banks multiply it
  std::int64_t& bytes = machine.accelerator.sm.shared_memory.bank_bytes;
  bytes = std::min(bytes * factor, kMost);
}

void fill(MachineConfig& machine, std::int64_t factor) {
  widen(machine.accelerator.sm.shared_memory.fill_bytes_per_clk, factor);
  widen(machine.accelerator.sm.copy_engine.issue_bytes_per_clk, factor);
  widen(machine.accelerator.sm.copy_engine.thread_bytes_per_clk, factor);
}

void memory_bus(MachineConfig& machine, std::int64_t factor) {
  widen(machine.accelerator.memory_bus.sm_read_bytes_per_clk, factor);
  widen(machine.accelerator.memory_bus.read_bytes_per_clk, factor);
  widen(machine.accelerator.memory_bus.sm_write_bytes_per_clk, factor);
}

void l2_cache(MachineConfig& machine, std::int64_t factor) {
  widen(machine.accelerator.l2_cache.read_bytes_per_clk, factor);
  widen(machine.accelerator.l2_cache.write_bytes_per_clk, factor);
}

void dram(MachineConfig& machine, std::int64_t factor) {
  widen(machine.accelerator.dram.bytes_per_clk, factor);
}

void latencies(MachineConfig& machine, std::int64_t factor) {
  AcceleratorConfig& hardware = machine.accelerator;
  for (MmaInstruction& one : hardware.sm.tensor_core.instructions) {
    one.latency_cycles = std::max<std::int64_t>(one.latency_cycles / factor, 1);
  }
  hardware.sm.tensor_core.same_warp_bubble =
      Millicycles(hardware.sm.tensor_core.same_warp_bubble.count() / factor);
  hardware.sm.tensor_core.same_warp_bubble_fp16 =
      Millicycles(hardware.sm.tensor_core.same_warp_bubble_fp16.count() / factor);
  shorten(hardware.sm.tensor_core.cta_pair_cycles, factor);
  shorten(hardware.sm.operand_selector.selector_stages, factor);
  shorten(hardware.sm.shared_memory.latency_cycles, factor);
  shorten(hardware.sm.shared_memory.barrier_cycles, factor);
  shorten(hardware.memory_bus.hop_cycles, factor);
  shorten(hardware.l2_cache.near_hit_cycles, factor);
  shorten(hardware.l2_cache.far_hit_cycles, factor);
  shorten(hardware.dram.latency_cycles, factor);
}

void bubble_of(KernelLaunch& launch, std::int64_t factor) {
  launch.warp.bubble = Millicycles(launch.warp.bubble.count() / factor);
}

void epilogue(MachineConfig& machine, std::int64_t factor) {
  shorten(machine.accelerator.sm.epilogue.setup_cycles, factor);
  widen(machine.accelerator.sm.epilogue.elements_per_clk, factor);
}

void epilogue_of(KernelLaunch& launch, std::int64_t factor) {
  launch.epilogue.source_wait = Cycles(launch.epilogue.source_wait.count() / factor);
  launch.epilogue.staging_bytes_per_element /= factor;
  launch.epilogue.trips /= factor;
  launch.epilogue.elements_per_clk *= factor;
}

void launching(MachineConfig& machine, std::int64_t factor) {
  shorten(machine.accelerator.cta_scheduler.launch_cycles, factor);
  shorten(machine.accelerator.cta_scheduler.cta_setup_cycles, factor);
}

constexpr std::array<Relaxation, 12> kRelaxations{{
    {kMultipliers, "the multipliers", false, "sm.tensor_core.multipliers.fma_per_clk", &multipliers,
     nullptr},
    {"operand_selector", "the operand selector's width", false,
     "sm.operand_selector.b_bytes_per_clk, lane_inputs, block_inputs", &selector, nullptr},
    {"metadata", "the metadata's way to the selector", false,
     "sm.operand_selector.metadata_decode_cycles, metadata_decode_bytes_per_clk, "
     "metadata_fill_bytes_per_clk, metadata_buffer_bytes",
     &metadata, nullptr},
    {"register_file", "the register file's width", false,
     "sm.operand_fetch.register_bytes_per_clk, accumulator_bytes_per_clk", &register_file, nullptr},
    {"shared_memory_port", "the shared-memory port", false, "sm.shared_memory.bank_bytes",
     &shared_memory_port, nullptr},
    {"fill", "the width of copies into shared memory", false,
     "sm.shared_memory.fill_bytes_per_clk, sm.copy_engine.issue_bytes_per_clk, "
     "thread_bytes_per_clk",
     &fill, nullptr},
    {"memory_bus", "the bus to the SMs", false,
     "memory_bus.sm_read_bytes_per_clk, sm_write_bytes_per_clk, read_bytes_per_clk", &memory_bus,
     nullptr},
    {"l2_cache", "the L2 cache's width", false, "l2_cache.read_bytes_per_clk, write_bytes_per_clk",
     &l2_cache, nullptr},
    {"dram", "DRAM bandwidth", false, "dram.bytes_per_clk", &dram, nullptr},
    {"latencies", "latencies and barriers", true,
     "sm.tensor_core.same_warp_bubble_cycles, same_warp_bubble_fp16_cycles, cta_pair_cycles, "
     "sm.operand_selector.selector_stages, "
     "sm.tensor_core.instructions.latency_cycles, sm.shared_memory.latency_cycles, "
     "barrier_cycles, memory_bus.hop_cycles, l2_cache.near_hit_cycles, far_hit_cycles, "
     "dram.latency_cycles, and the kernel's bubble",
     &latencies, &bubble_of},
    {"epilogue", "the epilogue", true,
     "sm.epilogue.setup_cycles, elements_per_clk, and the kernel's elements, staging and reads of "
     "C",
     &epilogue, &epilogue_of},
    {"launch", "the launch", true, "cta_scheduler.launch_cycles, cta_setup_cycles", &launching,
     nullptr},
}};

/// The different machines of variants.
class VariantMachines {
 public:
  /// @param machine  must outlive it
  const JobMachine& of(const MachineConfig& machine) {
    const auto known = std::find_if(machines_.begin(), machines_.end(), [&](const JobMachine& one) {
      return one.as_built->accelerator == machine.accelerator && *one.as_built == machine;
    });
    if (known != machines_.end()) return *known;
    const std::string number = std::to_string(machines_.size());
    return machines_.emplace_back(JobMachine{&machine, machine.clock_mhz, {number, number}});
  }

 private:
  std::deque<JobMachine> machines_;
};

Job job_of(const Variant& variant, const JobMachine& machine) {
  LaunchSequence work{{variant.launch}};
  if (variant.reduces) {
    work.launches.push_back(reduction_launch(variant.machine, variant.problem, variant.launch));
  }
  return {&machine, std::move(work)};
}

}  // namespace

std::span<const Relaxation> relaxations() {
  return kRelaxations;
}

std::vector<TimesOfBoth> times_of(const std::vector<VariantsOfBoth>& variants,
                                  std::int64_t workers) {
  VariantMachines machines;
  std::vector<Job> jobs;
  for (const auto& [dense, sparse] : variants) {
    for (const Variant* const one : {&dense, &sparse}) {
      jobs.push_back(job_of(*one, machines.of(one->machine)));
    }
  }
  const auto answers = answers_to(jobs, {workers});
  const auto time_of = [](const GemmRun& run) {
    return TimedCycles{run.result.cycles, run.result.clock_mhz};
  };
  std::vector<TimesOfBoth> times;
  for (std::size_t at = 0; at < answers.size(); at += 2) {
    times.push_back({time_of(*answers[at]), time_of(*answers[at + 1])});
  }
  return times;
}

std::vector<ChosenKernel> choose_kernels(const MachineConfig& machine,
                                         const std::vector<KernelQuestion>& gemms,
                                         const LaunchConditions& conditions, std::int64_t workers) {
  JobMachines machines;
  std::vector<Job> jobs;
  for (const auto& [problem, policy] : gemms) {
    require_runnable(machine, problem);
    jobs.push_back({&machines.of(machine), GemmWork{problem}, policy, conditions});
  }
  const auto answers = answers_to(jobs, {workers});
  const MachineConfig first = at_clock(
      machine, conditions.locked_clock_mhz.value_or(machine.clock_mhz), conditions.launch_us);
  std::vector<ChosenKernel> chosen;
  for (std::size_t at = 0; at < gemms.size(); ++at) {
    const auto& [problem, policy] = gemms[at];
    const GemmRun& run = *answers[at];
    const auto candidates =
        gemm_kernels(first, in_windows(first, problem), policy, conditions).ranking.candidates;
    chosen.push_back(
        {candidates.at(static_cast<std::size_t>(run.rank)), run.search, run.result.clock_mhz});
  }
  return chosen;
}

}  // namespace stcsim
