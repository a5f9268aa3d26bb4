#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/base/time.hpp"

namespace stcsim {

// --- CTA life ---------------------------------------------------------------------------------

/// CTA scheduler → SM.
struct CtaAssignment {
  CtaPosition position;
};

/// SM → its units: a CTA starts in `slot`.
struct CtaStart {
  std::int64_t slot = 0;
  CtaPosition position;
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

/// Epilogue → SM.
struct EpilogueDone {
  std::int64_t slot = 0;
};

/// SM → CTA scheduler: a slot is free again.
struct CtaDone {
  std::int64_t sm = 0;
};

// --- Memory -----------------------------------------------------------------------------------

/// Copy engine → L2: one operand of one k-step.
struct LoadRequest {
  std::int64_t sm = 0;
  std::int64_t slot = 0;
  Operand operand = Operand::a;
  std::int64_t step = 0;   // within the CTA
  std::int64_t strip = 0;  // distinct strip of the whole batch
  std::int64_t slice = 0;  // distinct slice
  std::int64_t bytes = 0;
  std::int64_t fill_bytes = 0;  // what a miss brings in
  std::int64_t cta = 0;         // who asks
};

/// L2 → bus → shared memory.
struct LoadResponse {
  std::int64_t sm = 0;
  std::int64_t slot = 0;
  std::int64_t step = 0;
  std::int64_t bytes = 0;
};

/// Epilogue → bus → L2.
struct StoreRequest {
  std::int64_t sm = 0;
  std::int64_t slot = 0;
  std::int64_t bytes = 0;
  bool workspace = false;
};

/// Bus → epilogue: the store has left the SM.
struct StoreAccepted {
  std::int64_t slot = 0;
};

/// L2 → CTA scheduler: a store is visible to the whole machine.
struct StoreDone {
  std::int64_t bytes = 0;
};

/// L2 → DRAM. Reads are answered with a DramResponse for the same fill, writes are not.
struct DramRequest {
  std::int64_t fill = 0;
  std::int64_t bytes = 0;
  bool write = false;
};
struct DramResponse {
  std::int64_t fill = 0;
};

// --- Shared memory ----------------------------------------------------------------------------

/// Sub-core → shared memory: the fragments of one instruction group.
struct FetchRequest {
  std::int64_t sub_core = 0;
  std::int64_t slot = 0;
  std::int64_t warp = 0;   // within the CTA
  std::int64_t group = 0;  // counted from the CTA's first k-step
};

/// Shared memory → sub-core.
struct FetchResponse {
  std::int64_t slot = 0;
  std::int64_t warp = 0;
  /// When the k-step's operands were all in shared memory.
  Cycle stage_full_at;
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

}  // namespace stcsim
