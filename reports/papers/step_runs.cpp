#include "reports/papers/step_runs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <nlohmann/json.hpp>

#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// What rows have in common that one study answers.
struct StudyKey {
  std::string machine_file;
  std::string framework_file;
  std::string stack;
  bool assumed = false;
  std::string network_file;
  std::optional<std::int64_t> batch;
  std::string dtype;

  friend auto operator<=>(const StudyKey&, const StudyKey&) = default;
};

/// A row in a column, and where its answer goes.
struct AskedRow {
  const StepRow* row = nullptr;
  const PaperColumn* column = nullptr;
  RowAnswers* answers = nullptr;
};

using Asked = std::map<StudyKey, std::vector<AskedRow>>;

Asked rows_by_study(PaperResult& result) {
  Asked asked;
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      const auto* const row = std::get_if<StepRow>(&figure.rows[r].experiment);
      if (row == nullptr) continue;
      for (const PaperColumn& column : figure.columns) {
        asked[{column.machine_file, column.framework_file, column.stack, column.assumed,
               row->network_file, row->batch, row->dtype}]
            .push_back({row, &column, &result.answers[f][r]});
      }
    }
  }
  return asked;
}

ordered_json entry_of(const StepScheme& scheme) {
  if (scheme.pattern.empty()) return scheme.file;
  return {{"name", scheme.file}, {"pattern", scheme.pattern}};
}

void add_once(std::vector<ordered_json>& entries, const ordered_json& entry) {
  if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
}

Experiment experiment_of(const StudyKey& key, const std::vector<AskedRow>& rows) {
  std::vector<ordered_json> schemes;
  bool trains = false;
  bool infers = false;
  for (const AskedRow& asked : rows) {
    add_once(schemes, entry_of(asked.row->scheme));
    if (asked.row->against) add_once(schemes, entry_of(*asked.row->against));
    (asked.row->is_inference() ? infers : trains) = true;
  }
  std::vector<std::string> phases;
  for (const Phase phase : kPhases) {
    if (trains) phases.emplace_back(to_string(phase));
  }
  if (infers) phases.emplace_back(kInferenceName);
  ordered_json network{{"name", key.network_file}};
  if (key.batch) network["batch"] = *key.batch;
  ordered_json json{{"machines", {key.machine_file}},
                    {"networks", ordered_json::array({network})},
                    {"schemes", schemes},
                    {"phases", phases},
                    {"framework", key.framework_file},
                    {"stack", key.stack},
                    {"scheme_work", !key.assumed},
                    {"sparse_where", to_string(SparseWhere::always)}};
  if (!key.dtype.empty()) json["dtype"] = key.dtype;
  return load_experiment(parse_yaml(json.dump(), "rows about " + rows.front().row->network), {});
}

void refuse(const std::vector<AskedRow>& rows, const std::string& why) {
  for (const AskedRow& asked : rows) {
    asked.answers->not_run.push_back(asked.column->name + ": " + why);
  }
}

}  // namespace

std::string answer_step_rows(PaperResult& result,
                             const std::function<StudyResult(const Experiment&)>& run) {
  std::string hashes;
  for (const auto& [key, rows] : rows_by_study(result)) {
    std::optional<Experiment> experiment;
    try {
      experiment = experiment_of(key, rows);
    } catch (const ConfigError& error) {
      refuse(rows, error.what());
      continue;
    }
    const StudyResult study = run(*experiment);
    hashes += study.config_hash;
    for (const AskedRow& asked : rows) {
      if (auto answer = answer_of(*asked.row, *asked.column, study)) {
        asked.answers->answers.push_back(std::move(*answer));
      } else {
        refuse({asked}, "some of it could not be simulated");
      }
    }
  }
  return hashes;
}

}  // namespace stcsim
