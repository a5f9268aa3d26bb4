#include <algorithm>
#include <map>
#include <tuple>

#include "models/accelerator/accelerator.hpp"
#include "models/accelerator/block_diagram.hpp"

namespace stcsim {
namespace {

/// Later than any launch ends; many of them can be added up.
constexpr Cycle kAfterAll{std::int64_t{1} << 50};

using SlotStep = std::pair<std::int64_t, std::int64_t>;
using SliceList = std::vector<TimelineSlice>;

/// Joins it to the last one if that is of the same kind and ends where it begins.
void add_slice(SliceList& slices, const TimelineSlice& slice) {
  if (slice.end <= slice.begin) return;
  const auto kind = [](const TimelineSlice& one) { return std::tie(one.name, one.slot, one.step); };
  if (slices.empty() || slices.back().end != slice.begin || kind(slices.back()) != kind(slice)) {
    slices.push_back(slice);
    return;
  }
  slices.back().end = slice.end;
  slices.back().busy += slice.busy;
}

void close_slices(SliceList& slices, Cycle end) {
  for (TimelineSlice& slice : slices) slice.end = std::min(slice.end, std::max(slice.begin, end));
}

/// A unit whose buckets are slices.
struct WatchedUnit {
  std::size_t track = 0;
  std::vector<std::pair<std::string, Cycles>> seen;
  Cycle until;            // what it has accounted
  std::int64_t busy = 0;  // of mma, that no slice has yet
  SlotStep at_work{-1, -1};
};

/// A k-step's operands, from their request to the last read.
struct WatchedStep {
  SlotStep of;
  Cycle asked;
  Cycle full = kNever;
  Cycle released = kNever;
  Cycle port_begin = kNever;
  Cycles port_length{};
  std::pair<std::size_t, Cycle> used{0, kNever};
};

/// Watches SM 0 through a launch. Buckets are read off its units' statistics after every turn;
/// stages, barriers, CTAs and what passes the port of shared memory are told.
class SmTimeline final : public Datapath {
 public:
  SmTimeline(const BlockDiagram& machine, const KernelLaunch& kernel)
      : sm_(*machine.sms.front()),
        clock_(machine.shared.clock),
        slots_(kernel.ctas_per_sm),
        stages_(kernel.stages) {
    const SharedMemoryConfig& memory = machine.config.sm.shared_memory;
    fill_track_ = memory.has_fill_port ? add_tracks("", "port of copies", 1) : port_;
    std::size_t tensor_core = add_tracks("tensor_core", "tensor core", machine.config.sm.sub_cores);
    const std::size_t epilogue = add_tracks("epilogue", "epilogue", 1);
    for (ActiveUnit* const unit : sm_.units()) {
      const std::string_view kind = unit->what().name;
      if (kind == SubCore::kKind.name) watched_[unit].track = tensor_core++;
      if (kind == CopyEngine::kKind.name) watched_[unit].track = copies_;
      if (kind == Epilogue::kKind.name) watched_[unit].track = epilogue;
      unit->after_turn = [this](const Unit& of) { acted(of); };
    }
  }
  ~SmTimeline() override {
    for (ActiveUnit* const unit : sm_.units()) unit->after_turn = nullptr;
  }

  void begin_cta(std::int64_t sm, std::int64_t slot, const CtaCoordinates& /*cta*/) override {
    if (sm != 0) return;
    for (const char* const name : {"CTA", "main loop"}) {
      slices(ctas_, slot).push_back({name, clock_.now(), kNever, slot});
    }
  }
  void store_tile(std::int64_t sm, std::int64_t slot) override {
    if (sm != 0) return;
    slices(ctas_, slot).back().end = clock_.now();
    slices(ctas_, slot).push_back({"epilogue", clock_.now(), kNever, slot});
  }
  void fill_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) override {
    if (sm == 0) step_at({slot, step}).full = clock_.now();
  }
  void release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) override {
    if (sm != 0) return;
    const SliceList& reads = slices(port_);  // the last is its own
    step_at({slot, step}).released =
        reads.empty() ? clock_.now() : std::max(clock_.now(), reads.back().end);
  }
  void fetch_fragments(std::int64_t /*sm*/, std::int64_t /*slot*/, std::int64_t /*warp*/,
                       std::int64_t /*step*/, std::int64_t /*group*/) override {}
  void execute_mma(std::int64_t sm, std::int64_t slot, std::int64_t /*warp*/, std::int64_t step,
                   std::int64_t /*group*/) override {
    if (sm == 0) started_.emplace_back(slot, step);
  }

  void note(const SmMoment& moment) override {
    const auto& [event, sm, slot, step, at, length] = moment;
    if (sm != 0) return;
    if (event == SmEvent::request) {
      started_.emplace_back(slot, step);
      step_of_[{slot, step}] = steps_.size();
      steps_.push_back({{slot, step}, clock_.now()});
    } else if (event == SmEvent::fill) {
      step_at({slot, step}).port_begin = at;
      step_at({slot, step}).port_length = length;
    } else if (event == SmEvent::fetch || event == SmEvent::staging) {
      const char* const name = event == SmEvent::fetch ? "fetch" : "staging";
      add_slice(slices(port_), {name, at, at + length});
    } else if (event == SmEvent::reach_barrier) {
      reached_[{slot, step}] = at;
    } else if (event == SmEvent::open_barrier) {
      SliceList& open = slices(barriers_, slot);
      const Cycle before = open.empty() ? Cycle() : open.back().end;
      add_slice(open, {"barrier", std::max(before, reached_[{slot, step}]), at, slot, step});
    } else {
      close_slices(slices(ctas_, slot), clock_.now());
    }
  }

  /// @param end  of the launch, or of the window if that ended first
  [[nodiscard]] Timeline finish(Cycle end, bool is_whole) {
    timeline_.end = end;
    timeline_.is_whole = is_whole;
    for (auto& [unit, watched] : watched_) {
      lay_out(*unit, watched);
      for (TimelineSlice& slice : slices(watched.track)) {
        if (slice.name == "mma") slice.busy += std::exchange(watched.busy, 0);
      }
    }
    for (std::int64_t slot = 0; slot < slots_; ++slot) close_slices(slices(ctas_, slot), end);
    draw_fills();
    for (const WatchedStep& step : steps_) draw(step);
    StatisticsSum sum;
    for_each_below(sm_, [&](const Unit& one) { one.add_statistics(sum, kAfterAll); });
    timeline_.units = sum.totals();
    return std::move(timeline_);
  }

 private:
  void acted(const Unit& unit) {
    const auto found = watched_.find(&unit);
    if (found == watched_.end()) return;
    WatchedUnit& watched = found->second;
    lay_out(unit, watched);
    if (started_.empty()) return;
    watched.at_work = started_.back();
    for (const SlotStep& of : started_) {
      auto& used = step_at(of).used;
      const bool is_first = watched.track != copies_ && used.second == kNever;
      if (is_first) used = {watched.track, clock_.now()};
    }
    started_.clear();
  }

  std::size_t add_tracks(const char* unit, const char* name, std::int64_t count) {
    const std::size_t first = timeline_.tracks.size();
    for (std::int64_t at = 0; at < count; ++at) {
      timeline_.tracks.push_back({unit, name + (count > 1 ? " " + std::to_string(at) : ""), {}});
    }
    return first;
  }
  [[nodiscard]] SliceList& slices(std::size_t first, std::int64_t at = 0) {
    return timeline_.tracks[first + static_cast<std::size_t>(at)].slices;
  }
  [[nodiscard]] WatchedStep& step_at(const SlotStep& of) { return steps_[step_of_.at(of)]; }

  /// What a turn has added to buckets lies before it, in the order in which units account it.
  void lay_out(const Unit& unit, WatchedUnit& watched) {
    StatisticsSum sum;
    unit.add_statistics(sum, kAfterAll);
    const auto has_buckets = [](const UnitTotals& one) { return !one.buckets.empty(); };
    const auto& buckets = std::ranges::find_if(sum.totals(), has_buckets)->buckets;
    std::vector<std::pair<std::string, std::int64_t>> more{{"mma", 0}};
    for (std::size_t at = 0; at < buckets.size(); ++at) {
      const auto& [name, cycles] = buckets[at];
      const Cycles before = watched.seen.empty() ? Cycles() : watched.seen[at].second;
      const std::int64_t added = cycles.count() - before.count();
      if (name == "busy") watched.busy += added;
      if (name != "busy" && name != "issue_gap")
        more.emplace_back(name, added);
      else
        more.front().second += added;
    }
    watched.seen = buckets;
    for (const auto& [name, cycles] : more) {
      TimelineSlice slice{name, watched.until, watched.until + Cycles(cycles)};
      watched.until = slice.end;
      if (name == "idle" || cycles == 0) continue;
      if (name == "mma") slice.busy = std::exchange(watched.busy, 0);
      if (name == "mma" || name == "issuing") std::tie(slice.slot, slice.step) = watched.at_work;
      add_slice(slices(watched.track), slice);
    }
  }

  /// Reads go before copies, whose rest is put off.
  void draw_fills() {
    const SliceList reads = fill_track_ == port_ ? slices(port_) : SliceList();
    std::vector<WatchedStep*> fills;
    for (WatchedStep& step : steps_) {
      if (step.port_begin != kNever) fills.push_back(&step);
    }
    std::ranges::stable_sort(fills, {}, &WatchedStep::port_begin);
    auto read = reads.begin();
    Cycle at;
    for (WatchedStep* const fill : fills) {
      const auto& [slot, step] = fill->of;
      at = std::max(at, fill->port_begin);
      for (Cycles left = fill->port_length; left > Cycles();) {
        while (read != reads.end() && read->end <= at) ++read;
        const Cycle free_until = read == reads.end() ? kAfterAll : std::max(at, read->begin);
        const Cycle end = std::min(at + left, free_until);
        if (end > at) slices(fill_track_).push_back({"fill", at, end, slot, step});
        left = left - (end - at);
        at = left > Cycles() ? read->end : end;
      }
      fill->full = std::max(fill->full, at);
    }
    std::ranges::stable_sort(slices(fill_track_), {}, &TimelineSlice::begin);
  }

  void draw(const WatchedStep& step) {
    const auto& [slot, number] = step.of;
    const auto stage = stage_tracks_ + static_cast<std::size_t>(slot * stages_ + number % stages_);
    const Cycle full = std::min(step.full, std::max(step.asked, timeline_.end));
    const Cycle released = std::min(step.released, std::max(full, timeline_.end));
    add_slice(slices(stage), {"loading", step.asked, full, slot, number});
    add_slice(slices(stage), {"full", full, released, slot, number});
    const Timeline::Flow flow{{{copies_, step.asked}, {stage, step.full}, step.used}};
    const bool is_drawn = std::ranges::all_of(flow, [this](const auto& place) {
      return std::ranges::any_of(slices(place.first), [&](const TimelineSlice& slice) {
        return slice.begin <= place.second && place.second < slice.end;
      });
    });
    if (is_drawn) timeline_.flows.push_back(flow);
  }

  const StreamingMultiprocessor& sm_;
  const LaunchClock& clock_;
  std::int64_t slots_;
  std::int64_t stages_;
  Timeline timeline_;
  // The first of these tracks.
  std::size_t ctas_ = add_tracks("", "CTA slot", slots_);
  std::size_t copies_ = add_tracks("copy_engine", "copies", 1);
  std::size_t stage_tracks_ = add_tracks("", "stage", slots_* stages_);
  std::size_t barriers_ = add_tracks("", "barrier", slots_);
  std::size_t port_ = add_tracks("shared_memory", "port of shared memory", 1);
  std::size_t fill_track_ = 0;
  std::map<const Unit*, WatchedUnit> watched_;
  std::vector<WatchedStep> steps_;
  std::map<SlotStep, std::size_t> step_of_;  // the last of that name
  std::map<SlotStep, Cycle> reached_;        // barriers that are not open yet
  std::vector<SlotStep> started_;            // by the unit whose turn it is
};

}  // namespace

Timeline Accelerator::trace(const KernelLaunch& kernel, Cycles window) {
  SmTimeline timeline(*machine_, kernel);
  RunOptions options;
  options.datapath = &timeline;
  options.look = [this] { machine_->router->give_up(); };
  options.look_at = Cycle() + window - kOneCycle;
  const std::optional<LaunchStatistics> whole = run(kernel, options);
  return timeline.finish(Cycle() + (whole ? whole->cycles : window), whole.has_value());
}

}  // namespace stcsim
