#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/data_type.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/statistics.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/launch_cache.hpp"
#include "sim/run/launch_result.hpp"
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

/// What the values are that are multiplied: power depends on how many bits change.
enum class OperandValues : std::uint8_t { random, zeros };

/// How a GEMM is launched over and over: what its time depends on besides the work.
struct LaunchConditions {
  OperandValues values = OperandValues::random;
  /// The clock somebody locked, whatever the board draws; nothing: it is free.
  std::optional<double> locked_clock_mhz = {};
  /// From the end of one kernel to the first CTA of the next; nothing: the machine's launch_cycles.
  std::optional<double> launch_us = {};
  /// Every launch has the same operands: what the L2 cache keeps from one to the next is there.
  bool same_operands = false;
  /// So many follow each other after a pause; nothing: without an end.
  std::optional<std::int64_t> launches = {};

  friend bool operator==(const LaunchConditions&, const LaunchConditions&) = default;
  friend auto operator<=>(const LaunchConditions&, const LaunchConditions&) = default;
};

/// What feeds the multipliers, joules.
struct FeedEnergy {
  double registers = 0;
  double accumulators = 0;
  double metadata = 0;
  double selector = 0;
  double l2 = 0;

  [[nodiscard]] double total() const { return registers + accumulators + metadata + selector + l2; }
};

/// Joules of one launch, by what takes them.
struct BoardEnergy {
  /// Drawn whatever runs, for as long as it took.
  double idle = 0;
  /// Multiply-accumulates with what feeds them in 2:4 GEMMs.
  double macs = 0;
  /// What other patterns need beyond that.
  double beyond = 0;
  double shared_memory = 0;
  /// What kernels without matrix instructions move.
  double vectors = 0;
  double dram = 0;
  /// Part of `macs` and `beyond`, not added to them; more than these where tiles are small.
  FeedEnergy feeds;

  [[nodiscard]] double total() const {
    return idle + macs + beyond + shared_memory + vectors + dram;
  }
};

/// What of a launch takes energy.
struct LaunchWork {
  double cycles = 0;
  /// Padding included, zeros skipped.
  std::int64_t multiplier_macs = 0;
  /// Read and written.
  std::int64_t shared_memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t dram_bytes = 0;
  OperandActions actions;
};
[[nodiscard]] LaunchWork work_of(const LaunchResult& launch);

/// What the board draws for `launch` at `clock_mhz`. This is the only place that turns the energies
/// of a machine file into joules: the clock and what a GEMM is said to cost both come from it.
///
///   idle watts * s + V^2 (MACs * energy of a MAC + bytes through shared memory * energy of a byte
///                         + what feeds the multipliers beyond what 2:4 needs
///                         + bytes through vector units * energy of a byte)
///                  + bytes of DRAM * energy of a byte,
///
///   V = floor + (1 - floor) clock / machine's clock,
///
/// where a launch takes as many cycles as it did. What feeds them is bytes of operands,
/// accumulators, metadata and L2 and the selector's multiplexers, times their energies; 2:4 needs
/// what an instruction as long as the dense one and tiles of 256x128 do. It is 0 for patterns that
/// energies were measured with (is_measured()), whatever their tiles. 0 for machines that do not
/// say what they draw.
[[nodiscard]] BoardEnergy board_energy(const MachineConfig& machine, DataType dtype,
                                       const LaunchResult& launch, double clock_mhz,
                                       OperandValues values = OperandValues::random);

/// The same over the time: watts while it carries out `launch` over and over.
[[nodiscard]] double board_watts(const MachineConfig& machine, DataType dtype,
                                 const LaunchResult& launch, double clock_mhz,
                                 OperandValues values = OperandValues::random);

/// Watts that it may draw meanwhile: its limit, and in the mean of a load that ends what its fast
/// limiter lets it draw above that while the slow one does not hold yet, and its burst, once.
/// @param cycles  of the launch
[[nodiscard]] double allowed_watts(const MachineConfig& machine, double cycles, double clock_mhz,
                                   std::optional<std::int64_t> launches = {});

/// The highest clock, of those the board has, up to the machine's own, at which it draws no more
/// than it may; the lowest if there is none.
/// @param conditions  how it is launched; its clock is not locked
[[nodiscard]] double sustained_clock_mhz(const MachineConfig& machine, DataType dtype,
                                         const LaunchWork& work,
                                         const LaunchConditions& conditions = {});
[[nodiscard]] double sustained_clock_mhz(const MachineConfig& machine, DataType dtype,
                                         const LaunchResult& launch,
                                         const LaunchConditions& conditions = {});

/// What a launch takes among the others of a step: once it has lasted PowerConfig::surge_us, the
/// board's regulator holds its clock to what PowerConfig::surge_share allows. Its cycles stay those
/// of `clock_mhz`, and count what that adds; every unit has as much in its bucket `throttled`.
/// @param launch  as simulated at `clock_mhz`, the step's
void hold_back(const MachineConfig& machine, DataType dtype, double clock_mhz,
               LaunchResult& launch);

/// The machine at another clock. DRAM and the way to a kernel's start have clocks of their own:
/// they take as long as before, in other numbers of cycles.
/// @param launch_us  as in LaunchConditions
[[nodiscard]] MachineConfig at_clock(const MachineConfig& machine, double clock_mhz,
                                     std::optional<double> launch_us = {});

/// A way of timing on a real machine: what it adds to every time, and how it launches.
struct TimingMethod {
  std::string name;
  double overhead_us = 0;
  /// What the host takes to launch: nothing is timed as less.
  double least_us = 0;
  LaunchConditions launches = {};

  /// The time it measures of a launch that takes `launch_us`.
  [[nodiscard]] double time_us(double launch_us) const {
    return std::max(launch_us + overhead_us, least_us);
  }
};

}  // namespace stcsim
