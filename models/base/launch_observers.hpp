#pragma once

#include <cstdint>

#include "models/base/time.hpp"

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

/// A launch at the moment at which one more wave of CTAs, as many as there are slots, has been
/// given to the SMs.
struct WaveGivenOut {
  /// CTAs given to SMs so far, those left out apart, and the number of the next one in raster
  /// order.
  std::int64_t ctas = 0;
  std::int64_t next_cta = 0;
  Cycle now;
  /// Activations it took to simulate so far.
  std::int64_t events = 0;
  /// Bytes so far.
  std::int64_t l2_hit_bytes = 0;
  std::int64_t dram_read_bytes = 0;
  /// Bytes that DRAM has accepted and is still to write.
  std::int64_t waiting_write_bytes = 0;
};

/// Is told of every wave, and may have a part of the grid left out.
class WaveWatcher {
 public:
  WaveWatcher() = default;
  WaveWatcher(const WaveWatcher&) = delete;
  WaveWatcher& operator=(const WaveWatcher&) = delete;
  virtual ~WaveWatcher() = default;
  /// Told only the last of the waves that are skipped because the machine's state recurs. Returns
  /// how many CTAs the machine is not to be given, from the next one on; fewer than are left.
  virtual std::int64_t wave_given_out(const WaveGivenOut& wave) = 0;
  /// Asked every few k-steps. True: the launch is not to be simulated to its end.
  /// @param events  activations it took to simulate so far
  virtual bool gives_up(std::int64_t events) = 0;
};

}  // namespace stcsim
