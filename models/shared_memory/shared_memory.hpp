#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/messages.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/unit_kind.hpp"
#include "models/shared_memory/shared_memory_config.hpp"

namespace stcsim {

/// The least time of a CTA's bytes at the port of shared memory.
struct PortTime {
  Cycles fills;    // all of its stages
  Cycles reads;    // all of its fragments
  Cycles staging;  // output on its way
  bool has_fill_port = false;

  /// Until its last fragments have been read.
  [[nodiscard]] Cycles of_main_loop() const {
    return has_fill_port ? std::max(fills, reads) : fills + reads;
  }
  /// Data that come in through a port of their own is not in the way of another CTA's output.
  [[nodiscard]] Cycles of_cta() const {
    return has_fill_port ? std::max(fills, reads + staging) : fills + reads + staging;
  }
};

/// Cycles of one stage on its way in: what comes from L2 is written as it comes, zeros at once.
[[nodiscard]] inline Cycles fill_cycles(const SharedMemoryConfig& memory,
                                        const KernelLaunch& launch) {
  const std::int64_t of_threads = launch.thread_copy_bytes_per_clk;
  const std::int64_t width = of_threads > 0 ? of_threads : memory.fill_width();
  return cycles_for(launch.shared_stage_bytes(), width) +
         cycles_for(launch.zero_bytes, memory.port_bytes_per_clk());
}

/// Whether copies do not wait for reads, nor reads for them.
[[nodiscard]] inline bool has_fill_port(const SharedMemoryConfig& memory,
                                        const KernelLaunch& launch) {
  return memory.has_fill_port && launch.thread_copy_bytes_per_clk == 0;
}

/// @param steps  k-steps of the CTA
[[nodiscard]] inline PortTime port_time(const SharedMemoryConfig& memory,
                                        const KernelLaunch& launch, std::int64_t steps) {
  const std::int64_t port = memory.port_bytes_per_clk();
  const std::int64_t elements = launch.output_bytes() / launch.epilogue.element_bytes;
  PortTime time;
  time.fills = fill_cycles(memory, launch) * steps;
  if (!launch.warp.has_phases()) {
    const WarpProgram& warp = launch.warp;
    const Cycles of_step = cycles_for(warp.port_bytes(0), port) +
                           cycles_for(warp.fragments.total(), port) * (warp.groups_per_step - 1);
    time.reads = of_step * (launch.warps * steps);
  }
  for (const WarpPhase& phase : launch.warp.all_phases()) {
    time.reads += cycles_for(phase.fragments.total(), port) * (launch.warps * phase.groups * steps);
  }
  time.staging = cycles_for(elements * launch.epilogue.staging_bytes_per_element, port);
  time.has_fill_port = has_fill_port(memory, launch);
  return time;
}

/// Shared memory of one SM: one port of banks * bank_bytes per clk, and the full/free state of
/// every CTA's pipeline stages. The port serves fills, fragment reads and epilogue staging in order
/// of arrival (fragments that come at the same time: first what all of their instructions begin
/// with, then B if they need not wait for it); a fill may have used it since its first byte came. A
/// fragment read waits until its stage is full; the first of a k-step also waits for the barrier of
/// the main loop: until all warps of the CTA have asked for that step and have read all of the step
/// before.
class SharedMemory {
 public:
  static constexpr UnitKind kKind{"shared_memory",
                                  "stages of operands, one port, the barrier of the main loop"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_statistics = true,
                                .waiting_for = true,
                                .restored = true,
                                .datapath = true,
                                .observer = true};

  SharedMemory(const SharedMemoryConfig& config, std::int64_t sm);

  Inbox<CtaStart> starts;
  Inbox<StageFill> fills;
  Inbox<FetchRequest> fetches;
  Inbox<StagingRequest> staging;
  Wired<std::vector<OutPort<FetchResponse>*>> fragments;  // by sub-core
  Wired<std::vector<OutPort<BarrierOpen>*>> barriers;     // by sub-core
  Wired<OutPort<StageFree>*> freed;
  Wired<OutPort<StagingResponse>*> staged;
  Wired<Datapath*> datapath;
  Wired<ProgressObserver*> observer;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("starts", starts);
    visitor.in("fills", fills);
    visitor.in("fetches", fetches);
    visitor.in("staging", staging);
    visitor.out("fragments", fragments);
    visitor.out("barriers", barriers);
    visitor.out("freed", freed);
    visitor.out("staged", staged);
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// Buckets of the port; fill: copies from L2, unless they have one of their own; fetch:
  /// fragments; staging: output.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle end) const {
    visitor.bucket("fill", fill_cycles_);
    visitor.bucket("fetch", fetch_cycles_);
    visitor.bucket("staging", staging_cycles_);
    visitor.bucket("idle", (end - Cycle()) - (fill_cycles_ + fetch_cycles_ + staging_cycles_));
    visitor.count("shared_memory_read_bytes", "byte", read_bytes_);
    visitor.count("shared_memory_write_bytes", "byte", written_bytes_);
  }
  [[nodiscard]] std::string waiting_for() const;

  void restored();
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    starts.visit_state(visitor, visit_start(visitor));
    fills.visit_state(visitor, [&](StageFill& fill) {
      visitor.value(fill.slot);
      visitor.step(fill.step, sm_, fill.slot);
      visitor.time(fill.since);
    });
    fetches.visit_state(visitor, [&](FetchRequest& request) { visit_fetch(visitor, request); });
    staging.visit_state(visitor, [&](StagingRequest& request) { visitor.value(request.bytes); });
    for (std::size_t at = 0; at < slots_.size(); ++at) {
      visit_slot(visitor, slots_[at], static_cast<std::int64_t>(at));
    }
    // A fill may have begun to use the port in the past, but not before its CTA.
    const bool is_active =
        std::any_of(slots_.begin(), slots_.end(), [](const Slot& at) { return at.is_active(); });
    for (Cycle* end : {&reads_end_, &fills_end_}) {
      if (is_active) {
        visitor.time(*end);
      } else {
        visitor.deadline(*end);
      }
    }
    visitor.counter(fill_cycles_);
    visitor.counter(fetch_cycles_);
    visitor.counter(staging_cycles_);
    visitor.counter(read_bytes_);
    visitor.counter(written_bytes_);
  }

 private:
  struct Stage {
    bool is_filled = false;
    std::int64_t reads_missing = 0;
    Cycle full_at;
  };
  struct Waiting {
    FetchRequest request;
    std::int64_t step = 0;
    std::size_t stage = 0;         // in the ring
    Cycle stage_full_at = kNever;  // if it waited for that
  };
  struct Slot {
    std::int64_t steps = 0;                // of the CTA
    std::int64_t read_steps = 0;           // read by all warps
    std::int64_t open_step = 0;            // steps beyond it wait for the barrier
    std::vector<std::int64_t> at_barrier;  // warps that have asked for the steps after it
    Cycle open_at;
    std::vector<Stage> stages;
    std::vector<Waiting> waiting;

    [[nodiscard]] bool is_active() const { return read_steps < steps; }
  };

  template <class Visitor>
  void visit_fetch(Visitor& visitor, FetchRequest& request) {
    visitor.value(request.sub_core);
    visitor.value(request.slot);
    visitor.value(request.warp);
    visitor.group(request.group, sm_, request.slot);
    visitor.value(request.issued_ago);
  }
  /// Stages are described from the one that is read next; after a move they have to lie where they
  /// lay, so a move by k-steps has to be a multiple of the number of stages.
  template <class Visitor>
  void visit_slot(Visitor& visitor, Slot& slot, std::int64_t slot_index) {
    if (!visitor.present(slot.is_active())) return;
    visitor.value(slot.steps);
    visitor.step(slot.read_steps, sm_, slot_index);
    visitor.step(slot.open_step, sm_, slot_index);
    visit_size(visitor, slot.at_barrier);
    for (std::int64_t& warps : slot.at_barrier) visitor.value(warps);
    visitor.deadline(slot.open_at);
    for (std::int64_t offset = 0; offset < kernel_.stages; ++offset) {
      Stage& stage = stage_of(slot, slot.read_steps + offset);
      visitor.value(stage.is_filled);
      visitor.value(stage.reads_missing);
      if (stage.is_filled) visitor.deadline(stage.full_at);
    }
    visit_size(visitor, slot.waiting);
    for (Waiting& waiting : slot.waiting) {
      visit_fetch(visitor, waiting.request);
      visitor.step(waiting.step, sm_, slot_index);
      visit_time(visitor, waiting.stage_full_at);
    }
  }

  void start_cta(const CtaStart& start, Cycle now);
  void fill(const StageFill& fill, Cycle now);
  void stage_output(const StagingRequest& request, Cycle now);
  void serve_waiting(Slot& slot, Cycle now);
  /// Reads what its instructions begin with.
  void serve(Slot& slot, const Waiting& waiting, Cycle now);
  /// Everything of a fragment of the step has been read.
  void end_read(Slot& slot, std::int64_t step, Cycle end);
  void ask(const FetchRequest& request, Cycle now);
  void end_step(Slot& slot, std::int64_t slot_index, std::int64_t step, Cycle read_out);
  /// When the request may be served: the past or a known future cycle; kNever if not yet known.
  [[nodiscard]] static Cycle servable_at(const Slot& slot, const Waiting& waiting);
  /// Fragments and output go before copies: what they take, copies under way take longer. Both
  /// return the transfer's end.
  Cycle read_through_port(Cycle now, std::int64_t bytes, Cycles& bucket);
  Cycle fill_through_port(const StageFill& fill);
  /// Copies that are under way, or wait, after `after` end so much later.
  void delay_fills(Cycle after, Cycles length);
  [[nodiscard]] Stage& stage_of(Slot& slot, std::int64_t step);
  [[nodiscard]] std::int64_t step_of(const FetchRequest& request) const {
    return request.group / kernel_.warp.groups_per_step;
  }

  SharedMemoryConfig config_;
  Wired<std::int64_t> sm_;
  KernelLaunch kernel_;
  std::vector<Slot> slots_;
  Cycle reads_end_;  // of the port's transfers
  Cycle fills_end_;
  Cycles fill_cycles_;
  Cycles fetch_cycles_;
  Cycles staging_cycles_;
  std::int64_t read_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
};

}  // namespace stcsim
