#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "reports/explain_report.hpp"
#include "reports/launch_parts.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// The dense GEMM's is null where the GEMM itself is dense.
ordered_json both_json(const Explanation& of, const TimesOfBoth& times) {
  const auto or_null = [&](auto value) {
    return of.is_sparse() ? ordered_json(value) : ordered_json();
  };
  return {{"dense_cycles", or_null(times.dense.cycles)},
          {"dense_clock_mhz", or_null(times.dense.clock_mhz)},
          {"dense_time_us", or_null(times.dense.time_us())},
          {"cycles", times.sparse.cycles},
          {"clock_mhz", times.sparse.clock_mhz},
          {"time_us", json_number(times.sparse.time_us(), "time_us")},
          {"speedup", or_null(times.speedup())}};
}

ordered_json counterfactual_json(const Explanation& of, const Counterfactual& one) {
  return {{"name", one.name},
          {"what", one.what},
          {"change", one.change},
          {"free", one.free ? both_json(of, *one.free) : ordered_json()},
          {"doubled", one.doubled ? both_json(of, *one.doubled) : ordered_json()}};
}

void write_problem(ordered_json& object, const ExplainReport& report) {
  const GemmProblem& problem = report.explanation.problem;
  object["machine"] = report.machine;
  object["stack"] = report.stack;
  object["m"] = problem.m;
  object["n"] = problem.n;
  object["k"] = problem.k;
  object["batch_count"] = problem.batch_count;
  object["dtype"] = to_string(problem.dtype);
  object["pattern"] = problem.a_pattern.to_string();
  object["hardware_pattern"] = report.explanation.hardware_pattern.to_string();
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
  const Counterfactual* const verdict = of.verdict();
  document["answer"] = explain_sentence(of);
  document["verdict"] = verdict == nullptr ? "" : verdict->name;
  document["dense_kernel"] = kernel_json(of.dense_kernel);
  document["kernel"] = kernel_json(of.sparse_kernel);
  document["dense_kernel_search"] = search_json(of.dense_search);
  document["kernel_search"] = search_json(of.sparse_search);
  document["clock_mhz"] = report.clock_mhz;
  document["at_peak"] = both_json(of, of.at_peak);
  document["chain"] = ordered_json::array();
  for (const ChainLink& link : of.chain) {
    ordered_json json{{"name", link.name}, {"what", link.what}};
    json.update(both_json(of, link.times));
    const std::optional<double> saved = of.saved_alone(link);
    json["saved_alone"] = saved ? json_number(*saved, "saved_alone") : ordered_json();
    document["chain"].push_back(std::move(json));
  }
  document["all"] = both_json(of, of.all);
  document["counterfactuals"] = ordered_json::array();
  for (const Counterfactual& one : of.counterfactuals) {
    document["counterfactuals"].push_back(counterfactual_json(of, one));
  }
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
