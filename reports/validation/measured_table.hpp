#pragma once

#include <filesystem>
#include <vector>

#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// Reads a table of measured GEMMs. Columns: source, gpu, dtype, M, N, K, layout, dense_value,
/// sparse_value, unit (s, ms, us or TFLOPS, dense-equivalent), speedup, pattern, note, and three
/// that may be left out: `timing`, a key of configs/validation/timing.yaml (events, or host where
/// the note says "incl. launch overhead"), `use` (RowUse), and `stack`, the machine's software
/// stack that was measured (its default). A value may be empty or MISSING; a missing dtype is taken
/// as fp16, "fp8" as fp8_e4m3; "fp16/fp32" names the accumulator too. "batch=n" in the layout is a
/// batched GEMM, "row" and "row.row" are row-major matrices; otherwise K is contiguous in both
/// operands.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredGemm> read_measured_gemms(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

}  // namespace stcsim
