#include "reports/gemm/explain_report.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/parts/study_lines.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kChainLine =
    "In this order: each line adds to the machine of the lines above what it really has; all the "
    "rest costs nothing there. In another order the lines take other times. Alone: what the whole "
    "GEMM would be spared if only that cost nothing.\n";
constexpr std::string_view kCounterfactualLine =
    "Each line is the same GEMM with the same kernel, simulated on a machine of which that one "
    "thing costs nothing (without), or half (halved: twice as wide, latencies half as long). ";
constexpr std::string_view kTimeOrderLine = "What saves most time comes first.\n";
constexpr std::string_view kGainOrderLine =
    "Gains are over dense on the same machine, the highest first; last comes what is no cause of "
    "the gain: the clock, other kernels, and the multipliers, whose gain it is.\n";

/// "dense 744,900 at 1335 MHz".
std::string cycles_of(const std::string& name, const TimedCycles& one) {
  return fmt::format("{} {} at {:.0f} MHz", name, format_count(one.cycles), one.clock_mhz);
}

std::string cycles_line(const Explanation& of) {
  const std::string own = cycles_of(of.hardware_pattern.to_string(), of.all.sparse);
  if (!of.is_sparse()) return "cycles: " + own + "\n";
  return "cycles: " + cycles_of("dense", of.all.dense) + ", " + own + "\n";
}

std::string title_of(const ExplainReport& report) {
  const GemmProblem& problem = report.explanation.problem;
  std::string title =
      fmt::format("{} {}, {}, on {} ({} MHz)",
                  format_shape(problem.m, problem.n, problem.k, problem.batch_count),
                  to_string(problem.dtype), problem.sparsity(), report.machine, report.clock_mhz);
  if (!report.stack.empty()) title += ", software " + report.stack;
  return title + "\n" + cycles_line(report.explanation);
}

/// Why the gain is above what the pattern would gain if only multiplications counted.
std::string held_back(const Explanation& of) {
  const auto& [dense, sparse] = of.all;
  const double at_one_clock =
      static_cast<double>(dense.cycles) / static_cast<double>(sparse.cycles);
  if (dense.clock_mhz < sparse.clock_mhz && at_one_clock <= of.at_peak.speedup()) {
    return fmt::format("the dense GEMM is held to {:.0f} MHz, it runs at {:.0f}", dense.clock_mhz,
                       sparse.clock_mhz);
  }
  return fmt::format("the dense kernel takes {} times as long as its multiplications at peak rate",
                     format_significant(dense.time_us() / of.at_peak.dense.time_us()));
}

/// "gains 1.45, not 2".
std::string gain_clause(const Explanation& of) {
  const double limit = of.at_peak.speedup();
  const std::string gain = format_significant(of.all.speedup());
  if (gain == format_significant(limit)) {
    return fmt::format("gains {}, as its multiplications do", gain);
  }
  if (of.all.speedup() < limit) {
    const bool is_slower = gain != "1.00" && of.all.speedup() < 1;
    return fmt::format("{} {}, not {:.3g}", is_slower ? "is slower than dense: it gains" : "gains",
                       gain, limit);
  }
  return fmt::format("gains {}, above the {:.3g} of its multiplications, for {}", gain, limit,
                     held_back(of));
}

std::string gain_of(const Explanation& of, const TimesOfBoth& times) {
  return of.is_sparse() ? format_speedup(times.speedup()) : format_percent(of.saved_with(times));
}

/// "; twice the shared-memory port would give 1.47x": of what can be doubled, what helps most.
std::string doubling_clause(const Explanation& of) {
  const Counterfactual* const best = of.best_of(&Counterfactual::doubled);
  if (best == nullptr) return "";
  const std::string how = best->is_time ? "half of" : "twice";
  const std::string result = of.is_about_gain()
                                 ? "give " + format_speedup(best->doubled->speedup())
                                 : "save " + format_percent(of.saved_with(*best->doubled));
  return fmt::format("; {} {} would {}", how, best->what, result);
}

std::string wave_clause(const Explanation& of) {
  for (const Counterfactual& one : of.counterfactuals) {
    if (one.name != kLastWave || of.verdict() == &one) continue;
    if (of.saved_by(one) < Explanation::kWorthNaming) return "";
    return fmt::format("; the last wave costs {} of its time", format_percent(of.saved_by(one)));
  }
  return "";
}

std::string kernel_clause(const Explanation& of) {
  for (const Counterfactual& one : of.counterfactuals) {
    if (one.name != kOtherKernels || of.saved_by(one) < Explanation::kWorthNaming) continue;
    return of.is_about_gain() ? fmt::format("; the fastest of all kernels gives {}",
                                            format_speedup(one.free->speedup()))
                              : fmt::format("; the fastest of all kernels takes {} less",
                                            format_percent(of.saved_by(one)));
  }
  return "";
}

/// "were that free", "with 9 SMs instead of 8".
std::string condition_of(const Counterfactual& cause) {
  return cause.is_resource ? "were that free" : "with " + cause.change;
}

std::string time_verdict(const Explanation& of) {
  const Counterfactual* const verdict = of.verdict();
  if (verdict == nullptr) return "nothing by itself costs 3 % of the time or more";
  return fmt::format("most time is lost to {}: {}, it would take {} less", verdict->what,
                     condition_of(*verdict), format_percent(of.saved_by(*verdict)));
}

std::string gain_verdict(const Explanation& of) {
  const Counterfactual* const verdict = of.verdict();
  if (verdict != nullptr) {
    std::string text =
        fmt::format("it is held back most by {}: {}, the gain would be {}", verdict->what,
                    condition_of(*verdict), format_speedup(verdict->free->speedup()));
    constexpr double kShown = 0.0005;
    const double saved = of.saved_by(*verdict);
    return saved < kShown ? text : text + ", the time " + format_percent(saved) + " less";
  }
  const Counterfactual* const most = of.best_of(&Counterfactual::free, 0);
  if (most == nullptr || gain_of(of, *most->free) == gain_of(of, of.all)) {
    return "nothing by itself, were it free, would raise that";
  }
  return fmt::format("nothing by itself, were it free, would raise that by 3 % ({} most, to {})",
                     most->what, gain_of(of, *most->free));
}

std::vector<std::string> chain_cells(const Explanation& of, std::string name,
                                     const TimesOfBoth& times, const TimesOfBoth* before,
                                     std::optional<double> saved_alone) {
  const double own_us = times.sparse.time_us() - (before ? before->sparse.time_us() : 0);
  std::vector<std::string> cells{std::move(name)};
  if (of.is_sparse()) {
    cells.push_back(format_time_us(times.dense.time_us() - (before ? before->dense.time_us() : 0)));
  }
  cells.push_back(format_time_us(own_us));
  cells.push_back(format_percent(own_us / of.all.sparse.time_us()));
  if (of.is_sparse()) cells.push_back(format_speedup(times.speedup()));
  cells.push_back(saved_alone ? format_percent(*saved_alone) : "-");
  return cells;
}

std::string chain_table(const Explanation& of, std::size_t width) {
  std::vector<Column> columns{{"where the time goes"}};
  if (of.is_sparse()) columns.push_back({"dense", Align::right});
  columns.push_back({of.hardware_pattern.to_string(), Align::right});
  columns.push_back({"share", Align::right});
  if (of.is_sparse()) columns.push_back({"gain so far", Align::right});
  columns.push_back({"alone", Align::right});
  Table table(std::move(columns));
  table.add_row(chain_cells(of, "multiplications at peak rate", of.at_peak, nullptr, {}));
  const TimesOfBoth* before = &of.at_peak;
  for (const ChainLink& link : of.chain) {
    const bool is_first = &link == &of.chain.front();
    table.add_row(chain_cells(of,
                              is_first ? "+ tiles and waves that are not full" : "+ " + link.what,
                              link.times, before, of.saved_alone(link)));
    before = &link.times;
  }
  table.add_rule();
  table.add_row(chain_cells(of, "all", of.all, nullptr, {}));
  return table.to_string(width);
}

void add_counterfactual(Table& table, const Explanation& of, const Counterfactual& one) {
  std::vector<std::string> row{one.what};
  for (const std::optional<TimesOfBoth>& times : {one.free, one.doubled}) {
    if (!times) {
      row.insert(row.end(), of.is_sparse() ? 3 : 2, "-");
      continue;
    }
    if (of.is_sparse()) row.push_back(format_time_us(times->dense.time_us()));
    row.push_back(format_time_us(times->sparse.time_us()));
    row.push_back(gain_of(of, *times));
  }
  table.add_row(std::move(row));
}

std::string counterfactual_table(const Explanation& of, std::size_t width) {
  const std::string gain = of.is_sparse() ? "gain" : "less";
  std::vector<Column> columns{{"if it were not so (simulated)"}};
  const std::string pattern = of.hardware_pattern.to_string();
  for (const char* how : {"without: ", "halved: "}) {
    if (of.is_sparse()) columns.push_back({std::string(how) + "dense", Align::right});
    columns.push_back({(of.is_sparse() ? "" : how) + pattern, Align::right});
    columns.push_back({gain, Align::right});
  }
  Table table(std::move(columns));
  for (const Counterfactual& one : of.counterfactuals) add_counterfactual(table, of, one);
  return table.to_string(width);
}

std::string kernel_line(const char* name, const KernelReport& kernel) {
  return fmt::format("{}: {}, {} CTAs, {} per SM, {} waves, split-k {}\n", name, kernel.name,
                     kernel.ctas, kernel.ctas_per_sm, format_significant(kernel.waves),
                     kernel.split_k);
}

using nlohmann::ordered_json;

/// The dense GEMM's is null where the GEMM itself is dense.
ordered_json both_json(const Explanation& of, const TimesOfBoth& times) {
  const auto or_null = [&](auto value) {
    return of.is_sparse() ? ordered_json(value) : ordered_json();
  };
  return figures({{"dense_cycles", or_null(times.dense.cycles)},
                  {"dense_clock_mhz", or_null(times.dense.clock_mhz)},
                  {"dense_time_us", or_null(times.dense.time_us())},
                  {"cycles", times.sparse.cycles},
                  {"clock_mhz", times.sparse.clock_mhz},
                  {"time_us", times.sparse.time_us()},
                  {kSpeedupKey, or_null(times.speedup())}});
}

void write_problem(ordered_json& object, const ExplainReport& report) {
  add_figures(object, {{"machine", report.machine}, {"stack", report.stack}});
  add_problem(object, report.explanation.problem);
  add_figures(object, {{"hardware_pattern", report.explanation.hardware_pattern}});
}

void add_selector(ordered_json& document, const Explanation& of) {
  const auto gates = [&](std::int64_t TransistorRange::*end) {
    return of.selector ? ordered_json((*of.selector).*end) : ordered_json();
  };
  add_figures(document, {{"selector_transistors_low", gates(&TransistorRange::fewest)},
                         {"selector_transistors_high", gates(&TransistorRange::most)}});
}

ordered_json csv_row(const ExplainReport& report, const char* kind, const std::string& name,
                     const TimesOfBoth& times) {
  ordered_json row = document_head(kExplainSchema, report.config_hash);
  write_problem(row, report);
  row["kind"] = kind;
  row["name"] = name;
  row.update(both_json(report.explanation, times));
  return row;
}

}  // namespace

std::string explain_sentence(const Explanation& of) {
  const std::string rest = (of.is_about_gain() ? gain_verdict(of) : time_verdict(of)) +
                           doubling_clause(of) + wave_clause(of) + kernel_clause(of) + ".";
  if (!of.is_sparse()) {
    return fmt::format("It takes {} times as long as its multiplications at peak rate; {}",
                       format_significant(of.all.sparse.time_us() / of.at_peak.sparse.time_us()),
                       rest);
  }
  const std::string pattern = of.problem.a_pattern.to_string();
  return fmt::format("{} {}; {}", pattern,
                     of.is_about_gain() ? gain_clause(of) : "gains nothing, for it ran dense",
                     rest);
}

std::string explain_text(const ExplainReport& report, std::size_t width) {
  const Explanation& of = report.explanation;
  std::string text = wrap_lines(title_of(report) + explain_sentence(of) + "\n" +
                                    likely_line(report.likely, of.is_sparse()),
                                width) +
                     "\n";
  if (of.is_sparse()) text += kernel_line("dense", of.dense_kernel);
  text += kernel_line(of.hardware_pattern.to_string().c_str(), of.sparse_kernel);
  if (of.selector) {
    text += fmt::format("a selector of {}: {} to {} transistors a multiplier, by synthesis\n",
                        of.hardware_pattern.to_string(), format_count(of.selector->fewest),
                        format_count(of.selector->most));
  }
  const bool is_named = report.stack.empty();
  std::string searches;
  if (of.is_sparse()) {
    searches += "why the dense kernel: " + search_text(of.dense_search, false) + "\n";
  }
  searches += "why this kernel: " + search_text(of.sparse_search, is_named) + "\n";
  text += wrap_lines(searches, width);
  text += "\n" + chain_table(of, width) + wrap_lines(kChainLine, width);
  const std::string how = std::string(kCounterfactualLine);
  text +=
      "\n" + counterfactual_table(of, width) +
      wrap_lines(how + std::string(of.is_about_gain() ? kGainOrderLine : kTimeOrderLine), width);
  return text;
}

std::string explain_to_json(const ExplainReport& report) {
  const Explanation& of = report.explanation;
  ordered_json document = document_head(kExplainSchema, report.config_hash);
  document["config"] = config_object(report.resolved_config);
  write_problem(document, report);
  add_selector(document, of);
  const Counterfactual* const verdict = of.verdict();
  const auto times = [&](const TimesOfBoth& both) { return both_json(of, both); };
  const auto link_json = [&](const ChainLink& link) {
    ordered_json json = figures({{"name", link.name}, {"what", link.what}});
    json.update(times(link.times));
    add_figures(json, {{"saved_alone", of.saved_alone(link)}});
    return json;
  };
  const auto counterfactual_json = [&](const Counterfactual& one) {
    return figures({{"name", one.name},
                    {"what", one.what},
                    {"change", one.change},
                    {"free", figures_if(one.free, times)},
                    {"doubled", figures_if(one.doubled, times)}});
  };
  add_figures(document,
              {{"answer", explain_sentence(of)},
               {"verdict", verdict == nullptr ? "" : verdict->name},
               {"dense_kernel", of.dense_kernel},
               {"kernel", of.sparse_kernel},
               {"dense_kernel_search", search_json(of.dense_search)},
               {"kernel_search", search_json(of.sparse_search)},
               {"clock_mhz", report.clock_mhz},
               {"at_peak", times(of.at_peak)},
               {"chain", figures_of_each(of.chain, link_json)},
               {"all", times(of.all)},
               {"time_interval", gemm_interval_json(report.likely.time)},
               {"dense_time_interval", gemm_interval_json(report.likely.dense_time)},
               {"speedup_interval", gemm_interval_json(report.likely.speedup)},
               {"counterfactuals", figures_of_each(of.counterfactuals, counterfactual_json)}});
  return document_text(document);
}

std::string explain_to_csv(const ExplainReport& report) {
  const Explanation& of = report.explanation;
  std::vector<ordered_json> rows{csv_row(report, "at_peak", "", of.at_peak)};
  for (const ChainLink& link : of.chain) {
    rows.push_back(csv_row(report, "chain", link.name, link.times));
  }
  rows.push_back(csv_row(report, "all", "", of.all));
  for (const Counterfactual& one : of.counterfactuals) {
    if (one.free) rows.push_back(csv_row(report, "free", one.name, *one.free));
    if (one.doubled) rows.push_back(csv_row(report, "doubled", one.name, *one.doubled));
  }
  return to_csv(rows.front(), rows);
}

}  // namespace stcsim
