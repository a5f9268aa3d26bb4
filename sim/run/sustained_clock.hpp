#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "common/data_type.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {

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
  double dram = 0;
  /// Part of `macs` and `beyond`, not added to them; more than these where tiles are small.
  FeedEnergy feeds;

  [[nodiscard]] double total() const { return idle + macs + beyond + shared_memory + dram; }
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
///                         + what feeds the multipliers beyond what 2:4 needs)
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
