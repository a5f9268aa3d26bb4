#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

/// The answer that the paper's figure is about: of what was counted, estimated or proved the first
/// under the paper's assumptions, if its figure has such a column, else the first that is not; null
/// if there is none or nothing is published.
[[nodiscard]] const PaperAnswer* judged_answer(const PaperFigure& figure, const PaperRow& row,
                                               const RowAnswers& answers);
/// Of one answer, and of the judged one; "" without.
[[nodiscard]] std::string verdict_of(const PaperRow& row, const PaperAnswer& answer);
[[nodiscard]] std::string verdict_of(const PaperFigure& figure, const PaperRow& row,
                                     const RowAnswers& answers);

/// How many rows were given each verdict, in the order of paper_verdict.hpp.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> tally_of(const PaperResult& result);

/// Paper::result with the figures filled in.
/// @throws ConfigError at it for a name that is not there
[[nodiscard]] std::string sentence_of(const PaperResult& result);

}  // namespace stcsim
