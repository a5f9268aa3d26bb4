#include "reports/papers/paper_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/table.hpp"
#include "reports/papers/paper_verdict.hpp"

namespace stcsim {
namespace {

const PaperAnswer* answer_in(const RowAnswers& answers, const std::string& column) {
  const auto at = std::find_if(answers.answers.begin(), answers.answers.end(),
                               [&](const PaperAnswer& one) { return one.column == column; });
  return at == answers.answers.end() ? nullptr : &*at;
}

/// The figure's columns that some row has an answer in, then those of rows without a machine.
std::vector<std::string> columns_of(const PaperFigure& figure,
                                    const std::vector<RowAnswers>& answers) {
  std::vector<std::string> used;
  const auto has_answer = [&](const std::string& name) {
    return std::any_of(answers.begin(), answers.end(),
                       [&](const RowAnswers& row) { return answer_in(row, name) != nullptr; });
  };
  for (const PaperColumn& column : figure.columns) {
    if (has_answer(column.name)) used.push_back(column.name);
  }
  for (const RowAnswers& row : answers) {
    for (const PaperAnswer& answer : row.answers) {
      if (std::find(used.begin(), used.end(), answer.column) == used.end()) {
        used.push_back(answer.column);
      }
    }
  }
  return used;
}

std::string cell_of(const PaperRow& row, const PaperAnswer* answer) {
  if (answer == nullptr) return "-";
  const PaperUnit unit = quantity_of(row).unit;
  std::string text = format_figure(unit, answer->value);
  if (answer->low < answer->high) {
    text += fmt::format(" ({} to {})", format_figure(unit, answer->low),
                        format_figure(unit, answer->high));
  }
  return text;
}

std::string deviation_text(const PaperRow& row, const PaperAnswer* judged) {
  if (judged == nullptr) return "-";
  const PaperUnit unit = quantity_of(row).unit;
  const double deviation = deviation_of(*row.published, unit, judged->value);
  if (unit == PaperUnit::points) return fmt::format("{:+.2f}", deviation);
  return fmt::format("{:+.1f} %", 100 * deviation);
}

/// Everything that is to be said of a row beside its figures.
std::string remarks_of(const PaperRow& row, const RowAnswers& answers, const PaperAnswer* judged) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) remarks.push_back(text);
  };
  if (judged != nullptr && verdict_of(row, *judged) != kReproduced) {
    add(row.why.empty() ? judged->because : row.why);
  }
  add(row.setting);
  add(row.note);
  add(row.not_obtained);
  if (!row.not_compared.empty()) add("not compared: " + row.not_compared);
  for (const std::string& column : answers.not_run) add(column);
  return remarks.empty() ? "-" : fmt::format("{}", fmt::join(remarks, "; "));
}

Table table_of(const PaperFigure& figure, const std::vector<RowAnswers>& answers) {
  const std::vector<std::string> columns = columns_of(figure, answers);
  std::vector<Column> headers{{"figure"}, {"quantity"}, {"published", Align::right}};
  for (const std::string& column : columns) headers.push_back({column, Align::right});
  headers.push_back({"deviation", Align::right});
  headers.push_back({"verdict"});
  headers.push_back({"remarks"});
  Table table(headers);
  for (std::size_t r = 0; r < figure.rows.size(); ++r) {
    const PaperRow& row = figure.rows[r];
    const PaperAnswer* const judged = judged_answer(figure, row, answers[r]);
    std::string published = published_text(row);
    if (!published.empty() && !row.obtained.empty()) published += ", " + row.obtained;
    std::vector<std::string> cells{row.says, quantity_of(row).title,
                                   published.empty() ? "-" : published};
    for (const std::string& column : columns) {
      cells.push_back(cell_of(row, answer_in(answers[r], column)));
    }
    cells.push_back(deviation_text(row, judged));
    cells.push_back(judged == nullptr ? "-" : verdict_of(row, *judged));
    cells.push_back(remarks_of(row, answers[r], judged));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string column_lines(const PaperResult& result) {
  std::vector<std::string> lines;
  for (const PaperFigure& figure : result.paper.figures) {
    for (const PaperColumn& column : figure.columns) {
      std::string line = fmt::format(
          "- *{}*: {}{}", column.name, column.where(),
          column.assumed ? ", pruning free: the paper's own assumptions" : ", pruning charged");
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
        lines.push_back(std::move(line));
      }
    }
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

std::string tally_text(const PaperResult& result) {
  std::size_t all = 0;
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : tally_of(result)) {
    all += count;
    if (count > 0) parts.push_back(fmt::format("{} {}", count, verdict));
  }
  return fmt::format("{} published figures: {}", all, fmt::join(parts, ", "));
}

std::string paper_markdown(const PaperResult& result) {
  const Paper& paper = result.paper;
  std::string text =
      fmt::format("# {}\n\n{}\n\n{}\n\n{}. {}.\n\n{}\n", paper.title, sentence_of(result),
                  paper.about, paper.source, tally_text(result), column_lines(result));
  for (std::size_t f = 0; f < paper.figures.size(); ++f) {
    const PaperFigure& figure = paper.figures[f];
    text += fmt::format("## {}\n\n{}\n\n", figure.title, figure.shows);
    if (figure.source != paper.source) text += figure.source + ".\n\n";
    text += table_of(figure, result.answers[f]).to_markdown() + "\n";
    for (const std::string& line : figure.not_obtained) text += "- " + line + "\n";
    if (!figure.not_obtained.empty()) text += "\n";
  }
  return text;
}

}  // namespace stcsim
