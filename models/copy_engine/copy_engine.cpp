#include "models/copy_engine/copy_engine.hpp"

#include <algorithm>

namespace stcsim {

CopyEngine::CopyEngine(const CopyEngineConfig& config, std::int64_t sm, Cycles request_cycles)
    : config_(config), request_cycles_(request_cycles) {
  sm_ = sm;
}

void CopyEngine::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  slots_.assign(static_cast<std::size_t>(kernel.ctas_per_sm), Slot());
  turn_ = 0;
  pool_ = kernel.stages;
  order_.clear();
  issuing_ = false;
  free_at_ = Cycle();
  buckets_.reset();
  starts.clear();
  freed.clear();
}

std::optional<Cycle> CopyEngine::advance(Cycle now) {
  buckets_.account(now, issuing_ ? Bucket::issuing : resting_bucket());
  if (free_at_ <= now) issuing_ = false;
  while (starts.has_message(now)) start_cta(starts.pop());
  while (freed.has_message(now)) {
    if (kernel_.persistent) ++pool_;
    ++slots_[static_cast<std::size_t>(freed.pop().slot)].free_stages;
  }
  if (!issuing_) {
    if (const auto slot = next_slot()) issue_step(*slot, now);
  }
  return if_ever(
      earliest(starts.next_arrival(), freed.next_arrival(), issuing_ ? free_at_ : kNever));
}

void CopyEngine::start_cta(const CtaStart& start) {
  slots_[static_cast<std::size_t>(start.slot)] = {start.steps, 0, kernel_.stages};
  if (kernel_.persistent) order_.push_back(start.slot);
}

std::optional<std::int64_t> CopyEngine::next_slot() const {
  if (kernel_.persistent) {
    if (order_.empty() || pool_ == 0) return std::nullopt;
    return order_.front();
  }
  const auto count = static_cast<std::int64_t>(slots_.size());
  for (std::int64_t offset = 0; offset < count; ++offset) {
    const std::int64_t index = (turn_ + offset) % count;
    const Slot& slot = slots_[static_cast<std::size_t>(index)];
    if (slot.next_step < slot.steps && slot.free_stages > 0) return index;
  }
  return std::nullopt;
}

void CopyEngine::issue_step(std::int64_t slot_index, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(slot_index)];
  std::int64_t bytes = 0;
  for (const Operand operand : kernel_.operands()) {
    bytes += kernel_.issued_bytes(operand, slot.next_step == 0);
    free_at_ = now + config_.issue_cycles(bytes, kernel_);
    loads->send(free_at_ + request_cycles_, {slot_index, operand, slot.next_step});
  }
  if (datapath != nullptr) datapath->note({SmEvent::request, sm_, slot_index, slot.next_step});
  issuing_ = true;
  ++slot.next_step;
  --slot.free_stages;
  if (kernel_.persistent) {
    --pool_;
    if (slot.next_step == slot.steps) order_.erase(order_.begin());
  }
  turn_ = (slot_index + 1) % static_cast<std::int64_t>(slots_.size());
}

Cycles CopyEngine::least_step_cycles(const CopyEngineConfig& config, const KernelLaunch& kernel) {
  std::int64_t bytes = 0;
  for (const Operand operand : kernel.operands()) bytes += kernel.issued_bytes(operand);
  return config.issue_cycles(bytes, kernel);
}

CopyEngine::Bucket CopyEngine::resting_bucket() const {
  const bool work_left = std::any_of(slots_.begin(), slots_.end(),
                                     [](const Slot& slot) { return slot.next_step < slot.steps; });
  return work_left ? Bucket::waiting_stage : Bucket::idle;
}

void CopyEngine::finish(Cycle end) {
  buckets_.account(end, resting_bucket());
}

std::string CopyEngine::waiting_for() const {
  if (resting_bucket() == Bucket::idle) return "";
  return "copy engine of SM " + std::to_string(sm_.get()) + " waits for a free stage";
}

}  // namespace stcsim
