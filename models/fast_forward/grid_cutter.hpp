#pragma once

#include <cstdint>

#include "models/accelerator/block_diagram.hpp"
#include "models/accelerator/wave_watcher.hpp"
#include "models/base/progress_observer.hpp"
#include "models/fast_forward/fast_forward.hpp"

namespace stcsim {

/// Tells a WaveWatcher of the waves of a launch, and leaves out of the grid what that wants left
/// out: the CTAs at work go on, and those that follow are of a later part of the grid.
class GridCutter : public ProgressObserver {
 public:
  /// @param fast_forward  is told what happens too, if the launch is to be skipped through
  GridCutter(BlockDiagram& machine, FastForward& fast_forward)
      : machine_(machine), fast_forward_(fast_forward) {}

  /// Watches the launch of `kernel` that has just been prepared.
  void start(const KernelLaunch& kernel, WaveWatcher& watcher, bool is_skipped_through);

  void step_read(std::int64_t sm, std::int64_t slot) override;
  void cta_dispatched(std::int64_t sm) override;

 private:
  void leave_out(std::int64_t ctas);

  BlockDiagram& machine_;
  FastForward& fast_forward_;
  WaveWatcher* watcher_ = nullptr;
  bool is_skipped_through_ = false;
  std::int64_t wave_ = 1;  // CTAs
  std::int64_t next_ = 1;  // CTAs given out when the next wave is
  std::int64_t left_out_ = 0;
  std::int64_t steps_read_ = 0;  // by any CTA that is simulated
  std::int64_t events_before_ = 0;
};

}  // namespace stcsim
