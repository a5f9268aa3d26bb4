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

void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine,
                const DenseChoices& choices) {
  total.capacity_bytes = machine.config.accelerator.dram.capacity_bytes;
  if (total.pass != kTrainingPass) return;
  const Network& network = named(experiment.networks, total.network);
  const Scheme& scheme = named(experiment.schemes, total.scheme);
  const auto packed_as = [&](const Layer& layer, Phase phase) -> std::optional<PackedTensor> {
    const Scheme here = choices.apply(scheme, layer, false);
    const SchemeGemms gemms = scheme_gemms(machine, here, layer, phase, network.batch,
                                           experiment.dtype, policy_of(experiment, machine.config));
    const bool is_kept = scheme.updates_kept && gemms.request.tensor == Tensor::weight;
    const Pattern packed = is_kept ? gemms.storable : gemms.support.hardware();
    if (packed.is_dense()) return std::nullopt;
    return PackedTensor{gemms.request.tensor, packed, gemms.gemms.front().dtype};
  };
  total.memory = step_memory(network, experiment.dtype, experiment.framework, scheme, packed_as);
}

}  // namespace stcsim
