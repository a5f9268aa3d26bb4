#pragma once

#include <algorithm>

#include "models/base/kernel_launch.hpp"
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

  friend bool operator==(const InstructionPace&, const InstructionPace&) = default;
};

/// A stage that all instructions of a launch pass, one after the other, alike: each keeps it for
/// own() cycles, and the next one comes an interval later, which is what the slowest stage of the
/// pipeline takes. So what is told down the pipeline once a launch says all that every instruction
/// would, and where a stage's cycles went follows from the number of instructions.
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
  /// @return what the end of the pipeline says
  InstructionPace launch(const WarpProgram& program, Cycles slowest_before = {}) {
    own_ = own_cycles(program);
    const Cycles slowest = std::max(slowest_before, own_);
    const InstructionPace pace =
        next != nullptr ? next->launch(program, slowest) : pace_at_end(program, slowest);
    interval_ = pace.interval;
    return pace;
  }
  /// Cycles an instruction of the launch keeps it; 0 if it does not pass here.
  [[nodiscard]] Cycles own() const { return own_; }

  /// busy: at work; blocked: done, but a slower stage sets the pace; starved: no instruction there.
  /// They sum to the cycles before `end`.
  /// @param instructions  issued before `end`
  template <class Visitor>
  void visit_statistics(Visitor& visitor, std::int64_t instructions, Cycle end) const {
    visitor.bucket("busy", own_ * instructions);
    visit_waits(visitor, instructions, end);
  }

 protected:
  /// The buckets but busy.
  template <class Visitor>
  void visit_waits(Visitor& visitor, std::int64_t instructions, Cycle end) const {
    const Cycles blocked = own_ > Cycles() ? (interval_ - own_) * instructions : Cycles();
    visitor.bucket("blocked", blocked);
    visitor.bucket("starved", (end - Cycle()) - own_ * instructions - blocked);
  }

 private:
  /// From its configuration.
  [[nodiscard]] virtual Cycles own_cycles(const WarpProgram& program) = 0;
  /// Asked of the last stage.
  [[nodiscard]] virtual InstructionPace pace_at_end(const WarpProgram&, Cycles slowest) const {
    return {slowest, {}, slowest};
  }

  Cycles own_;
  Cycles interval_;
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
