#include "models/l2_cache/l2_cache.hpp"
#include "models/l2_cache/replay_plan.hpp"

namespace stcsim {

std::int64_t L2Cache::replay(std::span<const L2Batch> accesses, const Period& period,
                             std::int64_t most, std::int64_t block) {
  ReplayPlan plan(kernel_, accesses);
  std::int64_t written = written_bytes_;
  for (std::int64_t done = 0; done + block <= most; done += block) {
    undo_.clear();
    const std::int64_t brought_in_before = brought_in_;
    const std::size_t fills_before = brought_in_before_.size();
    const std::int32_t oldest_before = oldest_resident_;
    for (std::int64_t times = done + 1; times <= done + block; ++times) {
      if (plan.move_to(period, times) && replay_period(plan, period.steps * times, written)) {
        continue;
      }
      for (auto at = undo_.rbegin(); at != undo_.rend(); ++at) slices_[at->slice] = at->fill;
      brought_in_ = brought_in_before;
      brought_in_before_.resize(fills_before);
      oldest_resident_ = oldest_before;
      return done;
    }
  }
  return most / block * block;
}

bool L2Cache::replay_period(const ReplayPlan& plan, std::int64_t steps, std::int64_t& written) {
  for (const L2Batch& batch : plan.batches()) {
    if (!replay_loads(plan, batch.loads, steps)) return false;
    if (batch.stored_bytes == 0) continue;
    written += batch.stored_bytes;
    bring_in(batch.stored_bytes);
    if (kernel_.epilogue.workspace && stays(written) != batch.stays) return false;
  }
  return true;
}

bool L2Cache::replay_loads(const ReplayPlan& plan, const std::vector<L2Access>& asked,
                           std::int64_t steps) {
  using Outcome = L2Access::Outcome;
  missed_bytes_ = 0;
  for (const L2Access& access : asked) {
    const ResidentCta& cta = plan.resident(access.cta);
    const std::int64_t strip = cta.strip(access.operand);
    const std::int64_t slice = cta.slice(kernel_, access.operand, access.step + steps);
    if (((strip + slice) % 2 != 0) != access.odd && access.bytes <= config_.interleave_bytes) {
      return false;
    }
    const std::size_t index = index_of(access.operand, strip, slice);
    std::int32_t& fill = slices_[index];
    if (fill != next_fill() && !is_resident(fill)) {
      if (access.outcome != Outcome::missed) return false;
      undo_.push_back({index, fill});
      fill = next_fill();
      missed_bytes_ += fill_bytes(access.operand, strip, slice);
      continue;
    }
    const std::int32_t age = next_fill() - fill;
    if (access.outcome == Outcome::missed) return false;
    if (access.outcome == Outcome::same_fill ? age != access.age : age < access.age) return false;
  }
  if (missed_bytes_ > 0) {
    brought_in_before_.push_back(brought_in_);
    bring_in(missed_bytes_);
  }
  return true;
}

}  // namespace stcsim
