#pragma once

#include <cstdint>

#include "models/base/time.hpp"

namespace stcsim {

/// A stage that all instructions of a launch pass, one after the other, alike: each keeps it for
/// `own` cycles, and the next one comes `pace` cycles later, which is what the slowest stage of the
/// pipeline takes. So where its cycles went follows from the number of instructions.
class PipelineStage {
 public:
  /// @param own  cycles an instruction keeps the stage; 0 if it does not pass it
  /// @param pace  of the whole pipeline, not less
  void launch(Cycles own, Cycles pace) {
    own_ = own;
    pace_ = pace;
  }

  /// busy: at work; blocked: done, but a slower stage sets the pace; starved: no instruction there.
  /// They sum to the cycles before `end`.
  /// @param instructions  issued before `end`
  template <class Visitor>
  void visit_statistics(Visitor& visitor, std::int64_t instructions, Cycle end) const {
    const Cycles busy = own_ * instructions;
    const Cycles blocked = own_ > Cycles() ? (pace_ - own_) * instructions : Cycles();
    visitor.bucket("busy", busy);
    visitor.bucket("blocked", blocked);
    visitor.bucket("starved", (end - Cycle()) - busy - blocked);
  }

 private:
  Cycles own_;
  Cycles pace_;
};

}  // namespace stcsim
