#include "sim/run/machine_runner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "models/accelerator/accelerator.hpp"
#include "models/bounds/critical_path.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/sampling.hpp"

namespace stcsim {

namespace {

/// That it takes for certain.
Cycles least_cycles_of(const LaunchStatistics& launch) {
  return launch.sampled ? Cycles(launch.sampled->cycles_low) : launch.cycles;
}

}  // namespace

MachineRunner::MachineRunner(const MachineConfig& machine, std::uint64_t construction_seed)
    : as_built_(machine),
      machine_(machine),
      accelerator_(std::make_unique<Accelerator>(machine.accelerator, construction_seed)),
      conditions_{machine.clock_mhz} {}

MachineRunner::~MachineRunner() = default;

void MachineRunner::set_clock(double clock_mhz, std::optional<double> launch_us) {
  machine_ = at_clock(as_built_, clock_mhz, launch_us);
  accelerator_->change_clock(machine_.accelerator.cta_scheduler, machine_.accelerator.dram);
  conditions_.clock_mhz = clock_mhz;
  conditions_.launch_us = launch_us;
}

void MachineRunner::take_kernels(const MachineConfig& machine) {
  for (MachineConfig* const own : {&as_built_, &machine_}) {
    own->kernels = machine.kernels;
    own->split_k = machine.split_k;
  }
}

void MachineRunner::remember_launches(std::shared_ptr<LaunchCache> cache) {
  cache_ = std::move(cache);
  blank_ = accelerator_->blank_statistics();
}

std::optional<LaunchStatistics> MachineRunner::simulate(const KernelLaunch& kernel,
                                                        const RunOptions& options) {
  ++simulated_;
  std::optional<LaunchStatistics> statistics = cache_ != nullptr && options.datapath == nullptr
                                                   ? simulate_or_remember(kernel, options)
                                                   : simulate_anew(kernel, options);
  const bool is_too_long =
      statistics && options.limit && least_cycles_of(*statistics) > *options.limit;
  return is_too_long ? std::nullopt : statistics;
}

std::optional<LaunchStatistics> MachineRunner::simulate_or_remember(const KernelLaunch& kernel,
                                                                    const RunOptions& options) {
  const std::string key = keys_.of(machine_.accelerator, conditions_, kernel);
  std::optional<LaunchStatistics> statistics = cache_->find(key, blank_);
  if (statistics) return statistics;
  statistics = simulate_anew(kernel, options);
  if (statistics) cache_->keep(key, *statistics);
  return statistics;
}

std::optional<LaunchStatistics> MachineRunner::simulate_anew(const KernelLaunch& kernel,
                                                             const RunOptions& options) {
  if (!conditions_.sampling || !kernel.reads_tiles()) return accelerator_->run(kernel, options);
  if (!may_be_shortened(kernel, machine_.accelerator.num_sms)) {
    return simulate_waves(kernel, options);
  }
  return options.datapath != nullptr ? accelerator_->run(kernel, options)
                                     : simulate_steps(kernel, options);
}

std::optional<LaunchStatistics> MachineRunner::simulate_waves(const KernelLaunch& kernel,
                                                              RunOptions options) {
  WaveSampling sampling(machine_, kernel, *conditions_.sampling);
  options.watcher = &sampling;
  std::optional<LaunchStatistics> statistics = accelerator_->run(kernel, options);
  if (!statistics || sampling.left_out().empty()) return statistics;
  // Values may spare work that the least time counts.
  const Cycles least =
      options.datapath == nullptr ? least_cycles(machine_.accelerator, kernel) : Cycles();
  return with_left_out(machine_.accelerator.dram, kernel, sampling.left_out(), least,
                       std::move(*statistics));
}

std::optional<LaunchStatistics> MachineRunner::simulate_steps(const KernelLaunch& kernel,
                                                              RunOptions options) {
  EventBudget budget(conditions_.sampling->exact_events);
  options.watcher = &budget;
  std::optional<LaunchStatistics> statistics = accelerator_->run(kernel, options);
  if (statistics || !budget.is_spent()) return statistics;
  const auto run_whole = [&](const KernelLaunch& launch) {
    return *accelerator_->run(launch, {nullptr, options.fast_forward, std::nullopt, Cycles()});
  };
  statistics = sample_steps(kernel, run_whole, least_cycles(machine_.accelerator, kernel));
  options.watcher = nullptr;
  return statistics ? statistics : accelerator_->run(kernel, options);
}

LaunchStatistics MachineRunner::run(const KernelLaunch& kernel, Datapath* datapath) {
  return *simulate(kernel, {datapath, conditions_.fast_forward, std::nullopt, Cycles()});
}

Timeline MachineRunner::trace(const KernelLaunch& kernel, Cycles window) {
  return accelerator_->trace(kernel, window);
}

std::optional<LaunchStatistics> MachineRunner::run_within(const KernelLaunch& kernel,
                                                          Cycles limit) {
  if (least_cycles(machine_.accelerator, kernel) > limit) return std::nullopt;
  const Cycles per_cta = least_cta_cycles(machine_.accelerator, kernel);
  return simulate(kernel, {nullptr, conditions_.fast_forward, limit, per_cta});
}

namespace {

constexpr double kPicojoule = 1e-12;

double joules(std::int64_t count, double picojoules) {
  return static_cast<double>(count) * picojoules * kPicojoule;
}

double seconds_of(double cycles, double clock_mhz) {
  return cycles / (clock_mhz * 1e6);
}

/// As a share of that at the machine's own clock.
double voltage_at(const MachineConfig& machine, double clock_mhz) {
  const double floor = machine.power.voltage_floor;
  return floor + (1.0 - floor) * clock_mhz / machine.clock_mhz;
}

/// @param share  of what random operands take
FeedEnergy feeds_of(const PowerConfig& power, const OperandActions& actions, double l2_bytes,
                    double share = 1.0) {
  FeedEnergy feeds;
  feeds.registers = joules(actions.register_bytes, power.register_pj_per_byte * share);
  feeds.accumulators = joules(actions.accumulator_bytes, power.accumulator_pj_per_byte * share);
  feeds.metadata = joules(actions.metadata_bytes, power.metadata_pj_per_byte * share);
  feeds.selector = joules(actions.selector_muxes, power.selector_mux_pj * share);
  feeds.l2 = l2_bytes * power.l2_pj_per_byte * share * kPicojoule;
  return feeds;
}

/// What feeds one multiply-accumulate of a 2:4 GEMM of large tiles: `mac_energy` contains that.
double contained_feed(const MachineConfig& machine, DataType dtype) {
  constexpr std::int64_t kTileM = 256;
  constexpr std::int64_t kTileN = 128;
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  std::optional<MmaInstruction> instruction = instruction_for(sm, dtype, kDense);
  if (!instruction) return 0;
  instruction->k *= 2;
  instruction->pattern = {2, 4};
  const InstructionOperands operands = operands_of(*instruction);
  const auto macs = static_cast<double>(kept_macs(*instruction));
  // Of a k-step as long as the instruction.
  const std::int64_t tile_bytes =
      kTileM / instruction->m * (operands.a_bytes + operands.metadata_bytes) +
      kTileN / instruction->n * operands.b_bytes;
  const double tiles =
      static_cast<double>(kTileM * kTileN) / static_cast<double>(instruction->m * instruction->n);
  return feeds_of(machine.power, actions_of(*instruction, sm, 1),
                  static_cast<double>(tile_bytes) / tiles)
             .total() /
         macs;
}

/// Without what the board draws idle.
BoardEnergy energy_at_full_clock(const MachineConfig& machine, DataType dtype,
                                 const LaunchWork& work, OperandValues values) {
  const PowerConfig& power = machine.power;
  const double share = values == OperandValues::zeros ? power.zero_operand_share : 1.0;
  BoardEnergy energy;
  energy.macs = joules(work.multiplier_macs, power.mac_pj(dtype) * share);
  energy.shared_memory = joules(work.shared_memory_bytes, power.shared_memory_pj_per_byte);
  energy.vectors = joules(work.actions.vector_bytes, power.vector_pj_per_byte);
  energy.dram = joules(work.dram_bytes, power.dram_pj_per_byte);
  energy.feeds = feeds_of(power, work.actions, static_cast<double>(work.l2_bytes), share);
  if (work.actions.unmeasured_macs > 0) {
    const double contained =
        static_cast<double>(work.actions.unmeasured_macs) * contained_feed(machine, dtype) * share;
    energy.beyond = std::max(0.0, energy.feeds.total() - contained);
  }
  // Boards whose draw was measured have no such registers.
  const double registers = joules(work.actions.selector_register_bits * kMuxesPerRegister,
                                  power.selector_mux_pj * share);
  energy.feeds.selector += registers;
  energy.beyond += registers;
  return energy;
}

/// @param full  at the machine's own clock
double watts_at(const MachineConfig& machine, const BoardEnergy& full, double cycles,
                double clock_mhz) {
  const double cores = full.macs + full.shared_memory + full.vectors + full.beyond;
  const double voltage = voltage_at(machine, clock_mhz);
  return machine.power.idle_watts +
         (cores * voltage * voltage + full.dram) / seconds_of(cycles, clock_mhz);
}

/// The highest step of the machine's clock at which `can_afford(mhz)`: what a board draws rises
/// with the clock, so it is found by halves.
template <class CanAfford>
double highest_clock(const MachineConfig& machine, CanAfford can_afford) {
  const double clock = machine.clock_mhz;
  if (can_afford(clock)) return clock;
  const double step = machine.power.clock_step_mhz;
  auto too_high = static_cast<std::int64_t>(std::ceil(clock / step));
  std::int64_t affordable = 1;
  while (too_high - affordable > 1) {
    const std::int64_t middle = (too_high + affordable) / 2;
    (can_afford(static_cast<double>(middle) * step) ? affordable : too_high) = middle;
  }
  return std::min(clock, static_cast<double>(affordable) * step);
}

/// Of another number of cycles, at least as many as given: what takes a time and not cycles.
std::int64_t rescaled(std::int64_t cycles, double ratio, std::int64_t least) {
  return std::max(least,
                  static_cast<std::int64_t>(std::llround(static_cast<double>(cycles) * ratio)));
}

}  // namespace

LaunchWork work_of(const LaunchResult& launch) {
  const auto bytes = [&](const char* read, const char* written) {
    return launch.count(read) + launch.count(written);
  };
  LaunchWork work;
  work.cycles = static_cast<double>(launch.cycles);
  work.multiplier_macs = launch.multiplier_macs;
  work.shared_memory_bytes = bytes("shared_memory_read_bytes", "shared_memory_write_bytes");
  work.l2_bytes = bytes("l2_read_bytes", "l2_write_bytes");
  work.dram_bytes = bytes("dram_read_bytes", "dram_write_bytes");
  work.actions = launch.actions;
  return work;
}

BoardEnergy board_energy(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                         double clock_mhz, OperandValues values) {
  const LaunchWork work = work_of(launch);
  BoardEnergy energy = energy_at_full_clock(machine, dtype, work, values);
  const double voltage = voltage_at(machine, clock_mhz);
  FeedEnergy& feeds = energy.feeds;
  for (double* const of_cores :
       {&energy.macs, &energy.beyond, &energy.shared_memory, &energy.vectors, &feeds.registers,
        &feeds.accumulators, &feeds.metadata, &feeds.selector, &feeds.l2}) {
    *of_cores *= voltage * voltage;
  }
  energy.idle = machine.power.idle_watts * seconds_of(work.cycles, clock_mhz);
  return energy;
}

double board_watts(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                   double clock_mhz, OperandValues values) {
  const LaunchWork work = work_of(launch);
  return watts_at(machine, energy_at_full_clock(machine, dtype, work, values), work.cycles,
                  clock_mhz);
}

double allowed_watts(const MachineConfig& machine, double cycles, double clock_mhz,
                     std::optional<std::int64_t> launches) {
  const PowerConfig& power = machine.power;
  if (!launches) return power.limit_watts;
  const double seconds = static_cast<double>(*launches) * seconds_of(cycles, clock_mhz);
  const double in_excursion = std::min(1.0, power.excursion_ms / (seconds * 1e3));
  return power.limit_watts * (1.0 + (power.excursion_share - 1.0) * in_excursion) +
         power.burst_joules / seconds;
}

double sustained_clock_mhz(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                           const LaunchConditions& conditions) {
  if (machine.power.limit_watts <= 0) return machine.clock_mhz;
  return sustained_clock_mhz(machine, dtype, work_of(launch), conditions);
}

double sustained_clock_mhz(const MachineConfig& machine, DataType dtype, const LaunchWork& work,
                           const LaunchConditions& conditions) {
  if (machine.power.limit_watts <= 0 || work.cycles == 0) return machine.clock_mhz;
  const BoardEnergy full = energy_at_full_clock(machine, dtype, work, conditions.values);
  return highest_clock(machine, [&](double mhz) {
    return watts_at(machine, full, work.cycles, mhz) <=
           allowed_watts(machine, work.cycles, mhz, conditions.launches);
  });
}

void hold_back(const MachineConfig& machine, DataType dtype, double clock_mhz,
               LaunchResult& launch) {
  const PowerConfig& power = machine.power;
  const double watts = power.limit_watts * power.surge_share;
  const auto cycles = static_cast<double>(launch.cycles);
  const double held = cycles - power.surge_us * clock_mhz;
  if (watts <= 0 || held <= 0) return;
  const BoardEnergy full =
      energy_at_full_clock(machine, dtype, work_of(launch), OperandValues::random);
  const double allowed = highest_clock(
      machine, [&](double mhz) { return watts_at(machine, full, cycles, mhz) <= watts; });
  if (allowed >= clock_mhz) return;
  const double longer = held * (clock_mhz / allowed - 1.0);
  const auto added = static_cast<std::int64_t>(std::llround(longer));
  if (launch.sampled) {
    const auto stretched = [&](std::int64_t count) {
      return std::llround(static_cast<double>(count) * (1.0 + longer / cycles));
    };
    launch.sampled->cycles_low = stretched(launch.sampled->cycles_low);
    launch.sampled->cycles_high = stretched(launch.sampled->cycles_high);
  }
  launch.peak_macs += launch.peak_macs / launch.cycles * added;
  launch.cycles += added;
  for (UnitReport& unit : launch.units) {
    unit.buckets.emplace_back("throttled", added * unit.instances);
  }
}

MachineConfig at_clock(const MachineConfig& machine, double clock_mhz,
                       std::optional<double> launch_us) {
  MachineConfig other = machine;
  const double ratio = clock_mhz / machine.clock_mhz;
  other.clock_mhz = clock_mhz;
  std::int64_t& launch_cycles = other.accelerator.cta_scheduler.launch_cycles;
  launch_cycles =
      launch_us ? std::llround(*launch_us * clock_mhz) : rescaled(launch_cycles, ratio, 0);
  DramConfig& dram = other.accelerator.dram;
  dram.latency_cycles = rescaled(dram.latency_cycles, ratio, 0);
  if (dram.bytes_per_clk < field::kMostBytesPerClk) {
    dram.bytes_per_clk = rescaled(dram.bytes_per_clk, 1.0 / ratio, 1);
  }
  return other;
}

}  // namespace stcsim
