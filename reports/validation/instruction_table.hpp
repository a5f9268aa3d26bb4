#pragma once

#include <filesystem>
#include <vector>

#include "reports/validation/instruction_result.hpp"

namespace stcsim {

/// Reads a table of measured instructions. Columns: source, gpu, instr, dtype (operand type, or
/// operand/accumulator), shape (m16n8k16), sparse (0 or 1: 2:4), latency_cycles,
/// throughput_fma_per_clk_sm (dense-equivalent), warps, ilp; `machine` and `note` may be left
/// out. A value may be empty.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredInstruction> read_measured_instructions(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

}  // namespace stcsim
