#include "models/shared_memory/port_time.hpp"

namespace stcsim {

Cycles fill_cycles(const SharedMemoryConfig& memory, const KernelLaunch& launch) {
  return cycles_for(launch.shared_stage_bytes(), memory.fill_width());
}

PortTime port_time(const SharedMemoryConfig& memory, const KernelLaunch& launch,
                   std::int64_t steps) {
  const std::int64_t port = memory.port_bytes_per_clk();
  const std::int64_t elements = launch.output_bytes() / launch.epilogue.element_bytes;
  PortTime time;
  time.fills = fill_cycles(memory, launch) * steps;
  time.reads = cycles_for(launch.warp.fragments.total(), port) *
               (launch.warps * launch.warp.groups_per_step * steps);
  time.staging = cycles_for(elements * launch.epilogue.staging_bytes_per_element, port);
  time.has_fill_port = memory.has_fill_port;
  return time;
}

}  // namespace stcsim
