#include "sim/study/study_memory.hpp"

#include <algorithm>

#include "sim/study/scheme_gemms.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {
namespace {

template <class Named>
const Named& named(const std::vector<Named>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
}

}  // namespace

void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine) {
  total.capacity_bytes = machine.config.accelerator.dram.capacity_bytes;
  if (total.pass != kTrainingPass) return;
  const Network& network = named(experiment.networks, total.network);
  const Scheme& scheme = named(experiment.schemes, total.scheme);
  const auto packed_as = [&](const Layer& layer, Phase phase) -> std::optional<PackedTensor> {
    const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, network.batch,
                                           experiment.dtype,
                                           policy_of(experiment, machine.config));
    if (gemms.support.patterns.empty()) return std::nullopt;
    return PackedTensor{gemms.request.tensor, gemms.support.hardware(), gemms.gemms.front().dtype};
  };
  total.memory = step_memory(network, experiment.dtype, experiment.framework, scheme, packed_as);
}

}  // namespace stcsim
