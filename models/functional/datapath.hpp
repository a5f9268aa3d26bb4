#pragma once

#include <cstdint>

namespace stcsim {

/// Where one CTA works: its tile in the (transposed if so stated) GEMM, counted in tiles from 0
/// along m and n; its split-K slice, counted from 0; its k range [k_begin, k_end) in elements of
/// logical k.
struct CtaCoordinates {
  std::int64_t batch = 0, tile_m = 0, tile_n = 0, split = 0;
  std::int64_t k_begin = 0, k_end = 0;
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
  /// The stage has been read by all warps and may be overwritten.
  virtual void release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) = 0;
  /// The epilogue writes the CTA's accumulators to C (or to the split-K workspace).
  virtual void store_tile(std::int64_t sm, std::int64_t slot) = 0;
};

}  // namespace stcsim
