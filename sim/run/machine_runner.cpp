#include "sim/run/machine_runner.hpp"

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

LaunchStatistics MachineRunner::run(const KernelLaunch& kernel, Datapath* datapath) {
  ++simulated_;
  return *accelerator_->run(kernel, {datapath, fast_forward_, std::nullopt, Cycles()});
}

std::optional<LaunchStatistics> MachineRunner::run_within(const KernelLaunch& kernel,
                                                          Cycles limit) {
  if (least_cycles(machine_.accelerator, kernel) > limit) return std::nullopt;
  ++simulated_;
  const Cycles per_cta = least_cta_cycles(machine_.accelerator, kernel);
  return accelerator_->run(kernel, {nullptr, fast_forward_, limit, per_cta});
}

}  // namespace stcsim
