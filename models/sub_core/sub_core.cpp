#include "models/sub_core/sub_core.hpp"

#include <algorithm>

#include "models/base/earliest.hpp"

namespace stcsim {

SubCore::SubCore(std::int64_t sm, std::int64_t index, std::int64_t sub_cores)
    : sm_(sm), index_(index), sub_cores_(sub_cores) {}

void SubCore::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  warps_per_cta_ = (kernel.warps - index_ + sub_cores_ - 1) / sub_cores_;
  warps_.assign(static_cast<std::size_t>(warps_per_cta_ * kernel.ctas_per_sm), Warp());
  active_warps_ = 0;
  issue_.configure(kernel.warp.interval, kernel.warp.same_warp_bubble);
  buckets_.reset();
  starts.clear();
  fragments.clear();
}

SubCore::Warp& SubCore::warp_of(std::int64_t slot, std::int64_t warp) {
  return warps_[static_cast<std::size_t>(slot * warps_per_cta_ + warp / sub_cores_)];
}

std::optional<Cycle> SubCore::advance(Cycle now) {
  const bool was_issuing = !issue_.idle();
  ended_.clear();
  issue_.run_until(now, ended_);
  if (was_issuing) buckets_.account(now, Bucket::issuing);
  end_batches(now);
  while (starts.has_message(now)) start_cta(starts.pop(), now);
  while (fragments.has_message(now)) take_fragments(fragments.pop(), now);
  start_ready_batches(now);
  return earliest(earliest(issue_.next_end(), next_start()),
                  earliest(starts.next_arrival(), fragments.next_arrival()));
}

void SubCore::start_cta(const CtaStart& start, Cycle now) {
  if (active_warps_ == 0) buckets_.account(now, Bucket::idle);
  for (std::int64_t local = 0; local < warps_per_cta_; ++local) {
    Warp& warp = warps_[static_cast<std::size_t>(start.slot * warps_per_cta_ + local)];
    warp = Warp();
    warp.active = true;
    warp.slot = start.slot;
    warp.index = local * sub_cores_ + index_;
    warp.groups = kernel_.steps_of(start.position.split) * kernel_.warp.groups_per_step;
    ++active_warps_;
    request_fragments(warp, now);
    if (warp.groups == 0) retire(warp, now + kOneCycle);
  }
}

void SubCore::request_fragments(Warp& warp, Cycle now) {
  while (warp.requested < warp.groups &&
         warp.requested < warp.ended + kernel_.warp.fragment_buffers) {
    fetches->send(now + kOneCycle, {index_, warp.slot, warp.index, warp.requested});
    ++warp.requested;
  }
}

void SubCore::take_fragments(const FetchResponse& response, Cycle now) {
  ++warp_of(response.slot, response.warp).arrived;
  if (!issue_.idle() || buckets_.accounted_until() >= now) return;
  const Cycle since = buckets_.accounted_until();
  buckets_.account(std::clamp(response.stage_full_at, since, now), Bucket::waiting_memory);
  buckets_.account(now, Bucket::waiting_shared_memory);
}

void SubCore::start_ready_batches(Cycle now) {
  for (std::size_t at = 0; at < warps_.size(); ++at) {
    Warp& warp = warps_[at];
    if (!warp.active || warp.started > warp.ended || warp.arrived <= warp.started) continue;
    if (warp.may_start > now) continue;
    if (issue_.idle()) buckets_.account(now, Bucket::waiting_dependency);
    if (datapath != nullptr) {
      datapath->execute_mma(sm_, warp.slot, warp.index, warp.started / kernel_.warp.groups_per_step,
                            warp.started % kernel_.warp.groups_per_step);
    }
    issue_.add(static_cast<std::int64_t>(at), kernel_.warp.instructions_per_group, now);
    warp.may_start = now + kernel_.warp.latency;
    ++warp.started;
  }
}

void SubCore::end_batches(Cycle now) {
  for (const std::int64_t at : ended_) {
    Warp& warp = warps_[static_cast<std::size_t>(at)];
    ++warp.ended;
    // The barrier stands before a k-step's last group: behind it the next stage is read.
    if ((warp.ended + 1) % kernel_.warp.groups_per_step == 0) {
      warp.may_start = std::max(warp.may_start, now + kernel_.warp.barrier);
    }
    request_fragments(warp, now);
    if (warp.ended == warp.groups) {
      const Cycle result = now - kernel_.warp.interval + kernel_.warp.latency;
      retire(warp, std::max(result, now + kOneCycle));
    }
  }
}

void SubCore::retire(Warp& warp, Cycle at) {
  warp.active = false;
  --active_warps_;
  warps_done->send(at, {warp.slot});
}

std::optional<Cycle> SubCore::next_start() const {
  std::optional<Cycle> next;
  for (const Warp& warp : warps_) {
    if (!warp.active || warp.started > warp.ended || warp.arrived <= warp.started) continue;
    next = earliest(next, warp.may_start);
  }
  return next;
}

void SubCore::finish(Cycle end) {
  buckets_.account(end, active_warps_ > 0 ? Bucket::waiting_memory : Bucket::idle);
}

UnitBuckets SubCore::tensor_core_buckets() const {
  const Cycles busy = kernel_.warp.interval * issue_.issued();
  return {{"busy", busy},
          {"issue_gap", buckets_.in(Bucket::issuing)-busy},
          {"waiting_memory", buckets_.in(Bucket::waiting_memory)},
          {"waiting_shared_memory", buckets_.in(Bucket::waiting_shared_memory)},
          {"waiting_dependency", buckets_.in(Bucket::waiting_dependency)},
          {"idle", buckets_.in(Bucket::idle)}};
}

UnitBuckets SubCore::operand_fetch_buckets(Cycle end) const {
  const Cycles busy = kernel_.warp.fetch_interval * issue_.issued();
  return {{"busy", busy}, {"idle", (end - Cycle()) - busy}};
}

UnitBuckets SubCore::operand_selector_buckets(Cycle end) const {
  const Cycles busy = kernel_.warp.selector_interval * issue_.issued();
  return {{"busy", busy}, {"idle", (end - Cycle()) - busy}};
}

std::string SubCore::waiting_for() const {
  for (const Warp& warp : warps_) {
    if (!warp.active) continue;
    return "sub-core " + std::to_string(index_) + " of SM " + std::to_string(sm_) + ": warp " +
           std::to_string(warp.index) + " of CTA slot " + std::to_string(warp.slot) +
           " waits for the fragments of group " + std::to_string(warp.arrived) + " of " +
           std::to_string(warp.groups);
  }
  return "";
}

}  // namespace stcsim
