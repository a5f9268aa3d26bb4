#include "sim/run/machine_runner.hpp"

#include <utility>

#include "models/accelerator/accelerator.hpp"
#include "sim/kernel/kernel_bound.hpp"
#include "sim/run/step_sampling.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

MachineRunner::MachineRunner(const MachineConfig& machine, std::uint64_t construction_seed)
    : as_built_(machine),
      machine_(machine),
      accelerator_(std::make_unique<Accelerator>(machine.accelerator, construction_seed)) {}

MachineRunner::~MachineRunner() = default;

void MachineRunner::set_clock(double clock_mhz, std::optional<double> launch_us) {
  machine_ = at_clock(as_built_, clock_mhz, launch_us);
  accelerator_->change_clock(machine_.accelerator.cta_scheduler, machine_.accelerator.dram);
}

std::optional<LaunchStatistics> MachineRunner::simulate(const KernelLaunch& kernel,
                                                        RunOptions options) {
  ++simulated_;
  if (!sampling_ || options.datapath != nullptr || !kernel.reads_tiles()) {
    return accelerator_->run(kernel, options);
  }
  std::optional<LaunchStatistics> statistics =
      may_be_shortened(kernel, machine_.accelerator.num_sms) ? simulate_steps(kernel, options)
                                                             : simulate_waves(kernel, options);
  const bool is_too_long = statistics && statistics->sampled && options.limit &&
                           statistics->sampled->cycles_low > options.limit->count();
  return is_too_long ? std::nullopt : statistics;
}

std::optional<LaunchStatistics> MachineRunner::simulate_waves(const KernelLaunch& kernel,
                                                              RunOptions options) {
  WaveSampling sampling(machine_, kernel, *sampling_);
  options.watcher = &sampling;
  std::optional<LaunchStatistics> statistics = accelerator_->run(kernel, options);
  if (!statistics || sampling.left_out().empty()) return statistics;
  return with_left_out(kernel, sampling.left_out(), least_cycles(machine_.accelerator, kernel),
                       std::move(*statistics));
}

std::optional<LaunchStatistics> MachineRunner::simulate_steps(const KernelLaunch& kernel,
                                                              RunOptions options) {
  EventBudget budget(sampling_->exact_events);
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
  return *simulate(kernel, {datapath, fast_forward_, std::nullopt, Cycles()});
}

std::optional<LaunchStatistics> MachineRunner::run_within(const KernelLaunch& kernel,
                                                          Cycles limit) {
  if (least_cycles(machine_.accelerator, kernel) > limit) return std::nullopt;
  const Cycles per_cta = least_cta_cycles(machine_.accelerator, kernel);
  return simulate(kernel, {nullptr, fast_forward_, limit, per_cta});
}

}  // namespace stcsim
