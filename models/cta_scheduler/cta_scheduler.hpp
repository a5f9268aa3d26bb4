#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/progress_observer.hpp"
#include "models/cta_scheduler/cta_scheduler_config.hpp"

namespace stcsim {

/// Hands the grid's CTAs, in raster order, to the SM with the most free slots (the lowest numbered
/// of several), one per dispatch interval. The kernel ends when the last CTA is done and its last
/// store is visible.
class CtaScheduler {
 public:
  CtaScheduler(const CtaSchedulerConfig& config, std::int64_t sm_count);

  Inbox<CtaDone> ctas_done;
  Inbox<StoreDone> stores_done;
  std::vector<OutPort<CtaAssignment>*> sms;
  ProgressObserver* observer = nullptr;

  /// Resets; the scheduler then has to be woken at launch_cycles.
  void launch(const KernelLaunch& kernel);
  [[nodiscard]] Cycle first_dispatch() const { return Cycle() + launch_; }
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// The cycle at which the kernel ended, if it has.
  [[nodiscard]] std::optional<Cycle> ended() const { return ended_; }
  [[nodiscard]] std::string waiting_for() const;

  [[nodiscard]] std::int64_t dispatched() const { return dispatched_; }
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    ctas_done.visit_state(visitor, [&](CtaDone& done) { visitor.value(done.sm); });
    stores_done.visit_state(visitor, [&](StoreDone& done) { visitor.value(done.bytes); });
    for (const std::int64_t free : free_slots_) visitor.value(free);
    visitor.value(bytes_to_store_ - bytes_stored_);
    visitor.cta(dispatched_);
    visitor.cta(done_);
    visitor.counter(bytes_to_store_);
    visitor.counter(bytes_stored_);
    visitor.deadline(next_dispatch_);
  }

 private:
  void dispatch(Cycle now);

  CtaSchedulerConfig config_;
  Cycles launch_;
  KernelLaunch kernel_;
  std::vector<std::int64_t> free_slots_;  // by SM
  std::int64_t all_free_slots_ = 0;
  std::int64_t dispatched_ = 0;
  std::int64_t done_ = 0;
  std::int64_t bytes_to_store_ = 0;  // of the CTAs dispatched
  std::int64_t bytes_stored_ = 0;
  Cycle next_dispatch_;
  std::optional<Cycle> ended_;
};

}  // namespace stcsim
