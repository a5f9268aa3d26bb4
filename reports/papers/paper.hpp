#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "reports/evidence/verdict.hpp"
#include "reports/papers/gemm_row.hpp"
#include "reports/papers/mask_row.hpp"
#include "reports/papers/own_rows.hpp"
#include "reports/papers/paper_column.hpp"
#include "reports/papers/step_row.hpp"
#include "reports/papers/training_row.hpp"

namespace stcsim {

/// The experiment of a row; nothing for one that is not compared.
using RowExperiment =
    std::variant<std::monostate, StepRow, GemmRow, TrainingRow, MaskRow, EstimateRow, TrainedRow>;

/// A figure that a paper gives, or one of ours beside it.
struct PaperRow {
  std::string says;
  /// Nothing where the paper has no number.
  std::optional<PublishedFigure> published;
  /// The way the paper has it: "measured", "estimated", "counted", "simulated", "accuracy",
  /// "proved"; "derived": it is not printed, but follows from what is.
  std::string obtained;
  std::string setting;
  /// A remark on the comparison.
  std::string note;
  /// Why ours differs, where a simulation cannot say that itself.
  std::string why;
  /// The part of ours that was set with the published figure in view; "" if nothing was.
  std::string fitted;
  /// Why the paper's number is not here, and why there is none of ours; else "".
  std::string not_obtained;
  std::string not_compared;
  /// Part of the published figure by which ours may differ; of points so many.
  double tolerance = 0;
  RowExperiment experiment;
};

/// A figure or table of a paper.
struct PaperFigure {
  /// Its file's name.
  std::string name;
  std::string title;
  std::string shows;
  std::string source;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
  /// Published parts of it that could not be obtained.
  std::vector<std::string> not_obtained;
};

/// A publication whose figures are reproduced: a folder of configs/papers.
struct Paper {
  /// Its folder's name.
  std::string name;
  std::string title;
  std::string source;
  std::string about;
  /// The result in a sentence, with {FIGURE.ROW.COLUMN} for our figures and {FIGURE.ROW} for the
  /// published ones; rows count from 1. "" of single claims, which get no page.
  std::string result;
  SourceLocation result_at;
  std::vector<PaperFigure> figures;

  [[nodiscard]] bool has_page() const { return !result.empty(); }
};

/// That of the row's experiment; Quantity::none of a row without one.
[[nodiscard]] const QuantityInfo& quantity_of(const PaperRow& row);

/// "16.6 %", "15.0 % to 25.0 %"
[[nodiscard]] std::string published_text(const PaperRow& row);

/// Names of the shipped papers, sorted: the folders of configs/papers with a paper.yaml.
[[nodiscard]] std::vector<std::string> list_papers();

/// Reads a paper and its figures; docs/evidence.md has the keys.
/// @param name a shipped paper's, or the path of a folder with a paper.yaml
/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] Paper load_paper(const std::string& name);

}  // namespace stcsim
