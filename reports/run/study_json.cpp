#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/json_reader.hpp"
#include "reports/parts/launch_parts.hpp"
#include "reports/run/study_folded.hpp"
#include "reports/run/study_losses.hpp"
#include "reports/run/study_report.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json row_json(const ResultRow& row) {
  ordered_json object = figures_of(row);
  write_counters(object, row.counters);
  object["buckets"] = buckets_json(row.units);
  return object;
}

ordered_json times_json(const NamedTimes& times) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, us] : times) object[name + "_us"] = json_number(us, name);
  return object;
}

/// [what, begin, end] of each, in us.
ordered_json spans_json(const std::vector<StreamSpan>& spans) {
  ordered_json list = ordered_json::array();
  for (const StreamSpan& span : spans) {
    list.push_back(
        {span.what, json_number(span.begin_us, span.what), json_number(span.end_us, span.what)});
  }
  return list;
}

ordered_json parallel_json(const ParallelTotal& total) {
  ordered_json object = figures_of(total);
  object["exposed"] = times_json(total.times.exposed);
  object["collectives"] = times_json(total.times.collectives);
  object["streams"] = {{"kernels", spans_json(total.times.kernel_spans)},
                       {"collectives", spans_json(total.times.collective_spans)}};
  return object;
}

ordered_json study_document(const StudyResult& study) {
  ordered_json document = document_head(kStudySchema, study.config_hash);
  document["config"] = config_object(study.resolved_config);
  document["results"] = figures_of_each(study.rows, &row_json);
  document["totals"] = figures_of_each(study.totals, &figures_of<StudyTotal>);
  if (!study.parallel.empty()) {
    document["parallel"] = figures_of_each(study.parallel, &parallel_json);
  }
  document["losses"] = losses_json(study);
  if (study.checked_gemms > 0) document["checked_gemms"] = study.checked_gemms;
  document["complete"] = study.failures.empty();
  document["failures"] = study.failures;
  return document;
}

/// A row with every key that one of the study may have.
ordered_json row_shape(const StudyResult& study) {
  ResultRow shape;
  shape.counters = all_counters(study.rows);
  if (std::ranges::any_of(study.rows,
                          [](const ResultRow& row) { return row.sampled.has_value(); })) {
    shape.sampled.emplace();
  }
  return row_json(shape);
}

}  // namespace

ordered_json row_figures(const ResultRow& row) {
  ordered_json object = figures_of(row);
  object.erase("kernel");
  return object;
}

std::string study_to_json(const StudyResult& study) {
  return document_text(study_document(study));
}

std::string study_to_folded_json(const StudyResult& study) {
  return document_text(folded_study(study_document(study)));
}

std::string results_to_csv(const StudyResult& study) {
  return to_csv(row_shape(study), figures_of_each(study.rows, &row_json));
}

std::string results_to_folded_csv(const StudyResult& study) {
  const auto row_of = [](const FoldedRow& folded) {
    ordered_json row = row_json(*folded.row);
    row["scheme"] = folded.scheme_names();
    return row;
  };
  return to_csv(row_shape(study), figures_of_each(folded_rows(study.rows), row_of));
}

std::string totals_to_csv(const StudyResult& study) {
  const auto row_of = [](const StudyTotal& total) {
    ordered_json row = figures_of(total);
    row.erase("beside");  // how many there are differs
    return row;
  };
  return to_csv(row_of(StudyTotal{}), figures_of_each(study.totals, row_of));
}

}  // namespace stcsim
