#include "sim/machine_runner.hpp"

#include "models/accelerator/accelerator.hpp"

namespace stcsim {

MachineRunner::MachineRunner(const MachineConfig& machine, std::uint64_t construction_seed)
    : machine_(machine),
      accelerator_(std::make_unique<Accelerator>(machine.accelerator, construction_seed)) {}

MachineRunner::~MachineRunner() = default;

LaunchStatistics MachineRunner::run(const KernelLaunch& kernel, Datapath* datapath) {
  return *accelerator_->run(kernel, {datapath, fast_forward_, std::nullopt});
}

std::optional<LaunchStatistics> MachineRunner::run_within(const KernelLaunch& kernel,
                                                          Cycles limit) {
  return accelerator_->run(kernel, {nullptr, fast_forward_, limit});
}

}  // namespace stcsim
