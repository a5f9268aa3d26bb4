#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/gemm.hpp"
#include "common/io/table.hpp"
#include "reports/validation/gemm_run.hpp"
#include "sim/config/machine.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// The time that somebody measured for a kernel beside the matrix products, one launch of it.
struct MeasuredStream {
  SourceLocation where;
  std::string source;
  std::string gpu;
  /// The machine whose kernel it is held against; "" for that of the GPU.
  std::string machine;
  /// As published: "add", "softmax", ...
  std::string op;
  /// Type of the tensors: fp32 or fp16.
  DataType dtype = DataType::fp32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double time_us = 0;
  /// What the time includes beside the kernel.
  double overhead_us = 0;
};

/// A measured row beside what the simulator predicts for it.
struct StreamRow {
  MeasuredStream measured;
  std::string machine;
  std::optional<double> time_us;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

/// The operation whose forward kernel, as PyTorch launches it, moves what `op` does: additions of
/// two tensors stand for all that read two, ReLU for all that read one.
/// @throws ConfigError at `where` for an unknown one
[[nodiscard]] StreamOp stream_op_of(std::string_view op, const SourceLocation& where);

/// Reads a table of measured kernels. Columns: source, gpu, op (add, mul, div, pow; the same with
/// u, of one tensor and a number; relu, tanh, gelu, softmax, ln), dtype (fp32, fp16), rows,
/// columns, time_us; `machine`, `overhead_us` and `note` may be left out.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredStream> read_measured_streams(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

/// The bytes that the framework's forward kernel of the row's operation moves for its tensor.
[[nodiscard]] StreamWork stream_work_of(const MeasuredStream& measured, const Framework& framework);

/// Simulates every row on its machine, in worker processes; rows without a machine are skipped.
/// @param machines   by the names of GPUs, and of machines that rows name
/// @param framework  whose kernels stand for the measured ones
/// @throws SimulationError if one fails
[[nodiscard]] std::vector<StreamRow> validate_streams(
    const std::vector<MeasuredStream>& streams,
    const std::map<std::string, MachineConfig>& machines, const Framework& framework,
    const ValidationOptions& options);

/// Errors of the times of kernels beside the matrix products: of each machine, and of each
/// operation on it, with the least and the most bytes of a tensor.
[[nodiscard]] Table stream_table(const std::vector<StreamRow>& rows);

}  // namespace stcsim
