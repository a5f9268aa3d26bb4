#include "models/accelerator/sm_timeline.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stcsim {
namespace {

constexpr const char* kMma = "mma";
/// Later than any launch ends; many of them can be added up.
constexpr Cycle kFar{std::int64_t{1} << 50};

/// The buckets of a unit; what follows from a launch's end has no meaning.
std::vector<std::pair<std::string, Cycles>> buckets_of(const Unit& unit) {
  StatisticsSum sum;
  unit.add_statistics(sum, kFar);
  for (const UnitTotals& totals : sum.totals()) {
    if (!totals.buckets.empty()) return totals.buckets;
  }
  return {};
}

bool is_mma(const std::string& bucket) {
  return bucket == "busy" || bucket == "issue_gap";
}

bool lies_in(const std::vector<TimelineSlice>& slices, Cycle at) {
  return std::any_of(slices.begin(), slices.end(), [at](const TimelineSlice& slice) {
    return slice.begin <= at && at < slice.end;
  });
}

void close(std::vector<TimelineSlice>& slices, Cycle end) {
  for (TimelineSlice& slice : slices) {
    if (slice.end == kNever) slice.end = end;
  }
}

}  // namespace

SmTimeline::SmTimeline(const StreamingMultiprocessor& sm, const LaunchClock& clock,
                       const KernelLaunch& kernel, bool has_fill_port)
    : sm_(sm), clock_(clock), slots_(kernel.ctas_per_sm), stages_(kernel.stages) {
  const auto numbered = [&](const char* unit, const std::string& name, std::int64_t count) {
    const std::size_t first = timeline_.tracks.size();
    for (std::int64_t at = 0; at < count; ++at) {
      timeline_.tracks.push_back({unit, count > 1 ? name + " " + std::to_string(at) : name, {}});
    }
    return first;
  };
  ctas_ = numbered("", "CTA slot", slots_);
  copies_ = numbered("copy_engine", "copies", 1);
  stage_tracks_ = numbered("", "stage", slots_ * stages_);
  if (has_fill_port) fill_track_ = numbered("", "port of copies", 1);
  port_ = numbered("shared_memory", "port of shared memory", 1);
  if (!has_fill_port) fill_track_ = port_;
  barriers_ = numbered("", "barrier", slots_);
  const std::int64_t sub_cores = std::ssize(sm.sub_cores) + std::ssize(sm.staged_sub_cores);
  std::size_t tensor_core = numbered("tensor_core", "tensor core", sub_cores);
  const std::size_t epilogue = numbered("epilogue", "epilogue", 1);
  for (ActiveUnit* const unit : sm.units()) {
    const std::string_view kind = unit->what().name;
    if (kind == SubCore::kKind.name) watched_[unit].track = tensor_core++;
    if (kind == CopyEngine::kKind.name) watched_[unit].track = copies_;
    if (kind == Epilogue::kKind.name) watched_[unit].track = epilogue;
    unit->watch(this);
  }
}

SmTimeline::~SmTimeline() {
  for (ActiveUnit* const unit : sm_.units()) unit->watch(nullptr);
}

void SmTimeline::begin_cta(std::int64_t sm, std::int64_t slot, const CtaCoordinates&) {
  if (sm != 0) return;
  for (const char* const name : {"CTA", "main loop"}) {
    slices_of_slot(slot).push_back({name, clock_.now(), kNever, slot});
  }
}

void SmTimeline::store_tile(std::int64_t sm, std::int64_t slot) {
  if (sm != 0) return;
  slices_of_slot(slot).back().end = clock_.now();
  slices_of_slot(slot).push_back({"epilogue", clock_.now(), kNever, slot});
}

void SmTimeline::end_cta(std::int64_t sm, std::int64_t slot) {
  if (sm == 0) close(slices_of_slot(slot), clock_.now());
}

void SmTimeline::request_step(std::int64_t sm, std::int64_t slot, std::int64_t step) {
  if (sm != 0) return;
  started_.emplace_back(slot, step);
  step_of_[{slot, step}] = steps_.size();
  steps_.emplace_back().of = {slot, step};
  steps_.back().asked = clock_.now();
}

void SmTimeline::fill_port(std::int64_t sm, std::int64_t slot, std::int64_t step, Cycle begin,
                           Cycles length) {
  if (sm != 0) return;
  step_at(slot, step).port_begin = begin;
  step_at(slot, step).port_length = length;
}

void SmTimeline::fill_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) {
  if (sm == 0) step_at(slot, step).full = clock_.now();
}

void SmTimeline::release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) {
  if (sm != 0) return;
  const std::vector<TimelineSlice>& reads = timeline_.tracks[port_].slices;  // the last is its own
  step_at(slot, step).released =
      reads.empty() ? clock_.now() : std::max(clock_.now(), reads.back().end);
}

void SmTimeline::read_port(std::int64_t sm, Cycle begin, Cycles length, bool is_staging) {
  if (sm == 0) add(port_, {is_staging ? "staging" : "fetch", begin, begin + length});
}

void SmTimeline::reach_barrier(std::int64_t sm, std::int64_t slot, std::int64_t step) {
  if (sm == 0) reached_[{slot, step}] = clock_.now();
}

void SmTimeline::open_barrier(std::int64_t sm, std::int64_t slot, std::int64_t step, Cycle at) {
  if (sm != 0) return;
  const std::size_t track = barriers_ + static_cast<std::size_t>(slot);
  const auto& slices = timeline_.tracks[track].slices;
  const Cycle before = slices.empty() ? Cycle() : slices.back().end;
  add(track, {"barrier", std::max(before, reached_[{slot, step}]), at, slot, step});
}

void SmTimeline::execute_mma(std::int64_t sm, std::int64_t slot, std::int64_t /*warp*/,
                             std::int64_t step, std::int64_t /*group*/) {
  if (sm == 0) started_.emplace_back(slot, step);
}

void SmTimeline::acted(const Unit& unit) {
  const auto found = watched_.find(&unit);
  if (found == watched_.end()) return;
  Watched& watched = found->second;
  lay_out(unit, watched);
  if (started_.empty()) return;
  watched.at_work = started_.back();
  if (watched.track != copies_) {
    for (const SlotStep& of : started_) {
      TimelineFlow::Place& use = step_at(of.first, of.second).first_use;
      if (use.at == kNever) use = {watched.track, clock_.now()};
    }
  }
  started_.clear();
}

Timeline SmTimeline::finish(Cycle end, bool is_whole) {
  timeline_.end = end;
  timeline_.is_whole = is_whole;
  for (auto& [unit, watched] : watched_) {
    lay_out(*unit, watched);
    for (TimelineSlice& slice : timeline_.tracks[watched.track].slices) {
      if (slice.name == kMma) slice.busy += std::exchange(watched.busy, 0);
    }
  }
  for (std::int64_t slot = 0; slot < slots_; ++slot) close(slices_of_slot(slot), end);
  draw_fills();
  draw_stages();
  draw_flows();
  StatisticsSum sum;
  for_each_below(sm_, [&](const Unit& unit) { unit.add_statistics(sum, kFar); });
  timeline_.units = sum.totals();
  return std::move(timeline_);
}

SmTimeline::Step& SmTimeline::step_at(std::int64_t slot, std::int64_t step) {
  return steps_[step_of_.at({slot, step})];
}

std::vector<TimelineSlice>& SmTimeline::slices_of_slot(std::int64_t slot) {
  return timeline_.tracks[ctas_ + static_cast<std::size_t>(slot)].slices;
}

std::size_t SmTimeline::stage_track(const SlotStep& of) const {
  return stage_tracks_ + static_cast<std::size_t>(of.first * stages_ + of.second % stages_);
}

void SmTimeline::add(std::size_t track, const TimelineSlice& slice) {
  if (slice.end <= slice.begin) return;
  std::vector<TimelineSlice>& slices = timeline_.tracks[track].slices;
  const auto same = [](const TimelineSlice& a) { return std::tuple(a.name, a.slot, a.step); };
  if (!slices.empty() && slices.back().end == slice.begin && same(slices.back()) == same(slice)) {
    slices.back().end = slice.end;
    slices.back().busy += slice.busy;
  } else {
    slices.push_back(slice);
  }
}

/// What a turn has added to buckets lies before that turn, in the order in which units account it.
void SmTimeline::lay_out(const Unit& unit, Watched& watched) {
  auto buckets = buckets_of(unit);
  if (watched.seen.empty()) {
    watched.seen = buckets;
    for (auto& [name, cycles] : watched.seen) cycles = Cycles();
  }
  TimelineSlice mma{kMma, watched.until, {}, watched.at_work.first, watched.at_work.second};
  std::int64_t mma_cycles = 0;
  std::vector<std::pair<std::string, std::int64_t>> others;
  for (std::size_t at = 0; at < buckets.size(); ++at) {
    const auto& [name, cycles] = buckets[at];
    const std::int64_t more = cycles.count() - watched.seen[at].second.count();
    if (name == "busy") watched.busy += more;
    if (is_mma(name)) {
      mma_cycles += more;
    } else if (more > 0) {
      others.emplace_back(name, more);
    }
  }
  watched.seen = std::move(buckets);
  mma.end = watched.until + Cycles(mma_cycles);
  if (mma_cycles > 0) mma.busy = std::exchange(watched.busy, 0);
  add(watched.track, mma);
  watched.until = mma.end;
  for (const auto& [name, cycles] : others) {
    const Cycle end = watched.until + Cycles(cycles);
    const bool is_at_work = name == "issuing";
    const SlotStep of = is_at_work ? watched.at_work : SlotStep(-1, -1);
    if (name != "idle") add(watched.track, {name, watched.until, end, of.first, of.second});
    watched.until = end;
  }
}

/// Reads go before copies, whose rest is put off.
void SmTimeline::draw_fills() {
  const bool has_own_port = fill_track_ != port_;
  const std::vector<TimelineSlice> reads =
      has_own_port ? std::vector<TimelineSlice>() : timeline_.tracks[port_].slices;
  std::vector<Step*> fills;
  for (Step& step : steps_) {
    if (step.port_begin != kNever) fills.push_back(&step);
  }
  std::ranges::stable_sort(fills, {}, &Step::port_begin);
  auto read = reads.begin();
  Cycle at;
  std::vector<TimelineSlice> drawn;
  for (Step* const fill : fills) {
    at = std::max(at, fill->port_begin);
    for (Cycles left = fill->port_length; left > Cycles();) {
      while (read != reads.end() && read->end <= at) ++read;
      const Cycle busy_from = read == reads.end() ? kFar : read->begin;
      const Cycle end = std::min(at + left, std::max(at, busy_from));
      if (end > at) drawn.push_back({"fill", at, end, fill->of.first, fill->of.second});
      left = left - (end - at);
      at = left > Cycles() ? read->end : end;
    }
    fill->full = std::max(fill->full, at);
  }
  std::vector<TimelineSlice>& slices = timeline_.tracks[fill_track_].slices;
  slices.insert(slices.end(), drawn.begin(), drawn.end());
  std::ranges::stable_sort(slices, {}, &TimelineSlice::begin);
}

void SmTimeline::draw_stages() {
  for (const Step& step : steps_) {
    const std::size_t track = stage_track(step.of);
    const auto& [slot, number] = step.of;
    const Cycle full = std::min(step.full, std::max(step.asked, timeline_.end));
    add(track, {"loading", step.asked, full, slot, number});
    if (step.full == kNever) continue;
    add(track, {"full", full, std::min(step.released, timeline_.end), slot, number});
  }
}

void SmTimeline::draw_flows() {
  for (const Step& step : steps_) {
    const TimelineFlow flow{
        {{{copies_, step.asked}, {stage_track(step.of), step.full}, step.first_use}}};
    const bool is_whole = std::ranges::all_of(flow.places, [&](const TimelineFlow::Place& place) {
      return lies_in(timeline_.tracks[place.track].slices, place.at);
    });
    if (is_whole) timeline_.flows.push_back(flow);
  }
}

}  // namespace stcsim
