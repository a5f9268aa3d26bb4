#pragma once

#include <vector>

#include "common/error.hpp"
#include "reports/validation/instruction_result.hpp"
#include "reports/validation/network_result.hpp"
#include "reports/validation/stream_result.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// Tables of measurements, by kind.
struct MeasuredTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredInstruction> instructions;
  std::vector<MeasuredNetwork> networks;
  std::vector<MeasuredStream> streams = {};
  /// Rows that were left out because they are wrong, each with its place and why.
  std::vector<ConfigError> bad_rows = {};
};

}  // namespace stcsim
