#include <nlohmann/json.hpp>

#include "reports/tta/tta_config.hpp"

namespace stcsim {
namespace {

nlohmann::json pair_json(const SchemePair& pair) {
  nlohmann::json json{{"scheme", pair.scheme},
                      {"against", pair.against},
                      {"source", pair.source},
                      {"claim", pair.claim}};
  if (pair.published_less_time) json["published_less_time"] = *pair.published_less_time;
  if (pair.published_step_ratio) json["published_step_ratio"] = *pair.published_step_ratio;
  return json;
}

}  // namespace

std::string resolved_tta_config(const TtaConfig& config) {
  nlohmann::json json{{"samples_per_epoch", config.samples_per_epoch},
                      {"devices", config.devices},
                      {"metric", config.metric},
                      {"curves_of", config.curves_of}};
  if (config.epochs) json["epochs"] = *config.epochs;
  if (config.target) json["target"] = *config.target;
  if (config.over) json["over"] = axis_name(*config.over);
  if (config.lower_is_better) json["lower_is_better"] = *config.lower_is_better;
  for (const NetworkSpan& span : config.schedule) {
    json["schedule"].push_back({{"network", span.network}, {"epochs", span.epochs}});
  }
  for (const TrainedScheme& training : config.trainings) {
    nlohmann::json entry{{"scheme", training.scheme},
                         {"against", training.against},
                         {"warm_up_epochs", training.warm_up_epochs},
                         {"curves_have_dense", training.curves_have_dense},
                         {"evidence", training.evidence}};
    if (const auto& runs = training.published_runs) {
      entry["published_runs"] = {{"network", runs->network}, {"batch", runs->batch}};
    }
    for (const auto& file : training.curves) entry["curves"].push_back(file.filename().string());
    json["trainings"].push_back(std::move(entry));
  }
  for (const SchemePair& pair : config.pairs) json["compare"].push_back(pair_json(pair));
  for (const MeasuredTraining& measured : config.measured) {
    json["measured"].push_back({{"machine", measured.machine},
                                {"scheme", measured.scheme},
                                {"x", measured.x},
                                {"seconds", measured.seconds},
                                {"source", measured.source}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace stcsim
