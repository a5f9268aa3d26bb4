#include "cli/check_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kCheckSchema = "stcsim.check/1";

ordered_json figure(const std::optional<std::int64_t>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json difference_json(const GoldenDifference& difference) {
  const GoldenKey& key = difference.key;
  return {
      {"machine", key.machine},
      {"network", key.network},
      {"layer", key.layer},
      {"phase", key.phase},
      {"scheme", key.scheme},
      {"op", key.op},
      {"metric", key.metric},
      {"golden", figure(difference.golden)},
      {"now", figure(difference.now)},
      {"relative", std::isfinite(difference.relative) ? json_number(difference.relative, "relative")
                                                      : ordered_json()}};
}

}  // namespace

std::string check_to_json(const CheckedFile& file, const Golden& golden,
                          const std::vector<ConfigChange>& changes,
                          const std::vector<GoldenDifference>& differences) {
  ordered_json document = document_head(kCheckSchema, golden.config_hash);
  document["file"] = file.name;
  document["rtol"] = json_number(file.rtol, "rtol");
  document["figures"] = golden.entries.size();
  ordered_json& software = document["software"] = ordered_json::array();
  for (const auto& [machine, stack] : file.stacks) {
    software.push_back({{"machine", machine}, {"stack", stack}});
  }
  ordered_json& changed = document["config_changes"] = ordered_json::array();
  for (const ConfigChange& change : changes) {
    changed.push_back({{"key", change.key}, {"golden", change.before}, {"now", change.now}});
  }
  ordered_json& list = document["differences"] = ordered_json::array();
  for (const GoldenDifference& difference : differences) {
    list.push_back(difference_json(difference));
  }
  return document_text(document);
}

}  // namespace stcsim
