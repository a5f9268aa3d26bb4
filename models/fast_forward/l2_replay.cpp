#include "models/fast_forward/l2_replay.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stcsim {
namespace {

auto read_by(const ResidentCta& cta, Operand operand) {
  return std::make_tuple(cta.strip(operand), cta.rows[index_of(operand)], cta.first_step);
}

/// Periods replayed strip by strip are tried so many at a time.
constexpr std::int64_t kMostAtOnce = 512;

}  // namespace

ReplayPlan::ReplayPlan(const KernelLaunch& kernel, const L2Accesses& accesses)
    : kernel_(kernel), all_(accesses) {
  std::int64_t last_cta = -1;
  first_cta_ = kernel.ctas();
  for (const L2Batch& batch : all_.batches()) {
    for (const L2Access& access : all_.loads_of(batch)) {
      first_cta_ = std::min(first_cta_, access.cta);
      last_cta = std::max(last_cta, access.cta);
    }
  }
  for (std::int64_t cta = first_cta_; cta <= last_cta; ++cta) residents_.emplace_back(kernel, cta);
  find_sharing();
  keep_first_of_each();
}

void ReplayPlan::find_sharing() {
  same_as_.resize(residents_.size());
  std::vector<std::size_t> order(residents_.size());
  for (const Operand operand : kernel_.operands()) {
    const auto key = [&](std::size_t at) { return read_by(residents_[at], operand); };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::make_tuple(key(a), a) < std::make_tuple(key(b), b);
    });
    std::size_t first = 0;
    for (const std::size_t at : order) {
      if (at == order.front() || key(at) != key(first)) first = at;
      same_as_[at][index_of(operand)] = first;
    }
  }
}

void ReplayPlan::keep_first_of_each() {
  struct Asked {
    std::int64_t batch = -1;
    std::int32_t step = 0;
  };
  // The last one by operand and first CTA. One that asks for several steps in a batch may be kept
  // more than once, which makes no difference.
  std::vector<std::array<Asked, kOperandCount>> asked(residents_.size());
  std::int64_t number = 0;
  for (const L2Batch& batch : all_.batches()) {
    first_of_each_.add_batch(batch.stored_bytes);
    for (const L2Access& access : all_.loads_of(batch)) {
      const auto at = static_cast<std::size_t>(access.cta - first_cta_);
      const auto index = index_of(access.operand);
      Asked& last = asked[same_as_[at][index]][index];
      if (last.batch == number && last.step == access.step) continue;
      last = {number, access.step};
      first_of_each_.add_load(access);
    }
    ++number;
  }
  shared_ = first_of_each_.since(0);
}

bool ReplayPlan::move_to(const Period& period, std::int64_t times) {
  const std::int64_t by = period.ctas * times;
  if (by == moved_by_) return true;
  const std::int64_t first = first_cta_ + by;
  const auto count = static_cast<std::int64_t>(residents_.size());
  if (count > 0 && first + count > kernel_.ctas()) return false;
  for (std::size_t at = 0; at < residents_.size(); ++at) {
    residents_[at] = ResidentCta(kernel_, first + static_cast<std::int64_t>(at));
  }
  moved_by_ = by;
  sharing_ = still_shares();
  return true;
}

bool ReplayPlan::still_shares() const {
  for (std::size_t at = 0; at < residents_.size(); ++at) {
    for (const Operand operand : kernel_.operands()) {
      const std::size_t same = same_as_[at][index_of(operand)];
      if (same == at) continue;
      if (read_by(residents_[at], operand) != read_by(residents_[same], operand)) return false;
    }
  }
  return true;
}

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
    const std::int64_t missing = fill == next ? 0 : contents_.missing_eighths(fill);
    if (missing != access.missing_eighths) return false;
    if (missing > 0) {
      undo_.push_back({place, fill});
      contents_.note(place, next);
      missed_bytes += contents_.fill_bytes(access.operand, strip, slice, missing);
      continue;
    }
    const std::int32_t age = next - fill;
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
