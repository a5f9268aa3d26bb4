#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/bucket_clock.hpp"
#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/message_state.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/unit_kind.hpp"
#include "models/base/wired.hpp"
#include "models/functional/datapath.hpp"
#include "models/register_file/register_file.hpp"
#include "models/sub_core/instruction_timing.hpp"
#include "models/tensor_core/instruction_issue.hpp"
#include "models/tensor_core/tensor_core.hpp"
#include "models/vector_unit/vector_unit.hpp"

namespace stcsim {

/// One processing block of an SM: the warps that live on it, their fragment buffers (operand
/// fetch), the operand selector and the tensor core. A warp runs its CTA's k-steps group by group:
/// it asks shared memory for the fragments of a group as soon as a fragment buffer is free, and
/// offers the group's instructions to the tensor core once the fragments are there.
class SubCore {
 public:
  static constexpr UnitKind kKind{"sub_core",
                                  "warps and their fragment buffers, issue of instructions"};

  /// @param config  outlives the sub-core
  /// @param index  of the sub-core in its SM; it runs the warps w of a CTA with w % sub_cores ==
  /// index
  SubCore(const StreamingMultiprocessorConfig& config, std::int64_t sm, std::int64_t index);

  Inbox<CtaStart> starts;
  Inbox<FetchResponse> fragments;
  Inbox<BarrierOpen> barriers;
  Wired<OutPort<FetchRequest>*> fetches;
  Wired<OutPort<WarpDone>*> warps_done;
  Wired<Datapath*> datapath;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("starts", starts);
    visitor.in("fragments", fragments);
    visitor.in("barriers", barriers);
    visitor.out("fetches", fetches);
    visitor.out("warps_done", warps_done);
  }
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("register_file", register_file_);
    visitor.child("vector_unit", vector_unit_);
    visitor.child("tensor_core", tensor_core_);
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);
  /// Accounts the time up to the end of the launch.
  void finish(Cycle end);

  /// False if the message makes no difference before the next batch ends.
  [[nodiscard]] bool awaits(const FetchResponse& response) const {
    return !is_issuing(warp_of(response.slot, response.warp));
  }
  [[nodiscard]] bool awaits(const BarrierOpen& open) const;

  [[nodiscard]] std::int64_t instructions_issued() const { return issue_.issued(); }
  /// Of the tensor core with its stages and of the vector unit: the one that the launch does not
  /// use is idle.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle end) const {
    const std::int64_t issued = instructions_issued();
    const bool is_matrix = kernel_.warp.instruction.has_value();
    visit_issue(visitor, "tensor_core", is_matrix, end);
    visitor.count("instructions", "instruction", issued);  // of either
    visitor.unit("register_file");
    register_file_.visit_statistics(visitor, issued, end);
    visitor.unit("metadata_buffer");
    tensor_core_.metadata_buffer.visit_statistics(visitor, issued, end);
    visitor.unit("operand_selector");
    tensor_core_.operand_selector.visit_statistics(visitor, issued, end);
    visitor.unit("multipliers");
    tensor_core_.multipliers.visit_statistics(visitor, issued, end);
    visit_issue(visitor, "vector_unit", !is_matrix, end);
  }
  /// What its warps wait for, "" if nothing.
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
    }
    barriers.visit_state(visitor, [&](BarrierOpen& open) { visitor.value(open.slot); });
    for (std::size_t slot = 0; slot < open_steps_.size(); ++slot) {
      if (visitor.present(active_in(slot)))
        visitor.step(open_steps_[slot], sm_, static_cast<std::int64_t>(slot));
    }
    issue_.visit_state(visitor);
    buckets_.visit_state(visitor);
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
    Cycle accumulators_ready;  // for the next group
  };

  template <class Visitor>
  void visit_issue(Visitor& visitor, const char* unit, bool is_in_use, Cycle end) const {
    const std::int64_t issued = is_in_use ? instructions_issued() : 0;
    const Cycles busy = timing_.interval * issued;
    const auto share = [&](Bucket bucket) { return is_in_use ? buckets_.in(bucket) : Cycles(); };
    visitor.unit(unit);
    visitor.bucket("busy", busy);
    visitor.bucket("issue_gap", share(Bucket::issuing) - busy);
    visitor.bucket("waiting_memory", share(Bucket::waiting_memory));
    visitor.bucket("waiting_shared_memory", share(Bucket::waiting_shared_memory));
    visitor.bucket("waiting_dependency", share(Bucket::waiting_dependency));
    visitor.bucket("idle", is_in_use ? buckets_.in(Bucket::idle) : end - Cycle());
  }
  void launch_stages();
  void start_cta(const CtaStart& start, Cycle now);
  void take_fragments(const FetchResponse& response, Cycle now);
  void end_batches(Cycle now);
  void request_fragments(Warp& warp, Cycle now);
  void start_ready_batches(Cycle now);
  void retire(Warp& warp, Cycle at);
  /// True if fragments and barrier let the warp start its next group.
  [[nodiscard]] bool is_ready(const Warp& warp) const;
  [[nodiscard]] bool active_in(std::size_t slot) const;
  [[nodiscard]] Cycle next_start() const;
  [[nodiscard]] static bool is_issuing(const Warp& warp) { return warp.started > warp.ended; }
  [[nodiscard]] const Warp& warp_of(std::int64_t slot, std::int64_t warp) const {
    return warps_[static_cast<std::size_t>(slot * warps_per_cta_ + warp / sub_cores_)];
  }

  const StreamingMultiprocessorConfig* config_;
  Wired<std::int64_t> sm_;
  std::int64_t index_;
  std::int64_t sub_cores_;
  KernelLaunch kernel_;
  std::int64_t warps_per_cta_ = 0;        // on this sub-core
  std::vector<Warp> warps_;               // by slot, then by warp
  std::vector<std::int64_t> open_steps_;  // by slot: k-steps whose barrier has opened
  std::int64_t active_warps_ = 0;
  InstructionTiming timing_;
  RegisterFile register_file_;
  TensorCore tensor_core_;
  VectorUnit vector_unit_;
  InstructionIssue issue_;
  BucketClock<Bucket> buckets_;
  std::vector<std::int64_t> ended_;  // scratch
};

}  // namespace stcsim
