#include "sim/config/machine.hpp"

#include <algorithm>

namespace stcsim {

bool MachineConfig::supports(DataType dtype) const {
  const auto& rates = accelerator.sm.tensor_core.multipliers;
  return std::any_of(rates.begin(), rates.end(),
                     [&](const MultiplierRate& rate) { return rate.dtype == dtype; });
}

std::vector<std::string> MachineConfig::library_names() const {
  std::vector<std::string> names;
  for (const LibraryConfig& one : libraries) names.push_back(one.name);
  return names;
}

std::vector<std::string> MachineConfig::stack_names() const {
  std::vector<std::string> names;
  for (const StackConfig& one : stacks) names.push_back(one.name);
  names.emplace_back(kBestStack);
  return names;
}

std::string MachineConfig::preferred_stack(const std::vector<std::string>& names) const {
  const std::vector<std::string> own = stack_names();
  const auto found = std::find_first_of(names.begin(), names.end(), own.begin(), own.end());
  return found == names.end() ? own.front() : *found;
}

std::vector<std::string> MachineConfig::stacks_beside(const std::string& stack) const {
  std::vector<std::string> beside;
  const auto own = std::find_if(stacks.begin(), stacks.end(),
                                [&](const StackConfig& one) { return one.name == stack; });
  if (own == stacks.end()) return beside;
  for (const StackConfig& one : stacks) {
    const bool has_same_libraries = one.dense == own->dense && one.sparse == own->sparse;
    if (has_same_libraries && one.name != stack) beside.push_back(one.name);
  }
  beside.emplace_back(kBestStack);
  return beside;
}

}  // namespace stcsim
