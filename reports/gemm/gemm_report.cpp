#include "reports/gemm/gemm_report.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "models/base/statistics.hpp"
#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kFlopLine =
    "TFLOP/s are dense-equivalent: 2 FLOP per MAC of the dense GEMM, skipped zeros included.\n";

std::string title_of(const GemmReport& report) {
  const GemmProblem& problem = report.problem;
  std::string title =
      fmt::format("GEMM {} {}, {}, on {} ({} MHz)\n",
                  format_shape(problem.m, problem.n, problem.k, problem.batch_count),
                  to_string(problem.dtype), problem.sparsity(), report.machine, report.clock_mhz);
  if (!report.layer.empty()) title += "layer: " + report.layer + "\n";
  if (!report.reason.empty()) title += "note: " + report.reason + "\n";
  return title;
}

/// "2:4 takes 62.3 us, 1.46x as fast as dense (91.0 us)".
std::string answer_of(const GemmReport& report) {
  const GemmRates rates = main_rates(report);
  std::string answer = fmt::format("{} takes {}", report.hardware_pattern.to_string(),
                                   format_time_us(rates.time_us));
  const std::optional<GemmRates> dense = dense_rates(report);
  const std::string likely = likely_line(report.likely, dense.has_value());
  if (!dense) {
    return fmt::format("{}, {} of peak\n{}", answer, format_percent(rates.percent_of_peak / 100),
                       likely);
  }
  const double speedup = dense->time_us / rates.time_us;
  answer += fmt::format(", {} as fast as dense ({}){}\n", format_speedup(speedup),
                        format_time_us(dense->time_us),
                        speedup < 1.0 ? ": SLOWER; --where faster runs it dense" : "");
  const std::string beside = beside_text(report.beside);
  return answer + likely + (beside.empty() ? "" : "  " + beside + "\n");
}

/// "  called alone by ...: 687 us (host 468 us), 0.407x as fast as dense (279 us, host 8.00 us)".
std::string call_line(const GemmReport& report) {
  const GemmRates own = main_rates(report);
  const GemmRates dense = dense_rates(report).value_or(own);
  if (!own.call_us) return "";
  return fmt::format("  called alone by {}: {} (host {}), {} as fast as dense ({}, host {})\n",
                     report.framework, format_time_us(*own.call_us), format_time_us(*own.host_us),
                     format_speedup(*dense.call_us / *own.call_us), format_time_us(*dense.call_us),
                     format_time_us(*dense.host_us));
}

GemmRates rates_of(const GemmReport& report, const LaunchResult& launch, double peak_tflops,
                   bool is_sparse) {
  GemmRates rates = gemm_rates(report.problem, launch, peak_tflops, report.method);
  rates.percent_of_dense_peak = 100.0 * rates.achieved_tflops / report.dense_peak_tflops;
  if (report.framework.empty()) return rates;
  rates.host_us = report.host.host_us + (is_sparse ? report.host.sparse_product_us : 0);
  rates.call_us = *rates.host_us + rates.time_us;
  return rates;
}

std::string kernel_text(const KernelReport& kernel) {
  return fmt::format("{} ({}, {} warps, split-k {}, {} CTAs, {} per SM, {} waves)", kernel.name,
                     kernel.instruction, kernel.warps, kernel.split_k, kernel.ctas,
                     kernel.ctas_per_sm, format_significant(kernel.waves));
}

/// "clock: 1095 MHz of 1410 at 300 of 300 W; dense 1065 MHz at 299 W"; "" if power is not known.
std::string clock_line(const GemmReport& report) {
  if (report.power_limit_watts <= 0) return "";
  std::string line = fmt::format("clock: {:.0f} of {:.0f} MHz, the board draws {:.0f} of {:.0f} W",
                                 report.launch.clock_mhz, report.clock_mhz,
                                 report.launch.board_watts, report.power_limit_watts);
  if (report.dense) {
    line += fmt::format("; dense {:.0f} MHz, {:.0f} W", report.dense->clock_mhz,
                        report.dense->board_watts);
  }
  return line + "\n";
}

/// "sampled: 12.3 % of its CTAs were simulated; 10,050,112 to 10,123,905 cycles (0.73 %)".
std::string sampled_line(const char* what, const LaunchResult& launch) {
  const std::string head = fmt::format("sampled{}: ", what);
  if (!launch.sampled) return head + "all CTAs were simulated, the cycles are exact\n";
  const double width = static_cast<double>(launch.cycles_high() - launch.cycles_low()) /
                       static_cast<double>(launch.cycles);
  return head + fmt::format("{} of the CTAs were simulated; {} to {} cycles ({})\n",
                            format_percent(launch.simulated_share()),
                            format_count(launch.cycles_low()), format_count(launch.cycles_high()),
                            format_percent(width));
}

std::string sampled_lines(const GemmReport& report) {
  if (!report.may_be_sampled) return "";
  std::string text = sampled_line("", report.launch);
  if (report.dense) text += sampled_line(", dense", *report.dense);
  return text;
}

/// "timed by: loop50, 3 us to launch, on operands that L2 may have kept".
std::string method_line(const TimingMethod& method) {
  std::string line = "timed by: " + method.name;
  if (method.overhead_us > 0) line += fmt::format(", which adds {} us", method.overhead_us);
  if (method.launches.launch_us) {
    line += fmt::format(", {} us to launch", *method.launches.launch_us);
  }
  if (method.least_us > 0) line += fmt::format(", never less than {} us", method.least_us);
  if (method.launches.same_operands) line += ", on operands that L2 may have kept";
  return line + "\n";
}

std::string kernel_lines(const GemmReport& report) {
  std::string text;
  if (!report.stack.empty()) text += "software: " + report.stack + "\n";
  if (!report.method.name.empty()) {
    text += method_line(report.method);
  }
  const bool is_named = report.stack.empty();
  text += "kernel: " + kernel_text(report.launch.kernel) + "\n";
  text += "search: " + search_text(report.search, is_named) + "\n";
  if (report.dense) {
    text += "dense kernel: " + kernel_text(report.dense->kernel) + "\n";
    text += "dense search: " + search_text(report.dense_search, false) + "\n";
  }
  text += sampled_lines(report) + clock_line(report);
  text += "bound by: " + report.bound_by + "\n";
  return text;
}

struct Measured {
  const LaunchResult* launch;
  GemmRates rates;
  std::optional<double> speedup;  // over dense
};

std::vector<Measured> measured(const GemmReport& report) {
  std::vector<Measured> columns{{&report.launch, main_rates(report), gemm_speedup(report)}};
  if (const auto rates = dense_rates(report)) {
    columns.push_back({&*report.dense, *rates, 1.0});
  }
  return columns;
}

struct Rate {
  std::string_view name;
  std::string (*text)(const Measured&);
};

constexpr Rate kRates[] = {
    {"cycles", [](const Measured& of) { return format_count(of.launch->cycles); }},
    {"clock", [](const Measured& of) { return fmt::format("{:.0f} MHz", of.launch->clock_mhz); }},
    {"time", [](const Measured& of) { return format_time_us(of.rates.time_us); }},
    {"achieved TFLOP/s",
     [](const Measured& of) { return format_significant(of.rates.achieved_tflops); }},
    {"peak TFLOP/s", [](const Measured& of) { return format_significant(of.rates.peak_tflops); }},
    {"of dense peak",
     [](const Measured& of) { return format_percent(of.rates.percent_of_dense_peak / 100); }},
    {"of sparse peak",
     [](const Measured& of) {
       const bool is_dense = of.rates.percent_of_peak == of.rates.percent_of_dense_peak;
       return is_dense ? "-" : format_percent(of.rates.percent_of_peak / 100);
     }},
    {"utilisation", [](const Measured& of) { return format_percent(of.rates.utilization); }},
    {kSpeedupKey.name,
     [](const Measured& of) { return of.speedup ? format_speedup(*of.speedup) : "-"; }},
};

std::string rates_table(const GemmReport& report) {
  const std::vector<Measured> launches = measured(report);
  std::vector<Column> columns{{""}};
  columns.push_back({"ran " + report.hardware_pattern.to_string(), Align::right});
  if (report.dense) columns.push_back({"dense baseline", Align::right});
  Table table(std::move(columns));
  for (const Rate& rate : kRates) {
    std::vector<std::string> cells{std::string(rate.name)};
    for (const Measured& launch : launches) cells.push_back(rate.text(launch));
    table.add_row(std::move(cells));
  }
  return table.to_string().append(kFlopLine);
}

std::string unit_shares(const UnitReport& unit) {
  std::int64_t total = 0;
  for (const auto& [bucket, cycles] : unit.buckets) total += cycles;
  std::string text;
  for (const auto& [bucket, cycles] : unit.buckets) {
    if (!text.empty()) text += ", ";
    const double share =
        static_cast<double>(cycles) / static_cast<double>(std::max<std::int64_t>(total, 1));
    text += bucket + " " + format_percent(share);
  }
  return text;
}

std::string units_table(const std::vector<UnitReport>& units, std::size_t width) {
  Table table(
      {{"unit"}, {"instances", Align::right}, {"where its cycles went", Align::left, 0, true}});
  for (const UnitReport& unit : units) {
    table.add_row({unit.unit, format_count(unit.instances), unit_shares(unit)});
  }
  return table.to_string(width);
}

std::string traffic_table(const LaunchResult& launch) {
  const auto bytes = [&](const char* counter) { return format_bytes(launch.count(counter)); };
  Table table({{"traffic"},
               {"read", Align::right},
               {"of it hit", Align::right},
               {"written", Align::right}});
  table.add_row(
      {"shared memory", bytes("shared_memory_read_bytes"), "", bytes("shared_memory_write_bytes")});
  table.add_row({"L2", bytes("l2_read_bytes"), bytes("l2_hit_bytes"), bytes("l2_write_bytes")});
  table.add_row({"DRAM", bytes("dram_read_bytes"), "", bytes("dram_write_bytes")});
  table.add_row({"metadata", bytes("metadata_bytes"), "", ""});
  return table.to_string();
}

/// Whatever else was counted; "" if nothing was.
std::string counters_table(const LaunchResult& launch) {
  Table table({{"counter"}, {"value", Align::right}, {"unit"}});
  bool is_empty = true;
  for (const Counter& counter : launch.counters) {
    const auto& known = kTrafficCounters;
    if (std::find(known.begin(), known.end(), counter.name) != known.end()) continue;
    table.add_row({counter.name, format_count(counter.value), counter.unit});
    is_empty = false;
  }
  return is_empty ? "" : "\n" + table.to_string();
}

std::string functional_line(const FunctionalOutcome& outcome) {
  std::string line = fmt::format(
      "functional check: {} elements compared with the reference, {}",
      format_count(outcome.checked_elements),
      outcome.mismatches == 0 ? "all equal" : format_count(outcome.mismatches) + " differ");
  if (!outcome.text.empty()) line += "; " + outcome.text;
  line += "\n";
  if (outcome.draws < 2) return line;
  return line + fmt::format("expected of values like these: {} cycles, {} to {} in {} draws\n",
                            format_count(std::llround(outcome.mean_cycles)),
                            format_count(outcome.least_cycles), format_count(outcome.most_cycles),
                            outcome.draws);
}

}  // namespace

GemmRates gemm_rates(const GemmProblem& problem, const LaunchResult& launch, double peak_tflops,
                     const TimingMethod& method) {
  if (launch.cycles < 1 || launch.clock_mhz <= 0.0 || peak_tflops <= 0.0) {
    throw std::invalid_argument("rates need cycles, clock and peak_tflops above 0");
  }
  GemmRates rates;
  rates.time_us = method.time_us(launch.time_us());
  // FLOP per us is 1e6 FLOP/s, so 1e-6 TFLOP/s.
  rates.achieved_tflops = 2.0 * static_cast<double>(problem.macs()) / (rates.time_us * 1e6);
  rates.peak_tflops = peak_tflops;
  rates.percent_of_peak = 100.0 * rates.achieved_tflops / peak_tflops;
  if (launch.peak_macs > 0) {
    rates.utilization = std::min(
        1.0, static_cast<double>(launch.multiplier_macs) / static_cast<double>(launch.peak_macs));
  }
  return rates;
}

GemmRates main_rates(const GemmReport& report) {
  return rates_of(report, report.launch, report.peak_tflops, !report.hardware_pattern.is_dense());
}

std::optional<GemmRates> dense_rates(const GemmReport& report) {
  if (!report.dense) return std::nullopt;
  return rates_of(report, *report.dense, report.dense_peak_tflops, false);
}

std::optional<double> gemm_speedup(const GemmReport& report) {
  const std::optional<GemmRates> dense = dense_rates(report);
  if (!dense) return std::nullopt;
  return dense->time_us / main_rates(report).time_us;
}

std::string gemm_text(const GemmReport& report, std::size_t width) {
  std::string text = wrap_lines(
      title_of(report) + answer_of(report) + call_line(report) + kernel_lines(report), width);
  text += "\n" + wrap_lines(rates_table(report), width);
  text += "\n" + units_table(report.launch.units, width);
  text += "\n" + traffic_table(report.launch) + counters_table(report.launch);
  if (report.functional) text += "\n" + wrap_lines(functional_line(*report.functional), width);
  return text;
}

}  // namespace stcsim
