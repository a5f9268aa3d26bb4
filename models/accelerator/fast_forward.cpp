#include "models/accelerator/fast_forward.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <systemc>

namespace stcsim {
namespace {

/// States kept for comparison: the longest period seen, in pauses.
constexpr std::size_t kHistory = 24;
/// A CTA whose loads end within so many k-steps is not worth a look.
constexpr std::int64_t kFewSteps = 6;
/// After so many looks in vain only every kSeldom-th pause is used.
constexpr std::int64_t kPatience = 48;
constexpr std::int64_t kSeldom = 8;

}  // namespace

FastForward::FastForward(Accelerator::Modules& modules, const KernelLaunch& kernel)
    : modules_(modules), kernel_(kernel) {
  modules_.l2_cache->core.log = &log_;
  modules_.cta_scheduler->core.observer = this;
  for (SmModules& sm : modules_.sms) sm.shared_memory->core.observer = this;
}

FastForward::~FastForward() {
  modules_.l2_cache->core.log = nullptr;
  modules_.cta_scheduler->core.observer = nullptr;
  for (SmModules& sm : modules_.sms) sm.shared_memory->core.observer = nullptr;
}

std::int64_t FastForward::steps_left(std::int64_t sm, std::int64_t slot) const {
  return modules_.sms[static_cast<std::size_t>(sm)].copy_engine->core.steps_left(slot);
}

void FastForward::step_read(std::int64_t sm, std::int64_t slot) {
  const bool anchored = anchor_sm_ >= 0 && steps_left(anchor_sm_, anchor_slot_) > 0;
  if (!anchored) {
    anchor_sm_ = sm;
    anchor_slot_ = slot;
  }
  if (sm != anchor_sm_ || slot != anchor_slot_ || steps_left(sm, slot) < kFewSteps) return;
  request(Kind::same_ctas);
}

void FastForward::cta_dispatched(std::int64_t sm) {
  if (sm == 0) request(Kind::same_steps);
}

void FastForward::request(Kind kind) {
  if (looks_in_vain_ > kPatience && ++looks_skipped_ % kSeldom != 0) return;
  (kind == Kind::same_ctas ? step_pause_ : cta_pause_) = true;
  sc_core::sc_pause();
}

bool FastForward::handle_pause() {
  if (!step_pause_ && !cta_pause_) return false;
  const bool step = step_pause_;
  const bool cta = cta_pause_;
  step_pause_ = cta_pause_ = false;
  if (cta) look_back(Kind::same_steps);
  if (step) look_back(Kind::same_ctas);
  return true;
}

StateOrigin FastForward::origin() const {
  StateOrigin origin;
  origin.now = modules_.clock.now();
  origin.next_cta = modules_.cta_scheduler->core.dispatched();
  origin.next_fill = modules_.l2_cache->core.fills_requested();
  origin.slots_per_sm = kernel_.ctas_per_sm;
  origin.groups_per_step = kernel_.warp.groups_per_step;
  for (const SmModules& sm : modules_.sms) {
    for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
      origin.slot_steps.push_back(sm.copy_engine->core.next_step(slot));
    }
  }
  return origin;
}

FastForward::Snapshot FastForward::take_snapshot(Kind kind) {
  Snapshot snapshot;
  snapshot.kind = kind;
  snapshot.origin = origin();
  snapshot.log_end = log_begin_ + static_cast<std::int64_t>(log_.size());
  snapshot.first_active_cta = snapshot.origin.next_cta;
  for (const SmModules& sm : modules_.sms) {
    snapshot.first_active_cta =
        std::min(snapshot.first_active_cta, sm.control->core.first_cta(snapshot.origin.next_cta));
  }
  StateWriter writer(kind, snapshot.origin);
  modules_.for_each([&](auto& module) {
    if constexpr (requires { module.core.settle(snapshot.origin.now); }) {
      module.core.settle(snapshot.origin.now);
    }
    module.core.visit_state(writer);
  });
  snapshot.state = writer.take_state();
  snapshot.counters = writer.take_counters();
  return snapshot;
}

void FastForward::look_back(Kind kind) {
  Snapshot now = take_snapshot(kind);
  const auto same = std::find_if(history_.rbegin(), history_.rend(), [&](const Snapshot& before) {
    return before.kind == kind && before.state == now.state;
  });
  if (same != history_.rend() && try_skip(*same, now)) {
    history_.clear();
    log_begin_ += static_cast<std::int64_t>(log_.size());
    log_.clear();
    looks_in_vain_ = 0;
    return;
  }
  ++looks_in_vain_;
  history_.push_back(std::move(now));
  if (history_.size() > kHistory) history_.pop_front();
  trim_log();
}

void FastForward::trim_log() {
  const std::int64_t unused = history_.front().log_end - log_begin_;
  if (unused < static_cast<std::int64_t>(log_.size()) / 2) return;
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(unused));
  log_begin_ += unused;
}

Period FastForward::period_between(const Snapshot& before, const Snapshot& now) const {
  Period period;
  period.length = now.origin.now - before.origin.now;
  period.fills = now.origin.next_fill - before.origin.next_fill;
  if (now.kind == Kind::same_steps) {
    period.ctas = now.origin.next_cta - before.origin.next_cta;
  } else {
    period.steps = now.origin.step_of(anchor_sm_, anchor_slot_) -
                   before.origin.step_of(anchor_sm_, anchor_slot_);
  }
  return period;
}

std::int64_t FastForward::most_periods(const Snapshot& before, const Snapshot& now,
                                       const Period& period) const {
  if (now.kind == Kind::same_steps) {
    if (period.ctas <= 0) return 0;
    // One CTA has to be left, so that the scheduler never sees the end of the grid.
    const std::int64_t most = (kernel_.ctas() - 1 - now.origin.next_cta) / period.ctas;
    return periods_of_equal_ctas(before, now, period, most);
  }
  if (period.steps <= 0) return 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::size_t at = 0; at < now.origin.slot_steps.size(); ++at) {
    const std::int64_t moved = now.origin.slot_steps[at] - before.origin.slot_steps[at];
    const auto slot = static_cast<std::int64_t>(at);
    const std::int64_t left = steps_left(slot / kernel_.ctas_per_sm, slot % kernel_.ctas_per_sm);
    if (left == 0 && moved == 0) continue;
    if (moved != period.steps) return 0;
    // One load has to be left, so that no copy engine sees the end of its CTA.
    most = std::min(most, (left - 1) / period.steps);
  }
  return std::max<std::int64_t>(most, 0);
}

std::int64_t FastForward::periods_of_equal_ctas(const Snapshot& before, const Snapshot& now,
                                                const Period& period, std::int64_t most) const {
  const auto equal = [&](std::int64_t a, std::int64_t b) {
    const CtaPosition at_a = kernel_.position(a);
    const CtaPosition at_b = kernel_.position(b);
    return kernel_.steps_of(at_a.split) == kernel_.steps_of(at_b.split) &&
           kernel_.store_bytes(at_a) == kernel_.store_bytes(at_b);
  };
  for (std::int64_t times = 1; times <= most; ++times) {
    for (std::int64_t cta = before.first_active_cta; cta < now.origin.next_cta; ++cta) {
      if (!equal(cta, cta + period.ctas * times)) return times - 1;
    }
  }
  return most;
}

bool FastForward::try_skip(const Snapshot& before, const Snapshot& now) {
  const Period period = period_between(before, now);
  const std::int64_t most = most_periods(before, now, period);
  // Stages lie in a ring: a move by k-steps has to leave every step in its stage.
  const std::int64_t block =
      now.kind == Kind::same_ctas ? kernel_.stages / std::gcd(period.steps, kernel_.stages) : 1;
  if (most < block) return false;
  const L2AccessLog accesses(
      log_.begin() + static_cast<std::ptrdiff_t>(before.log_end - log_begin_), log_.end());
  const std::int64_t times = modules_.l2_cache->core.replay(accesses, period, most, block);
  if (times == 0) return false;
  advance(before, now, period, times);
  periods_skipped_ += times;
  return true;
}

void FastForward::advance(const Snapshot& before, const Snapshot& now, const Period& period,
                          std::int64_t times) {
  std::vector<std::int64_t> growth(now.counters.size());
  std::transform(now.counters.begin(), now.counters.end(), before.counters.begin(), growth.begin(),
                 std::minus<>());
  StateAdvancer advancer(period, times, now.origin, growth);
  modules_.for_each([&](auto& module) {
    module.core.visit_state(advancer);
    module.skip(period.length * times);
  });
  modules_.clock.skip(period.length * times);
}

}  // namespace stcsim
