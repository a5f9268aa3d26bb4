#include <algorithm>

#include "models/l2_cache/l2_cache.hpp"
#include "models/l2_cache/replay_plan.hpp"

namespace stcsim {
namespace {

/// Periods replayed strip by strip are tried so many at a time.
constexpr std::int64_t kMostAtOnce = 512;

}  // namespace

std::int64_t L2Cache::replay(const L2Accesses& accesses, const Period& period, std::int64_t most,
                             std::int64_t block) {
  ReplayPlan plan(kernel_, accesses);
  std::int64_t written = written_bytes_;
  std::int64_t done = 0;
  while (done + block <= most) {
    const std::int64_t left = (most - done) / block * block;
    const std::int64_t next = std::min(left, std::max(block, kMostAtOnce / block * block));
    if (period.ctas == 0 && replay_by_strip(plan, {period.steps, done, next})) {
      done += next;
      continue;
    }
    for (const std::int64_t end = done + next; done < end; done += block) {
      if (!replay_block(plan, period, done, block, written)) return done;
    }
  }
  return done;
}

bool L2Cache::replay_block(ReplayPlan& plan, const Period& period, std::int64_t done,
                           std::int64_t block, std::int64_t& written) {
  const Mark before = mark();
  for (std::int64_t times = done + 1; times <= done + block; ++times) {
    if (plan.move_to(period, times) && replay_period(plan, period.steps * times, written)) continue;
    undo_since(before);
    return false;
  }
  return true;
}

L2Cache::Mark L2Cache::mark() {
  undo_.clear();
  return {brought_in_, brought_in_before_.size(), oldest_resident_};
}

void L2Cache::undo_since(const Mark& before) {
  for (auto at = undo_.rbegin(); at != undo_.rend(); ++at) slices_[at->slice] = at->fill;
  brought_in_ = before.brought_in;
  brought_in_before_.resize(before.fills);
  oldest_resident_ = before.oldest_resident;
}

bool L2Cache::replay_period(const ReplayPlan& plan, std::int64_t steps, std::int64_t& written) {
  const L2Accesses& asked = plan.accesses();
  for (const L2Batch& batch : asked.batches()) {
    if (!replay_loads(plan, asked.loads_of(batch), steps)) return false;
    if (batch.stored_bytes == 0) continue;
    written += batch.stored_bytes;
    bring_in(batch.stored_bytes);
    if (kernel_.epilogue.workspace && stays(written) != batch.stays) return false;
  }
  return true;
}

bool L2Cache::replay_loads(const ReplayPlan& plan, std::span<const L2Access> asked,
                           std::int64_t steps) {
  using Outcome = L2Access::Outcome;
  missed_bytes_ = 0;
  replayed_one_by_one_ += static_cast<std::int64_t>(asked.size());
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
    if (access.outcome == Outcome::same_fill) {
      if (age != access.age) return false;
      continue;
    }
    if (age < access.age) return false;
    undo_.push_back({index, fill});
    fill = next_fill() - access.age;
  }
  if (missed_bytes_ > 0) {
    brought_in_before_.push_back(brought_in_);
    bring_in(missed_bytes_);
  }
  return true;
}

}  // namespace stcsim
