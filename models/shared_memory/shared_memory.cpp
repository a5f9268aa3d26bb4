#include "models/shared_memory/shared_memory.hpp"

#include <algorithm>

namespace stcsim {

SharedMemory::SharedMemory(const SharedMemoryConfig& config, std::int64_t sm) : config_(config) {
  sm_ = sm;
}

void SharedMemory::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  slots_.assign(static_cast<std::size_t>(kernel.ctas_per_sm), Slot());
  for (Slot& slot : slots_) slot.stages.resize(static_cast<std::size_t>(kernel.stages));
  reads_end_ = fills_end_ = Cycle();
  fill_cycles_ = fetch_cycles_ = staging_cycles_ = Cycles();
  read_bytes_ = written_bytes_ = 0;
  starts.clear();
  fills.clear();
  fetches.clear();
  staging.clear();
}

SharedMemory::Stage& SharedMemory::stage_of(Slot& slot, std::int64_t step) {
  return slot.stages[static_cast<std::size_t>(step % kernel_.stages)];
}

std::optional<Cycle> SharedMemory::advance(Cycle now) {
  while (starts.has_message(now)) start_cta(starts.pop(), now);
  while (fills.has_message(now)) fill(fills.pop(), now);
  while (fetches.has_message(now)) {
    ask(fetches.pop(), now);
  }
  while (staging.has_message(now)) stage_output(staging.pop(), now);
  Cycle next = earliest(starts.next_arrival(), fills.next_arrival(), fetches.next_arrival(),
                        staging.next_arrival());
  for (Slot& slot : slots_) {
    serve_waiting(slot, now);
    for (const Waiting& waiting : slot.waiting) {
      next = earliest(next, servable_at(slot, waiting));
    }
  }
  return if_ever(next);
}

void SharedMemory::start_cta(const CtaStart& start, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(start.slot)];
  slot.steps = start.steps;
  slot.read_steps = slot.open_step = 0;
  slot.at_barrier.clear();
  slot.open_at = now;
  const Stage empty{false, kernel_.warps * kernel_.warp.groups_per_step, Cycle()};
  slot.stages.assign(static_cast<std::size_t>(kernel_.stages), empty);
}

void SharedMemory::fill(const StageFill& fill, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(fill.slot)];
  Stage& stage = stage_of(slot, fill.step);
  const std::int64_t bytes = kernel_.shared_stage_bytes() + kernel_.zero_bytes;
  stage.full_at = std::max(now, fill_through_port(fill));
  stage.is_filled = true;
  for (Waiting& waiting : slot.waiting) {
    if (waiting.step == fill.step) waiting.stage_full_at = stage.full_at;
  }
  written_bytes_ += bytes;
  if (datapath != nullptr) datapath->fill_stage(sm_, fill.slot, fill.step);
}

void SharedMemory::ask(const FetchRequest& request, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(request.slot)];
  const std::int64_t step = step_of(request);
  const auto place = static_cast<std::size_t>(step % kernel_.stages);
  const Stage& stage = slot.stages[place];
  const bool comes = stage.is_filled && step < slot.read_steps + kernel_.stages;
  slot.waiting.push_back(
      {request, step, place, comes && stage.full_at > now ? stage.full_at : kNever});
  const bool is_first = request.group == step * kernel_.warp.groups_per_step;
  if (!is_first || request.group == 0) return;
  const auto ahead = static_cast<std::size_t>(step - slot.open_step - 1);
  if (slot.at_barrier.size() <= ahead) slot.at_barrier.resize(ahead + 1, 0);
  const bool is_alone = ++slot.at_barrier[ahead] == 1;
  if (datapath != nullptr && is_alone) {
    datapath->note({SmEvent::reach_barrier, sm_, request.slot, step, now});
  }
  while (!slot.at_barrier.empty() && slot.at_barrier.front() == kernel_.warps) {
    slot.at_barrier.erase(slot.at_barrier.begin());
    ++slot.open_step;
    // The warp came to the barrier when it issued the last instruction before it.
    const Cycles whole(config_.barrier_cycles);
    const Cycles rest = whole > request.issued_ago ? whole - request.issued_ago : Cycles();
    slot.open_at = std::max(slot.open_at, now + rest);
    if (datapath != nullptr) {
      datapath->note({SmEvent::open_barrier, sm_, request.slot, slot.open_step, now + rest});
    }
    const Cycle told = now + std::max(rest, kOneCycle);
    for (OutPort<BarrierOpen>* sub_core : barriers.get()) sub_core->send(told, {request.slot});
  }
}

Cycle SharedMemory::servable_at(const Slot& slot, const Waiting& waiting) {
  const Stage& stage = slot.stages[waiting.stage];
  if (waiting.step > slot.open_step || waiting.step > slot.read_steps || !stage.is_filled) {
    return kNever;
  }
  return waiting.step == slot.open_step ? std::max(slot.open_at, stage.full_at) : stage.full_at;
}

void SharedMemory::serve_waiting(Slot& slot, Cycle now) {
  std::int64_t streams = 0;
  for (std::size_t at = 0; at < slot.waiting.size();) {
    if (servable_at(slot, slot.waiting[at]) > now) {
      ++at;
      continue;
    }
    const Waiting waiting = slot.waiting[at];
    slot.waiting.erase(slot.waiting.begin() + static_cast<std::ptrdiff_t>(at));
    serve(slot, waiting, now);
    if (kernel_.warp.streams_b) ++streams;
  }
  // All of them are of the step that is being read.
  for (; streams > 0; --streams) {
    const Cycle end = read_through_port(now, kernel_.warp.fragments.b, fetch_cycles_);
    end_read(slot, slot.read_steps, end);
  }
}

void SharedMemory::serve(Slot& slot, const Waiting& waiting, Cycle now) {
  const FetchRequest& request = waiting.request;
  const std::int64_t step = waiting.step;
  const std::int64_t awaited = kernel_.warp.awaited_bytes(request.group);
  const bool is_read = awaited > 0 || !kernel_.warp.streams_b;
  const Cycle end = is_read ? read_through_port(now, awaited, fetch_cycles_) : now;
  read_bytes_ += kernel_.warp.port_bytes(request.group);
  if (datapath != nullptr) {
    datapath->fetch_fragments(sm_, request.slot, request.warp, step,
                              request.group % kernel_.warp.groups_per_step);
  }
  // What is turned is read, written, and there for all warps behind a barrier: three round trips.
  const std::int64_t trips = kernel_.warp.turns_before(request.group) ? 3 : 1;
  const Cycle arrival = end - kOneCycle + Cycles(config_.latency_cycles * trips);
  fragments.get()[static_cast<std::size_t>(request.sub_core)]->send(
      std::max(arrival, now + kOneCycle), {request.slot, request.warp, waiting.stage_full_at});
  if (!kernel_.warp.streams_b) end_read(slot, step, end);
}

void SharedMemory::end_read(Slot& slot, std::int64_t step, Cycle end) {
  if (--stage_of(slot, step).reads_missing > 0) return;
  end_step(slot, &slot - slots_.data(), step, end);
}

void SharedMemory::end_step(Slot& slot, std::int64_t slot_index, std::int64_t step,
                            Cycle read_out) {
  stage_of(slot, step) = {false, kernel_.warps * kernel_.warp.groups_per_step, Cycle()};
  slot.read_steps = step + 1;
  slot.open_at = std::max(slot.open_at, read_out);
  // If warps run so far ahead that the barrier after the next k-step is open already, open_at is
  // that one's.
  Stage& next = stage_of(slot, slot.read_steps);
  if (next.is_filled && slot.open_step > slot.read_steps) {
    next.full_at = std::max(next.full_at, read_out);
  }
  if (datapath != nullptr) datapath->release_stage(sm_, slot_index, step);
  freed->send(read_out, {slot_index});
  if (observer != nullptr) observer->step_read(sm_, slot_index);
}

void SharedMemory::stage_output(const StagingRequest& request, Cycle now) {
  const Cycle end = read_through_port(now, request.bytes, staging_cycles_);
  read_bytes_ += request.bytes / 2;
  written_bytes_ += request.bytes - request.bytes / 2;
  const Cycle arrival = end - kOneCycle + Cycles(config_.latency_cycles);
  staged->send(std::max(arrival, now + kOneCycle), {});
}

Cycle SharedMemory::read_through_port(Cycle now, std::int64_t bytes, Cycles& bucket) {
  const Cycles length = config_.read_cycles(bytes);
  const Cycle begin = std::max(now, reads_end_);
  if (fills_end_ > begin && !has_fill_port(config_, kernel_)) delay_fills(begin, length);
  bucket += length;
  if (datapath != nullptr) {
    const SmEvent event = &bucket == &fetch_cycles_ ? SmEvent::fetch : SmEvent::staging;
    datapath->note({event, sm_, 0, 0, begin, length});
  }
  reads_end_ = begin + length;
  return reads_end_;
}

void SharedMemory::delay_fills(Cycle after, Cycles length) {
  fills_end_ += length;
  for (Slot& slot : slots_) {
    for (Stage& stage : slot.stages) {
      if (stage.is_filled && stage.full_at > after) stage.full_at += length;
    }
    for (Waiting& waiting : slot.waiting) {
      Cycle& full_at = waiting.stage_full_at;
      if (full_at != kNever && full_at > after) full_at += length;
    }
  }
}

Cycle SharedMemory::fill_through_port(const StageFill& fill) {
  const Cycle since = fill.since;
  const Cycles length = std::max(fill_cycles(config_, kernel_), kOneCycle);
  if (has_fill_port(config_, kernel_)) {
    fills_end_ = std::max(since, fills_end_) + length;
    return fills_end_;
  }
  fill_cycles_ += length;
  const Cycle begin = std::max({since, reads_end_, fills_end_});
  if (datapath != nullptr)
    datapath->note({SmEvent::fill, sm_, fill.slot, fill.step, begin, length});
  fills_end_ = begin + length;
  return fills_end_;
}

void SharedMemory::restored() {
  for (Slot& slot : slots_) {
    for (Waiting& waiting : slot.waiting) {
      waiting.stage = static_cast<std::size_t>(waiting.step % kernel_.stages);
    }
  }
}

std::string SharedMemory::waiting_for() const {
  for (const Slot& slot : slots_) {
    if (slot.waiting.empty()) continue;
    const FetchRequest& request = slot.waiting.front().request;
    return "shared memory of SM " + std::to_string(sm_.get()) + ": warp " +
           std::to_string(request.warp) + " of CTA slot " + std::to_string(request.slot) +
           " waits for k-step " + std::to_string(step_of(request));
  }
  return "";
}

}  // namespace stcsim
