#include "models/base/clocked_beats.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.hpp"

namespace stcsim {

bool ElasticRegisters::ready(bool next_is_ready) {
  return next_is_ready || std::ranges::find(is_full_, 0) != is_full_.end();
}

void ElasticRegisters::clock(bool takes, bool next_is_ready) {
  if (next_is_ready) is_full_.back() = 0;
  for (std::size_t at = is_full_.size() - 1; at > 0; --at) {
    if (is_full_[at] == 0) std::swap(is_full_[at], is_full_[at - 1]);
  }
  if (takes) is_full_.front() = 1;
}

void ClockedBeats::open(bool is_used, std::int64_t registers) {
  registers_ = ElasticRegisters(registers);
  if (circuit != nullptr) circuit->reset();
  depth_ = is_used ? unit().depth() : Cycles();
  messages_.clear();
  cycle_ = Cycle();
  is_active_ = takes_ = is_decided_ = has_stalled_ = next_is_ready_ = false;
}

void ClockedBeats::advance_to(Cycle now) {
  if (now == cycle_) return;
  if (is_active_) unit().clock(takes_, next_is_ready_);
  if (!is_empty() && now != cycle_ + kOneCycle) {
    throw SimulationError("a clocked unit with beats was not asked in a cycle");
  }
  cycle_ = now;
  is_active_ = !is_empty();
  takes_ = is_decided_ = has_stalled_ = next_is_ready_ = false;
}

std::optional<ClockedBeats::Exit> ClockedBeats::exit(Cycle now) {
  if (is_decided_ || !unit().valid()) return std::nullopt;
  if (is_empty() || messages_.front().out == messages_.front().in) {
    throw SimulationError("a beat leaves a clocked unit that never came in");
  }
  InFlight& first = messages_.front();
  if (first.out > 0) return Exit{};
  StageMessage message = first.message;
  message.first = now;
  message.last = std::max(now + Cycles(first.beats), first.all_there + depth_);
  first.leaves = message.last;
  return Exit{message};
}

void ClockedBeats::decide(bool leaves, Cycle now) {
  is_decided_ = true;
  next_is_ready_ = leaves;
  if (!leaves) return;
  const InFlight& first = messages_.front();
  if (++messages_.front().out < first.beats) return;
  if (now + kOneCycle != first.leaves) {
    throw SimulationError("the last beat of an instruction leaves a clocked unit at cycle " +
                          std::to_string(now.index()) + " instead of " +
                          std::to_string((first.leaves - kOneCycle).index()));
  }
  messages_.erase(messages_.begin());
}

void ClockedBeats::begin(const StageMessage& message, Cycles own) {
  const std::int64_t least = message.last > cycle_ + kOneCycle ? 2 : 1;
  messages_.push_back({message, message.last, {}, std::max(own.count(), least)});
  is_active_ = true;
}

ClockedBeats::Entry ClockedBeats::enter(Cycle now) {
  InFlight& last = messages_.back();
  const bool is_last_beat = last.in > 0 && last.in + 1 == last.beats;
  if (takes_ || (is_last_beat && now + kOneCycle < last.all_there)) return Entry::waits;
  if (!is_ready()) return std::exchange(has_stalled_, true) ? Entry::waits : Entry::stalls;
  takes_ = true;
  ++last.in;
  return Entry::enters;
}

Cycle ClockedBeats::entered_at(Cycle now) const {
  const InFlight& last = messages_.back();
  const Cycle soon = now + Cycles(last.beats - last.in + 1);
  return last.in == last.beats ? soon : std::max(soon, last.all_there);
}

}  // namespace stcsim
