#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "reports/validation/measured_tables.hpp"
#include "reports/validation/row_filter.hpp"
#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// Reads a table of measurements. Its columns say what it is about: `instr` instructions, `network`
/// networks, `op` kernels beside the products, anything else GEMMs. Wrong rows are left out and
/// kept as such (bad_rows).
/// @throws ConfigError with file:line:column for a table without a row that is right
[[nodiscard]] MeasuredTables read_table(const std::filesystem::path& path);

/// The tables that come with the program.
[[nodiscard]] MeasuredTables shipped_tables();

/// The rows that `filter` leaves, by what stands for their GPUs in configs/validation/gpus.yaml.
/// @throws ConfigError if none is left
[[nodiscard]] MeasuredTables filtered(const MeasuredTables& tables, const RowFilter& filter);

/// Told of the rows that are done, of all.
using ValidationProgress = std::function<void(std::size_t done, std::size_t rows)>;

/// Simulates everything that can be, in so many worker processes. Rows that name a machine, a
/// stack, a way of timing or a network that is not there are wrong too.
/// @throws ConfigError for the first of them if no row is left
[[nodiscard]] ValidationResults run_validation(MeasuredTables tables, bool fast_forward,
                                               std::int64_t jobs,
                                               const ValidationProgress& progress);

}  // namespace stcsim
