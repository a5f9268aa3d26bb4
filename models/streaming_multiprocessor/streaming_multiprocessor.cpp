#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

#include <algorithm>

#include "common/error.hpp"
#include "models/base/earliest.hpp"

namespace stcsim {
namespace {

/// Logical k of the CTA, for the value-carrying datapath.
CtaCoordinates coordinates_of(const KernelLaunch& kernel, const CtaPosition& at) {
  const std::int64_t first = kernel.first_step(at.split);
  const std::int64_t end = first + kernel.steps_of(at.split);
  return {at.batch,
          at.tile_m,
          at.tile_n,
          at.split,
          first * kernel.tile_k,
          std::min(end * kernel.tile_k, kernel.k)};
}

}  // namespace

StreamingMultiprocessor::StreamingMultiprocessor(std::int64_t sm, Cycles cta_setup)
    : sm_(sm), cta_setup_(cta_setup) {}

void StreamingMultiprocessor::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  slots_.assign(static_cast<std::size_t>(kernel.ctas_per_sm), Slot());
  assignments.clear();
  warps_done.clear();
  epilogues_done.clear();
}

std::optional<Cycle> StreamingMultiprocessor::advance(Cycle now) {
  while (epilogues_done.has_message(now)) end_cta(epilogues_done.pop(), now);
  while (warps_done.has_message(now)) end_warp(warps_done.pop(), now);
  while (assignments.has_message(now)) start_cta(assignments.pop(), now);
  return earliest(assignments.next_arrival(),
                  earliest(warps_done.next_arrival(), epilogues_done.next_arrival()));
}

void StreamingMultiprocessor::start_cta(const CtaAssignment& assignment, Cycle now) {
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.occupied; });
  if (free == slots_.end()) throw SimulationError("CTA assigned to an SM without a free slot");
  *free = {true, assignment.position, kernel_.warps};
  const std::int64_t index = free - slots_.begin();
  if (datapath != nullptr) {
    datapath->begin_cta(sm_, index, coordinates_of(kernel_, assignment.position));
  }
  const Cycle at = now + std::max(cta_setup_, kOneCycle);
  for (OutPort<CtaStart>* unit : starts) unit->send(at, {index, assignment.position});
}

void StreamingMultiprocessor::end_warp(const WarpDone& warp, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(warp.slot)];
  if (--slot.warps_left > 0) return;
  if (datapath != nullptr) datapath->store_tile(sm_, warp.slot);
  epilogue->send(now + kOneCycle, {warp.slot, kernel_.store_bytes(slot.position)});
}

void StreamingMultiprocessor::end_cta(const EpilogueDone& epilogue_done, Cycle now) {
  slots_[static_cast<std::size_t>(epilogue_done.slot)].occupied = false;
  ctas_done->send(now + kOneCycle, {sm_});
}

std::string StreamingMultiprocessor::waiting_for() const {
  for (const Slot& slot : slots_) {
    if (slot.occupied && slot.warps_left > 0) {
      return "SM " + std::to_string(sm_) + " waits for " + std::to_string(slot.warps_left) +
             " warps of the CTA at tile (" + std::to_string(slot.position.tile_m) + ", " +
             std::to_string(slot.position.tile_n) + ")";
    }
  }
  return "";
}

}  // namespace stcsim
