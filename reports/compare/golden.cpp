#include "reports/compare/golden.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/sha256.hpp"
#include "common/version.hpp"
#include "reports/compare/result_file.hpp"
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

}  // namespace stcsim
