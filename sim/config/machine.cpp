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

}  // namespace stcsim
