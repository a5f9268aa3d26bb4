#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How far simulated values of one quantity are off.
struct QuantityError {
  /// Mean of |simulated / measured - 1|.
  double mean = 0;
  /// Measured values lie between the simulated one over and times e to the power of this.
  double half = 0;
  /// Of another type of the machine, or of cards that were blind.
  bool is_assumed = false;

  friend bool operator==(const QuantityError&, const QuantityError&) = default;
};

/// How far simulated times of one machine and type are off.
struct TimeErrors {
  QuantityError dense = {};
  QuantityError sparse = {};
  /// What a sparse GEMM gains over the dense one.
  QuantityError gain = {};
  /// Kernels beside the GEMMs.
  QuantityError stream = {};
  /// Whole dense steps: what a framework does that its recipe leaves out.
  QuantityError step = {};
  /// Signed: by how much the mean gain is claimed too large where sparse is chosen by simulated
  /// times; 0 where that was not measured.
  double selection = 0;

  friend bool operator==(const TimeErrors&, const TimeErrors&) = default;
};

/// Where the measured value lies that was simulated as `value`.
[[nodiscard]] LikelyInterval likely(double value, const QuantityError& error);

/// GEMMs from this dense time on are those that validated errors are of; shorter ones tell of hosts
/// and launches besides.
inline constexpr double kValidatedFromUs = 20;

/// Of one GEMM and of its dense baseline.
struct GemmIntervals {
  LikelyInterval time;
  LikelyInterval dense_time;
  LikelyInterval speedup;

  friend bool operator==(const GemmIntervals&, const GemmIntervals&) = default;
};

/// @param is_sparse  it ran sparse; else the two are one
[[nodiscard]] GemmIntervals gemm_intervals(const TimeErrors& errors, double time_us,
                                           double dense_time_us, bool is_sparse);

/// Fewer rows say nothing of their card.
inline constexpr std::int64_t kFewestRows = 6;
/// The least rows of which 95 % is not all.
inline constexpr std::int64_t kRowsOfAQuantile = 19;

/// Half the length of an interval that holds the next measured value as well as 95 % of the rows,
/// from ln(simulated / measured) of each. From kRowsOfAQuantile rows on the absolute value of rank
/// 95 % of (rows + 1), which needs no distribution (conformal prediction; Lei et al., JASA 2018);
/// below, Student's t times the root mean square, and no less than what a blind card has; of fewer
/// than kFewestRows that alone.
[[nodiscard]] double half_width(std::vector<double> log_errors, double of_blind_card);

/// The errors of the tables that `stcsim evidence rows` compares with:
/// configs/validation/errors.csv, and blind_errors.csv for cards and quantities without rows.
class ValidatedErrors {
 public:
  /// Nothing where the folder lacks one of the files.
  /// @throws ConfigError with file:line:column for a file that is malformed
  [[nodiscard]] static std::optional<ValidatedErrors> load(const std::filesystem::path& folder);

  /// Of the machine's own rows in that type; else of its rows in another type with as many bits;
  /// else of cards that were blind, and of what no such card had measured (steps,
  /// kernels beside the GEMMs) the largest of all machines. Fewer than kFewestRows rows do not
  /// count.
  [[nodiscard]] TimeErrors of(const std::string& machine, DataType dtype) const;

 private:
  struct Cell {
    std::string machine;
    std::string dtype;
    std::string quantity;
    double bias = 0;
    QuantityError error;
  };

  void read_measured(const std::filesystem::path& file);
  void read_blind(const std::filesystem::path& file);
  [[nodiscard]] const Cell* find_own(const std::string& machine, DataType dtype,
                                     const char* quantity) const;
  [[nodiscard]] const Cell* largest(const char* quantity) const;
  [[nodiscard]] QuantityError error_of(const std::string& machine, DataType dtype,
                                       const char* quantity) const;

  std::vector<Cell> cells_;
  std::map<std::string, QuantityError> blind_;  // by quantity
};

}  // namespace stcsim
