#include "reports/compare/result_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/sha256.hpp"
#include "common/io/text_file.hpp"
#include "common/version.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

void sort_rows(std::vector<ResultRow>& rows) {
  std::ranges::stable_sort(rows, {}, [](const ResultRow& row) {
    return std::tie(row.machine, row.network, row.layer, row.phase, row.scheme, row.op);
  });
}

ordered_json source_json(const GoldenSource& source) {
  if (!source.question.empty()) return {{"question", source.question}, {"set", source.overrides}};
  return {{"experiment", source.experiment}, {"set", source.overrides}};
}

GoldenSource source_from(const JsonReader& document) {
  GoldenSource golden;
  if (!document.has("source")) return golden;
  const JsonReader source = document.object("source");
  const bool is_question = source.has("question");
  source.read(is_question ? "question" : "experiment",
              is_question ? golden.question : golden.experiment);
  golden.overrides = source.texts("set");
  return golden;
}

void read_config(const JsonReader& document, const ordered_json& parsed, const std::string& file,
                 StudyResult& study) {
  static_cast<void>(document.object("config"));
  study.resolved_config = parsed.at("config").dump();
  document.read("config_hash", study.config_hash);
  const std::string hash = sha256_hex(study.resolved_config);
  if (hash == study.config_hash) return;
  throw ConfigError(SourceLocation{file}, fmt::format("'config_hash' is '{}', must be the SHA-256 "
                                                      "of 'config', {}",
                                                      study.config_hash, hash));
}

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

ordered_json side_json(const ComparedResult& side) {
  return figures({{"file", side.name},
                  {"version", side.version},
                  {"config_hash", side.study.config_hash},
                  {"failed", side.study.failures.size()}});
}

ordered_json step_figures(const StudyTotal& total) {
  return figures({{"time_us", total.step.time_us},
                  {"dense_time_us", total.step.dense_time_us},
                  {kSpeedupKey, total.training.speedup},
                  {"clock_mhz", total.clock_mhz}});
}

ordered_json step_json(const ComparedStep& step) {
  const StudyTotal& any = step.any();
  ordered_json object = figures({{"machine", any.machine},
                                 {"network", any.network},
                                 {"scheme", any.scheme},
                                 {"pass", any.pass},
                                 {"moved", step.moved},
                                 {"before", figures_if(step.before, &step_figures)},
                                 {"now", figures_if(step.now, &step_figures)}});
  object["relative"] = std::isfinite(step.relative()) ? ordered_json(step.relative()) : nullptr;
  return object;
}

ordered_json kernel_figures(const ResultRow& row) {
  return figures({{"cycles", row.cycles}, {"kernel", row.kernel.name}, {"bound_by", row.bound_by}});
}

ordered_json row_json_of(const ComparedRow& row) {
  const ResultRow& any = row.any();
  return figures({{"machine", any.machine},
                  {"network", any.network},
                  {"layers", row.layers},
                  {"phase", any.phase},
                  {"op", any.op},
                  {"schemes", row.schemes},
                  {"m", any.m},
                  {"n", any.n},
                  {"k", any.k},
                  {"batch_count", any.batch_count},
                  {"per_step", row.per_step},
                  {"change_us", row.change_us},
                  {"share", row.share},
                  {"before", figures_if(row.before, &kernel_figures)},
                  {"now", figures_if(row.now, &kernel_figures)}});
}

std::string change_of(const ComparedStep& step) {
  if (!step.before) return "new";
  if (!step.now) return "gone";
  return fmt::format("{} -> {}, speedup {} -> {}", format_time_us(step.before->step.time_us),
                     format_time_us(step.now->step.time_us),
                     format_speedup(step.before->training.speedup),
                     format_speedup(step.now->training.speedup));
}

bool is_of(const ComparedRow& row, const StudyTotal& step) {
  const ResultRow& any = row.any();
  return any.machine == step.machine && any.network == step.network && any.pass() == step.pass &&
         (row.schemes.empty() || std::ranges::find(row.schemes, step.scheme) != row.schemes.end());
}

std::string lines_of_step(const Comparison& comparison, const ComparedStep& step) {
  std::string text;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_of(row, step.any())) continue;
    const auto cycles = [](const auto& one) { return one ? std::to_string(one->cycles) : "-"; };
    text +=
        fmt::format("{} {} {}: {} -> {} cycles\n", row.layers.front(), to_string(row.any().phase),
                    row.any().op, cycles(row.before), cycles(row.now));
  }
  return text;
}

}  // namespace

Golden make_golden(const StudyResult& study, GoldenSource source) {
  if (!study.failures.empty()) {
    throw SimulationError(fmt::format(
        "an incomplete study cannot be recorded as golden: {} points failed, the first: {}",
        study.failures.size(), study.failures.front()));
  }
  if (study.rows.empty()) {
    throw SimulationError("a study without results cannot be recorded as golden");
  }
  Golden golden{std::string(program_version()), std::move(source), study};
  sort_rows(golden.study.rows);
  return golden;
}

std::string golden_to_json(const Golden& golden) {
  ordered_json document = document_head(kGoldenSchema, golden.study.config_hash);
  const bool is_known = !golden.source.question.empty() || !golden.source.experiment.empty();
  if (is_known) document["source"] = source_json(golden.source);
  document["config"] = config_object(golden.study.resolved_config);
  document["totals"] = figures_of_each(golden.study.totals, &kept_figures<StudyTotal>);
  document["rows"] = figures_of_each(golden.study.rows, &kept_figures<ResultRow>);
  return document_text(document, "config");
}

Golden golden_from_json(std::string_view text, const std::string& file, bool with_figures) {
  const ordered_json parsed = parse_json(text, file);
  const JsonReader document(parsed, file);
  document.require_schema(kGoldenSchema);
  Golden golden;
  document.read("version", golden.version);
  read_config(document, parsed, file, golden.study);
  golden.source = source_from(document);
  if (!with_figures) return golden;
  golden.study.totals = read_all_kept<StudyTotal>(document.array("totals"));
  golden.study.rows = read_all_kept<ResultRow>(document.array("rows"));
  if (golden.study.rows.empty()) {
    throw ConfigError(SourceLocation{file}, "'rows' is empty, must have at least one entry");
  }
  sort_rows(golden.study.rows);
  return golden;
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

std::string comparison_json(const Comparison& comparison) {
  ordered_json document = document_head(kComparisonSchema, comparison.now.study.config_hash);
  add_figures(document, {{"equal", comparison.is_equal()},
                         {"answer", comparison_answer(comparison)},
                         {"before", side_json(comparison.before)},
                         {"now", side_json(comparison.now)},
                         {"rtol", comparison.rtol},
                         {"figures", comparison.figures},
                         {"same", comparison.same}});
  document["config_changes"] = figures_of_each(comparison.config, [](const ConfigChange& change) {
    return figures({{"key", change.key}, {"before", change.before}, {"now", change.now}});
  });
  document["steps"] = figures_of_each(comparison.steps, &step_json);
  document["rows"] = figures_of_each(comparison.rows, &row_json_of);
  return document_text(document);
}

std::string comparison_junit(const Comparison& comparison) {
  std::string cases;
  std::size_t failures = 0;
  for (const ComparedStep& step : comparison.steps) {
    const std::string rows = lines_of_step(comparison, step);
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\"",
                         html_text(place_of(step.any())), html_text(step.any().scheme));
    if (!step.moved && rows.empty()) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    cases += fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                         html_text(change_of(step)), html_text(rows));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"stcsim compare\" "
      "tests=\"{}\" failures=\"{}\">\n{}  <system-out>{}</system-out>\n</testsuite>\n",
      comparison.steps.size(), failures, cases, html_text(comparison_answer(comparison)));
}

}  // namespace stcsim
