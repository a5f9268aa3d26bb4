#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/evidence/verdict_tally.hpp"
#include "reports/papers/paper.hpp"

namespace stcsim {

/// What comes of a row.
struct RowAnswers {
  /// One per column that could be answered, in their order.
  std::vector<PaperAnswer> answers;
  /// Columns that could not, and why: "A100: ...".
  std::vector<std::string> not_run;
};

/// A paper with all its answers.
struct PaperResult {
  Paper paper;
  /// Of every figure and row of the paper.
  std::vector<std::vector<RowAnswers>> answers;
  /// SHA-256 of what was simulated, in hex.
  std::string config_hash;
};

/// What becomes of a published figure in one column.
struct ColumnVerdict {
  VerdictKind kind = VerdictKind::measured;
  /// Of paper_verdict.hpp.
  std::string verdict;

  /// "against measured: direction only"
  [[nodiscard]] std::string text() const { return std::string(to_string(kind)) + ": " + verdict; }
};

/// @return nothing where nothing was published, or where it cannot be judged: simulated_kind()
[[nodiscard]] std::optional<ColumnVerdict> verdict_of(const PaperFigure& figure,
                                                      const PaperRow& row,
                                                      const PaperAnswer& answer);

/// Of all answers.
[[nodiscard]] VerdictTally tally_of(const PaperResult& result);

/// Paper::result with the figures filled in.
/// @throws ConfigError at it for a name that is not there
[[nodiscard]] std::string sentence_of(const PaperResult& result);

}  // namespace stcsim
