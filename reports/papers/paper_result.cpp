#include "reports/papers/paper_result.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/papers/paper_sentence.hpp"
#include "reports/study_lines.hpp"

namespace stcsim {
namespace {

/// Of the figure; null of an answer that needs no machine.
const PaperColumn* column_of(const PaperFigure& figure, const PaperAnswer& answer) {
  const auto at = std::ranges::find(figure.columns, answer.column, &PaperColumn::name);
  return at == figure.columns.end() ? nullptr : &*at;
}

std::optional<VerdictKind> kind_of(const PaperFigure& figure, const PaperRow& row,
                                   const PaperAnswer& answer) {
  const bool is_fitted = !row.fitted.empty();
  if (std::holds_alternative<TrainedRow>(row.experiment)) return VerdictKind::training;
  const PaperColumn* const column = column_of(figure, answer);
  if (column == nullptr) return VerdictKind::arithmetic;
  if (column->is_beside) return std::nullopt;
  if (std::holds_alternative<PaperInstructionRow>(row.experiment)) {
    return is_fitted ? VerdictKind::fitted : VerdictKind::arithmetic;
  }
  const auto* const step = std::get_if<StepRow>(&row.experiment);
  if (step != nullptr && column->assumed && step->has_published_shares()) {
    return VerdictKind::published_input;
  }
  return simulated_kind(row.obtained, column->sort, is_fitted);
}

}  // namespace

std::optional<ColumnVerdict> verdict_of(const PaperFigure& figure, const PaperRow& row,
                                        const PaperAnswer& answer) {
  const std::optional<VerdictKind> kind = kind_of(figure, row, answer);
  if (!row.published || !kind) return std::nullopt;
  return ColumnVerdict{*kind,
                       verdict_of(*kind, *row.published, quantity_of(row), row.tolerance, answer)};
}

VerdictTally tally_of(const PaperResult& result) {
  VerdictTally tally;
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      for (const PaperAnswer& answer : result.answers[f][r].answers) {
        const auto found = verdict_of(figure, figure.rows[r], answer);
        if (found) tally.add(found->kind, answer.column, found->verdict);
      }
    }
  }
  return tally;
}

std::string text_of(const PaperResult& result, const SentenceFigure& named) {
  const PaperRow& row = result.paper.figures[named.figure].rows[named.row];
  const std::string name = result.paper.result.substr(named.begin + 1, named.end - named.begin - 2);
  if (named.column.empty()) {
    if (!row.published) fail_sentence(result.paper, name);
    return published_text(row);
  }
  const auto& answers = result.answers[named.figure][named.row].answers;
  const auto found = std::ranges::find(answers, named.column, &PaperAnswer::column);
  if (found == answers.end()) fail_sentence(result.paper, name);
  return format_figure(quantity_of(row).unit, found->value);
}

std::string sentence_of(const PaperResult& result) {
  std::string text;
  std::size_t at = 0;
  for (const SentenceFigure& named : figures_in_sentence(result.paper)) {
    text += result.paper.result.substr(at, named.begin - at) + text_of(result, named);
    at = named.end;
  }
  return text + result.paper.result.substr(at);
}

std::string spread_text(const std::vector<FigureSpread>& spread) {
  std::vector<std::string> figures;
  for (const FigureSpread& one : spread) {
    std::vector<std::string> texts;
    for (const auto& [stack, text] : one.with) texts.push_back(stack_text(stack) + " " + text);
    figures.push_back(fmt::format("{}: {}", one.figure, fmt::join(texts, ", ")));
  }
  return figures.empty() ? "" : fmt::format("With other software, {}.", fmt::join(figures, "; "));
}

}  // namespace stcsim
