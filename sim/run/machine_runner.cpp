#include "sim/run/machine_runner.hpp"

#include <utility>

#include "models/accelerator/accelerator.hpp"
#include "sim/kernel/kernel_bound.hpp"
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
  WaveSampling sampling(machine_, kernel, *sampling_);
  options.watcher = &sampling;
  std::optional<LaunchStatistics> statistics = accelerator_->run(kernel, options);
  if (!statistics || sampling.left_out().empty()) return statistics;
  statistics = with_left_out(kernel, sampling.left_out(),
                             least_cycles(machine_.accelerator, kernel), std::move(*statistics));
  const bool is_too_long =
      options.limit && statistics->sampled->cycles_low > options.limit->count();
  return is_too_long ? std::nullopt : statistics;
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
