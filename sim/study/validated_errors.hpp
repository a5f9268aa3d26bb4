#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/data_type.hpp"

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

}  // namespace stcsim
