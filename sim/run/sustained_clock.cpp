#include "sim/run/sustained_clock.hpp"

#include <algorithm>
#include <cmath>

namespace stcsim {
namespace {

constexpr double kPicojoule = 1e-12;

double joules(std::int64_t count, double picojoules) {
  return static_cast<double>(count) * picojoules * kPicojoule;
}

/// Of another number of cycles, at least as many as given: what takes a time and not cycles.
std::int64_t rescaled(std::int64_t cycles, double ratio, std::int64_t least) {
  return std::max(least,
                  static_cast<std::int64_t>(std::llround(static_cast<double>(cycles) * ratio)));
}

}  // namespace

double board_watts(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                   double clock_mhz, OperandValues values) {
  const PowerConfig& power = machine.power;
  const double share = values == OperandValues::zeros ? power.zero_operand_share : 1.0;
  const double cores =
      joules(launch.multiplier_macs, power.mac_pj(dtype) * share) +
      joules(launch.count("shared_memory_read_bytes") + launch.count("shared_memory_write_bytes"),
             power.shared_memory_pj_per_byte);
  const double dram = joules(launch.count("dram_read_bytes") + launch.count("dram_write_bytes"),
                             power.dram_pj_per_byte);
  const double seconds = static_cast<double>(launch.cycles) / (clock_mhz * 1e6);
  const double voltage =
      power.voltage_floor + (1.0 - power.voltage_floor) * clock_mhz / machine.clock_mhz;
  return power.idle_watts + (cores * voltage * voltage + dram) / seconds;
}

double allowed_watts(const MachineConfig& machine, const LaunchResult& launch, double clock_mhz,
                     std::optional<std::int64_t> launches) {
  const PowerConfig& power = machine.power;
  if (!launches) return power.limit_watts;
  const double seconds =
      static_cast<double>(*launches) * static_cast<double>(launch.cycles) / (clock_mhz * 1e6);
  return power.limit_watts + power.burst_joules / seconds;
}

double sustained_clock_mhz(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                           const LaunchConditions& conditions) {
  const PowerConfig& power = machine.power;
  double clock = machine.clock_mhz;
  if (power.limit_watts <= 0 || launch.cycles == 0) return clock;
  const auto can_afford = [&](double mhz) {
    return board_watts(machine, dtype, launch, mhz, conditions.values) <=
           allowed_watts(machine, launch, mhz, conditions.launches);
  };
  if (can_afford(clock)) return clock;
  // The board's draw rises with the clock: the last step that it can afford is found by halves.
  auto too_high = static_cast<std::int64_t>(std::ceil(clock / power.clock_step_mhz));
  std::int64_t affordable = 1;
  while (too_high - affordable > 1) {
    const std::int64_t middle = (too_high + affordable) / 2;
    (can_afford(static_cast<double>(middle) * power.clock_step_mhz) ? affordable : too_high) =
        middle;
  }
  return std::min(clock, static_cast<double>(affordable) * power.clock_step_mhz);
}

MachineConfig at_clock(const MachineConfig& machine, double clock_mhz,
                       std::optional<double> launch_us) {
  MachineConfig other = machine;
  const double ratio = clock_mhz / machine.clock_mhz;
  other.clock_mhz = clock_mhz;
  std::int64_t& launch_cycles = other.accelerator.cta_scheduler.launch_cycles;
  launch_cycles =
      launch_us ? std::llround(*launch_us * clock_mhz) : rescaled(launch_cycles, ratio, 0);
  DramConfig& dram = other.accelerator.dram;
  dram.latency_cycles = rescaled(dram.latency_cycles, ratio, 0);
  if (dram.bytes_per_clk < field::kMostBytesPerClk) {
    dram.bytes_per_clk = rescaled(dram.bytes_per_clk, 1.0 / ratio, 1);
  }
  return other;
}

}  // namespace stcsim
