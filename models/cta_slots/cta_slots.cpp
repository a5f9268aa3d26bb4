#include "models/cta_slots/cta_slots.hpp"

#include <algorithm>

#include "common/error.hpp"

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

CtaSlots::CtaSlots(std::int64_t sm, Cycles cta_setup) : cta_setup_(cta_setup) {
  sm_ = sm;
}

void CtaSlots::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  slots_.assign(static_cast<std::size_t>(kernel.ctas_per_sm), Slot());
  free_slots_ = kernel.ctas_per_sm;
  assignments.clear();
  warps_done.clear();
  accumulators_free.clear();
  epilogues_done.clear();
  multiplies_ = false;
  free_accumulators_ = kernel.has_spare_accumulators ? 2 : 1;
  pending_.clear();
}

std::optional<Cycle> CtaSlots::advance(Cycle now) {
  while (accumulators_free.has_message(now)) {
    accumulators_free.pop();
    ++free_accumulators_;
    begin_pending(now + kOneCycle);
  }
  while (epilogues_done.has_message(now)) end_cta(epilogues_done.pop(), now);
  while (warps_done.has_message(now)) end_warp(warps_done.pop(), now);
  while (assignments.has_message(now)) start_cta(assignments.pop(), now);
  return if_ever(earliest(assignments.next_arrival(), warps_done.next_arrival(),
                          accumulators_free.next_arrival(), epilogues_done.next_arrival()));
}

void CtaSlots::start_cta(const CtaAssignment& assignment, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(assignment.slot)];
  if (slot.occupied) throw SimulationError("CTA assigned to a slot that is not free");
  const bool is_set_up = kernel_.persistent && slot.is_set_up;
  slot = {true, assignment.cta, kernel_.warps, true};
  --free_slots_;
  if (datapath != nullptr) {
    datapath->begin_cta(sm_, assignment.slot,
                        coordinates_of(kernel_, kernel_.position(assignment.cta)));
  }
  const Cycle at = now + (is_set_up ? kOneCycle : setup_cycles(cta_setup_, kernel_));
  const CtaStart start{assignment.slot, assignment.steps};
  for (OutPort<CtaStart>* unit : starts.get()) unit->send(at, start);
  if (!kernel_.persistent) return start_warps(start, at);
  pending_.push_back() = {start, at};
  begin_pending(at);
}

void CtaSlots::start_warps(const CtaStart& start, Cycle at) {
  for (OutPort<CtaStart>* sub_core : warp_starts.get()) sub_core->send(at, start);
}

void CtaSlots::begin_pending(Cycle from) {
  if (multiplies_ || free_accumulators_ == 0 || pending_.empty()) return;
  multiplies_ = true;
  --free_accumulators_;
  start_warps(pending_.front().start, std::max(pending_.front().at, from));
  pending_.pop_front();
}

void CtaSlots::end_warp(const WarpDone& warp, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(warp.slot)];
  if (--slot.warps_left > 0) return;
  if (datapath != nullptr) datapath->store_tile(sm_, warp.slot);
  multiplies_ = false;
  begin_pending(now + kOneCycle);
  epilogue->send(now + kOneCycle, {warp.slot, kernel_.output_bytes()});
}

void CtaSlots::end_cta(const EpilogueDone& epilogue_done, Cycle now) {
  slots_[static_cast<std::size_t>(epilogue_done.slot)].occupied = false;
  if (datapath != nullptr) datapath->note({SmEvent::end, sm_, epilogue_done.slot});
  ++free_slots_;
  ctas_done->send(now + kOneCycle, {epilogue_done.slot});
}

void CtaSlots::restored() {
  free_slots_ =
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.occupied; });
}

std::string CtaSlots::waiting_for() const {
  for (const Slot& slot : slots_) {
    if (slot.occupied && slot.warps_left > 0) {
      return "SM " + std::to_string(sm_.get()) + " waits for " + std::to_string(slot.warps_left) +
             " warps of the CTA at tile (" + std::to_string(kernel_.position(slot.cta).tile_m) +
             ", " + std::to_string(kernel_.position(slot.cta).tile_n) + ")";
    }
  }
  return "";
}

}  // namespace stcsim
