#include "reports/timeline_json.hpp"

#include <array>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "common/io/json_text.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kTimelineSchema = "stcsim.timeline/1";

ordered_json event(const char* phase, std::size_t track, std::int64_t at) {
  return {{"ph", phase}, {"pid", 0}, {"tid", track}, {"ts", at}};
}

void name_track(ordered_json& events, std::size_t track, const std::string& name) {
  for (const auto& [what, key, value] :
       {std::tuple<const char*, const char*, ordered_json>{"thread_name", "name", name},
        std::tuple<const char*, const char*, ordered_json>{"thread_sort_index", "sort_index",
                                                           track}}) {
    ordered_json one = event("M", track, 0);
    one["name"] = what;
    one["args"] = {{key, value}};
    events.push_back(std::move(one));
  }
}

ordered_json slice_json(const TimelineSlice& slice, std::size_t track, std::string_view unit) {
  ordered_json one = event("X", track, slice.begin.index());
  one["dur"] = slice.length().count();
  one["name"] = slice.name;
  if (!unit.empty()) one["cat"] = unit;
  ordered_json arguments = ordered_json::object();
  if (slice.slot >= 0) arguments["cta_slot"] = slice.slot;
  if (slice.step >= 0) arguments["k_step"] = slice.step;
  if (slice.busy > 0) arguments["busy"] = slice.busy;
  if (!arguments.empty()) one["args"] = std::move(arguments);
  return one;
}

void add_flow(ordered_json& events, const TimelineFlow& flow, std::size_t number) {
  constexpr std::array<const char*, 3> kPhases{"s", "t", "f"};
  for (std::size_t at = 0; at < kPhases.size(); ++at) {
    const TimelineFlow::Place& place = flow.places.at(at);
    ordered_json one = event(kPhases.at(at), place.track, place.at.index());
    one["name"] = one["cat"] = "operands";
    one["id"] = number;
    if (at + 1 == kPhases.size()) one["bp"] = "e";
    events.push_back(std::move(one));
  }
}

/// Buckets that slices sum to: all but those in which a unit does nothing.
ordered_json statistics_json(const Timeline& timeline) {
  std::set<std::string_view> drawn;
  for (const TimelineTrack& track : timeline.tracks) drawn.insert(track.unit);
  ordered_json units = ordered_json::object();
  for (const UnitTotals& totals : timeline.units) {
    if (!drawn.contains(totals.unit)) continue;
    for (const auto& [bucket, cycles] : totals.buckets) {
      if (bucket != "idle") units[totals.unit][bucket] = cycles.count();
    }
  }
  return units;
}

}  // namespace

std::string timeline_to_json(const Timeline& timeline, const GemmReport& report) {
  ordered_json about = document_head(kTimelineSchema, report.config_hash);
  add_figures(about, {{"machine", report.machine},
                      {"pattern", report.problem.a_pattern},
                      {"hardware_pattern", report.hardware_pattern},
                      {"kernel", report.launch.kernel.name},
                      {"sm", 0},
                      {"cycles", timeline.end.index()},
                      {"is_whole_launch", timeline.is_whole},
                      {"one_us_stands_for", "1 cycle"}});
  about["statistics"] = statistics_json(timeline);
  ordered_json events = ordered_json::array();
  for (std::size_t at = 0; at < timeline.tracks.size(); ++at) {
    const TimelineTrack& track = timeline.tracks[at];
    name_track(events, at, track.name);
    for (const TimelineSlice& slice : track.slices) {
      events.push_back(slice_json(slice, at, track.unit));
    }
  }
  for (std::size_t at = 0; at < timeline.flows.size(); ++at) {
    add_flow(events, timeline.flows[at], at);
  }
  ordered_json document{{"displayTimeUnit", "ns"}, {"otherData", std::move(about)}};
  std::string text = document.dump();
  text.pop_back();
  text += ",\"traceEvents\":[";
  for (const ordered_json& one : events) text += (text.back() == '[' ? "\n" : ",\n") + one.dump();
  return text + "\n]}\n";
}

}  // namespace stcsim
