#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/validation/validation_result.hpp"

namespace stcsim {

/// Reads a table of measured GEMMs. Columns: source, gpu, dtype, M, N, K, layout, dense_value,
/// sparse_value, unit (s, ms, us or TFLOPS, dense-equivalent), speedup, pattern, note; others are
/// ignored, but for `timing`, which may be left out: host, where launching is part of the times, or
/// device. A value may be empty or MISSING; a missing dtype is taken as fp16. "batch=n" in the
/// layout is a batched GEMM.
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredGemm> read_measured_gemms(const std::filesystem::path& path);

/// Machine of each GPU, by the names GPUs have in tables of measurements
/// (configs/validation/gpus.yaml).
[[nodiscard]] std::map<std::string, std::string> read_gpu_machines(
    const std::filesystem::path& path);

}  // namespace stcsim
