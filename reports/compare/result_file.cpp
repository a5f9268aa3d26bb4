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
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kRight =
    "what `run` or `gemm` write with --format json, a folder of `run --out`, or a golden file of "
    "`record`";

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
    document.read(kSpeedupKey.name, total.training.speedup);
  }
  study.rows = {row};
  study.totals = {total};
}

}  // namespace

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
    result.study.rows = read_all_kept<ResultRow>(document.array("results"));
    result.study.totals = read_all_kept<StudyTotal>(document.array("totals"));
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
