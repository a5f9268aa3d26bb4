#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/instruction_rows.hpp"
#include "reports/validation/network_rows.hpp"

namespace stcsim {

/// The rows of each table (table_of), in the order of their first row.
struct RowsOfTable {
  std::string table;
  std::vector<ValidationRow> rows;
};
[[nodiscard]] std::vector<RowsOfTable> rows_by_table(const std::vector<ValidationRow>& rows);

/// Every row that was simulated: measured, simulated and error of all quantities.
[[nodiscard]] Table validation_rows_table(const std::vector<ValidationRow>& rows);
/// Mean absolute error, bias and correlation per GPU and for all.
[[nodiscard]] Table validation_summary_table(const std::vector<ValidationRow>& rows);
/// A sentence for each reason why rows were skipped.
[[nodiscard]] std::vector<std::string> skipped_rows(const std::vector<ValidationRow>& rows);

/// The ten largest errors, with the kernels that were simulated and what bounds them.
[[nodiscard]] Table worst_rows_table(const std::vector<ValidationRow>& rows);

/// The three largest errors of dense and sparse times of every machine and data type, among rows
/// that are scored and take 20 us and more, with what the simulated units waited for.
[[nodiscard]] Table worst_rows_by_machine(const std::vector<ValidationRow>& rows);

/// Every instruction that was simulated: latency and throughput, measured, simulated and error.
[[nodiscard]] Table instruction_table(const std::vector<InstructionRow>& rows);
/// Per GPU: how many figures there are, their mean and their largest absolute error, and how many
/// are within 3 %.
[[nodiscard]] Table instruction_summary_table(const std::vector<InstructionRow>& rows);

/// Rows that were simulated and say how long a whole dense training step takes.
[[nodiscard]] std::vector<const NetworkRow*> dense_steps(const std::vector<NetworkRow>& rows);

/// Whether the row is one of them and nothing else: the dense scheme.
[[nodiscard]] bool is_dense_step(const NetworkRow& row);

/// Their times, measured and simulated.
[[nodiscard]] Table step_rows_table(const std::vector<NetworkRow>& rows);
/// Errors of the times of dense training steps, and the years of the software that was measured: of
/// each machine, and of each framework on it. Rows whose phase is "fine-tuning" or "part of a
/// network" are summed up apart.
[[nodiscard]] Table step_table(const std::vector<NetworkRow>& rows);

/// Errors of the passes of sparse training, a line for each network with several rows on a GPU: of
/// dense and sparse time and of the gain, and how many gains are more than 2 % too high or too low.
/// Nothing if there are no such rows.
[[nodiscard]] std::optional<Table> training_table(const std::vector<NetworkRow>& rows);

/// Every network that was simulated but dense steps (step_tables.hpp): times and speedup, measured,
/// simulated and error. The error of a speedup is that of the simulated range's end furthest
/// outside the measured one, 0 if all of it lies inside.
[[nodiscard]] Table network_table(const std::vector<NetworkRow>& rows);

}  // namespace stcsim
