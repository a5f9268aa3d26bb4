#include "reports/papers/training_row.hpp"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/yaml_merge.hpp"
#include "reports/tta/tta_run.hpp"

namespace stcsim {
namespace {

/// The experiment's file on the column's machine.
YamlDocument document_in(const TrainingRow& row, const PaperColumn& column) {
  YamlDocument document = load_config(ConfigKind::experiment, row.experiment_file);
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::vector<std::string> overrides{"machines=[" + quoted(column.machine_file) + "]",
                                     "framework=" + quoted(column.framework_file),
                                     fmt::format("scheme_work={}", !column.assumed)};
  if (!column.stack.empty()) overrides.push_back("stack=" + quoted(column.stack));
  apply_overrides(document.root, overrides);
  return document;
}

const TtaResult* result_of(const TtaSummary& summary, std::string_view scheme) {
  for (const TtaResult& result : summary.results) {
    if (result.scheme == scheme) return &result;
  }
  return nullptr;
}

double hours_of(const TrainingRow& row, const TtaResult& result) {
  if (result.training_hours) return *result.training_hours;
  throw ConfigError(
      fmt::format("{}: 'time_to_accuracy' does not say how long a training is ('epochs')",
                  row.experiment_file));
}

}  // namespace

TrainingRow read_training_row(MapReader& map) {
  TrainingRow row;
  row.experiment_file = file_named_by(map, ConfigKind::experiment, "experiment");
  row.scheme = map.get_string("scheme");
  row.quantity = read_quantity(map, {Scope::training});
  map.finish();
  return row;
}

std::optional<PaperAnswer> answer_of(const TrainingRow& row, const PaperColumn& column,
                                     const std::function<StudyResult(const Experiment&)>& run) {
  TtaQuery query = read_tta_query(document_in(row, column), {});
  const StudyResult study = answer_tta_query(query, run);
  const TtaResult* const result = result_of(query.summary, row.scheme);
  const TtaResult* const dense = result_of(query.summary, kBaselineScheme);
  if (!study.failures.empty()) return std::nullopt;
  if (result == nullptr || dense == nullptr) {
    throw ConfigError(
        fmt::format("{}: 'schemes' must have dense and '{}'", row.experiment_file, row.scheme));
  }
  PaperAnswer answer;
  answer.column = column.name;
  answer.where = column.where();
  answer.value = hours_of(row, *result);
  if (row.quantity == Quantity::training_gain) answer.value = hours_of(row, *dense) / answer.value;
  answer.low = answer.high = answer.value;
  return answer;
}

}  // namespace stcsim
