#include "sim/run/machine_runner.hpp"

#include <string>
#include <utility>

#include "models/accelerator/accelerator.hpp"
#include "models/bounds/critical_path.hpp"
#include "sim/run/sampling.hpp"
#include "sim/run/sustained_clock.hpp"

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

}  // namespace stcsim
