#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "reports/gemm_report.hpp"
#include "reports/launch_parts.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

void write_problem(ordered_json& object, const GemmReport& report) {
  const GemmProblem& problem = report.problem;
  object["machine"] = report.machine;
  object["clock_mhz"] = json_number(report.clock_mhz, "clock_mhz");
  object["m"] = problem.m;
  object["n"] = problem.n;
  object["k"] = problem.k;
  object["batch_count"] = problem.batch_count;
  object["dtype"] = to_string(problem.dtype);
  object["pattern"] = problem.a_pattern.to_string();
  object["hardware_pattern"] = report.hardware_pattern.to_string();
  object["ran_sparse"] = !report.hardware_pattern.is_dense();
  object["reason"] = report.reason;
  object["stack"] = report.stack;
  object["method"] = report.method.name;
}

void write_rates(ordered_json& object, const LaunchResult& launch, const GemmRates& rates) {
  object["cycles"] = launch.cycles;
  object["sustained_clock_mhz"] = json_number(launch.clock_mhz, "sustained_clock_mhz");
  object["board_watts"] = json_number(launch.board_watts, "board_watts");
  object["time_us"] = json_number(rates.time_us, "time_us");
  object["achieved_tflops"] = json_number(rates.achieved_tflops, "achieved_tflops");
  object["peak_tflops"] = json_number(rates.peak_tflops, "peak_tflops");
  object["percent_of_peak"] = json_number(rates.percent_of_peak, "percent_of_peak");
  object["utilization"] = json_number(rates.utilization, "utilization");
}

void write_launch(ordered_json& object, const LaunchResult& launch) {
  const KernelReport& kernel = launch.kernel;
  object["tile"] = std::to_string(kernel.tile_m) + "x" + std::to_string(kernel.tile_n) + "x" +
                   std::to_string(kernel.tile_k);
  object["multiplier_macs"] = launch.multiplier_macs;
  object["peak_macs"] = launch.peak_macs;
  object["mma_instructions"] = launch.mma_instructions;
  object["kernel"] = kernel_json(kernel);
  write_counters(object, launch.counters);
  object["buckets"] = buckets_json(launch.units);
}

/// Where the cycles lie, if a part of the grid might stand for all of it.
void write_bound(ordered_json& object, const GemmReport& report, const LaunchResult& launch) {
  if (!report.may_be_sampled) return;
  object["cycles_low"] = launch.cycles_low();
  object["cycles_high"] = launch.cycles_high();
  object["simulated_share"] = json_number(launch.simulated_share(), "simulated_share");
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

ordered_json functional_json(const std::optional<FunctionalOutcome>& outcome) {
  if (!outcome) return nullptr;
  return {{"checked_elements", outcome->checked_elements},
          {"mismatches", outcome->mismatches},
          {"text", outcome->text}};
}

void write_report(ordered_json& object, const GemmReport& report) {
  const std::optional<double> speedup = gemm_speedup(report);
  write_problem(object, report);
  write_rates(object, report.launch, main_rates(report));
  write_bound(object, report, report.launch);
  object["dense_peak_tflops"] = json_number(report.dense_peak_tflops, "dense_peak_tflops");
  object["dense_cycles"] = report.dense ? ordered_json(report.dense->cycles) : ordered_json();
  object["speedup"] = speedup ? json_number(*speedup, "speedup") : ordered_json();
  ordered_json& beside = object["beside"] = ordered_json::array();
  for (const StackGain& one : report.beside) {
    beside.push_back({{"stack", one.stack},
                      {"time_us", json_number(one.time_us, "time_us")},
                      {"speedup", json_number(one.speedup, "speedup")}});
  }
  object["bound_by"] = report.bound_by;
  write_launch(object, report.launch);
  object["dense"] = dense_json(report);
  object["kernel_search"] = search_json(report.search);
  object["functional"] = functional_json(report.functional);
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
