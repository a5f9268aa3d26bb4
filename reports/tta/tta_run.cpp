#include "reports/tta/tta_run.hpp"

#include <algorithm>

#include "common/io/catalog.hpp"
#include "common/io/sha256.hpp"
#include "curves/published.hpp"
#include "reports/tta/step_times.hpp"
#include "reports/tta/tta_analysis.hpp"
#include "reports/tta/tta_config.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

std::filesystem::path curves_directory() {
  return config_directory() / "curves";
}

void add_gains_beside(const StudyResult& study, std::vector<TtaResult>& results) {
  for (TtaResult& result : results) {
    const auto total =
        std::find_if(study.totals.begin(), study.totals.end(), [&](const StudyTotal& one) {
          return one.machine == result.machine && one.scheme == result.scheme &&
                 one.pass == kTrainingPass;
        });
    if (total != study.totals.end()) result.beside = total->beside;
  }
}

}  // namespace

TtaQuery read_tta_query(const YamlDocument& document, const TtaOptions& options,
                        const std::string& metric) {
  TtaQuery query;
  query.experiment = load_experiment(document, {});
  TtaSummary& summary = query.summary;
  summary.config = read_tta_config(document.root, query.experiment);
  if (!metric.empty()) summary.config.metric = metric;
  read_tta_curves(summary, options, batches_of(query.experiment),
                  curves::read_published_crossings(curves_directory() / "to_target.csv"));
  summary.resolved_experiment = query.experiment.resolved_config;
  summary.resolved_config = resolved_tta_config(summary.config);
  summary.config_hash = sha256_hex(summary.resolved_experiment + summary.resolved_config);
  return query;
}

StudyResult answer_tta_query(TtaQuery& query,
                             const std::function<StudyResult(const Experiment&)>& run) {
  const auto published = curves::read_published_finals(curves_directory() / "final_values.csv");
  StudyResult study = run(query.experiment);
  const auto errors = ValidatedErrors::load(config_directory() / "validation");
  analyse_tta(query.summary, query.experiment,
              step_times(study, query.experiment.dtype, errors ? &*errors : nullptr), published);
  if (query.experiment.networks.size() == 1) add_gains_beside(study, query.summary.results);
  return study;
}

}  // namespace stcsim
