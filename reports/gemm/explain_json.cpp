#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "reports/gemm/explain_report.hpp"
#include "reports/parts/launch_parts.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

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
