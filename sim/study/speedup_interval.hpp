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

/// How far simulated times of one machine and type are off, in the mean of |simulated / measured -
/// 1|.
struct TimeErrors {
  /// Dense GEMMs.
  double dense = 0;
  /// What a sparse GEMM gains over the dense one.
  double gain = 0;
  /// Kernels beside the GEMMs.
  double stream = 0;
  /// Those of GEMMs were measured on another machine, or in another type.
  bool is_assumed = false;
  /// Signed: by how much the mean gain is claimed too large where sparse is chosen by simulated
  /// times; 0 where that was not measured.
  double selection = 0;

  friend bool operator==(const TimeErrors&, const TimeErrors&) = default;
};

/// The errors of the tables that `stcsim evidence rows` compares with:
/// configs/validation/errors.csv, and assumed_errors.csv for machines and quantities that were not
/// measured.
class ValidatedErrors {
 public:
  /// Nothing where the folder lacks one of the files.
  /// @throws ConfigError with file:line:column for a file that is malformed
  [[nodiscard]] static std::optional<ValidatedErrors> load(const std::filesystem::path& folder);

  /// Of the machine's own rows in that type; else of the machine's rows in another type, those with
  /// as many bits first; else those of the machine that assumed_errors.csv names; else the largest
  /// of all machines. Fewer than kFewestRows rows do not count as measured.
  [[nodiscard]] TimeErrors of(const std::string& machine, DataType dtype) const;

  static constexpr std::int64_t kFewestRows = 10;

 private:
  struct Cell {
    std::string machine;
    std::string dtype;
    std::string quantity;
    double error = 0;
    double bias = 0;
  };
  struct Found {
    double error = 0;
    double bias = 0;
    bool is_assumed = false;
  };

  void read_measured(const std::filesystem::path& file);
  void read_assumed(const std::filesystem::path& file);
  [[nodiscard]] Found find(std::string machine, DataType dtype, const char* quantity) const;
  [[nodiscard]] std::optional<Found> find_own(const std::string& machine, DataType dtype,
                                              const char* quantity) const;
  [[nodiscard]] Found largest(const char* quantity) const;

  std::vector<Cell> cells_;
  std::map<std::string, std::string> taken_as_;  // machine by machine
};

/// Where the speedup of a step lies, if its kernels are off as validated ones are.
///
/// The logarithm of the speedup changes with the relative error of a kernel's time by the kernel's
/// share of the dense step less its share of the scheme's; with the error of a gain by the share of
/// the scheme's step that it made. Of each class (dense GEMMs, gains, other kernels) the mean
/// absolute error is taken to be common to all kernels, the classes' worst cases added; and to be
/// each kernel's own besides, independent, normal, twice the standard deviation of the sum. Where
/// gains that are chosen by simulated times are claimed too large (TimeErrors::selection), the
/// lower end is lower by that in the share of the step that runs sparse; the upper end is higher
/// where they are claimed too small.
///
/// @param rows               of one scheme in one pass on one machine
/// @param share_of_training  in which the scheme is sparse: 1 for a sparse step itself
[[nodiscard]] SpeedupInterval speedup_interval(const std::vector<const ResultRow*>& rows,
                                               double share_of_training, const TimeErrors& errors);

/// How far the time of the step itself may be off, by the same reckoning: the time times or divided
/// by e to the power of it. 0 of no rows.
/// @param rows  of one scheme in one pass on one machine; steps in which the scheme is sparse
[[nodiscard]] double time_deviation(const std::vector<const ResultRow*>& rows,
                                    const TimeErrors& errors);

/// Fills in the intervals of all complete totals.
void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const TimeErrors& errors);

}  // namespace stcsim
