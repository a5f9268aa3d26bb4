#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/messages.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"
#include "models/warp_scheduler/instruction_issue.hpp"

namespace stcsim {

/// The warps of one sub-core, their fragment buffers, and the port their instructions leave by. A
/// warp runs its CTA's k-steps group by group: it asks shared memory for the fragments of a group
/// as soon as a fragment buffer is free, and offers the group's instructions to the register file
/// (to the vector unit, if they are vector instructions) once the fragments are there.
class WarpScheduler {
 public:
  static constexpr UnitKind kKind{"warp_scheduler",
                                  "warps and their fragment buffers, issue of instructions"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_stage_wires = true,
                                .waiting_for = true,
                                .settle = true,
                                .finish = true,
                                .restored = true,
                                .datapath = true};

  /// An SM numbers its warps through, those of slot 0 first: warp w of the CTA in `slot` of a
  /// kernel of W warps is its warp slot * W + w.
  /// @param sub_cores  of the SM
  /// @param index  of this one. It runs the SM's warps whose number, divided by sub_cores, leaves
  ///   this rest (Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking",
  ///   2018, section 2.1), so CTAs of fewer warps than sub-cores share them
  WarpScheduler(std::int64_t sub_cores, std::int64_t sm, std::int64_t index);

  Inbox<CtaStart> starts;
  Inbox<FetchResponse> fragments;
  Inbox<BarrierOpen> barriers;
  /// From the stages that pass instructions event by event, where these have queues.
  Inbox<GroupProgress> progress;
  Wired<OutPort<FetchRequest>*> fetches;
  Wired<OutPort<WarpDone>*> warps_done;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("starts", starts);
    visitor.in_if_awaited("fragments", fragments);
    visitor.in_if_awaited("barriers", barriers);
    visitor.out("fetches", fetches);
    visitor.out("warps_done", warps_done);
  }
  /// Where instructions go: to the register file and on, or to the vector unit.
  Wired<PipelineStage*> matrix_instructions;
  Wired<PipelineStage*> vector_instructions;
  template <class Visitor>
  void visit_stage_wires(Visitor& visitor) {
    visitor.wire("matrix_instructions", matrix_instructions);
    visitor.wire("vector_instructions", vector_instructions);
  }
  Wired<Datapath*> datapath;

  /// Has it issue matrix instructions one by one, as messages.
  /// @param is_rigid  one goes when the slowest stage can take it, as in the closed form; else when
  ///        the first stage has room
  void issue_messages(bool is_rigid) {
    issues_messages_ = true;
    is_rigid_ = is_rigid;
  }
  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);
  /// Accounts the time up to the end of the launch.
  void finish(Cycle end);

  /// False if the message makes no difference before the next batch ends.
  [[nodiscard]] bool awaits(const FetchResponse& response) const {
    return !is_issuing(warps_[place_of(response.slot, response.warp)]);
  }
  [[nodiscard]] bool awaits(const BarrierOpen& open) const;
  /// When the first message comes that makes a difference.
  [[nodiscard]] Cycle next_message() const;

  [[nodiscard]] std::int64_t instructions_issued() const {
    return issue_.issued() - vector_places_;
  }
  /// Whether the launch has matrix instructions.
  [[nodiscard]] bool is_matrix() const { return kernel_.warp.instruction.has_value(); }
  /// Where the cycles of a pipeline went that the launch's instructions go to, or do not.
  template <class Visitor>
  void visit_issue(Visitor& visitor, bool is_used, Cycle end) const {
    const auto share = [&](Bucket bucket) { return is_used ? buckets_.in(bucket) : Cycles(); };
    const Cycles busy = std::min(is_used ? busy_cycles() : Cycles(), share(Bucket::issuing));
    visitor.bucket("busy", busy);
    visitor.bucket("issue_gap", share(Bucket::issuing) - busy);
    visitor.bucket("waiting_memory", share(Bucket::waiting_memory));
    visitor.bucket("waiting_shared_memory", share(Bucket::waiting_shared_memory));
    visitor.bucket("waiting_dependency", share(Bucket::waiting_dependency));
    visitor.bucket("idle", is_used ? buckets_.in(Bucket::idle) : end - Cycle());
  }
  /// The same of the vector unit, which works beside the tensor core where k-steps have phases.
  template <class Visitor>
  void visit_vector_issue(Visitor& visitor, Cycle end) const {
    if (!kernel_.warp.has_phases()) return visit_issue(visitor, !is_matrix(), end);
    const Cycles busy = vector_pace_.interval * vector_instructions_;
    visitor.bucket("busy", busy);
    for (const char* const none :
         {"issue_gap", "waiting_memory", "waiting_shared_memory", "waiting_dependency"}) {
      visitor.bucket(none, Cycles());
    }
    visitor.bucket("idle", end - Cycle() - busy);
  }
  /// The thing its warps wait for, "" if nothing.
  [[nodiscard]] std::string waiting_for() const;

  void settle(Cycle now) {
    if (issue_.idle() && active_warps_ == 0) buckets_.account(now, Bucket::idle);
  }
  void restored();
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    starts.visit_state(visitor, visit_start(visitor));
    fragments.visit_state(visitor, [&](FetchResponse& response) {
      visitor.value(response.slot);
      visitor.value(response.warp);
      visit_time(visitor, response.stage_full_at);
    });
    for (Warp& warp : warps_) {
      visitor.value(warp.active);
      if (!warp.active) continue;
      visitor.value(warp.groups);
      visitor.group(warp.requested, sm_, warp.slot);
      visitor.group(warp.arrived, sm_, warp.slot);
      visitor.group(warp.started, sm_, warp.slot);
      visitor.group(warp.ended, sm_, warp.slot);
      visitor.deadline(warp.accumulators_ready);
      if (!awaits_progress()) continue;
      visitor.value(warp.awaits_result);
      visitor.group(warp.finished, sm_, warp.slot);
    }
    barriers.visit_state(visitor, [&](BarrierOpen& open) { visitor.value(open.slot); });
    for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
      if (visitor.present(active_in(slot)))
        visitor.step(open_steps_[static_cast<std::size_t>(slot)], sm_, slot);
    }
    issue_.visit_state(visitor);
    if (kernel_.warp.has_phases()) {
      vector_issue_.visit_state(visitor);
      visitor.counter(vector_instructions_);
      visitor.counter(vector_places_);
    }
    buckets_.visit_state(visitor);
    if (!is_staged()) return;
    visitor.counter(busy_);
    progress.visit_state(visitor, [&](GroupProgress& one) {
      visitor.value(one.warp);
      visitor.value(one.kind);
    });
  }

 private:
  enum class Bucket : std::uint8_t {
    issuing,
    waiting_memory,
    waiting_shared_memory,
    waiting_dependency,
    idle,
    count
  };
  struct Warp {
    bool active = false;
    std::int64_t slot = 0;
    std::int64_t index = 0;   // in the CTA
    std::int64_t groups = 0;  // in the whole CTA
    std::int64_t requested = 0;
    std::int64_t arrived = 0;
    std::int64_t started = 0;
    std::int64_t ended = 0;
    Cycle accumulators_ready;    // for the next group
    bool awaits_result = false;  // before that is known
    std::int64_t finished = 0;   // of groups whose results are there, where progress is told
  };

  void start_cta(const CtaStart& start, Cycle now);
  void take_fragments(const FetchResponse& response, Cycle now);
  void end_batches(Cycle now);
  void end_group(Warp& warp, Cycle now);
  void note(const GroupProgress& one, Cycle now);
  /// Has the datapath begin the warp's next group.
  void execute(std::size_t at);
  void issue_messages(Cycle now);
  [[nodiscard]] Cycle next_issue(Cycle now) const;
  /// Whether the launch's instructions pass event by event; those of phases do not.
  [[nodiscard]] bool is_staged() const {
    return issues_messages_ && is_matrix() && !kernel_.warp.has_phases();
  }
  [[nodiscard]] bool awaits_progress() const { return is_staged() && !is_rigid_; }
  /// Cycles that its pipeline is kept by what has been issued.
  [[nodiscard]] Cycles busy_cycles() const {
    return is_staged() ? busy_ : pace_.interval * instructions_issued();
  }
  void request_fragments(Warp& warp, Cycle now);
  void start_ready_batches(Cycle now);
  void retire(Warp& warp, Cycle at);
  /// True if fragments and barrier let the warp start its next group.
  [[nodiscard]] bool is_ready(const Warp& warp) const;
  /// Whether the warp's group number `group` is issued to the vector unit beside the tensor core.
  [[nodiscard]] bool is_vector_group(std::int64_t group) const {
    return kernel_.warp.has_phases() && kernel_.warp.is_vector(group);
  }
  /// In the time of vector instructions, the exponentials among them.
  [[nodiscard]] std::int64_t vector_instructions_of(const WarpPhase& phase) const;
  void issue_group(std::int64_t at, std::int64_t group, Cycle now);
  /// The cycle at which the results of the group that ends now are there.
  [[nodiscard]] Cycle result_of(std::int64_t group, Cycle now) const;
  [[nodiscard]] bool active_in(std::int64_t slot) const;
  [[nodiscard]] Cycle next_start() const;
  [[nodiscard]] static bool is_issuing(const Warp& warp) { return warp.started > warp.ended; }
  /// The number of the SM's first so many warps that live here.
  [[nodiscard]] std::size_t warps_here(std::int64_t of_sm) const {
    return static_cast<std::size_t>((of_sm - index_ + sub_cores_ - 1) / sub_cores_);
  }
  /// Those of one CTA.
  [[nodiscard]] std::span<Warp> warps_in(std::int64_t slot) {
    const std::size_t first = warps_here(slot * kernel_.warps);
    return std::span(warps_).subspan(first, warps_here((slot + 1) * kernel_.warps) - first);
  }
  [[nodiscard]] std::span<const Warp> warps_in(std::int64_t slot) const {
    const std::size_t first = warps_here(slot * kernel_.warps);
    return std::span(warps_).subspan(first, warps_here((slot + 1) * kernel_.warps) - first);
  }
  [[nodiscard]] std::size_t place_of(std::int64_t slot, std::int64_t warp) const {
    return static_cast<std::size_t>((slot * kernel_.warps + warp) / sub_cores_);
  }
  /// Says which warps of which slots these are.
  void name_warps();

  Wired<std::int64_t> sm_;
  std::int64_t index_;
  std::int64_t sub_cores_;
  KernelLaunch kernel_;
  std::vector<Warp> warps_;               // by slot, then by warp
  std::vector<std::int64_t> open_steps_;  // by slot: k-steps whose barrier has opened
  std::int64_t active_warps_ = 0;
  InstructionPace pace_;
  InstructionIssue issue_;
  InstructionPace vector_pace_;
  InstructionIssue vector_issue_;  // of k-steps with phases
  std::int64_t vector_instructions_ = 0;
  // Of warps that go in step: matrix instructions that vector work takes the time of.
  std::int64_t vector_places_ = 0;
  bool issues_messages_ = false;
  bool is_rigid_ = true;
  Cycles busy_;                                      // by messages issued
  InstructionWork whole_;                            // of the launch's instruction
  std::vector<std::vector<InstructionWork>> works_;  // by warp: where data matter, of its group
  BucketClock<Bucket> buckets_;
  std::vector<std::int64_t> ended_;  // scratch
};

}  // namespace stcsim
