#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "common/io/json_text.hpp"
#include "reports/gemm/gemm_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

std::string slice_event(const TimelineSlice& slice, std::size_t track, std::string_view unit) {
  std::string about;
  if (slice.slot >= 0) about += fmt::format(",\"cta_slot\":{}", slice.slot);
  if (slice.step >= 0) about += fmt::format(",\"k_step\":{}", slice.step);
  if (slice.busy != 0) about += fmt::format(",\"busy\":{}", slice.busy);
  return fmt::format(
      ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"cat\":\"{}\","
      "\"args\":{{{}}}}}",
      track, slice.begin.index(), (slice.end - slice.begin).count(), slice.name,
      unit.empty() ? "sm" : unit, about.empty() ? "" : about.substr(1));
}

std::string flow_events(const Timeline::Flow& flow, std::size_t number) {
  constexpr std::array<const char*, 3> kFlowPhases{"s", "t", "f"};
  std::string events;
  for (std::size_t at = 0; at < kFlowPhases.size(); ++at) {
    const auto& [track, cycle] = flow.at(at);
    events += fmt::format(
        ",\n{{\"ph\":\"{}\",\"pid\":0,\"tid\":{},\"ts\":{},\"name\":\"operands\",\"cat\":"
        "\"operands\","
        "\"id\":{},\"bp\":\"e\"}}",
        kFlowPhases.at(at), track, cycle.index(), number);
  }
  return events;
}

/// Buckets of the units that have tracks, but those in which a unit does nothing.
ordered_json statistics_json(const Timeline& timeline) {
  ordered_json units = ordered_json::object();
  for (const UnitTotals& totals : timeline.units) {
    const auto is_of = [&](const TimelineTrack& track) { return track.unit == totals.unit; };
    if (std::ranges::none_of(timeline.tracks, is_of)) continue;
    for (const auto& [bucket, cycles] : totals.buckets) {
      if (bucket != "idle") units[totals.unit][bucket] = cycles.count();
    }
  }
  return units;
}

}  // namespace

std::string timeline_to_json(const GemmReport& report) {
  const Timeline& timeline = *report.timeline;
  ordered_json about = document_head("stcsim.timeline/1", report.config_hash);
  add_figures(about, {{"machine", report.machine},
                      {"pattern", report.problem.a_pattern},
                      {"hardware_pattern", report.hardware_pattern},
                      {"kernel", report.launch.kernel.name},
                      {"cycles", timeline.end.index()},
                      {"is_whole_launch", timeline.is_whole},
                      {"one_us_stands_for", "1 cycle"},
                      {"statistics", statistics_json(timeline)}});
  std::string events =
      "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"SM 0\"}}";
  for (std::size_t at = 0; at < timeline.tracks.size(); ++at) {
    const TimelineTrack& track = timeline.tracks[at];
    events += fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}"
        "\"}}}}",
        at, track.name);
    for (const TimelineSlice& slice : track.slices) events += slice_event(slice, at, track.unit);
  }
  std::size_t number = 0;
  for (const Timeline::Flow& flow : timeline.flows) events += flow_events(flow, number++);
  return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[\n{}\n]}}\n",
                     about.dump(), events);
}

}  // namespace stcsim
