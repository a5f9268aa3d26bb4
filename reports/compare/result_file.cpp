#include "reports/compare/result_file.hpp"

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/text_file.hpp"
#include "reports/compare/golden.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "reports/run/study_folded.hpp"
#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kRight =
    "what `run` or `gemm` write with --format json, a folder of `run --out`, or a golden file of "
    "`record`";

RowPhase phase_from(const JsonReader& row) {
  std::string name;
  row.read("phase", name);
  for (std::size_t at = 0; at <= static_cast<std::size_t>(RowPhase::inference); ++at) {
    const auto phase = static_cast<RowPhase>(at);
    if (to_string(phase) == name) return phase;
  }
  row.refuse("phase", "a phase of a step");
}

ResultRow row_from(const JsonReader& object) {
  ResultRow row;
  object.read("machine", row.machine);
  object.read("network", row.network);
  object.read("layer", row.layer);
  row.phase = phase_from(object);
  object.read("scheme", row.scheme);
  object.read("op", row.op);
  object.read("repeat", row.repeat);
  object.read("every", row.every);
  object.read("m", row.m);
  object.read("n", row.n);
  object.read("k", row.k);
  object.read("batch_count", row.batch_count);
  object.read("gemm_count", row.gemm_count);
  row.cycles = object.count("cycles");
  object.read("time_us", row.time_us);
  object.read("bound_by", row.bound_by);
  object.object("kernel").read("name", row.kernel.name);
  return row;
}

StudyTotal total_from(const JsonReader& object) {
  StudyTotal total;
  std::string pass;
  object.read("machine", total.machine);
  object.read("network", total.network);
  object.read("scheme", total.scheme);
  object.read("pass", pass);
  total.pass = pass == kInferenceName ? StudyPass::inference : StudyPass::training;
  object.read("clock_mhz", total.clock_mhz);
  object.read("speedup", total.training.speedup);
  const JsonReader step = object.object("step");
  step.read("cycles", total.step.cycles);
  step.read("time_us", total.step.time_us);
  step.read("dense_time_us", total.step.dense_time_us);
  return total;
}

/// One row, and a total whose step is the GEMM.
void take_gemm(const JsonReader& document, bool has_dense, StudyResult& study) {
  ResultRow row;
  StudyTotal total;
  document.read("machine", row.machine);
  document.read("m", row.m);
  document.read("n", row.n);
  document.read("k", row.k);
  document.read("batch_count", row.batch_count);
  row.network = format_shape(row.m, row.n, row.k, row.batch_count);
  row.layer = "GEMM";
  document.read("pattern", row.scheme);
  row.cycles = document.count("cycles");
  document.read("bound_by", row.bound_by);
  document.object("kernel").read("name", row.kernel.name);
  total.machine = row.machine;
  total.network = row.network;
  total.scheme = row.scheme;
  document.read("sustained_clock_mhz", total.clock_mhz);
  total.step.cycles = row.cycles;
  document.read("time_us", row.time_us);
  total.step.time_us = total.step.dense_time_us = row.time_us;
  if (has_dense) {
    document.object("dense").read("time_us", total.step.dense_time_us);
    document.read("speedup", total.training.speedup);
  }
  study.rows = {row};
  study.totals = {total};
}

}  // namespace

ordered_json kept_row(const ResultRow& row) {
  return figures({{"machine", row.machine},
                  {"network", row.network},
                  {"layer", row.layer},
                  {"phase", row.phase},
                  {"scheme", row.scheme},
                  {"op", row.op},
                  {"cycles", row.cycles},
                  {"time_us", row.time_us},
                  {"repeat", row.repeat},
                  {"every", row.every},
                  {"m", row.m},
                  {"n", row.n},
                  {"k", row.k},
                  {"batch_count", row.batch_count},
                  {"gemm_count", row.gemm_count},
                  {"kernel", figures({{"name", row.kernel.name}})},
                  {"bound_by", row.bound_by}});
}

ordered_json kept_total(const StudyTotal& total) {
  return figures({{"machine", total.machine},
                  {"network", total.network},
                  {"scheme", total.scheme},
                  {"pass", total.pass},
                  {"clock_mhz", total.clock_mhz},
                  {"speedup", total.training.speedup},
                  {"step", figures({{"cycles", total.step.cycles},
                                    {"time_us", total.step.time_us},
                                    {"dense_time_us", total.step.dense_time_us}})}});
}

std::vector<ResultRow> rows_from(const std::vector<JsonReader>& objects) {
  std::vector<ResultRow> rows;
  rows.reserve(objects.size());
  for (const JsonReader& object : objects) rows.push_back(row_from(object));
  return rows;
}

std::vector<StudyTotal> totals_from(const std::vector<JsonReader>& objects) {
  std::vector<StudyTotal> totals;
  totals.reserve(objects.size());
  for (const JsonReader& object : objects) totals.push_back(total_from(object));
  return totals;
}

ComparedResult result_from_json(std::string_view text, const std::string& file) {
  const ordered_json parsed = unfolded_study(parse_json(text, file), file);
  const JsonReader document(parsed, file);
  if (!parsed.is_object() || !document.has("schema")) {
    throw ConfigError(SourceLocation{file},
                      fmt::format("'schema' is missing, so it is no result; must be {}", kRight));
  }
  std::string schema;
  document.read("schema", schema);
  if (schema.starts_with("stcsim.golden/")) {
    Golden golden = golden_from_json(text, file);
    return {file, std::move(golden.version), false, std::move(golden.study)};
  }
  ComparedResult result;
  result.name = file;
  result.is_gemm = schema == kGemmSchema;
  if (!result.is_gemm && schema != kStudySchema) {
    throw ConfigError(SourceLocation{file},
                      fmt::format("'schema' is \"{}\"; must be {}", excerpt(schema, 40), kRight));
  }
  document.read("version", result.version);
  document.read("config_hash", result.study.config_hash);
  static_cast<void>(document.object("config"));
  result.study.resolved_config = parsed.at("config").dump();
  if (result.is_gemm) {
    const bool has_dense = document.has("dense") && parsed.at("dense").is_object();
    take_gemm(document, has_dense, result.study);
  } else {
    result.study.rows = rows_from(document.array("results"));
    result.study.totals = totals_from(document.array("totals"));
    result.study.failures = document.texts("failures");
  }
  return result;
}

ComparedResult read_result(const std::string& path) {
  std::filesystem::path file = path;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) file /= "results.json";
  return result_from_json(read_text_file(file.string(), "a result"), file.string());
}

}  // namespace stcsim
