#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "reports/parts/launch_parts.hpp"
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
                       {"method", report.method.name}});
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

}  // namespace stcsim
