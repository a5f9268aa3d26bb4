#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reports/papers/paper.hpp"
#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The answers to a row.
struct RowAnswers {
  /// One per column that could be answered, in their order.
  std::vector<PaperAnswer> answers;
  /// Columns that could not, and why: "A100: ...".
  std::vector<std::string> not_run;
};

/// The column's answer; null if there is none.
[[nodiscard]] const PaperAnswer* answer_in(const RowAnswers& row, const std::string& column);

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
  /// By figure and row of the paper.
  std::vector<std::vector<RowAnswers>> answers;
  /// For the figures of Paper::result that software matters to, in their order.
  std::vector<FigureSpread> spread = {};
  /// SHA-256 of what was simulated, in hex.
  std::string config_hash;
};

/// The verdict on a published figure in one column.
struct ColumnVerdict {
  VerdictKind kind = VerdictKind::measured;
  /// One of verdict.hpp.
  std::string verdict;

  /// "against measured: direction only"
  [[nodiscard]] std::string text() const { return std::string(to_string(kind)) + ": " + verdict; }
};

/// @return nothing where nothing was published, or where it cannot be judged: simulated_kind()
[[nodiscard]] std::optional<ColumnVerdict> verdict_of(const PaperFigure& figure,
                                                      const PaperRow& row,
                                                      const PaperAnswer& answer);

/// Counts the verdicts on all answers.
[[nodiscard]] VerdictTally tally_of(const PaperResult& result);

/// A figure that Paper::result has in braces: ours of a column, or the published one.
struct SentenceFigure {
  /// Where the braces begin, and the character behind them.
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Counted from 0.
  std::size_t figure = 0;
  std::size_t row = 0;
  /// "" of the published one.
  std::string column;
};

/// In the sentence's order.
/// @throws ConfigError at it for braces that are not {FIGURE.ROW} or {FIGURE.ROW.COLUMN}
[[nodiscard]] std::vector<SentenceFigure> figures_in_sentence(const Paper& paper);

/// A figure of Paper::result: "1.11x".
/// @throws ConfigError at it for one that is not there
[[nodiscard]] std::string text_of(const PaperResult& result, const SentenceFigure& named);

/// Paper::result with the figures filled in.
/// @throws ConfigError at it for a name that is not there
[[nodiscard]] std::string sentence_of(const PaperResult& result);

/// "With other software, 1.11x: by the libraries' own rules 1.09x, best of all kernels 1.12x.";
/// "" of none.
[[nodiscard]] std::string spread_text(const std::vector<FigureSpread>& spread);

/// The paper's page in Markdown: its result, then every figure with what was published beside what
/// was simulated in every column, and what could not be obtained.
[[nodiscard]] std::string paper_markdown(const PaperResult& result);

/// Every figure as a table in so many columns, below its title and an empty line.
[[nodiscard]] std::string paper_tables(const PaperResult& result, std::size_t width);

/// stcsim.paper/2, docs/configuration.md.
[[nodiscard]] nlohmann::ordered_json paper_to_json(const PaperResult& result);

/// A line for each kind of verdict and column, after a mark: "- against measured, A100: 2
/// reproduced, 9 direction only".
[[nodiscard]] std::string tally_text(const PaperResult& result, std::string_view mark);

/// Options of simulating a paper. Its answers do not depend on it.
struct PaperOptions {
  /// Simulates an experiment.
  std::function<StudyResult(const Experiment&)> run;
  /// Worker processes that GEMMs run in side by side.
  std::int64_t jobs = 1;
  bool fast_forward = true;
  /// Told after every GEMM, with those done so far and their number; may be empty.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// How many studies run_paper() asks for, at most.
[[nodiscard]] std::size_t most_studies(const Paper& paper);

/// Does every experiment of a paper in every column of its figure: steps of one network on one
/// machine in one study, all GEMMs together.
/// @throws SimulationError for the first GEMM that fails
[[nodiscard]] PaperResult run_paper(Paper paper, const PaperOptions& options);

}  // namespace stcsim
