#include "reports/papers/paper_result.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/study_lines.hpp"

namespace stcsim {
namespace {

/// The figure's column; null of an answer that needs no machine.
const PaperColumn* column_of(const PaperFigure& figure, const PaperAnswer& answer) {
  const auto at = std::ranges::find(figure.columns, answer.column, &PaperColumn::name);
  return at == figure.columns.end() ? nullptr : &*at;
}

std::optional<VerdictKind> kind_of(const PaperFigure& figure, const PaperRow& row,
                                   const PaperAnswer& answer) {
  if (const auto* const trained = std::get_if<TrainedRow>(&row.experiment)) {
    const bool has_direction = info_of(trained->quantity).neutral.has_value();
    return has_direction ? std::optional(VerdictKind::training) : std::nullopt;
  }
  const PaperColumn* const column = column_of(figure, answer);
  if (column == nullptr) return VerdictKind::arithmetic;
  if (column->is_beside) return std::nullopt;
  return simulated_kind(row.obtained, column->sort, !row.fitted.empty());
}

/// @throws ConfigError at the sentence: `name` is no figure that has been simulated
[[noreturn]] void fail_sentence(const Paper& paper, std::string_view name) {
  throw ConfigError(paper.result_at,
                    fmt::format("'result' has '{}', must be {{FIGURE.ROW}} or "
                                "{{FIGURE.ROW.COLUMN}} of a figure that has been simulated",
                                name));
}

/// @param name "FIGURE.ROW" or "FIGURE.ROW.COLUMN"
SentenceFigure figure_named(const Paper& paper, std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) fail_sentence(paper, name);
  const std::size_t second = std::min(name.find('.', dot + 1), name.size());
  const auto found = std::ranges::find(paper.figures, name.substr(0, dot), &PaperFigure::name);
  if (found == paper.figures.end()) fail_sentence(paper, name);
  SentenceFigure named;
  named.figure = static_cast<std::size_t>(found - paper.figures.begin());
  const char* const first = name.data() + dot + 1;
  const char* const last = name.data() + second;
  std::size_t row = 0;
  const auto [end, error] = std::from_chars(first, last, row);
  if (error != std::errc() || end != last || row < 1 || row > found->rows.size()) {
    fail_sentence(paper, name);
  }
  named.row = row - 1;
  if (second < name.size()) named.column = name.substr(second + 1);
  return named;
}

}  // namespace

const PaperAnswer* answer_in(const RowAnswers& row, const std::string& column) {
  const auto at = std::ranges::find(row.answers, column, &PaperAnswer::column);
  return at == row.answers.end() ? nullptr : &*at;
}

std::optional<ColumnVerdict> verdict_of(const PaperFigure& figure, const PaperRow& row,
                                        const PaperAnswer& answer) {
  const std::optional<VerdictKind> kind = kind_of(figure, row, answer);
  if (!row.published || !kind) return std::nullopt;
  const Quantity quantity = quantity_of(row).quantity;
  return ColumnVerdict{*kind, verdict_of(*kind, *row.published, quantity, row.tolerance, answer)};
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

std::vector<SentenceFigure> figures_in_sentence(const Paper& paper) {
  const std::string_view sentence = paper.result;
  std::vector<SentenceFigure> named;
  for (std::size_t at = sentence.find('{'); at != std::string_view::npos;
       at = sentence.find('{', at)) {
    const std::size_t end = sentence.find('}', at);
    if (end == std::string_view::npos) fail_sentence(paper, sentence.substr(at));
    SentenceFigure one = figure_named(paper, sentence.substr(at + 1, end - at - 1));
    one.begin = at;
    one.end = at = end + 1;
    named.push_back(std::move(one));
  }
  return named;
}

std::string text_of(const PaperResult& result, const SentenceFigure& named) {
  const PaperRow& row = result.paper.figures[named.figure].rows[named.row];
  const std::string name = result.paper.result.substr(named.begin + 1, named.end - named.begin - 2);
  if (named.column.empty()) {
    if (!row.published) fail_sentence(result.paper, name);
    return published_text(row);
  }
  const PaperAnswer* const found = answer_in(result.answers[named.figure][named.row], named.column);
  if (found == nullptr) fail_sentence(result.paper, name);
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
