#pragma once

#include <filesystem>
#include <vector>

#include "sim/validation/instruction_result.hpp"
#include "sim/validation/network_result.hpp"
#include "sim/validation/validation_results.hpp"

namespace stcsim {

/// Tables of measurements, by kind.
struct MeasuredTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredInstruction> instructions;
  std::vector<MeasuredNetwork> networks;
};

/// Reads a table of measurements. Its columns say what it is about: `instr` instructions, `network`
/// networks, anything else GEMMs.
/// @throws ConfigError with file:line:column
[[nodiscard]] MeasuredTables read_table(const std::filesystem::path& path);

/// The tables that come with the program.
[[nodiscard]] MeasuredTables shipped_tables();

/// Simulates everything that can be, and shows how far it is.
[[nodiscard]] ValidationResults run_validation(const MeasuredTables& tables, bool fast_forward);

}  // namespace stcsim
