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

/// @param steps  k-steps of the CTA
[[nodiscard]] PortTime port_time(const SharedMemoryConfig& memory, const KernelLaunch& launch,
                                 std::int64_t steps);

/// What one stage takes on its way in.
[[nodiscard]] Cycles fill_cycles(const SharedMemoryConfig& memory, const KernelLaunch& launch);

}  // namespace stcsim
