#include "reports/claims/claims_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/io/sha256.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

template <class Value>
void add_once(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

/// Those of one network in one data type.
using ClaimGroup = std::vector<CheckedClaim*>;

std::vector<ClaimGroup> by_study(std::vector<CheckedClaim>& checked) {
  std::vector<ClaimGroup> groups;
  for (CheckedClaim& one : checked) {
    if (!one.claim.not_compared.empty() || one.claim.gemm) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const ClaimGroup& known) {
      const Claim& first = known.front()->claim;
      return first.network_file == one.claim.network_file && first.dtype == one.claim.dtype;
    });
    if (group == groups.end()) {
      groups.push_back({&one});
    } else {
      group->push_back(&one);
    }
  }
  return groups;
}

bool is_inference(const CheckedClaim* one) {
  return one->claim.quantity == ClaimQuantity::inference_gain;
}

ordered_json scheme_entry(const Claim& claim) {
  if (claim.pattern.empty()) return claim.scheme_file;
  return {{"name", claim.scheme_file}, {"pattern", claim.pattern}};
}

Experiment experiment_of(const ClaimGroup& group, const ClaimPlaces& places,
                         const std::string& framework) {
  std::vector<ordered_json> schemes;
  for (const CheckedClaim* const one : group) add_once(schemes, scheme_entry(one->claim));
  std::vector<std::string> phases;
  if (!std::all_of(group.begin(), group.end(), is_inference)) {
    for (const Phase phase : kPhases) phases.emplace_back(to_string(phase));
  }
  if (std::any_of(group.begin(), group.end(), is_inference)) phases.emplace_back(kInferenceName);
  ordered_json json{{"machines", places.machines},
                    {"networks", ordered_json::array({group.front()->claim.network_file})},
                    {"schemes", schemes},
                    {"phases", phases},
                    {"framework", framework},
                    {"sparse_where", to_string(SparseWhere::always)}};
  if (const std::string& dtype = group.front()->claim.dtype; !dtype.empty()) json["dtype"] = dtype;
  return load_experiment(parse_yaml(json.dump(), "claims of " + group.front()->claim.network), {});
}

MachineSorts sorts_of(const ClaimPlaces& places) {
  MachineSorts sorts;
  for (const std::string& name : places.machines) {
    const MachineConfig machine = load_machine(name).config;
    sorts.emplace(machine.name, sort_of(machine));
  }
  return sorts;
}

}  // namespace

CheckedClaims check_claims(const std::vector<Claim>& claims, const ClaimPlaces& places,
                           const std::function<StudyResult(const Experiment&)>& run) {
  CheckedClaims checked;
  checked.claims.reserve(claims.size());
  for (const Claim& claim : claims) checked.claims.push_back({claim, {}});
  const MachineSorts machines = sorts_of(places);
  std::string hashes;
  for (const ClaimGroup& group : by_study(checked.claims)) {
    for (const std::string& framework : places.frameworks) {
      const StudyResult study = run(experiment_of(group, places, framework));
      hashes += study.config_hash;
      for (CheckedClaim* const one : group) {
        if (!one->answers.empty() && !is_of_step(one->claim.quantity)) continue;
        std::vector<ClaimAnswer> answers = check_claim(one->claim, study, machines);
        std::move(answers.begin(), answers.end(), std::back_inserter(one->answers));
      }
    }
  }
  checked.config_hash = sha256_hex(hashes);
  return checked;
}

}  // namespace stcsim
