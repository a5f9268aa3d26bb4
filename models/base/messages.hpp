#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/time.hpp"

namespace stcsim {

// Messages that leave or enter an SM carry the set of SMs that send or receive the same in the same
// cycle. The wires out of the SMs fill it in.

// --- CTA life ---------------------------------------------------------------------------------

/// CTA scheduler → SM.
struct CtaAssignment {
  std::int64_t sm = 0;
  std::int64_t slot = 0;
  std::int64_t steps = 0;
  /// In raster order; only names the CTA: what the SM does depends on its k-steps.
  std::int64_t cta = 0;
};

/// SM → its units: a CTA starts in `slot`.
struct CtaStart {
  std::int64_t slot = 0;
  std::int64_t steps = 0;
};

/// Sub-core → SM: a warp has the results of its last instruction.
struct WarpDone {
  std::int64_t slot = 0;
};

/// SM → epilogue, with the bytes of C to store.
struct EpilogueStart {
  std::int64_t slot = 0;
  std::int64_t bytes = 0;
};

/// Epilogue → SM: the tile has left the registers.
struct AccumulatorsFree {
  std::int64_t slot = 0;
};

/// Epilogue → SM.
struct EpilogueDone {
  std::int64_t slot = 0;
};

/// SM → CTA scheduler: a slot is free again.
struct CtaDone {
  std::int64_t slot = 0;
  SmSet sms{};
};

// --- Memory -----------------------------------------------------------------------------------

/// Copy engine → L2: one operand of one k-step of the CTA in `slot`.
struct LoadRequest {
  std::int64_t slot = 0;
  Operand operand = Operand::a;
  std::int64_t step = 0;  // within the CTA
  SmSet sms{};
};

/// L2 → bus. Arrives with its first byte.
struct LoadResponse {
  std::int64_t slot = 0;
  Operand operand = Operand::a;
  std::int64_t step = 0;
  Cycle last;  // when the last byte arrives
  SmSet sms{};
};

/// Bus → shared memory: both operands of a k-step are there.
struct StageFill {
  std::int64_t slot = 0;
  std::int64_t step = 0;
  Cycle since;  // when their first byte came
  SmSet sms{};
};

/// Epilogue → bus: a part of the tile of C.
struct StoreRequest {
  std::int64_t slot = 0;
  std::int64_t offset = 0;  // bytes
  std::int64_t bytes = 0;
  SmSet sms{};
};

/// Bus → L2: valid bytes of stores.
struct StoreData {
  std::int64_t bytes = 0;
};

/// Bus → epilogue: the store has left the SM.
struct StoreAccepted {
  std::int64_t slot = 0;
  SmSet sms{};
};

/// L2 → CTA scheduler: stores are visible to the whole machine.
struct StoreDone {
  std::int64_t bytes = 0;
};

/// L2 → DRAM. Reads are answered with a DramResponse for the same fill, in order; writes are not.
struct DramRequest {
  std::int64_t fill = 0;
  std::int64_t bytes = 0;
  bool write = false;
};
/// Arrives with its first byte.
struct DramResponse {
  std::int64_t fill = 0;
  Cycle last;  // when the last byte arrives
};

// --- Shared memory ----------------------------------------------------------------------------

/// Sub-core → shared memory: the fragments of one instruction group.
struct FetchRequest {
  std::int64_t sub_core = 0;
  std::int64_t slot = 0;
  std::int64_t warp = 0;   // within the CTA
  std::int64_t group = 0;  // counted from the CTA's first k-step
  /// Since the warp issued its last instruction.
  Cycles issued_ago;
};

/// Shared memory → sub-core.
struct FetchResponse {
  std::int64_t slot = 0;
  std::int64_t warp = 0;
  /// When the k-step's operands were all in shared memory; kNever if they had not to be waited for.
  Cycle stage_full_at = kNever;
};

/// Shared memory → sub-cores: the barrier before the CTA's next k-step has opened.
struct BarrierOpen {
  std::int64_t slot = 0;
};

/// Shared memory → copy engine: a stage has been read by all warps.
struct StageFree {
  std::int64_t slot = 0;
};

/// Epilogue → shared memory and back: staging of output rows.
struct StagingRequest {
  std::int64_t bytes = 0;
};
struct StagingResponse {};

/// A point in time or kNever.
template <class Visitor>
void visit_time(Visitor& visitor, Cycle& at) {
  if (visitor.present(at != kNever)) visitor.time(at);
}

/// Messages describe themselves to a state visitor (state_visitor.hpp). For Inbox<CtaStart>.
template <class Visitor>
auto visit_start(Visitor& visitor) {
  return [&](CtaStart& start) {
    visitor.value(start.slot);
    visitor.value(start.steps);
  };
}

}  // namespace stcsim
