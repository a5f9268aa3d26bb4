#pragma once

#include <cstdint>
#include <optional>

#include "common/data_type.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"

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

/// Watts that the board draws while it carries out `launch` over and over at `clock_mhz`:
///
///   idle + V^2 (MACs/s * energy of a MAC + bytes/s through shared memory * energy of a byte)
///        + bytes/s of DRAM * energy of a byte,   V = floor + (1 - floor) clock / machine's clock,
///
/// where a launch takes as many cycles as it did. 0 for machines that do not say what they draw.
[[nodiscard]] double board_watts(const MachineConfig& machine, DataType dtype,
                                 const LaunchResult& launch, double clock_mhz,
                                 OperandValues values = OperandValues::random);

/// Watts that it may draw meanwhile: its limit, and in the mean of a load that ends what it may
/// draw above it, once.
[[nodiscard]] double allowed_watts(const MachineConfig& machine, const LaunchResult& launch,
                                   double clock_mhz, std::optional<std::int64_t> launches = {});

/// The highest clock, of those the board has, up to the machine's own, at which it draws no more
/// than it may; the lowest if there is none.
/// @param conditions  how it is launched; its clock is not locked
[[nodiscard]] double sustained_clock_mhz(const MachineConfig& machine, DataType dtype,
                                         const LaunchResult& launch,
                                         const LaunchConditions& conditions = {});

/// The machine at another clock. DRAM and the way to a kernel's start have clocks of their own:
/// they take as long as before, in other numbers of cycles.
/// @param launch_us  as in LaunchConditions
[[nodiscard]] MachineConfig at_clock(const MachineConfig& machine, double clock_mhz,
                                     std::optional<double> launch_us = {});

}  // namespace stcsim
