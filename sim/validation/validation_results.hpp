#pragma once

#include <vector>

#include "sim/validation/instruction_result.hpp"
#include "sim/validation/network_result.hpp"
#include "sim/validation/validation_result.hpp"

namespace stcsim {

/// Everything that was compared; the rows of a kind that no table had are missing.
struct ValidationResults {
  std::vector<ValidationRow> gemms;
  std::vector<InstructionRow> instructions;
  std::vector<NetworkRow> networks;
};

}  // namespace stcsim
