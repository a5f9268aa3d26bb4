#include "models/cta_scheduler/cta_scheduler.hpp"

#include <algorithm>

#include "common/counts.hpp"

namespace stcsim {

CtaScheduler::CtaScheduler(const CtaSchedulerConfig& config, const SmSets& sets,
                           ResidentCtas& resident)
    : sets_(sets), resident_(resident) {
  change(config);
}

std::int64_t CtaScheduler::most_ctas_of_an_sm(const KernelLaunch& kernel, std::int64_t sms) {
  const std::int64_t even = ceil_div(kernel.ctas(), sms);
  if (kernel.persistent) return even;
  const std::int64_t slots = kernel.ctas_per_sm;
  const std::int64_t later = kernel.ctas() - slots * sms;
  if (later <= 0 || !kernel.warp.multiplies()) return even;
  // Some SM takes on so many times as many CTAs as it has slots; the last time they may be fewer.
  const std::int64_t times = ceil_div(later, slots);
  const std::int64_t of_sm = ceil_div(times, sms);
  const bool is_only_one = times - (of_sm - 1) * sms == 1;
  const std::int64_t last = is_only_one ? later - (times - 1) * slots : slots;
  return std::max(even, of_sm * slots + last);
}

void CtaScheduler::change(const CtaSchedulerConfig& config) {
  launch_ = Cycles(std::max<std::int64_t>(config.launch_cycles, 1));
}

void CtaScheduler::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  const Sm free{std::vector<bool>(static_cast<std::size_t>(kernel.ctas_per_sm), true),
                kernel.ctas_per_sm, 0};
  sms_.assign(static_cast<std::size_t>(sets_.sms()), free);
  resident_.launch(kernel, sets_.sms());
  dispatched_ = taken_on_ = done_ = bytes_to_store_ = bytes_stored_ = 0;
  ended_.reset();
  ctas_done.clear();
  stores_done.clear();
}

std::optional<Cycle> CtaScheduler::advance(Cycle now) {
  while (ctas_done.has_message(now)) free_slot(ctas_done.pop());
  while (stores_done.has_message(now)) bytes_stored_ += stores_done.pop().bytes;
  if (now >= first_dispatch()) {
    if (dispatched_ == 0) {
      dispatch_first(now);
    } else {
      dispatch_to_freed(now);
    }
  }
  if (done_ == kernel_.ctas() && bytes_stored_ == bytes_to_store_) ended_ = now;
  return if_ever(earliest(ctas_done.next_arrival(), stores_done.next_arrival(),
                          now < first_dispatch() ? first_dispatch() : kNever));
}

void CtaScheduler::free_slot(const CtaDone& done) {
  for (const std::int32_t number : sets_.members(done.sms)) {
    Sm& sm = sms_[static_cast<std::size_t>(number)];
    sm.is_free[static_cast<std::size_t>(done.slot)] = true;
    ++sm.free_slots;
    ++done_;
  }
}

void CtaScheduler::dispatch_first(Cycle now) {
  for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
    for (std::int64_t sm = 0; sm < sets_.sms() && dispatched_ < kernel_.ctas(); ++sm) {
      dispatch_to(sm, now);
    }
  }
  taken_on_ = dispatched_;
}

void CtaScheduler::dispatch_to_freed(Cycle now) {
  if (kernel_.warp.multiplies()) {
    dispatch_in_turn(now);
  } else {
    dispatch_around(now);
  }
}

void CtaScheduler::dispatch_in_turn(Cycle now) {
  for (std::int64_t number = 0; number < sets_.sms(); ++number) {
    Sm& sm = sms_[static_cast<std::size_t>(number)];
    while (sm.free_slots > 0) {
      if (sm.taken_on == 0) {
        sm.taken_on = std::min(kernel_.main_loops_per_sm(), kernel_.ctas() - taken_on_);
        taken_on_ += sm.taken_on;
      }
      if (sm.taken_on == 0) break;
      --sm.taken_on;
      dispatch_to(number, now);
    }
  }
}

void CtaScheduler::dispatch_around(Cycle now) {
  for (bool is_any_free = true; is_any_free;) {
    is_any_free = false;
    for (std::int64_t sm = 0; sm < sets_.sms() && dispatched_ < kernel_.ctas(); ++sm) {
      if (sms_[static_cast<std::size_t>(sm)].free_slots == 0) continue;
      is_any_free = true;
      dispatch_to(sm, now);
    }
  }
}

void CtaScheduler::dispatch_to(std::int64_t sm, Cycle now) {
  Sm& at = sms_[static_cast<std::size_t>(sm)];
  const auto free = std::find(at.is_free.begin(), at.is_free.end(), true);
  const std::int64_t slot = free - at.is_free.begin();
  *free = false;
  --at.free_slots;
  const ResidentCta cta(kernel_, dispatched_);
  resident_.assign(sm, slot, cta);
  assignments->send(now + kOneCycle, {sm, slot, cta.steps, cta.cta});
  ++dispatched_;
  bytes_to_store_ += cta.store_bytes;
  if (observer != nullptr) observer->cta_dispatched(sm);
}

void CtaScheduler::leave_out(std::int64_t ctas) {
  dispatched_ += ctas;
  taken_on_ += ctas;
  done_ += ctas;
}

std::int64_t CtaScheduler::first_resident() const {
  std::int64_t first = dispatched_;
  for (std::int64_t sm = 0; sm < sets_.sms(); ++sm) {
    const Sm& slots = sms_[static_cast<std::size_t>(sm)];
    for (std::int64_t slot = 0; slot < kernel_.ctas_per_sm; ++slot) {
      if (slots.is_free[static_cast<std::size_t>(slot)]) continue;
      first = std::min(first, resident_.at(sm, slot).cta);
    }
  }
  return first;
}

void CtaScheduler::restored() {
  for (Sm& sm : sms_) sm.free_slots = std::count(sm.is_free.begin(), sm.is_free.end(), true);
}

std::string CtaScheduler::waiting_for() const {
  if (ended_) return "";
  return "CTA scheduler: " + std::to_string(done_) + " of " + std::to_string(kernel_.ctas()) +
         " CTAs done, " + std::to_string(dispatched_) + " dispatched, " +
         std::to_string(bytes_to_store_ - bytes_stored_) + " bytes not yet stored";
}

}  // namespace stcsim
