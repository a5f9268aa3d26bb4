#pragma once

#include <vector>

#include "reports/validation/instruction_result.hpp"
#include "reports/validation/network_result.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// Tables of measurements, by kind.
struct MeasuredTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredInstruction> instructions;
  std::vector<MeasuredNetwork> networks;
};

}  // namespace stcsim
