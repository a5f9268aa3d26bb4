#include "sim/machine.hpp"

#include <algorithm>

namespace stcsim {

bool MachineConfig::supports(DataType dtype) const {
  const auto& rates = accelerator.sm.tensor_core.multipliers;
  return std::any_of(rates.begin(), rates.end(),
                     [&](const MultiplierRate& rate) { return rate.dtype == dtype; });
}

}  // namespace stcsim
