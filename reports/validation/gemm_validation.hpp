#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "reports/validation/validation_result.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

struct ValidationOptions {
  bool fast_forward = true;
  /// Worker processes to run side by side.
  std::int64_t jobs = 1;
  /// Ways of timing, by name (MeasuredGemm::timing).
  std::map<std::string, TimingMethod> timing_methods;
  /// Told why a row is wrong, where that shows when it is run; it is left out.
  std::function<void(const ConfigError&)> on_bad_row;
  /// Told after every row, with the rows done so far; may be empty.
  std::function<void(std::size_t)> progress;
};

/// Simulates every row that can be, dense and sparse, each with its own best kernel; equal GEMMs
/// once, in worker
/// processes. The others are returned with the reason why they were skipped.
/// @param machines  by the name of the GPU in the table; a GPU that is not there is skipped
[[nodiscard]] std::vector<ValidationRow> validate_gemms(
    const std::vector<MeasuredGemm>& gemms, const std::map<std::string, MachineConfig>& machines,
    const ValidationOptions& options);

}  // namespace stcsim
