#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/functional/functional_datapath.hpp"
#include "sim/functional/reference_gemm.hpp"

namespace stcsim::test {

/// The k ranges of a kernel's splits: whole k-steps, as even as they come, the last ones shorter or
/// empty.
inline std::vector<KRange> split_ranges(const FunctionalKernel& kernel) {
  const std::int64_t steps = ceil_div(kernel.problem.k, kernel.tile_k);
  const std::int64_t length = ceil_div(steps, kernel.split_k) * kernel.tile_k;
  std::vector<KRange> ranges;
  for (std::int64_t split = 0; split < kernel.split_k; ++split) {
    ranges.push_back({std::min(split * length, kernel.problem.k),
                      std::min((split + 1) * length, kernel.problem.k)});
  }
  return ranges;
}

inline AccumulationOrder order_of(const FunctionalKernel& kernel) {
  return {split_ranges(kernel), kernel.tile_k, kernel.warps_k};
}

/// All CTAs of a kernel, in raster order, splits innermost.
inline std::vector<CtaCoordinates> all_ctas(const FunctionalKernel& kernel) {
  const std::vector<KRange> ranges = split_ranges(kernel);
  std::vector<CtaCoordinates> ctas;
  for (std::int64_t batch = 0; batch < kernel.problem.batch_count; ++batch) {
    for (std::int64_t m = 0; m < kernel.tiles_m(); ++m) {
      for (std::int64_t n = 0; n < kernel.tiles_n(); ++n) {
        for (std::int64_t split = 0; split < kernel.split_k; ++split) {
          const KRange& range = ranges[as_size(split)];
          ctas.push_back({batch, m, n, split, range.begin, range.end});
        }
      }
    }
  }
  return ctas;
}

/// One CTA as a pipelined kernel runs it: loads run ahead as far as there are stages, a warp's
/// next fragments are fetched before the present group executes as far as there are register
/// buffers.
inline void run_cta(Datapath& datapath, const FunctionalKernel& kernel, std::int64_t sm,
                    std::int64_t slot, const CtaCoordinates& cta) {
  datapath.begin_cta(sm, slot, cta);
  const std::int64_t steps = kernel.steps(cta);
  const std::int64_t groups = kernel.groups_per_step();
  std::int64_t filled = 0;
  for (; filled < std::min(steps, kernel.stages); ++filled) datapath.fill_stage(sm, slot, filled);
  const std::int64_t ahead = kernel.fragment_buffers - 1;
  for (std::int64_t fetch = 0; fetch < steps * groups + ahead; ++fetch) {
    const std::int64_t execute = fetch - ahead;
    for (std::int64_t warp = 0; warp < kernel.warps(); ++warp) {
      if (fetch < steps * groups) {
        datapath.fetch_fragments(sm, slot, warp, fetch / groups, fetch % groups);
      }
      if (execute >= 0) datapath.execute_mma(sm, slot, warp, execute / groups, execute % groups);
    }
    const bool step_read = fetch < steps * groups && fetch % groups == groups - 1;
    if (step_read) datapath.release_stage(sm, slot, fetch / groups);
    if (step_read && filled < steps) datapath.fill_stage(sm, slot, filled++);
  }
  datapath.store_tile(sm, slot);
}

/// The whole kernel, CTAs dealt out to SMs and slots in turn, and the split-K reduction.
inline void run_without_timing(FunctionalDatapath& datapath, const FunctionalKernel& kernel) {
  std::int64_t place = 0;
  for (const CtaCoordinates& cta : all_ctas(kernel)) {
    run_cta(datapath, kernel, place / kernel.slots_per_sm % kernel.num_sms,
            place % kernel.slots_per_sm, cta);
    ++place;
  }
  datapath.reduce_split_k();
}

}  // namespace stcsim::test
