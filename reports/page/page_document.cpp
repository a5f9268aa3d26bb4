#include "reports/page/page_document.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using Keys = std::initializer_list<std::string_view>;

void require_texts(const JsonReader& object, Keys keys) {
  std::string text;
  for (const std::string_view key : keys) object.read(key, text);
}

void require_numbers(const JsonReader& object, Keys keys) {
  double number = 0;
  for (const std::string_view key : keys) object.read(key, number);
}

void require_objects(const JsonReader& object, Keys keys) {
  for (const std::string_view key : keys) static_cast<void>(object.object(key));
}

void require_arrays(const JsonReader& object, Keys keys) {
  for (const std::string_view key : keys) static_cast<void>(object.array(key));
}

void check_launch(const JsonReader& launch) {
  require_numbers(launch, {"cycles", "utilization"});
  require_objects(launch, {"kernel", "traffic", "buckets"});
}

void check_study(const JsonReader& study) {
  require_objects(study, {"config"});
  for (const JsonReader& result : study.array("results")) {
    check_figures<ResultRow>(result);
    check_launch(result);
  }
  for (const JsonReader& total : study.array("totals")) check_figures<StudyTotal>(total);
}

void check_gemm(const JsonReader& gemm) {
  require_texts(gemm, {"machine", "dtype", "pattern", "hardware_pattern", "bound_by"});
  require_numbers(
      gemm, {"m", "n", "k", "sustained_clock_mhz", "time_us", "achieved_tflops", "peak_tflops"});
  check_launch(gemm);
}

void check_explanation(const JsonReader& explanation) {
  require_texts(explanation, {"machine", "dtype", "pattern", "answer"});
  require_numbers(explanation, {"m", "n", "k", "batch_count"});
  require_numbers(explanation.object("all"), {"cycles", "clock_mhz", "time_us"});
  require_objects(explanation, {"at_peak"});
  require_arrays(explanation, {"chain", "counterfactuals"});
}

void check_curves(const JsonReader& curves) {
  require_arrays(curves, {"files", "notes"});
}

void check_validation(const JsonReader& validation) {
  require_arrays(validation, {"results", "summary", "instructions", "networks", "streams"});
}

void check_time_to_accuracy(const JsonReader& tta) {
  require_objects(tta, {"config", "question"});
  for (const JsonReader& result : tta.array("results")) {
    require_texts(result, {"machine", "scheme", "verdict"});
  }
  require_arrays(tta, {"curves", "comparisons", "measured"});
}

void check_sweep(const JsonReader& sweep) {
  require_texts(sweep, {"space"});
  require_numbers(sweep, {"points", "missing"});
  require_arrays(sweep, {"failures"});
  for (const JsonReader& axis : sweep.array("axes")) {
    require_texts(axis, {"name"});
    require_numbers(axis, {"dimension"});
  }
  for (const JsonReader& row : sweep.array("rows")) {
    require_texts(row, {"kind"});
    require_numbers(row, {"point", "time_us"});
  }
}

void check_paper_row(const JsonReader& row) {
  require_texts(row, {"says", "quantity", "unit", "obtained", "setting", "note", "why", "fitted",
                      "not_obtained", "not_compared"});
  if (row.has("published")) require_numbers(row.object("published"), {"least", "most"});
  for (const JsonReader& answer : row.array("answers")) {
    require_texts(answer, {"column", "where", "kind", "verdict", "because"});
    require_numbers(answer, {"value", "low", "high"});
    for (const char* const key : {"deviation", "p_value"}) {
      if (answer.has(key)) require_numbers(answer, {key});
    }
  }
}

void check_paper(const JsonReader& paper) {
  require_texts(paper, {"paper", "title", "source", "about", "sentence", "spread"});
  for (const JsonReader& part : paper.array("tally")) {
    require_texts(part, {"kind", "column", "verdict"});
    static_cast<void>(part.count("count"));
  }
  for (const JsonReader& figure : paper.array("figures")) {
    require_texts(figure, {"name", "title", "shows", "source"});
    static_cast<void>(figure.texts("columns"));
    static_cast<void>(figure.texts("not_obtained"));
    for (const JsonReader& row : figure.array("rows")) check_paper_row(row);
  }
}

void check_any(const JsonReader& /*document*/) {}

struct Schema {
  std::string_view name;
  std::string_view writer;
  void (*check)(const JsonReader&);
};

constexpr std::array<Schema, 20> kSchemas{{
    {"stcsim.study/2", "run", &check_study},
    {"stcsim.tta/1", "tta", &check_time_to_accuracy},
    {"stcsim.sweep/1", "sweep export", &check_sweep},
    {"stcsim.gemm/1", "gemm", &check_gemm},
    {"stcsim.explain/2", "explain", &check_explanation},
    {"stcsim.curves/1", "curves", &check_curves},
    {"stcsim.validation/1", "validate", &check_validation},
    {"stcsim.paper/2", "reproduce", &check_paper},
    {"stcsim.cost/1", "cost", &check_any},
    {"stcsim.design/1", "design", &check_any},
    {"stcsim.sweep_plan/1", "sweep plan", &check_any},
    {"stcsim.sweep_status/1", "sweep status", &check_any},
    {"stcsim.list/1", "list", &check_any},
    {"stcsim.layers/1", "list layers", &check_any},
    {"stcsim.prune/1", "prune", &check_any},
    {"stcsim.compare/1", "compare", &check_any},
    {"stcsim.golden/2", "record", &check_any},
    {"stcsim.atlas/1", "make atlas", &check_any},
    {"stcsim.points/1", "sweep", &check_any},
    {"stcsim.csv/1", "run --out", &check_any},
}};

const Schema& schema_of(const JsonReader& reader, const std::string& file) {
  std::string name;
  reader.read("schema", name);
  std::string known;
  for (const Schema& schema : kSchemas) {
    if (schema.name == name) return schema;
    known += fmt::format("{}{} (stcsim {})", known.empty() ? "" : ", ", schema.name, schema.writer);
  }
  throw ConfigError(SourceLocation{file}, fmt::format("'schema' is \"{}\", must be one of {}",
                                                      name.size() <= 40 ? name : "…", known));
}

bool is_array_of_objects(const ordered_json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const ordered_json& one) { return one.is_object(); });
}

ordered_json shown_rows(const ordered_json& rows, bool are_results) {
  if (!are_results) return columns_of(rows);
  ordered_json kept = ordered_json::array();
  for (const ordered_json& row : rows) kept.push_back(page_result(row));
  return columns_of(kept);
}

}  // namespace

ordered_json page_document(const std::string& file, const ordered_json& document) {
  const JsonReader reader(document, file);
  const Schema& schema = schema_of(reader, file);
  std::string version;
  reader.read("version", version);
  schema.check(reader);
  ordered_json shown{{"file", file}};
  for (const auto& [key, value] : document.items()) {
    const bool are_results = key == "results" && schema.check == &check_study;
    shown[key] = is_array_of_objects(value) ? shown_rows(value, are_results) : value;
  }
  return shown;
}

}  // namespace stcsim
