#include <algorithm>

#include "models/fast_forward/l2_replay.hpp"

// A period that is repeated with later k-steps asks for slice after slice of the same strips. If
// every access is answered as before, it is known beforehand which fill comes when and what it
// replaces. Then accesses influence each other only through slices they share, and strips can be
// gone through one after the other.

namespace stcsim {

bool L2Replay::run_by_strip(const ReplayPlan& plan, const Repeats& repeats) {
  if (repeats.steps <= 0 || !find_walks(plan, repeats)) return false;
  undo_.clear();
  const L2Contents::Mark before = contents_.mark();
  run_timeline(repeats);
  replaced_.clear();
  const bool same = std::all_of(walks_.begin(), walks_.end(),
                                [&](const Walk& walk) { return follow(walk, repeats); });
  if (same) return true;
  give_back_replaced(repeats);
  undo_since(before);
  return false;
}

bool L2Replay::find_walks(const ReplayPlan& plan, const Repeats& repeats) {
  walks_.clear();
  timeline_.fills_before.clear();
  timeline_.missed_bytes.clear();
  timeline_.first_fill = contents_.next_fill();
  timeline_.fills_per_period = 0;
  const L2Accesses& asked = plan.accesses();
  for (const L2Batch& batch : asked.batches()) {
    if (batch.stored_bytes > 0) return false;
    timeline_.fills_before.push_back(timeline_.fills_per_period);
    timeline_.missed_bytes.push_back(0);
    for (const L2Access& access : asked.loads_of(batch)) {
      if (!find_walk(plan, repeats, access)) return false;
    }
    if (timeline_.missed_bytes.back() > 0) ++timeline_.fills_per_period;
  }
  // The access ahead of those that walk along the same strip comes first to every slice.
  std::stable_sort(walks_.begin(), walks_.end(),
                   [](const Walk& a, const Walk& b) { return a.slice > b.slice; });
  return true;
}

bool L2Replay::find_walk(const ReplayPlan& plan, const Repeats& repeats, const L2Access& access) {
  const ResidentCta& cta = plan.resident(access.cta);
  const std::int64_t length = repeats.steps * (repeats.periods - 1);
  const std::int64_t first_step = access.step + repeats.steps * (repeats.done + 1);
  const std::int64_t strip = cta.strip(access.operand);
  const std::int64_t slice = cta.slice(kernel_, access.operand, first_step);
  const std::int64_t last = cta.slice(kernel_, access.operand, first_step + length);
  const bool wraps = last != slice + length;
  const bool sees_edge = last >= kernel_.k_steps - 1;
  if (wraps || sees_edge) return false;
  const bool keeps_partition = repeats.steps % 2 == 0 && ((strip + slice) % 2 != 0) == access.odd;
  if (config_.lies_in_one_partition(access.bytes) && !keeps_partition) return false;
  const std::size_t batch = timeline_.missed_bytes.size() - 1;
  walks_.push_back({&access, batch, contents_.place_of(access.operand, strip, slice), slice});
  if (access.outcome == L2Access::Outcome::missed) {
    timeline_.missed_bytes.back() +=
        contents_.fill_bytes(access.operand, strip, slice, access.missing_eighths);
  }
  return true;
}

void L2Replay::run_timeline(const Repeats& repeats) {
  const std::size_t batches = timeline_.missed_bytes.size();
  const auto periods = static_cast<std::size_t>(repeats.periods);
  for (auto& of_eighth : timeline_.oldest) of_eighth.resize(batches * periods);
  for (std::size_t period = 0; period < periods; ++period) {
    for (std::size_t batch = 0; batch < batches; ++batch) {
      for (std::size_t eighth = 0; eighth < kL2Eighths; ++eighth) {
        timeline_.oldest[eighth][batch * periods + period] = contents_.oldest()[eighth];
      }
      const std::int64_t bytes = timeline_.missed_bytes[batch];
      if (bytes == 0) continue;
      contents_.request_fill(bytes);
    }
  }
}

bool L2Replay::follow(const Walk& walk, const Repeats& repeats) {
  switch (walk.access->outcome) {
    case L2Access::Outcome::missed:
      return bring_in_along(walk, repeats);
    case L2Access::Outcome::older_fill:
      return use_along(walk, repeats);
    case L2Access::Outcome::same_fill:
      break;
  }
  return waits_along(walk, repeats);
}

std::int32_t* L2Replay::room_for_replaced(const Repeats& repeats) {
  const std::size_t used = replaced_.size();
  replaced_.resize(used + static_cast<std::size_t>(repeats.periods));
  return replaced_.data() + used;
}

bool L2Replay::bring_in_along(const Walk& walk, const Repeats& repeats) {
  const auto steps = static_cast<std::size_t>(repeats.steps);
  const auto periods = static_cast<std::size_t>(repeats.periods);
  const auto missing = static_cast<std::size_t>(walk.access->missing_eighths);
  const std::int32_t* gone = &timeline_.oldest[missing - 1][walk.batch * periods];
  const std::int32_t* kept = &timeline_.oldest[missing][walk.batch * periods];
  const std::int32_t more = timeline_.fills_per_period;
  std::int32_t next = timeline_.first_fill + timeline_.fills_before[walk.batch];
  std::int32_t* const replaced = room_for_replaced(repeats);
  std::int32_t* fill = contents_.fills_from(walk.place);
  bool is_as_before = true;
  for (std::size_t period = 0; period < periods; ++period, fill += steps, next += more) {
    is_as_before &= *fill < gone[period] && *fill >= kept[period];
    replaced[period] = *fill;
    *fill = next;
  }
  return is_as_before;
}

void L2Replay::give_back_replaced(const Repeats& repeats) {
  const auto steps = static_cast<std::size_t>(repeats.steps);
  const auto periods = static_cast<std::size_t>(repeats.periods);
  std::vector<const Walk*> written;
  for (const Walk& walk : walks_) {
    if (written.size() * periods == replaced_.size()) break;
    if (walk.access->outcome != L2Access::Outcome::same_fill) written.push_back(&walk);
  }
  while (!written.empty()) {
    const std::size_t first = replaced_.size() - periods;
    for (std::size_t period = 0; period < periods; ++period) {
      contents_.note(written.back()->place + period * steps, replaced_[first + period]);
    }
    replaced_.resize(first);
    written.pop_back();
  }
}

bool L2Replay::use_along(const Walk& walk, const Repeats& repeats) {
  const auto steps = static_cast<std::size_t>(repeats.steps);
  const auto periods = static_cast<std::size_t>(repeats.periods);
  const std::int32_t* oldest = &timeline_.oldest.front()[walk.batch * periods];
  const std::int32_t more = timeline_.fills_per_period;
  std::int32_t newest =
      timeline_.first_fill + timeline_.fills_before[walk.batch] - walk.access->age;
  std::int32_t* const replaced = room_for_replaced(repeats);
  std::int32_t* fill = contents_.fills_from(walk.place);
  bool is_there = true;
  for (std::size_t period = 0; period < periods; ++period, fill += steps, newest += more) {
    is_there &= *fill >= oldest[period] && *fill <= newest;
    replaced[period] = *fill;
    *fill = newest;
  }
  return is_there;
}

bool L2Replay::waits_along(const Walk& walk, const Repeats& repeats) const {
  const auto steps = static_cast<std::size_t>(repeats.steps);
  const auto periods = static_cast<std::size_t>(repeats.periods);
  const std::int32_t* oldest = &timeline_.oldest.front()[walk.batch * periods];
  std::int32_t awaited =
      timeline_.first_fill + timeline_.fills_before[walk.batch] - walk.access->age;
  for (std::size_t period = 0; period < periods; ++period) {
    const std::int32_t fill = contents_.fill_at(walk.place + period * steps);
    // what comes with the batch is not older than the oldest
    if (fill < oldest[period] || fill != awaited) return false;
    awaited += timeline_.fills_per_period;
  }
  return true;
}

}  // namespace stcsim
