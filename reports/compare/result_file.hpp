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

/// Where a recorded experiment came from, so that it can be read again as it is now.
struct GoldenSource {
  /// A shipped experiment's name, or a path relative to the golden file's folder; "" if unknown.
  std::string experiment;
  std::vector<std::string> overrides;  // --set, in order
  /// Of an experiment without a file: what its file would say if it lay beside the golden file, as
  /// JSON. "" otherwise.
  std::string question = {};

  friend bool operator==(const GoldenSource&, const GoldenSource&) = default;
};

/// A recorded study, with all that is needed to run it again. Of rows and totals it has what
/// comparing needs (ComparedResult); rows are sorted by machine, network, layer,
/// phase, scheme and op.
struct Golden {
  std::string version;  // of the program that recorded it
  GoldenSource source;
  StudyResult study;
};

/// @throws SimulationError if the study has failures or no rows: it would hide them for good
[[nodiscard]] Golden make_golden(const StudyResult& study, GoldenSource source = {});

inline constexpr std::string_view kGoldenSchema = "stcsim.golden/2";

/// A golden file: one line per row, total and value of the configuration, so that a change of one
/// changes one line.
[[nodiscard]] std::string golden_to_json(const Golden& golden);

/// Reads a golden file back; rows are sorted, however the file had them.
/// @param file name for error messages
/// @param with_figures  false for its source and configuration alone
/// @throws ConfigError naming what is malformed, missing or of the wrong type, or if there are no
///   rows: such a file could not fail
[[nodiscard]] Golden golden_from_json(std::string_view text, const std::string& file,
                                      bool with_figures = true);

}  // namespace stcsim
