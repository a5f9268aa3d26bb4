#include "reports/papers/paper_result.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

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
  if (std::holds_alternative<PaperInstructionRow>(row.experiment)) {
    return is_fitted ? VerdictKind::fitted : VerdictKind::arithmetic;
  }
  const auto* const step = std::get_if<StepRow>(&row.experiment);
  if (step != nullptr && column->assumed && step->has_published_shares()) {
    return VerdictKind::published_input;
  }
  return simulated_kind(row.obtained, column->sort, is_fitted);
}

/// "FIGURE.ROW" or "FIGURE.ROW.COLUMN".
struct Place {
  std::size_t figure = 0;
  std::size_t row = 0;
  std::string_view column;
};

class SentenceFiller {
 public:
  explicit SentenceFiller(const PaperResult& result) : result_(result) {}

  [[nodiscard]] std::string fill() const {
    std::string_view left = result_.paper.result;
    std::string text;
    for (std::size_t at = left.find('{'); at != std::string_view::npos; at = left.find('{')) {
      const std::size_t end = left.find('}', at);
      if (end == std::string_view::npos) fail(left.substr(at));
      text += left.substr(0, at);
      text += figure_at(left.substr(at + 1, end - at - 1));
      left = left.substr(end + 1);
    }
    return text + std::string(left);
  }

 private:
  [[noreturn]] void fail(std::string_view name) const {
    throw ConfigError(result_.paper.result_at,
                      fmt::format("'result' has '{}', must be {{FIGURE.ROW}} or "
                                  "{{FIGURE.ROW.COLUMN}} of a figure that has been simulated",
                                  name));
  }

  [[nodiscard]] Place place_of(std::string_view name) const {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) fail(name);
    const std::size_t second = std::min(name.find('.', dot + 1), name.size());
    Place place;
    const auto& figures = result_.paper.figures;
    const auto at = std::find_if(figures.begin(), figures.end(), [&](const PaperFigure& figure) {
      return figure.name == name.substr(0, dot);
    });
    if (at == figures.end()) fail(name);
    place.figure = static_cast<std::size_t>(at - figures.begin());
    const char* const first = name.data() + dot + 1;
    const char* const last = name.data() + second;
    const auto [end, error] = std::from_chars(first, last, place.row);
    if (error != std::errc() || end != last || place.row < 1 || place.row > at->rows.size()) {
      fail(name);
    }
    if (second < name.size()) place.column = name.substr(second + 1);
    return place;
  }

  [[nodiscard]] std::string figure_at(std::string_view name) const {
    const Place place = place_of(name);
    const PaperRow& row = result_.paper.figures[place.figure].rows[place.row - 1];
    if (place.column.empty()) {
      if (!row.published) fail(name);
      return published_text(row);
    }
    for (const PaperAnswer& answer : result_.answers[place.figure][place.row - 1].answers) {
      if (answer.column == place.column) return format_figure(quantity_of(row).unit, answer.value);
    }
    fail(name);
  }

  const PaperResult& result_;
};

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

std::string sentence_of(const PaperResult& result) {
  return SentenceFiller(result).fill();
}

}  // namespace stcsim
