#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/json_reader.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// What rows of equal launches have in common.
constexpr std::array<const char*, 4> kLaunchKeys{"kernel", "traffic", "counters", "buckets"};

bool same_but_scheme(const ResultRow& one, const ResultRow& other) {
  auto subject = static_cast<const RowSubject&>(one);
  subject.scheme = other.scheme;
  return subject == static_cast<const RowSubject&>(other) &&
         static_cast<const RowShape&>(one) == other && static_cast<const RowWork&>(one) == other &&
         static_cast<const RowTime&>(one) == other;
}

/// Different values, each with its number.
struct Numbered {
  std::size_t number_of(const ordered_json& value) {
    const auto [found, is_new] = numbers.try_emplace(value.dump(), values.size());
    if (is_new) values.push_back(value);
    return found->second;
  }

  std::unordered_map<std::string, std::size_t> numbers = {};
  ordered_json values = ordered_json::array();
};

ordered_json without_launch(ordered_json row, Numbered& launches) {
  ordered_json launch = ordered_json::object();
  for (const char* const key : kLaunchKeys) {
    if (row.contains(key)) launch[key] = row[key];
    row.erase(key);
  }
  row["launch"] = launches.number_of(launch);
  return row;
}

ordered_json unfolded_row(const ordered_json& keys, const ordered_json& values,
                          const ordered_json& scheme, const ordered_json& launches) {
  ordered_json row = ordered_json::object();
  for (std::size_t at = 0; at < keys.size(); ++at) {
    const ordered_json& value = values.at(at);
    if (value.is_object()) continue;
    row[keys[at].get<std::string>()] = value;
  }
  row.at("scheme") = scheme;
  const ordered_json& launch = launches.at(row.at("launch").get<std::size_t>());
  row.erase("launch");
  for (const auto& [key, value] : launch.items()) row[key] = value;
  return row;
}

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

std::string FoldedRow::scheme_names(std::string_view between) const {
  return fmt::format("{}", fmt::join(schemes, between));
}

std::vector<FoldedRow> folded_rows(const std::vector<ResultRow>& rows) {
  std::vector<FoldedRow> folded;
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (const ResultRow& row : rows) {
    std::vector<std::size_t>& alike = places[fmt::format(
        "{}\n{}\n{}\n{}\n{}", row.machine, row.network, row.layer, to_string(row.phase), row.op)];
    const auto found = std::ranges::find_if(
        alike, [&](std::size_t at) { return same_but_scheme(row, *folded[at].row); });
    if (found == alike.end()) {
      alike.push_back(folded.size());
      folded.push_back({&row, {row.scheme}});
    } else if (folded[*found].schemes.back() != row.scheme) {
      folded[*found].schemes.push_back(row.scheme);
    }
  }
  return folded;
}

ordered_json folded_study(const ordered_json& study) {
  ordered_json document = study;
  Numbered launches;
  Numbered different;
  ordered_json order = ordered_json::array();
  for (const ordered_json& result : study.at("results")) {
    ordered_json row = without_launch(result, launches);
    const ordered_json scheme = std::exchange(row.at("scheme"), nullptr);
    if (order.empty() || order.back().at("scheme") != scheme) {
      order.push_back({{"scheme", scheme}, {"rows", ordered_json::array()}});
    }
    order.back()["rows"].push_back(different.number_of(row));
  }
  ordered_json shape = ordered_json::object();
  for (const ordered_json& row : different.values) shape.update(row);
  ordered_json& results = document.at("results") = {
      {"keys", ordered_json::array()}, {"rows", ordered_json::array()}, {"order", order}};
  for (const auto& [key, value] : shape.items()) results["keys"].push_back(key);
  for (const ordered_json& row : different.values) {
    ordered_json& values = results["rows"].emplace_back(ordered_json::array());
    for (const auto& [key, value] : shape.items()) {
      values.push_back(row.contains(key) ? row.at(key) : ordered_json::object());
    }
  }
  document.at("schema") = kFoldedSchema;
  document["launches"] = launches.values;
  return document;
}

ordered_json unfolded_study(ordered_json document, const std::string& file) {
  if (!document.is_object() || document.value("schema", ordered_json()) != kFoldedSchema) {
    return document;
  }
  try {
    ordered_json rows = ordered_json::array();
    const ordered_json& results = document.at("results");
    for (const ordered_json& run : results.at("order")) {
      for (const ordered_json& number : run.at("rows")) {
        rows.push_back(unfolded_row(results.at("keys"),
                                    results.at("rows").at(number.get<std::size_t>()),
                                    run.at("scheme"), document.at("launches")));
      }
    }
    document.at("results") = std::move(rows);
  } catch (const ordered_json::exception& error) {
    throw ConfigError(
        SourceLocation{file},
        fmt::format("'results' and 'launches' do not belong together ({}); must be as "
                    "'run --out' wrote them",
                    error.what()));
  }
  document.erase("launches");
  document.at("schema") = kStudySchema;
  return document;
}

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
