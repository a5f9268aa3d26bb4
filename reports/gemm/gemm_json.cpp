#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/json_text.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "reports/parts/study_lines.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

void write_rates(ordered_json& object, const LaunchResult& launch, const GemmRates& rates) {
  add_figures(object, {{"cycles", launch.cycles},
                       {"sustained_clock_mhz", launch.clock_mhz},
                       {"board_watts", launch.board_watts},
                       {"time_us", rates.time_us},
                       {"achieved_tflops", rates.achieved_tflops},
                       {"peak_tflops", rates.peak_tflops},
                       {"percent_of_peak", rates.percent_of_peak},
                       {"percent_of_dense_peak", rates.percent_of_dense_peak},
                       {"host_us", rates.host_us},
                       {"call_us", rates.call_us},
                       {"utilization", rates.utilization}});
}

void write_launch(ordered_json& object, const LaunchResult& launch) {
  add_figures(object, {{"tile", launch.kernel.tile()},
                       {"multiplier_macs", launch.multiplier_macs},
                       {"peak_macs", launch.peak_macs},
                       {"mma_instructions", launch.mma_instructions},
                       {"kernel", launch.kernel}});
  write_counters(object, launch.counters);
  object["buckets"] = buckets_json(launch.units);
}

/// Where the cycles lie, if a part of the grid might stand for all of it.
void write_bound(ordered_json& object, const GemmReport& report, const LaunchResult& launch) {
  if (!report.may_be_sampled) return;
  add_figures(object, {{"cycles_low", launch.cycles_low()},
                       {"cycles_high", launch.cycles_high()},
                       {"simulated_share", launch.simulated_share()}});
}

ordered_json dense_json(const GemmReport& report) {
  const std::optional<GemmRates> rates = dense_rates(report);
  if (!rates) return nullptr;
  ordered_json object = ordered_json::object();
  write_rates(object, *report.dense, *rates);
  write_bound(object, report, *report.dense);
  write_launch(object, *report.dense);
  object["kernel_search"] = search_json(report.dense_search);
  return object;
}

ordered_json functional_json(const FunctionalOutcome& outcome) {
  return figures({{"checked_elements", outcome.checked_elements},
                  {"mismatches", outcome.mismatches},
                  {"text", outcome.text},
                  {"draws", outcome.draws},
                  {"mean_cycles", outcome.mean_cycles},
                  {"least_cycles", outcome.least_cycles},
                  {"most_cycles", outcome.most_cycles}});
}

void write_report(ordered_json& object, const GemmReport& report) {
  add_figures(object, {{"machine", report.machine}, {"clock_mhz", report.clock_mhz}});
  add_problem(object, report.problem);
  add_figures(object, {{"hardware_pattern", report.hardware_pattern},
                       {"ran_sparse", !report.hardware_pattern.is_dense()},
                       {"reason", report.reason},
                       {"stack", report.stack},
                       {"method", report.method.name},
                       {"framework", report.framework}});
  write_rates(object, report.launch, main_rates(report));
  write_bound(object, report, report.launch);
  add_figures(object, {{"time_interval", gemm_interval_json(report.likely.time)},
                       {"dense_time_interval", gemm_interval_json(report.likely.dense_time)}});
  const auto cycles_of = [](const LaunchResult& launch) { return launch.cycles; };
  add_figures(object, {{"dense_peak_tflops", report.dense_peak_tflops},
                       {"dense_cycles", figures_if(report.dense, cycles_of)},
                       {kSpeedupKey, gemm_speedup(report)},
                       {"speedup_interval", gemm_interval_json(report.likely.speedup)},
                       {"beside", report.beside},
                       {"bound_by", report.bound_by}});
  write_launch(object, report.launch);
  add_figures(object, {{"dense", dense_json(report)},
                       {"kernel_search", search_json(report.search)},
                       {"functional", figures_if(report.functional, &functional_json)}});
}

/// The report with every optional part there, so that no column depends on what was run.
ordered_json full_shape(const GemmReport& report) {
  GemmReport complete = report;
  if (!complete.dense) complete.dense = complete.launch;
  if (!complete.functional) complete.functional.emplace();
  for (auto* const search : {&complete.search, &complete.dense_search}) {
    if (!*search) search->emplace();
  }
  ordered_json shape = document_head(kGemmSchema, complete.config_hash);
  write_report(shape, complete);
  return shape;
}

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

/// Printable characters from '!' on, as the format numbers its wires.
std::string code_of(std::size_t number) {
  constexpr std::size_t kFirst = '!';
  constexpr std::size_t kCodes = '~' - kFirst + 1;
  std::string code;
  do {
    code += static_cast<char>(kFirst + number % kCodes);
    number /= kCodes;
  } while (number > 0);
  return code;
}

/// Without blanks, which end a name.
std::string word(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// Changes of all wires, by cycle; what ends where it begins anew does not change.
class Changes {
 public:
  void add(const TimelineSlice& slice, const std::string& code) {
    ++rises_[slice.begin.index()][code];
    --rises_[slice.end.index()][code];
  }
  /// @param end  of what is told
  [[nodiscard]] std::string text(Cycle end) const {
    std::string text;
    std::int64_t last = 0;
    std::map<std::string, std::int64_t> depth;
    for (const auto& [cycle, of_cycle] : rises_) {
      std::string changed;
      for (const auto& [code, rise] : of_cycle) {
        std::int64_t& now = depth[code];
        if ((now > 0) != (now + rise > 0)) changed += fmt::format("{:d}{}\n", now + rise > 0, code);
        now += rise;
      }
      if (!changed.empty()) text += fmt::format("#{}\n{}", cycle, changed);
      last = cycle;
    }
    if (last < end.index()) text += fmt::format("#{}\n", end.index());
    return text;
  }

 private:
  std::map<std::int64_t, std::map<std::string, std::int64_t>> rises_;
};

}  // namespace

std::string gemm_to_json(const GemmReport& report) {
  ordered_json document = document_head(kGemmSchema, report.config_hash);
  document["config"] = config_object(report.resolved_config);
  write_report(document, report);
  return document_text(document);
}

std::string gemm_to_csv(const GemmReport& report) {
  ordered_json row = document_head(kGemmSchema, report.config_hash);
  write_report(row, report);
  ordered_json shape = full_shape(report);
  for (ordered_json* const one : {&row, &shape}) one->erase("beside");  // how many differs
  return to_csv(shape, {row});
}

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

std::string timeline_to_vcd(const GemmReport& report) {
  const Timeline& timeline = *report.timeline;
  std::string head = fmt::format(
      "$comment {} on {}, {}; 1 ns stands for a cycle $end\n$timescale 1 ns $end\n"
      "$scope module sm0 $end\n",
      word(report.problem.a_pattern.to_string()), word(report.machine),
      word(report.launch.kernel.name));
  std::string initial;
  Changes changes;
  std::size_t wires = 0;
  for (const TimelineTrack& track : timeline.tracks) {
    std::map<std::string, std::string> codes;  // of names
    head += fmt::format("$scope module {} $end\n", word(track.name));
    for (const TimelineSlice& slice : track.slices) {
      const auto [found, is_new] = codes.try_emplace(slice.name);
      if (is_new) {
        found->second = code_of(wires++);
        head += fmt::format("$var wire 1 {} {} $end\n", found->second, word(slice.name));
        initial += fmt::format("0{}\n", found->second);
      }
      changes.add(slice, found->second);
    }
    head += "$upscope $end\n";
  }
  return fmt::format("{}$upscope $end\n$enddefinitions $end\n$dumpvars\n{}$end\n{}", head, initial,
                     changes.text(timeline.end));
}

}  // namespace stcsim
