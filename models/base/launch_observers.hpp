#pragma once

#include <cstdint>
#include <span>

#include "models/base/clocked_beats.hpp"
#include "models/base/stage_message.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// Where one CTA works: its tile in the (transposed if so stated) GEMM, counted in tiles from 0
/// along m and n; its split-K slice, counted from 0; its k range [k_begin, k_end) in elements of
/// logical k.
struct CtaCoordinates {
  std::int64_t batch = 0, tile_m = 0, tile_n = 0, split = 0;
  std::int64_t k_begin = 0, k_end = 0;
};

/// Something that happens in an SM: to a k-step of the CTA in a slot, to the port of shared memory
/// (from `at` on), which reads take from copies, or to the barrier before a k-step, which the first
/// warp reaches and the last one opens.
enum class SmEvent : std::uint8_t {
  request,
  fill,
  fetch,
  staging,
  reach_barrier,
  open_barrier,
  end
};
struct SmMoment {
  SmEvent event;
  std::int64_t sm = 0, slot = 0, step = 0;
  Cycle at = {};
  Cycles length = {};
};

/// Told by the machine when data moves; the machine itself carries no values.
class Datapath {
 public:
  virtual ~Datapath() = default;
  virtual void begin_cta(std::int64_t sm, std::int64_t slot, const CtaCoordinates& cta) = 0;
  /// All operands of k-step `step` (0-based within the CTA) have landed in shared memory stage
  /// step % stages.
  virtual void fill_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) = 0;
  /// Warp `warp` has read the fragments of mma group `group` of `step` from shared memory into
  /// register buffer (step*groups+group) % buffers.
  virtual void fetch_fragments(std::int64_t sm, std::int64_t slot, std::int64_t warp,
                               std::int64_t step, std::int64_t group) = 0;
  /// The warp's tensor core executes all mma instructions of that group.
  virtual void execute_mma(std::int64_t sm, std::int64_t slot, std::int64_t warp, std::int64_t step,
                           std::int64_t group) = 0;
  /// The same where stages pass messages, which begin the group's first instruction now: what its
  /// values make of the work of its instructions, in the order of issue; nothing: they do not
  /// matter.
  virtual std::span<const InstructionWork> start_group(std::int64_t sm, std::int64_t slot,
                                                       std::int64_t warp, std::int64_t step,
                                                       std::int64_t group) {
    execute_mma(sm, slot, warp, step, group);
    return {};
  }
  /// The words of one of these instructions, which its message takes along; null: there are none.
  /// @param group  of the CTA
  virtual InstructionValues* values_of(std::int64_t /*sm*/, std::int64_t /*slot*/,
                                       std::int64_t /*warp*/, std::int64_t /*group*/,
                                       std::int64_t /*index*/) {
    return nullptr;
  }
  /// A circuit that stands in for the registers behind such a stage of one sub-core, or for the
  /// places of its metadata buffer, for a launch; null: none does.
  virtual ClockedUnit* circuit_of(const UnitKind& /*stage*/) { return nullptr; }
  /// The stage has been read by all warps and may be overwritten.
  virtual void release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) = 0;
  /// The epilogue writes the CTA's accumulators to C (or to the split-K workspace).
  virtual void store_tile(std::int64_t sm, std::int64_t slot) = 0;
  /// For who follows an SM's time rather than values.
  virtual void note(const SmMoment& /*moment*/) {}
};

/// Told of the moments at which the machine's state may have come round again.
class ProgressObserver {
 public:
  ProgressObserver() = default;
  ProgressObserver(const ProgressObserver&) = delete;
  ProgressObserver& operator=(const ProgressObserver&) = delete;
  virtual ~ProgressObserver() = default;
  /// All warps of the CTA in that slot have read the operands of one more k-step.
  virtual void step_read(std::int64_t sm, std::int64_t slot) = 0;
  /// A CTA has been handed to that SM.
  virtual void cta_dispatched(std::int64_t sm) = 0;
};

/// A launch at the moment at which one more wave of CTAs, as many as there are slots, has been
/// given to the SMs.
struct WaveGivenOut {
  /// CTAs given to SMs so far, those left out apart, and the number of the next one in raster
  /// order.
  std::int64_t ctas = 0;
  std::int64_t next_cta = 0;
  Cycle now;
  /// Activations it took to simulate so far.
  std::int64_t events = 0;
  /// Bytes so far.
  std::int64_t l2_hit_bytes = 0;
  std::int64_t dram_read_bytes = 0;
  /// Bytes that DRAM has accepted and is still to write.
  std::int64_t waiting_write_bytes = 0;
};

/// Is told of every wave, and may have a part of the grid left out.
class WaveWatcher {
 public:
  WaveWatcher() = default;
  WaveWatcher(const WaveWatcher&) = delete;
  WaveWatcher& operator=(const WaveWatcher&) = delete;
  virtual ~WaveWatcher() = default;
  /// Told only the last of the waves that are skipped because the machine's state recurs. Returns
  /// how many CTAs the machine is not to be given, from the next one on; fewer than are left.
  virtual std::int64_t wave_given_out(const WaveGivenOut& wave) = 0;
  /// Asked every few k-steps. True: the launch is not to be simulated to its end.
  /// @param events  activations it took to simulate so far
  virtual bool gives_up(std::int64_t events) = 0;
};

}  // namespace stcsim
