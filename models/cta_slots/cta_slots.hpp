#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/messages.hpp"
#include "models/base/recycling_queue.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// Control of one SM: starts the SM's units on the CTAs it is given, and moves a CTA from its
/// main loop to its epilogue when its last warp is done.
class CtaSlots {
 public:
  static constexpr UnitKind kKind{"cta_slots", "control of an SM: follows its CTAs to their ends"};
  static constexpr Hooks kHooks{
      .visit_ports = true, .waiting_for = true, .restored = true, .datapath = true};

  /// @param cta_setup  from a CTA's arrival to its first copy and fragment fetch
  CtaSlots(std::int64_t sm, Cycles cta_setup);

  /// From a CTA's arrival to its start.
  [[nodiscard]] static Cycles setup_cycles(Cycles cta_setup, const KernelLaunch& kernel) {
    return std::max(cta_setup + kernel.index_wait, kOneCycle);
  }

  Inbox<CtaAssignment> assignments;
  Inbox<WarpDone> warps_done;
  Inbox<AccumulatorsFree> accumulators_free;
  Inbox<EpilogueDone> epilogues_done;
  Wired<std::vector<OutPort<CtaStart>*>> starts;       // copy engine, shared memory
  Wired<std::vector<OutPort<CtaStart>*>> warp_starts;  // sub-cores
  Wired<OutPort<EpilogueStart>*> epilogue;
  Wired<OutPort<CtaDone>*> ctas_done;
  Wired<Datapath*> datapath;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("assignments", assignments);
    visitor.in("warps_done", warps_done);
    visitor.in("accumulators_free", accumulators_free);
    visitor.in("epilogues_done", epilogues_done);
    visitor.out("starts", starts);
    visitor.out("warp_starts", warp_starts);
    visitor.out("epilogue", epilogue);
    visitor.out("ctas_done", ctas_done);
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);
  /// True if the SM may be given a CTA.
  [[nodiscard]] bool has_free_slot() const { return free_slots_ > 0; }
  [[nodiscard]] std::string waiting_for() const;

  void restored();
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    assignments.visit_state(visitor, [&](CtaAssignment& assignment) {
      visitor.value(assignment.slot);
      visitor.value(assignment.steps);
    });
    warps_done.visit_state(visitor, [&](WarpDone& warp) { visitor.value(warp.slot); });
    accumulators_free.visit_state(visitor,
                                  [&](AccumulatorsFree& free) { visitor.value(free.slot); });
    visitor.value(multiplies_);
    visitor.value(free_accumulators_);
    visit_size(visitor, pending_);
    for (std::size_t at = 0; at < pending_.size(); ++at) {
      visitor.value(pending_[at].start.slot);
      visitor.value(pending_[at].start.steps);
      visitor.deadline(pending_[at].at);
    }
    epilogues_done.visit_state(visitor, [&](EpilogueDone& done) { visitor.value(done.slot); });
    for (Slot& slot : slots_) {
      visitor.value(slot.occupied);
      visitor.value(slot.is_set_up);
      if (!slot.occupied) continue;
      visitor.value(slot.warps_left);
    }
  }

 private:
  struct Slot {
    bool occupied = false;
    std::int64_t cta = 0;
    std::int64_t warps_left = 0;
    bool is_set_up = false;
  };

  void start_cta(const CtaAssignment& assignment, Cycle now);
  void start_warps(const CtaStart& start, Cycle at);
  /// The next tile's, if no other is multiplied and accumulators are free.
  void begin_pending(Cycle from);
  void end_warp(const WarpDone& warp, Cycle now);
  void end_cta(const EpilogueDone& epilogue_done, Cycle now);

  Wired<std::int64_t> sm_;
  Cycles cta_setup_;
  KernelLaunch kernel_;
  std::vector<Slot> slots_;
  std::int64_t free_slots_ = 0;
  /// A tile that is copied already, and when its warps may begin.
  struct Pending {
    CtaStart start;
    Cycle at;
  };
  // Of persistent kernels, whose tiles take the accumulators one after the other.
  bool multiplies_ = false;
  std::int64_t free_accumulators_ = 0;
  RecyclingQueue<Pending> pending_;
};

}  // namespace stcsim
