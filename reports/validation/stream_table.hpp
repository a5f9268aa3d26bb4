#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "reports/validation/stream_result.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// The operation whose forward kernel, as PyTorch launches it, moves what `op` does: additions of
/// two tensors stand for all that read two, ReLU for all that read one.
/// @throws ConfigError at `where` for an unknown one
[[nodiscard]] StreamOp stream_op_of(std::string_view op, const SourceLocation& where);

/// Reads a table of measured kernels. Columns: source, gpu, op (add, mul, div, pow; the same with
/// u, of one tensor and a number; relu, tanh, gelu, softmax, ln), dtype (fp32, fp16), rows,
/// columns, time_us; `machine` and `note` may be left out.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredStream> read_measured_streams(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

}  // namespace stcsim
