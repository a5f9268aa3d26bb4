#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/messages.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/unit_kind.hpp"
#include "models/cta_scheduler/cta_scheduler_config.hpp"

namespace stcsim {

/// Hands the grid's CTAs, in raster order, to free slots. At the start they go to the SM with the
/// most free slots, the lowest numbered of several, and there to the first free slot. Later they go
/// round the SMs that have free slots. Where CTAs multiply, an SM whose CTAs begin to end takes on
/// as many new ones as it has slots before another SM is considered: CTAs of one SM end closer
/// together than those of different SMs, so that on real GPUs the rest of a grid fills few SMs. The
/// kernel ends when the last CTA is done and its last store
/// is visible.
class CtaScheduler {
 public:
  static constexpr UnitKind kKind{"cta_scheduler", "hands the grid's CTAs to the SMs"};
  static constexpr Hooks kHooks{
      .visit_ports = true, .waiting_for = true, .restored = true, .observer = true};

  /// @param resident  is told where every CTA goes
  CtaScheduler(const CtaSchedulerConfig& config, const SmSets& sets, ResidentCtas& resident);

  /// CTAs that some SM runs, or more: those that start together go round the SMs, of the others of
  /// a product an SM takes on as many at a time as it has slots.
  [[nodiscard]] static std::int64_t most_ctas_of_an_sm(const KernelLaunch& kernel,
                                                       std::int64_t sms);

  /// Between launches: other latencies.
  void change(const CtaSchedulerConfig& config);

  Inbox<CtaDone> ctas_done;
  Inbox<StoreDone> stores_done;
  Wired<OutPort<CtaAssignment>*> assignments;
  Wired<ProgressObserver*> observer;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in_from_sms("ctas_done", ctas_done);
    visitor.in("stores_done", stores_done);
    visitor.out("assignments", assignments);
  }

  /// Resets; the scheduler then has to be woken at launch_cycles.
  void launch(const KernelLaunch& kernel);
  [[nodiscard]] Cycle first_dispatch() const { return Cycle() + launch_; }
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// The cycle at which the kernel ended, if it has.
  [[nodiscard]] std::optional<Cycle> ended() const { return ended_; }
  [[nodiscard]] std::string waiting_for() const;

  [[nodiscard]] std::int64_t dispatched() const { return dispatched_; }
  /// The next CTAs of the grid, fewer than are left, count as done.
  void leave_out(std::int64_t ctas);
  /// The lowest number of a CTA that has a slot; dispatched() if there is none.
  [[nodiscard]] std::int64_t first_resident() const;
  void restored();
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    ctas_done.visit_state(visitor, [&](CtaDone& done) {
      visitor.value(done.slot);
      visitor.value(done.sms);
    });
    stores_done.visit_state(visitor, [&](StoreDone& done) { visitor.value(done.bytes); });
    for (std::int64_t sm = 0; sm < sets_.sms(); ++sm) visit_slots(visitor, sm);
    std::int64_t bytes_left = bytes_to_store_ - bytes_stored_;
    visitor.value(bytes_left);
    visitor.cta(dispatched_);
    visitor.cta(taken_on_);
    visitor.cta(done_);
    visitor.counter(bytes_to_store_);
    visitor.counter(bytes_stored_);
  }

 private:
  struct Sm {
    std::vector<bool> is_free;  // by slot
    std::int64_t free_slots = 0;
    std::int64_t taken_on = 0;  // CTAs that wait for a slot of this SM
  };

  template <class Visitor>
  void visit_slots(Visitor& visitor, std::int64_t sm) {
    Sm& slots = sms_[static_cast<std::size_t>(sm)];
    visitor.value(slots.taken_on);
    for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
      const bool is_taken = visitor.present(!slots.is_free[static_cast<std::size_t>(slot)]);
      slots.is_free[static_cast<std::size_t>(slot)] = !is_taken;
      if (!is_taken) continue;
      const std::int64_t before = resident_.at(sm, slot).cta;
      std::int64_t cta = before;
      visitor.cta(cta);
      if (cta != before) resident_.assign(sm, slot, ResidentCta(kernel_, cta));
    }
  }

  void free_slot(const CtaDone& done);
  void dispatch_first(Cycle now);
  void dispatch_to_freed(Cycle now);
  void dispatch_in_turn(Cycle now);
  void dispatch_around(Cycle now);
  void dispatch_to(std::int64_t sm, Cycle now);

  Cycles launch_;
  const SmSets& sets_;
  ResidentCtas& resident_;
  KernelLaunch kernel_;
  std::vector<Sm> sms_;
  std::int64_t dispatched_ = 0;
  std::int64_t taken_on_ = 0;  // dispatched, or waiting for a slot of their SM
  std::int64_t done_ = 0;
  std::int64_t bytes_to_store_ = 0;  // of the CTAs dispatched
  std::int64_t bytes_stored_ = 0;
  std::optional<Cycle> ended_;
};

}  // namespace stcsim
