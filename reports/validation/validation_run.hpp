#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "reports/validation/instruction_result.hpp"
#include "reports/validation/network_result.hpp"
#include "reports/validation/validation_results.hpp"

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

/// Told of the rows that are done, of all.
using ValidationProgress = std::function<void(std::size_t done, std::size_t rows)>;

/// Simulates everything that can be.
[[nodiscard]] ValidationResults run_validation(const MeasuredTables& tables, bool fast_forward,
                                               const ValidationProgress& progress);

}  // namespace stcsim
