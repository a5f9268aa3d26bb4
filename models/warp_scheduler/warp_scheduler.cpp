#include "models/warp_scheduler/warp_scheduler.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace stcsim {
namespace {

InstructionWork whole_of(const MmaInstruction& instruction) {
  const InstructionOperands operands = operands_of(instruction);
  InstructionWork work;
  work.a_bytes = operands.a_bytes;
  work.b_bytes = operands.b_bytes;
  work.metadata_bytes = operands.metadata_bytes;
  return work;
}

}  // namespace

WarpScheduler::WarpScheduler(std::int64_t sub_cores, std::int64_t sm, std::int64_t index)
    : index_(index), sub_cores_(sub_cores) {
  sm_ = sm;
}

void WarpScheduler::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  warps_.assign(warps_here(kernel.warps * kernel.ctas_per_sm), Warp());
  name_warps();
  open_steps_.assign(static_cast<std::size_t>(kernel.ctas_per_sm), 0);
  active_warps_ = 0;
  const InstructionPace matrix = matrix_instructions->launch(kernel.warp);
  const InstructionPace vector = vector_instructions->launch(kernel.warp);
  pace_ = is_matrix() ? matrix : vector;
  if (is_staged()) whole_ = whole_of(*kernel_.warp.instruction);
  issue_.configure(pace_.interval, pace_.same_warp_bubble, pace_.has_bubbles_between_warps,
                   kernel.warp.takes_turns);
  vector_pace_ = vector;
  vector_issue_.configure(std::max(vector.interval, kOneCycle), {});
  vector_instructions_ = vector_places_ = 0;
  buckets_.reset();
  starts.clear();
  fragments.clear();
  barriers.clear();
  progress.clear();
  busy_ = Cycles();
  if (is_staged()) works_.assign(warps_.size(), {});
}

std::optional<Cycle> WarpScheduler::advance(Cycle now) {
  const bool was_issuing = !issue_.idle();
  ended_.clear();
  if (is_staged()) {
    issue_.report_end(now, ended_);
  } else {
    issue_.run_until(now, ended_);
  }
  if (was_issuing) buckets_.account(now, Bucket::issuing);
  if (!vector_issue_.idle()) {
    if (!was_issuing) buckets_.account(now, Bucket::waiting_dependency);
    vector_issue_.run_until(now, ended_);
  }
  end_batches(now);
  while (progress.has_message(now)) note(progress.pop(), now);
  while (starts.has_message(now)) start_cta(starts.pop(), now);
  while (barriers.has_message(now)) ++open_steps_[static_cast<std::size_t>(barriers.pop().slot)];
  while (fragments.has_message(now)) take_fragments(fragments.pop(), now);
  start_ready_batches(now);
  if (is_staged()) issue_messages(now);
  const Cycle next = is_staged() ? next_issue(now) : issue_.next_end();
  return if_ever(earliest(next, vector_issue_.next_end(), next_start(), next_message()));
}

Cycle WarpScheduler::next_message() const {
  const auto is_awaited = [&](const auto& message) { return awaits(message); };
  return earliest(progress.next_arrival(), starts.next_arrival(),
                  fragments.next_arrival_if(is_awaited), barriers.next_arrival_if(is_awaited));
}

bool WarpScheduler::awaits(const BarrierOpen& open) const {
  const auto warps = warps_in(open.slot);
  return std::any_of(warps.begin(), warps.end(),
                     [](const Warp& warp) { return warp.active && !is_issuing(warp); });
}

void WarpScheduler::start_cta(const CtaStart& start, Cycle now) {
  if (active_warps_ == 0) buckets_.account(now, Bucket::idle);
  open_steps_[static_cast<std::size_t>(start.slot)] = 0;
  for (Warp& warp : warps_in(start.slot)) {
    Warp begun;
    begun.active = true;
    begun.slot = start.slot;
    begun.index = warp.index;
    begun.groups = start.steps * kernel_.warp.groups_per_step;
    warp = begun;
    ++active_warps_;
    request_fragments(warp, now);
    if (warp.groups == 0) retire(warp, now + kOneCycle);
  }
}

void WarpScheduler::request_fragments(Warp& warp, Cycle now) {
  while (warp.requested < warp.groups &&
         warp.requested < warp.ended + kernel_.warp.fragment_buffers) {
    fetches->send(now + kOneCycle,
                  {index_, warp.slot, warp.index, warp.requested, issue_.interval()});
    ++warp.requested;
  }
}

void WarpScheduler::take_fragments(const FetchResponse& response, Cycle now) {
  ++warps_[place_of(response.slot, response.warp)].arrived;
  if (!issue_.idle() || buckets_.accounted_until() >= now) return;
  const Cycle since = buckets_.accounted_until();
  const Cycle full = response.stage_full_at == kNever ? since : response.stage_full_at;
  buckets_.account(std::clamp(full, since, now), Bucket::waiting_memory);
  buckets_.account(now, Bucket::waiting_shared_memory);
}

void WarpScheduler::start_ready_batches(Cycle now) {
  for (std::size_t at = 0; at < warps_.size(); ++at) {
    Warp& warp = warps_[at];
    if (!is_ready(warp) || warp.accumulators_ready > now) continue;
    if (issue_.idle()) buckets_.account(now, Bucket::waiting_dependency);
    if (datapath != nullptr) execute(at);
    issue_group(static_cast<std::int64_t>(at), warp.started, now);
    // In tensor memory instructions add to one accumulator in the order and at the pace of issue.
    if (!kernel_.warp.streams_b && !is_vector_group(warp.started)) {
      warp.awaits_result = awaits_progress();
      if (!warp.awaits_result) warp.accumulators_ready = now + pace_.latency;
    }
    ++warp.started;
  }
}

std::int64_t WarpScheduler::vector_instructions_of(const WarpPhase& phase) const {
  return phase.instructions + cycles_for((vector_pace_.exponential * phase.exponentials).count(),
                                         vector_pace_.interval.count())
                                  .count();
}

void WarpScheduler::issue_group(std::int64_t at, std::int64_t group, Cycle now) {
  if (!kernel_.warp.has_phases()) return issue_.add(at, kernel_.warp.instructions_per_group, now);
  const WarpPhase& phase = kernel_.warp.phase_of(group);
  if (!phase.is_vector) return issue_.add(at, phase.instructions, now);
  const std::int64_t vector = vector_instructions_of(phase);
  vector_instructions_ += vector;
  if (!kernel_.warp.in_step) return vector_issue_.add(at, vector, now);
  constexpr std::int64_t kMilli = 1000;
  const std::int64_t pace = pace_.interval.count() * kMilli + pace_.same_warp_bubble.count();
  const std::int64_t places =
      cycles_for((vector_pace_.interval * vector).count() * kMilli, pace).count();
  vector_places_ += places;
  issue_.add(at, places, now);
}

Cycle WarpScheduler::result_of(std::int64_t group, Cycle now) const {
  if (is_vector_group(group)) return now + kOneCycle;
  return std::max(now - issue_.interval() + pace_.latency, now + kOneCycle);
}

bool WarpScheduler::is_ready(const Warp& warp) const {
  if (!warp.active || warp.awaits_result || is_issuing(warp) || warp.arrived <= warp.started)
    return false;
  const std::int64_t next = warp.started + 1;
  // With one fragment buffer the next k-step is asked for after its last group, not before.
  const bool before_barrier = next % kernel_.warp.groups_per_step == 0 && next < warp.groups &&
                              kernel_.warp.fragment_buffers > 1;
  return !before_barrier ||
         open_steps_[static_cast<std::size_t>(warp.slot)] >= next / kernel_.warp.groups_per_step;
}

bool WarpScheduler::active_in(std::int64_t slot) const {
  const auto warps = warps_in(slot);
  return std::any_of(warps.begin(), warps.end(), [](const Warp& warp) { return warp.active; });
}

void WarpScheduler::end_batches(Cycle now) {
  if (awaits_progress()) return;
  for (const std::int64_t at : ended_) {
    Warp& warp = warps_[static_cast<std::size_t>(at)];
    const std::int64_t group = warp.ended;
    end_group(warp, now);
    if (warp.ended == warp.groups) {
      retire(warp, result_of(group, now));
    } else if (is_vector_group(group) != is_vector_group(group + 1)) {
      warp.accumulators_ready = std::max(warp.accumulators_ready, result_of(group, now));
    }
  }
}

void WarpScheduler::end_group(Warp& warp, Cycle now) {
  ++warp.ended;
  request_fragments(warp, now);
}

void WarpScheduler::note(const GroupProgress& one, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(one.warp)];
  using Kind = GroupProgress::Kind;
  if (one.kind == Kind::fragments_read) end_group(warp, now);
  if (one.kind == Kind::first_result) warp.awaits_result = false;
  if (one.kind == Kind::last_result && ++warp.finished == warp.groups) {
    retire(warp, now + kOneCycle);
  }
}

void WarpScheduler::execute(std::size_t at) {
  const Warp& warp = warps_[at];
  const std::int64_t step = warp.started / kernel_.warp.groups_per_step;
  const std::int64_t group = warp.started % kernel_.warp.groups_per_step;
  if (!is_staged()) return datapath->execute_mma(sm_, warp.slot, warp.index, step, group);
  const auto work = datapath->start_group(sm_, warp.slot, warp.index, step, group);
  works_[at].assign(work.begin(), work.end());
  if (!work.empty() && std::ssize(work) != kernel_.warp.instructions_per_group) {
    throw SimulationError("the data of a group are those of " + std::to_string(work.size()) +
                          " instructions, it has " +
                          std::to_string(kernel_.warp.instructions_per_group));
  }
}

void WarpScheduler::issue_messages(Cycle now) {
  PipelineStage& stages = *matrix_instructions.get();
  const Cycle due = is_rigid_ ? issue_.next_due() : issue_.next_free();
  if (due > now || !stages.has_room(now)) return;
  const InstructionIssue::Issued next = issue_.next();
  StageMessage message;
  message.warp = next.warp;
  message.opens_group = next.remaining == kernel_.warp.instructions_per_group;
  message.closes_group = next.remaining == 1;
  if (!is_rigid_) message.bubble = next.bubble;
  const auto& works = works_[static_cast<std::size_t>(next.warp)];
  message.work =
      works.empty() ? whole_ : works[works.size() - static_cast<std::size_t>(next.remaining)];
  if (datapath != nullptr) {
    const Warp& warp = warps_[static_cast<std::size_t>(next.warp)];
    message.values = datapath->values_of(sm_, warp.slot, warp.index, warp.started - 1,
                                         kernel_.warp.instructions_per_group - next.remaining);
  }
  message.first = message.last = now;
  const Cycles pace = is_rigid_ ? std::max(stages.slowest(message), kOneCycle) : kOneCycle;
  busy_ += pace;
  issue_.issue_next(now, pace);
  stages.take(message, now);
}

Cycle WarpScheduler::next_issue(Cycle now) const {
  const Cycle due = is_rigid_ ? issue_.next_due() : issue_.next_free();
  return earliest(issue_.end_of_last(), due > now ? due : kNever);  // else a stage makes room first
}

void WarpScheduler::retire(Warp& warp, Cycle at) {
  warp.active = false;
  --active_warps_;
  warps_done->send(at, {warp.slot});
}

Cycle WarpScheduler::next_start() const {
  Cycle next = kNever;
  for (const Warp& warp : warps_) {
    if (is_ready(warp)) next = earliest(next, warp.accumulators_ready);
  }
  return next;
}

void WarpScheduler::finish(Cycle end) {
  buckets_.account(end, active_warps_ > 0 ? Bucket::waiting_memory : Bucket::idle);
}

void WarpScheduler::name_warps() {
  std::int64_t of_sm = index_;
  for (Warp& warp : warps_) {
    warp.slot = of_sm / kernel_.warps;
    warp.index = of_sm % kernel_.warps;
    of_sm += sub_cores_;
  }
}

void WarpScheduler::restored() {
  name_warps();
  active_warps_ =
      std::count_if(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.active; });
}

std::string WarpScheduler::waiting_for() const {
  for (const Warp& warp : warps_) {
    if (!warp.active) continue;
    return "sub-core " + std::to_string(index_) + " of SM " + std::to_string(sm_.get()) +
           ": warp " + std::to_string(warp.index) + " of CTA slot " + std::to_string(warp.slot) +
           " waits for the fragments of group " + std::to_string(warp.arrived) + " of " +
           std::to_string(warp.groups);
  }
  return "";
}

}  // namespace stcsim
