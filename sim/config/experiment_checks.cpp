#include "sim/config/experiment_checks.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/suggestion.hpp"
#include "sim/config/kernel_space.hpp"

namespace stcsim {
namespace {

void check_kernel(const MapReader& map, const std::string& kernel, const MachineSpec& machine) {
  if (kernel == "auto") return;
  std::vector<std::string> names{"auto"};
  for (const KernelConfig& known : all_kernels(machine.config)) names.push_back(known.name);
  if (std::find(names.begin(), names.end(), kernel) != names.end()) return;
  map.fail("kernel", fmt::format("machine '{}' has no kernel '{}', must be auto or one of its "
                                 "'kernels'{}",
                                 machine.name, kernel, did_you_mean(kernel, names)));
}

/// True where only --set states `kernel`, which replaces what the file says of the choice.
bool is_replaced(const MapReader& map, const char* key) {
  return map.location_of("kernel").line == 0 && map.location_of(key).line != 0;
}

void check_choice(const MapReader& map, const std::string& kernel, const char* key) {
  if (is_replaced(map, key)) return;
  map.fail(key, fmt::format("'{}' has no effect with 'kernel: {}', only with 'kernel: auto'; leave "
                            "one of them out",
                            key, kernel));
}

void check_stack(const MapReader& map, const std::string& stack, const MachineSpec& machine) {
  if (stack.empty()) return;
  const std::vector<std::string> names = machine.config.stack_names();
  if (std::find(names.begin(), names.end(), stack) != names.end()) return;
  map.fail("stack", fmt::format("machine '{}' has no stack '{}', must be one of {}{}", machine.name,
                                stack, fmt::join(names, ", "), did_you_mean(stack, names)));
}

void check_dtype(const MapReader& map, DataType dtype, const MachineSpec& machine) {
  if (machine.config.supports(dtype)) return;
  std::vector<std::string_view> names;
  for (const MultiplierRate& rate : machine.config.accelerator.sm.tensor_core.multipliers) {
    names.push_back(to_string(rate.dtype));
  }
  map.fail("dtype", fmt::format("machine '{}' does not multiply {}, must be one of {}",
                                machine.name, to_string(dtype), fmt::join(names, ", ")));
}

}  // namespace

void settle_choice(const MapReader& map, Experiment& experiment) {
  if (experiment.kernel == "auto") return;
  if (experiment.kernel_candidates) check_choice(map, experiment.kernel, "kernel_candidates");
  if (!experiment.stack.empty()) check_choice(map, experiment.kernel, "stack");
  experiment.kernel_candidates.reset();
  experiment.stack.clear();
}

void check_experiment(const MapReader& map, const Experiment& experiment) {
  if (experiment.sampled && experiment.functional) {
    map.fail("sampled",
             "'sampled' goes without 'functional': every CTA has to be simulated with its "
             "values; must be false");
  }
  for (const MachineSpec& machine : experiment.machines) {
    check_kernel(map, experiment.kernel, machine);
    check_stack(map, experiment.stack, machine);
    check_dtype(map, experiment.dtype, machine);
  }
}

}  // namespace stcsim
