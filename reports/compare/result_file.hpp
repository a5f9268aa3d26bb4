#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/run/result.hpp"

namespace stcsim {

/// A result to compare. Of a file, the study has what comparing needs: names, repeats, shape,
/// cycles, kernel and limit of rows; names, clock, step and speedup of totals; the configuration.
struct ComparedResult {
  /// The file, or what else it is called.
  std::string name;
  /// Of the program that made it.
  std::string version;
  /// One GEMM, a row; its total is its time, and the scheme its pattern.
  bool is_gemm = false;
  StudyResult study;
};

/// Reads what `run` or `gemm` wrote as JSON, or a golden file.
/// @param file name for error messages
/// @throws ConfigError if it is none of these
[[nodiscard]] ComparedResult result_from_json(std::string_view text, const std::string& file);

/// Reads a file of these, or the results.json of a folder that `run --out` wrote.
[[nodiscard]] ComparedResult read_result(const std::string& path);

}  // namespace stcsim
