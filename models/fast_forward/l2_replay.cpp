#include "models/fast_forward/l2_replay.hpp"

#include <algorithm>

#include "models/fast_forward/replay_plan.hpp"

namespace stcsim {
namespace {

/// Periods replayed strip by strip are tried so many at a time.
constexpr std::int64_t kMostAtOnce = 512;

}  // namespace

std::int64_t L2Replay::run(const L2Accesses& accesses, const Period& period, std::int64_t most,
                           std::int64_t block) {
  ReplayPlan plan(kernel_, accesses);
  std::int64_t done = 0;
  while (done + block <= most) {
    const std::int64_t left = (most - done) / block * block;
    const std::int64_t next = std::min(left, std::max(block, kMostAtOnce / block * block));
    if (period.ctas == 0 && run_by_strip(plan, {period.steps, done, next})) {
      done += next;
      continue;
    }
    for (const std::int64_t end = done + next; done < end; done += block) {
      if (!run_block(plan, period, done, block)) return done;
    }
  }
  return done;
}

bool L2Replay::run_block(ReplayPlan& plan, const Period& period, std::int64_t done,
                         std::int64_t block) {
  undo_.clear();
  const L2Contents::Mark before = contents_.mark();
  for (std::int64_t times = done + 1; times <= done + block; ++times) {
    if (plan.move_to(period, times) && run_period(plan, period.steps * times)) continue;
    undo_since(before);
    return false;
  }
  return true;
}

void L2Replay::undo_since(const L2Contents::Mark& before) {
  for (auto at = undo_.rbegin(); at != undo_.rend(); ++at) contents_.note(at->place, at->fill);
  contents_.go_back_to(before);
}

bool L2Replay::run_period(const ReplayPlan& plan, std::int64_t steps) {
  const L2Accesses& asked = plan.accesses();
  for (const L2Batch& batch : asked.batches()) {
    if (!run_loads(plan, asked.loads_of(batch), steps)) return false;
    contents_.bring_in(batch.stored_bytes);
  }
  return true;
}

bool L2Replay::run_loads(const ReplayPlan& plan, std::span<const L2Access> asked,
                         std::int64_t steps) {
  using Outcome = L2Access::Outcome;
  std::int64_t missed_bytes = 0;
  one_by_one_ += static_cast<std::int64_t>(asked.size());
  for (const L2Access& access : asked) {
    const ResidentCta& cta = plan.resident(access.cta);
    const std::int64_t strip = cta.strip(access.operand);
    const std::int64_t slice = cta.slice(kernel_, access.operand, access.step + steps);
    const bool is_odd = (strip + slice) % 2 != 0;
    if (is_odd != access.odd && config_.lies_in_one_partition(access.bytes)) return false;
    const std::size_t place = contents_.place_of(access.operand, strip, slice);
    const std::int32_t fill = contents_.fill_at(place);
    const std::int32_t next = contents_.next_fill();
    if (fill != next && !contents_.is_resident(fill)) {
      if (access.outcome != Outcome::missed) return false;
      undo_.push_back({place, fill});
      contents_.note(place, next);
      missed_bytes += contents_.fill_bytes(access.operand, strip, slice);
      continue;
    }
    const std::int32_t age = next - fill;
    if (access.outcome == Outcome::missed) return false;
    if (access.outcome == Outcome::same_fill) {
      if (age != access.age) return false;
      continue;
    }
    if (age < access.age) return false;
    undo_.push_back({place, fill});
    contents_.note(place, next - access.age);
  }
  if (missed_bytes > 0) contents_.request_fill(missed_bytes);
  return true;
}

}  // namespace stcsim
