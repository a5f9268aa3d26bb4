#pragma once

#include <cstdint>

namespace stcsim {

/// Told of the moments at which the machine's state may have come round again.
class ProgressObserver {
 public:
  ProgressObserver() = default;
  ProgressObserver(const ProgressObserver&) = delete;
  ProgressObserver& operator=(const ProgressObserver&) = delete;
  virtual ~ProgressObserver() = default;
  /// All warps of the CTA in that slot have read the operands of one more k-step.
  virtual void step_read(std::int64_t sm, std::int64_t slot) = 0;
  /// A CTA has been handed to that SM.
  virtual void cta_dispatched(std::int64_t sm) = 0;
};

}  // namespace stcsim
