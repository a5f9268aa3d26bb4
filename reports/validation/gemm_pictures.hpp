#pragma once

#include <string>
#include <vector>

#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// A picture of the comparison of GEMMs, and the name of its file.
struct GemmPicture {
  std::string file;
  std::string title;
  std::string svg;
};

/// Simulated against measured: dense times, sparse times, speedups; a series for each machine.
[[nodiscard]] std::vector<GemmPicture> scatter_pictures(const std::vector<ValidationRow>& rows);

/// The gain of 2:4 alone, of the rows that are scored: those of each machine that were not fitted,
/// over those that were. None without such rows.
[[nodiscard]] std::vector<GemmPicture> gain_pictures(const std::vector<ValidationRow>& rows);

/// Errors of the rows that are scored over the measured dense time, M, N and K, as far as there are
/// rows.
[[nodiscard]] std::vector<GemmPicture> error_pictures(const std::vector<ValidationRow>& rows);

}  // namespace stcsim
