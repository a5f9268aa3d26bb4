#include "models/cta_scheduler/cta_scheduler.hpp"

#include <algorithm>

#include "models/base/earliest.hpp"

namespace stcsim {

CtaScheduler::CtaScheduler(const CtaSchedulerConfig& config, std::int64_t sm_count)
    : sms(static_cast<std::size_t>(sm_count), nullptr),
      config_(config),
      launch_(std::max<std::int64_t>(config.launch_cycles, 1)) {}

void CtaScheduler::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  free_slots_.assign(sms.size(), kernel.ctas_per_sm);
  all_free_slots_ = kernel.ctas_per_sm * static_cast<std::int64_t>(sms.size());
  dispatched_ = done_ = bytes_to_store_ = bytes_stored_ = 0;
  next_dispatch_ = first_dispatch();
  ended_.reset();
  ctas_done.clear();
  stores_done.clear();
}

std::optional<Cycle> CtaScheduler::advance(Cycle now) {
  while (ctas_done.has_message(now)) {
    ++free_slots_[static_cast<std::size_t>(ctas_done.pop().sm)];
    ++all_free_slots_;
    ++done_;
  }
  while (stores_done.has_message(now)) bytes_stored_ += stores_done.pop().bytes;
  if (next_dispatch_ <= now) dispatch(now);
  if (done_ == kernel_.ctas() && bytes_stored_ == bytes_to_store_) ended_ = now;
  const auto arrival = earliest(ctas_done.next_arrival(), stores_done.next_arrival());
  const bool more = dispatched_ < kernel_.ctas() && all_free_slots_ > 0;
  return more ? earliest(arrival, std::max(next_dispatch_, now + kOneCycle)) : arrival;
}

void CtaScheduler::dispatch(Cycle now) {
  if (dispatched_ == kernel_.ctas() || all_free_slots_ == 0) return;
  const auto sm = std::max_element(free_slots_.begin(), free_slots_.end());
  const CtaPosition position = kernel_.position(dispatched_);
  const std::int64_t index = sm - free_slots_.begin();
  sms[static_cast<std::size_t>(index)]->send(now + kOneCycle, {position});
  --*sm;
  --all_free_slots_;
  ++dispatched_;
  bytes_to_store_ += kernel_.store_bytes(position);
  next_dispatch_ = now + std::max(Cycles(config_.dispatch_interval_cycles), kOneCycle);
  if (observer != nullptr) observer->cta_dispatched(index);
}

std::string CtaScheduler::waiting_for() const {
  if (ended_) return "";
  return "CTA scheduler: " + std::to_string(done_) + " of " + std::to_string(kernel_.ctas()) +
         " CTAs done, " + std::to_string(dispatched_) + " dispatched, " +
         std::to_string(bytes_to_store_ - bytes_stored_) + " bytes not yet stored";
}

}  // namespace stcsim
