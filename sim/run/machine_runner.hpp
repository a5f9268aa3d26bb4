#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/statistics.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/launch_cache.hpp"
#include "sim/run/sampling.hpp"

namespace stcsim {

class Accelerator;
struct RunOptions;

/// A machine, elaborated, ready to simulate launch after launch. SystemC has one global context:
/// all runners of a process must be constructed before the first run.
class MachineRunner {
 public:
  explicit MachineRunner(const MachineConfig& machine, std::uint64_t construction_seed = 0);
  MachineRunner(const MachineRunner&) = delete;
  MachineRunner& operator=(const MachineRunner&) = delete;
  ~MachineRunner();

  /// Off simulates every SM and every cycle; on (the default) simulates what is the same only once,
  /// with the same result but for LaunchStatistics::events.
  void set_fast_forward(bool on) { conditions_.fast_forward = on; }
  /// GEMMs may be answered from a part of their grids (sampling.hpp), at that effort; nothing
  /// (the default): they are simulated to their end. Where values travel only CTAs are left out.
  void set_sampling(const std::optional<SamplingEffort>& effort) { conditions_.sampling = effort; }
  /// From now on a launch that is known is not simulated again: with the same result
  /// (LaunchStatistics::events among it). Not where values travel. To be called before the first.
  void remember_launches(std::shared_ptr<LaunchCache> cache);
  /// The machine as it runs now, which may be at another clock than it was constructed with.
  [[nodiscard]] const MachineConfig& machine() const { return machine_; }
  [[nodiscard]] const MachineConfig& machine_as_built() const { return as_built_; }
  /// The clock of the launches to come (sustained_clock.hpp).
  void set_clock(double clock_mhz, std::optional<double> launch_us = {});
  /// From now on GEMMs choose from the kernels and splits of K of `machine`; the hardware stays.
  void take_kernels(const MachineConfig& machine);
  /// Throws SimulationError on a deadlock.
  [[nodiscard]] LaunchStatistics run(const KernelLaunch& kernel, Datapath* datapath = nullptr);
  /// Returns nothing if the launch certainly takes longer than `limit`: it is not simulated, or
  /// only until that is certain (kernel_bound.hpp).
  [[nodiscard]] std::optional<LaunchStatistics> run_within(const KernelLaunch& kernel,
                                                           Cycles limit);
  /// Accelerator::trace() at the clock of now.
  [[nodiscard]] Timeline trace(const KernelLaunch& kernel, Cycles window);
  /// Launches that were simulated, at least in part, or were known.
  [[nodiscard]] std::int64_t simulated() const { return simulated_; }

 private:
  [[nodiscard]] std::optional<LaunchStatistics> simulate(const KernelLaunch& kernel,
                                                         const RunOptions& options);
  [[nodiscard]] std::optional<LaunchStatistics> simulate_or_remember(const KernelLaunch& kernel,
                                                                     const RunOptions& options);
  [[nodiscard]] std::optional<LaunchStatistics> simulate_anew(const KernelLaunch& kernel,
                                                              const RunOptions& options);
  // From a part, if there is much.
  [[nodiscard]] std::optional<LaunchStatistics> simulate_waves(const KernelLaunch& kernel,
                                                               RunOptions options);
  [[nodiscard]] std::optional<LaunchStatistics> simulate_steps(const KernelLaunch& kernel,
                                                               RunOptions options);

  MachineConfig as_built_;
  MachineConfig machine_;
  std::unique_ptr<Accelerator> accelerator_;
  RunConditions conditions_;
  std::int64_t simulated_ = 0;
  std::shared_ptr<LaunchCache> cache_;
  LaunchKeys keys_;
  LaunchStatistics blank_;
};

}  // namespace stcsim
