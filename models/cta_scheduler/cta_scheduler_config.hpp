#pragma once

#include <cstdint>

namespace stcsim {

/// Hands CTAs to SMs.
struct CtaSchedulerConfig {
  /// Start of a kernel to the first CTA's dispatch, cycles.
  std::int64_t launch_cycles = 0;
  /// Dispatch to the CTA's first copy: set-up code, address computation.
  std::int64_t cta_setup_cycles = 0;

  friend bool operator==(const CtaSchedulerConfig&, const CtaSchedulerConfig&) = default;
};

}  // namespace stcsim
