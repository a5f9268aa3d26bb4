#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/shared_memory/shared_memory_config.hpp"

namespace stcsim {

/// What a CTA's bytes take at least of the port of shared memory.
struct PortTime {
  Cycles fills;    // all of its stages
  Cycles reads;    // all of its fragments
  Cycles staging;  // output on its way
  bool has_fill_port = false;

  /// Until its last fragments have been read.
  [[nodiscard]] Cycles of_main_loop() const {
    return has_fill_port ? std::max(fills, reads) : fills + reads;
  }
  /// What comes in through a port of its own is not in the way of another CTA's output.
  [[nodiscard]] Cycles of_cta() const {
    return has_fill_port ? std::max(fills, reads + staging) : fills + reads + staging;
  }
};

/// What one stage takes on its way in.
[[nodiscard]] inline Cycles fill_cycles(const SharedMemoryConfig& memory,
                                        const KernelLaunch& launch) {
  return cycles_for(launch.shared_stage_bytes(), memory.fill_width());
}

/// @param steps  k-steps of the CTA
[[nodiscard]] inline PortTime port_time(const SharedMemoryConfig& memory,
                                        const KernelLaunch& launch, std::int64_t steps) {
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
