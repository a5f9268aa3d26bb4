#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config_field.hpp"
#include "common/error.hpp"
#include "common/io/table.hpp"
#include "models/collectives/collective.hpp"
#include "reports/validation/gemm_run.hpp"
#include "sim/config/parallel.hpp"

namespace stcsim {

/// A time on several GPUs that somebody measured: of a collective or of a training step.
struct MeasuredSystem {
  SourceLocation where;
  std::string source;
  std::string gpu;
  /// Stands for the GPUs: a file of configs/systems; "" if none does.
  std::string system;
  RowUse use = RowUse::shown;
  std::int64_t gpus = 1;
  std::int64_t nodes = 1;
  double us = 0;
  /// Why it is not predicted; "" if it is.
  std::string unusable;

  // Collectives.
  std::optional<CollectiveOp> collective;
  double bytes = 0;

  // Trainings: of an update, `accumulation` micro-batches on every GPU.
  /// Rows of one script: their scaling is held against the fewest GPUs of it.
  std::string series;
  std::string model;
  std::string framework;
  DataType dtype = DataType::fp16;
  std::int64_t micro_batch = 1;
  std::int64_t accumulation = 1;
  ParallelConfig parallel;
};

/// A measured row beside what is predicted for it. Scaling: samples per GPU over those of the
/// series' fewest GPUs.
struct SystemRow {
  MeasuredSystem measured;
  std::optional<double> us;
  double measured_scaling = 1;
  std::optional<double> scaling;
  std::string skipped;
};

/// Errors of collectives of fewer bytes are not summed up.
inline constexpr double kLeastCollectiveBytes = 1 << 20;

/// Reads a table of collectives (a column `collective`) or of trainings on several GPUs
/// (`sharding`); docs/evidence.md says what columns there are.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredSystem> read_measured_systems(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

/// Predicts every row that can be: a collective from the links of its system, a training from a
/// dense step that is simulated on one GPU.
/// @throws ConfigError at the row for a file that does not exist, unless `options` take it
[[nodiscard]] std::vector<SystemRow> validate_systems(const std::vector<MeasuredSystem>& rows,
                                                      const ValidationOptions& options);

/// Errors by system, kind (collectives of one node and of several; sharding) and use.
[[nodiscard]] Table system_table(const std::vector<SystemRow>& rows);
/// Every training, and every collective between nodes from kLeastCollectiveBytes on.
[[nodiscard]] Table system_rows_table(const std::vector<SystemRow>& rows);

}  // namespace stcsim
