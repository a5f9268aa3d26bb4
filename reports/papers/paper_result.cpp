#include "reports/papers/paper_result.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "reports/papers/paper_verdict.hpp"

namespace stcsim {
namespace {

/// Whether a column is what a figure of this kind is about; a column that is none of the figure's
/// is of a row that needs no machine.
bool is_judged(const PaperFigure& figure, const std::string& column, bool wants_assumed) {
  const auto at = std::find_if(figure.columns.begin(), figure.columns.end(),
                               [&](const PaperColumn& one) { return one.name == column; });
  return at == figure.columns.end() || at->assumed == wants_assumed;
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

const PaperAnswer* judged_answer(const PaperFigure& figure, const PaperRow& row,
                                 const RowAnswers& answers) {
  if (!row.published) return nullptr;
  const bool is_by_count =
      row.obtained == "counted" || row.obtained == "estimated" || row.obtained == "proved";
  const bool wants_assumed =
      is_by_count && std::any_of(figure.columns.begin(), figure.columns.end(),
                                 [](const PaperColumn& column) { return column.assumed; });
  const auto at = std::find_if(
      answers.answers.begin(), answers.answers.end(),
      [&](const PaperAnswer& answer) { return is_judged(figure, answer.column, wants_assumed); });
  return at == answers.answers.end() ? nullptr : &*at;
}

std::string verdict_of(const PaperRow& row, const PaperAnswer& answer) {
  if (!row.published) return "";
  return verdict_of(*row.published, quantity_of(row), row.tolerance, answer);
}

std::string verdict_of(const PaperFigure& figure, const PaperRow& row, const RowAnswers& answers) {
  const PaperAnswer* const judged = judged_answer(figure, row, answers);
  return judged == nullptr ? "" : verdict_of(row, *judged);
}

std::vector<std::pair<std::string, std::size_t>> tally_of(const PaperResult& result) {
  constexpr std::array<const char*, 4> kVerdicts{kReproduced, kDirectionOnly, kNotToldApart,
                                                 kNotReproduced};
  std::vector<std::pair<std::string, std::size_t>> tally;
  for (const char* const verdict : kVerdicts) tally.emplace_back(verdict, 0);
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      const std::string verdict = verdict_of(figure, figure.rows[r], result.answers[f][r]);
      for (auto& [name, count] : tally)
        if (name == verdict) ++count;
    }
  }
  return tally;
}

std::string sentence_of(const PaperResult& result) {
  return SentenceFiller(result).fill();
}

}  // namespace stcsim
