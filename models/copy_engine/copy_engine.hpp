#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/messages.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"
#include "models/copy_engine/copy_engine_config.hpp"

namespace stcsim {

/// Asynchronous copies of one SM: for every resident CTA it runs ahead of the math by as many
/// k-steps as there are free stages, requesting both operands of a k-step, and the metadata of a
/// compressed one, from the L2 cache. The CTAs take turns.
class CopyEngine {
 public:
  static constexpr UnitKind kKind{"copy_engine",
                                  "copies of operands to shared memory, ahead of the math"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_statistics = true,
                                .waiting_for = true,
                                .settle = true,
                                .finish = true,
                                .datapath = true};

  /// @param request_cycles  way of a request to the L2 cache
  CopyEngine(const CopyEngineConfig& config, std::int64_t sm, Cycles request_cycles);

  /// For the requests of one k-step.
  [[nodiscard]] static Cycles least_step_cycles(const CopyEngineConfig& config,
                                                const KernelLaunch& kernel);

  Inbox<CtaStart> starts;
  Inbox<StageFree> freed;
  Wired<OutPort<LoadRequest>*> loads;
  Wired<Datapath*> datapath;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("starts", starts);
    visitor.in("freed", freed);
    visitor.out("loads", loads);
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);
  void finish(Cycle end);

  /// waiting_stage: no free stage; idle: nothing left to load.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle) const {
    visitor.bucket("issuing", buckets_.in(Bucket::issuing));
    visitor.bucket("waiting_stage", buckets_.in(Bucket::waiting_stage));
    visitor.bucket("idle", buckets_.in(Bucket::idle));
  }
  [[nodiscard]] std::string waiting_for() const;

  /// The k-step a slot loads next; all of them if the CTA has nothing left to load.
  [[nodiscard]] std::int64_t next_step(std::int64_t slot) const {
    return slots_[static_cast<std::size_t>(slot)].next_step;
  }
  /// K-steps a slot still has to load.
  [[nodiscard]] std::int64_t steps_left(std::int64_t slot) const {
    const Slot& at = slots_[static_cast<std::size_t>(slot)];
    return at.steps - at.next_step;
  }
  void settle(Cycle now) { buckets_.account(now, issuing_ ? Bucket::issuing : resting_bucket()); }
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    starts.visit_state(visitor, visit_start(visitor));
    freed.visit_state(visitor, [&](StageFree& free) { visitor.value(free.slot); });
    for (std::size_t at = 0; at < slots_.size(); ++at) {
      Slot& slot = slots_[at];
      visitor.value(slot.free_stages);
      if (!visitor.present(slot.next_step < slot.steps)) continue;
      visitor.value(slot.steps);
      visitor.step(slot.next_step, sm_, static_cast<std::int64_t>(at));
    }
    visitor.value(turn_);
    visitor.value(pool_);
    visit_size(visitor, order_);
    for (std::int64_t& slot : order_) visitor.value(slot);
    visitor.value(issuing_);
    visitor.deadline(free_at_);
    buckets_.visit_state(visitor);
  }

 private:
  enum class Bucket : std::uint8_t { issuing, waiting_stage, idle, count };
  struct Slot {
    std::int64_t steps = 0;
    std::int64_t next_step = 0;
    std::int64_t free_stages = 0;
  };

  void start_cta(const CtaStart& start);
  /// Sends the requests of a k-step, each when the engine has done with all bytes up to its own.
  void issue_step(std::int64_t slot_index, Cycle now);
  [[nodiscard]] std::optional<std::int64_t> next_slot() const;
  [[nodiscard]] Bucket resting_bucket() const;

  CopyEngineConfig config_;
  Wired<std::int64_t> sm_;
  Cycles request_cycles_;
  KernelLaunch kernel_;
  std::vector<Slot> slots_;
  std::int64_t turn_ = 0;
  std::int64_t pool_ = 0;            // free stages of a persistent kernel, whose tiles share them
  std::vector<std::int64_t> order_;  // of slots, as their tiles came
  bool issuing_ = false;
  Cycle free_at_;
  BucketClock<Bucket> buckets_;
};

}  // namespace stcsim
