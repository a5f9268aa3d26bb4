#include "reports/papers/paper_sentence.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace stcsim {
namespace {

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

void fail_sentence(const Paper& paper, std::string_view name) {
  throw ConfigError(paper.result_at,
                    fmt::format("'result' has '{}', must be {{FIGURE.ROW}} or "
                                "{{FIGURE.ROW.COLUMN}} of a figure that has been simulated",
                                name));
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

}  // namespace stcsim
