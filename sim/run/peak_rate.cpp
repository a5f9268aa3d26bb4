#include "sim/run/peak_rate.hpp"

namespace stcsim {

std::int64_t peak_macs_per_clk(const MachineConfig& machine, DataType dtype) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
    if (rate.dtype == dtype) return rate.fma_per_clk * sm.sub_cores * machine.accelerator.num_sms;
  }
  return 0;
}

double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware) {
  constexpr double kFlopPerMac = 2.0;
  const double macs = static_cast<double>(peak_macs_per_clk(machine, dtype) * hardware.m) /
                      static_cast<double>(hardware.n);
  return macs * kFlopPerMac * machine.clock_mhz * 1e6 / 1e12;
}

}  // namespace stcsim
