#pragma once

#include <cstdint>

#include "common/config_field.hpp"

namespace stcsim {

/// Hands CTAs to SMs.
struct CtaSchedulerConfig {
  /// Start of a kernel to the first CTA's dispatch, cycles.
  std::int64_t launch_cycles = 0;
  /// Dispatch to the CTA's first copy: set-up code, address computation.
  std::int64_t cta_setup_cycles = 0;

  static void visit_fields(auto& self, auto& visitor) {
    using field::cycles;
    visitor.field(cycles("launch_cycles", "start of a kernel to the first CTA's dispatch"),
                  self.launch_cycles);
    visitor.field(cycles("cta_setup_cycles", "dispatch to the CTA's first copy"),
                  self.cta_setup_cycles);
  }

  friend bool operator==(const CtaSchedulerConfig&, const CtaSchedulerConfig&) = default;
};

}  // namespace stcsim
