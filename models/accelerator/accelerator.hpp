#pragma once

#include <cstdint>
#include <memory>

#include "models/accelerator/accelerator_config.hpp"
#include "models/accelerator/launch_statistics.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/functional/datapath.hpp"

namespace stcsim {

/// The machine: all units, elaborated once and wired up. It runs kernel after kernel, each from a
/// reset state (caches cold). SystemC allows elaboration only before the first run, so all machines
/// of a process have to be built before one of them runs.
class Accelerator {
 public:
  /// @param construction_seed  shuffles the order in which the modules are constructed (0 = the
  ///                           natural order); results do not depend on it
  explicit Accelerator(const AcceleratorConfig& config, std::uint64_t construction_seed = 0);
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  ~Accelerator();

  /// Simulates `kernel` to its end. `datapath`, if given, is told of every movement of values.
  /// With `fast_forward`, periods in which the machine's state recurs are skipped: the statistics
  /// are the same but for `events`; with a datapath nothing is skipped. Throws SimulationError on a
  /// deadlock, saying which unit waits for what.
  LaunchStatistics run(const KernelLaunch& kernel, Datapath* datapath = nullptr,
                       bool fast_forward = false);

  struct Modules;

 private:
  std::unique_ptr<Modules> modules_;
};

}  // namespace stcsim
