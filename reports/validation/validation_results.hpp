#pragma once

#include <string>
#include <vector>

#include "reports/validation/instruction_result.hpp"
#include "reports/validation/network_result.hpp"
#include "reports/validation/stream_result.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// The software whose kernels ran on a machine, described, where a row names no other.
struct MachineSoftware {
  std::string machine;
  std::string stack;

  friend bool operator==(const MachineSoftware&, const MachineSoftware&) = default;
};

/// Everything that was compared; the rows of a kind that no table had are missing.
struct ValidationResults {
  std::vector<ValidationRow> gemms;
  std::vector<InstructionRow> instructions;
  std::vector<NetworkRow> networks;
  std::vector<StreamRow> streams = {};
  /// Of the machines on which GEMMs or networks ran, in the order of their first row.
  std::vector<MachineSoftware> software = {};
  /// Rows that were left out because they are wrong, each with its place and why.
  std::vector<ConfigError> bad_rows = {};
};

}  // namespace stcsim
