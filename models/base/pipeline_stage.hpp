#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "models/base/clocked_beats.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/stage_queue.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// The pace at which a pipeline takes the instructions of a launch.
struct InstructionPace {
  /// Between issues of independent instructions of different warps.
  Cycles interval;
  /// Between two that directly follow each other in one warp, the interval is in the mean so much
  /// longer.
  Millicycles same_warp_bubble;
  /// Issue to result.
  Cycles latency;
  /// The bubble is also there between instructions of different warps.
  bool has_bubbles_between_warps = false;
  /// Of a vector unit: what an instruction of its special function units keeps it.
  Cycles exponential = {};

  friend bool operator==(const InstructionPace&, const InstructionPace&) = default;
};

/// A stage that instructions pass, one after the other. It says how long one keeps it; the rest is
/// the same for all stages, and comes in two ways.
///
/// Closed form, where all instructions of a launch are alike: the next one comes an interval later,
/// which is what the slowest stage of the pipeline takes. What is told down the pipeline once a
/// launch says all that every instruction would, and where a stage's cycles went follows from the
/// number of instructions.
///
/// Event by event (`detail: stages`): every instruction is a message that one stage puts into the
/// queue of the next as it begins it; the next begins with the first byte and does not end before
/// the last. A stage that finds no room behind it waits; one with registers behind it goes on until
/// they are full (ClockedBeats).
class PipelineStage {
 public:
  static constexpr Hooks kHooks{.first_stage = true};

  PipelineStage() = default;
  PipelineStage(const PipelineStage&) = default;
  PipelineStage& operator=(const PipelineStage&) = default;
  virtual ~PipelineStage() = default;

  /// Who takes the instructions next; null behind the last stage.
  Wired<PipelineStage*> next;

  /// Takes note of the launch's instructions and passes them on.
  /// @param slowest_before  of the stages before it
  /// @return what the stages behind it make of it
  InstructionPace launch(const WarpProgram& program, Cycles slowest_before = {}) {
    own_ = own_cycles(program);
    beats_.open(own_ > Cycles(), registers());
    const Cycles slowest = std::max(slowest_before, own_);
    InstructionPace pace{slowest, {}, slowest};
    if (next != nullptr) pace = next->launch(program, slowest);
    amend(program, pace);
    // The last beat leaves no earlier than the slowest stage lets it come.
    if (beats_.is_open()) pace.latency = std::max(pace.latency, pace.interval) + beats_.depth();
    interval_ = pace.interval;
    queue_.clear();
    at_work_.clear();
    return pace;
  }
  /// Cycles an instruction of the launch keeps it; 0 if it does not pass here.
  [[nodiscard]] Cycles own() const { return own_; }

  /// Has this stage and those behind it pass instructions event by event.
  void pass_messages(const StageQueue::Depth& depth) {
    queue_.open(depth);
    if (next != nullptr) next->pass_messages(depth);
  }
  [[nodiscard]] bool passes_messages() const { return queue_.is_open(); }
  /// Has a circuit stand in for the registers behind it, event by event.
  /// @param circuit  outlives the launches; null: none
  void stand_in(ClockedUnit* circuit) { beats_.circuit = circuit; }
  /// The longest that it or a stage behind it is kept by the instruction.
  [[nodiscard]] Cycles slowest(const StageMessage& message) const {
    return std::max(own_cycles_of(message), next != nullptr ? next->slowest(message) : Cycles());
  }
  /// Whether it can take a message.
  [[nodiscard]] bool has_room(Cycle now) const { return queue_.has_room(now); }
  /// Whether it has nothing to do.
  [[nodiscard]] bool is_idle(Cycle now) const { return queue_.is_idle(now); }
  /// Bytes of metadata that wait for it, or that it is at work on.
  [[nodiscard]] std::int64_t metadata_bytes(Cycle now) const { return queue_.metadata_bytes(now); }
  void take(const StageMessage& message, Cycle now) {
    queue_.push(message, now);
    begin_what_it_can(now);
  }
  /// The turn of this stage and those behind it, the last first: room made in a cycle is used in
  /// that cycle.
  void take_turn(Cycle now) {
    if (next != nullptr) next->take_turn(now);
    begin_what_it_can(now);
  }
  /// Works on the values of messages whose last byte this stage and those behind it have by the
  /// end of the cycle `now`, the first stage first: what one leaves, the next may use at once.
  void work_on_values(Cycle now) {
    while (!at_work_.empty() && at_work_.front().due <= now) {
      if (at_work_.front().due < now) throw SimulationError("values are worked on too late");
      work_on(at_work_.front().message);
      at_work_.erase(at_work_.begin());
    }
    if (next != nullptr) next->work_on_values(now);
  }
  /// When this stage or one behind it has its next turn; kNever if none waits for a time.
  [[nodiscard]] Cycle next_turn(Cycle now) const {
    Cycle own = queue_.next_turn(now);
    if (queue_.is_due(now) && next != nullptr) own = next->queue_.next_free(now);
    if (!beats_.is_empty()) own = now + kOneCycle;
    return next != nullptr ? earliest(own, next->next_turn(now)) : own;
  }
  /// When this stage or one behind it has values to work on.
  [[nodiscard]] Cycle next_work() const {
    const Cycle own = at_work_.empty() ? kNever : at_work_.front().due;
    return next != nullptr ? earliest(own, next->next_work()) : own;
  }
  /// The messages in this stage and those behind it, and what has been counted of them.
  template <class Visitor>
  void visit_messages(Visitor& visitor) {
    queue_.visit_state(visitor);
    if (beats_.is_open()) beats_.visit_state(visitor);
    if (next != nullptr) next->visit_messages(visitor);
  }

  /// Bytes that it has taken out of messages, or put into them.
  [[nodiscard]] std::int64_t moved_bytes() const { return queue_.moved_bytes(); }

  /// busy: at work; blocked: done, but a slower stage sets the pace; starved: no instruction there.
  /// They sum to the cycles before `end`.
  /// @param instructions  issued before `end`
  template <class Visitor>
  void visit_statistics(Visitor& visitor, std::int64_t instructions, Cycle end) const {
    visitor.bucket("busy", kept(instructions));
    visit_waits(visitor, instructions, end);
  }

 protected:
  /// Cycles that so many instructions have kept it.
  [[nodiscard]] Cycles kept(std::int64_t instructions) const {
    return passes_messages() ? queue_.kept() : own_ * instructions;
  }
  /// The buckets but busy.
  template <class Visitor>
  void visit_waits(Visitor& visitor, std::int64_t instructions, Cycle end) const {
    Cycles blocked = own_ > Cycles() ? (interval_ - own_) * instructions : Cycles();
    if (passes_messages()) blocked = queue_.blocked();
    visitor.bucket("blocked", blocked);
    visitor.bucket("starved", (end - Cycle()) - kept(instructions) - blocked);
  }
  /// Keeps a message, and the stage, for a while before it is at work.
  void put_off(StageMessage& message, Cycles wait) { queue_.put_off(message, wait); }

 private:
  /// From its configuration.
  [[nodiscard]] virtual Cycles own_cycles(const WarpProgram& program) = 0;
  /// The same of one instruction, whose data may take less.
  [[nodiscard]] virtual Cycles own_cycles_of(const StageMessage&) const { return own_; }
  /// What the instructions' pace and latency depend on, besides the slowest stage.
  virtual void amend(const WarpProgram&, InstructionPace&) const {}
  /// Uses its part of a message that it begins at `now`; the rest goes on.
  /// @param message  its first and last byte, as they leave this stage; may be put off
  /// @return bytes of that part
  virtual std::int64_t use(StageMessage& /*message*/, Cycle /*now*/) { return 0; }
  /// Does the same to the values of the message, in the cycle in which their last byte is used.
  virtual void work_on(const StageMessage& /*message*/) {}
  /// The cycle from which on another may see what has become of the message.
  [[nodiscard]] virtual Cycle seen_from(const StageMessage& message, Cycle /*now*/) const {
    return message.last;
  }
  /// Whether the way behind it is free for the message.
  [[nodiscard]] virtual bool may_begin(const StageMessage&, Cycle now) const {
    return next == nullptr || next->has_room(now);
  }

  /// Registers that the work of instructions which keep it passes behind it.
  [[nodiscard]] virtual std::int64_t registers() const { return 0; }

  void begin_what_it_can(Cycle now) {
    if (beats_.is_open()) return pass_beats(now);
    while (queue_.is_due(now) && may_begin(queue_.front(), now)) {
      StageMessage message = queue_.pop();
      queue_.keep(message, own_cycles_of(message), now);
      queue_.count_bytes(use(message, now));
      if (message.values != nullptr) {
        at_work_.push_back({std::max(now, seen_from(message, now) - kOneCycle), message});
      }
      if (next != nullptr) next->take(message, now);
    }
  }
  /// Lets a beat out of the unit, and one in.
  void pass_beats(Cycle now) {
    beats_.advance_to(now);
    if (const auto exit = beats_.exit(now)) {
      const bool leaves = !exit->message || next->has_room(now);
      if (leaves && exit->message) next->take(*exit->message, now);
      beats_.decide(leaves, now);
    }
    if (!beats_.is_entering()) {
      if (!queue_.is_due(now) || !beats_.is_ready()) return;
      StageMessage message = queue_.pop();
      const Cycles own = own_cycles_of(message);
      StageMessage kept = message;
      queue_.keep(kept, own, now);
      queue_.count_bytes(use(message, now));
      beats_.begin(message, own);
    }
    const ClockedBeats::Entry entry = beats_.enter(now);
    queue_.keep_until(beats_.entered_at(now), entry == ClockedBeats::Entry::stalls);
    if (entry != ClockedBeats::Entry::enters || beats_.is_entering()) return;
    if (beats_.entering().values != nullptr) at_work_.push_back({now, beats_.entering()});
  }

  /// A message whose values are to be worked on in the cycle `due`.
  struct AtWork {
    Cycle due;
    StageMessage message;
  };

  Cycles own_;
  Cycles interval_;
  StageQueue queue_;
  ClockedBeats beats_;
  std::vector<AtWork> at_work_;  // the first to be due first
};

/// A stage that passes instructions on: not the last.
class PassingStage : public PipelineStage {
 public:
  static constexpr Hooks kHooks{.visit_stage_wires = true, .first_stage = true};

  template <class Visitor>
  void visit_stage_wires(Visitor& visitor) {
    visitor.wire("next", next);
  }
};

/// Where instructions enter a stage, or a unit made of stages.
[[nodiscard]] inline PipelineStage& first_stage(PipelineStage& stage) {
  return stage;
}

/// Connects stages without SystemC, as their ports do in the machine.
struct DirectWires {
  template <class Unit>
  void connect(Wired<PipelineStage*>& wire, Unit& unit) {
    wire = &first_stage(unit);
    connect_inside(unit);
  }
  template <class Unit>
  void connect_inside(Unit& unit) {
    if constexpr (Unit::kHooks.connect_stages) unit.connect_stages(*this);
  }
};

}  // namespace stcsim
