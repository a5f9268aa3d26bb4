#pragma once

#include <vector>

#include "reports/validation/instruction_result.hpp"
#include "reports/validation/network_result.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// Everything that was compared; the rows of a kind that no table had are missing.
struct ValidationResults {
  std::vector<ValidationRow> gemms;
  std::vector<InstructionRow> instructions;
  std::vector<NetworkRow> networks;
};

}  // namespace stcsim
