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
  for (const StackConfig& one : other_stacks) names.push_back(one.name);
  return names;
}

const StackConfig* MachineConfig::find_stack(const std::string& stack) const {
  for (const std::vector<StackConfig>* const list : {&stacks, &other_stacks}) {
    for (const StackConfig& one : *list) {
      if (one.name == stack) return &one;
    }
  }
  return nullptr;
}

std::string MachineConfig::preferred_stack(const std::vector<std::string>& names) const {
  std::vector<std::string> own = stack_names();
  own.resize(stacks.size() + 1);
  const auto found = std::find_first_of(names.begin(), names.end(), own.begin(), own.end());
  return found == names.end() ? own.front() : *found;
}

std::vector<std::string> MachineConfig::stacks_beside(const std::string& stack) const {
  std::vector<std::string> beside;
  const StackConfig* const own = find_stack(stack);
  if (own == nullptr) return beside;
  for (const std::string& other : stack_names()) {
    const StackConfig* const one = find_stack(other);
    if (one == nullptr || other == stack) continue;
    if (one->dense == own->dense && one->sparse == own->sparse) beside.push_back(other);
  }
  beside.emplace_back(kBestStack);
  return beside;
}

}  // namespace stcsim
