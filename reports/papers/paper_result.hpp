#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/evidence/verdict_tally.hpp"
#include "reports/papers/paper_sentence.hpp"

namespace stcsim {

/// What comes of a row.
struct RowAnswers {
  /// One per column that could be answered, in their order.
  std::vector<PaperAnswer> answers;
  /// Columns that could not, and why: "A100: ...".
  std::vector<std::string> not_run;
};

/// A figure of Paper::result, and the same with other software that users of its machine could
/// have run.
struct FigureSpread {
  /// "1.11x"
  std::string figure;
  /// Stacks and what it is with them.
  std::vector<std::pair<std::string, std::string>> with;
};

/// A paper with all its answers.
struct PaperResult {
  Paper paper;
  /// Of every figure and row of the paper.
  std::vector<std::vector<RowAnswers>> answers;
  /// Of the figures of Paper::result that software matters to, in their order.
  std::vector<FigureSpread> spread = {};
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

/// A figure of Paper::result: "1.11x".
/// @throws ConfigError at it for one that is not there
[[nodiscard]] std::string text_of(const PaperResult& result, const SentenceFigure& named);

/// Paper::result with the figures filled in.
/// @throws ConfigError at it for a name that is not there
[[nodiscard]] std::string sentence_of(const PaperResult& result);

/// "With other software, 1.11x: by the libraries' own rules 1.09x, best of all kernels 1.12x.";
/// "" of none.
[[nodiscard]] std::string spread_text(const std::vector<FigureSpread>& spread);

}  // namespace stcsim
