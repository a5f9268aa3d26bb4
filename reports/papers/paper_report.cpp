#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"
#include "common/io/table.hpp"
#include "reports/papers/paper_result.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kAboutKinds =
    "Kinds are not added up: *arithmetic* checks how the paper was read, not what it claims, "
    "*fitted* is no test, and *own training*, of other networks, a hint.";

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

/// "11.0 % (8.1 % to 13.9 %); against estimated: not reproduced, -33.7 %"
std::string cell_of(const PaperFigure& figure, const PaperRow& row, const PaperAnswer* answer) {
  if (answer == nullptr) return "-";
  const PaperUnit unit = quantity_of(row).unit;
  std::string text = format_figure(unit, answer->value);
  if (answer->low < answer->high) {
    text += fmt::format(" ({} to {})", format_figure(unit, answer->low),
                        format_figure(unit, answer->high));
  }
  if (const auto found = verdict_of(figure, row, *answer)) {
    text += fmt::format("; {}, {}", found->text(),
                        answer->p_value ? fmt::format("p = {:.3f}", *answer->p_value)
                                        : deviation_text(*row.published, unit, answer->value));
  }
  return text;
}

/// Reasons that columns give for verdicts that leave something to explain, those that say the same
/// together.
std::vector<std::string> reasons_of(const PaperFigure& figure, const PaperRow& row,
                                    const RowAnswers& answers) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const PaperAnswer& answer : answers.answers) {
    const auto found = verdict_of(figure, row, answer);
    if (!found || !is_short_of(found->verdict)) continue;
    if (!row.why.empty()) return {row.why};
    if (answer.because.empty()) continue;
    auto at = std::ranges::find(reasons, answer.because,
                                &std::pair<std::string, std::vector<std::string>>::first);
    if (at == reasons.end()) at = reasons.insert(at, {answer.because, {}});
    at->second.push_back(answer.column);
  }
  std::vector<std::string> texts;
  for (const auto& [because, columns] : reasons) {
    texts.push_back(fmt::format("{}: {}", fmt::join(columns, ", "), because));
  }
  return texts;
}

/// Everything that is to be said of a row beside its figures.
std::string remarks_of(const PaperFigure& figure, const PaperRow& row, const RowAnswers& answers) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) remarks.push_back(text);
  };
  if (!row.fitted.empty()) add("fitted: " + row.fitted);
  for (const std::string& reason : reasons_of(figure, row, answers)) add(reason);
  add(row.setting);
  add(row.note);
  add(row.not_obtained);
  if (!row.not_compared.empty()) add("not compared: " + row.not_compared);
  for (const std::string& column : answers.not_run) add(column);
  return remarks.empty() ? "-" : fmt::format("{}", fmt::join(remarks, "; "));
}

Table table_of(const PaperFigure& figure, const std::vector<RowAnswers>& answers) {
  const std::vector<std::string> columns = columns_of(figure, answers);
  constexpr auto kWrapped = [](const std::string& name) {
    return Column{name, Align::left, 0, true};
  };
  std::vector<Column> headers{
      kWrapped("figure"), kWrapped("quantity"), {"published", Align::right}};
  for (const std::string& column : columns) headers.push_back(kWrapped(column));
  headers.push_back(kWrapped("remarks"));
  Table table(headers);
  for (std::size_t r = 0; r < figure.rows.size(); ++r) {
    const PaperRow& row = figure.rows[r];
    std::string published = published_text(row);
    if (!published.empty() && !row.obtained.empty()) published += ", " + row.obtained;
    std::vector<std::string> cells{row.says, std::string(quantity_of(row).title),
                                   published.empty() ? "-" : published};
    for (const std::string& column : columns) {
      cells.push_back(cell_of(figure, row, answer_in(answers[r], column)));
    }
    cells.push_back(remarks_of(figure, row, answers[r]));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string column_lines(const PaperResult& result) {
  std::vector<std::string> lines;
  for (const PaperFigure& figure : result.paper.figures) {
    for (const PaperColumn& column : figure.columns) {
      std::string line =
          fmt::format("- *{}*: {}{}", column.name, column.where(),
                      column.assumed ? ", without what pruning costs: the paper's own assumptions"
                                     : ", pruning charged");
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
        lines.push_back(std::move(line));
      }
    }
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

using nlohmann::ordered_json;

ordered_json answer_json(const PaperFigure& figure, const PaperRow& row,
                         const PaperAnswer& answer) {
  ordered_json json{{"column", answer.column},
                    {"where", answer.where},
                    {"value", json_number(answer.value, "value")},
                    {"low", json_number(answer.low, "low")},
                    {"high", json_number(answer.high, "high")}};
  if (row.published) {
    json["deviation"] =
        json_number(deviation_of(*row.published, quantity_of(row).unit, answer.value), "deviation");
  }
  const std::optional<ColumnVerdict> found = verdict_of(figure, row, answer);
  json["kind"] = found ? to_string(found->kind) : "";
  json["verdict"] = found ? found->verdict : "";
  json["because"] = answer.because;
  if (answer.p_value) json["p_value"] = json_number(*answer.p_value, "p_value");
  return json;
}

ordered_json row_json(const PaperFigure& figure, const PaperRow& row, const RowAnswers& answers) {
  const QuantityInfo& quantity = quantity_of(row);
  ordered_json json{
      {"says", row.says},         {"quantity", quantity.title}, {"unit", to_string(quantity.unit)},
      {"obtained", row.obtained}, {"setting", row.setting},     {"note", row.note}};
  if (row.published) {
    json["published"] = {{"least", json_number(row.published->least, "least")},
                         {"most", json_number(row.published->most, "most")}};
  }
  json["answers"] = ordered_json::array();
  for (const PaperAnswer& answer : answers.answers) {
    json["answers"].push_back(answer_json(figure, row, answer));
  }
  json["fitted"] = row.fitted;
  json["why"] = row.why;
  json["not_obtained"] = row.not_obtained;
  json["not_compared"] = row.not_compared;
  json["not_run"] = answers.not_run;
  return json;
}

ordered_json figure_json(const PaperFigure& figure, const std::vector<RowAnswers>& answers) {
  ordered_json json{{"name", figure.name},
                    {"title", figure.title},
                    {"shows", figure.shows},
                    {"source", figure.source}};
  json["columns"] = ordered_json::array();
  for (const PaperColumn& column : figure.columns) json["columns"].push_back(column.name);
  json["rows"] = ordered_json::array();
  for (std::size_t r = 0; r < figure.rows.size(); ++r) {
    json["rows"].push_back(row_json(figure, figure.rows[r], answers[r]));
  }
  json["not_obtained"] = figure.not_obtained;
  return json;
}

}  // namespace

std::string tally_text(const PaperResult& result, std::string_view mark) {
  std::string text;
  for (const std::string& line : tally_of(result).lines()) {
    text += fmt::format("{}{}\n", mark, line);
  }
  return text;
}

std::string paper_markdown(const PaperResult& result) {
  const Paper& paper = result.paper;
  std::string text = fmt::format("# {}\n\n", paper.title);
  if (paper.has_page()) text += sentence_of(result) + "\n\n";
  if (!result.spread.empty()) text += spread_text(result.spread) + "\n\n";
  text += fmt::format("What it says: {}\n\n{}.\n\nVerdicts:\n\n{}\n{}\n\n{}\n", paper.about,
                      paper.source, tally_text(result, "- "), kAboutKinds, column_lines(result));
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

std::string paper_tables(const PaperResult& result, std::size_t width) {
  std::string text;
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    const PaperFigure& figure = result.paper.figures[f];
    text += fmt::format("\n{}\n\n{}", figure.title,
                        table_of(figure, result.answers[f]).to_string(width));
  }
  return text;
}

ordered_json paper_to_json(const PaperResult& result) {
  ordered_json json = document_head("stcsim.paper/2", result.config_hash);
  json["paper"] = result.paper.name;
  json["title"] = result.paper.title;
  json["source"] = result.paper.source;
  json["about"] = result.paper.about;
  json["sentence"] = sentence_of(result);
  json["spread"] = spread_text(result.spread);
  json["tally"] = tally_of(result).to_json();
  json["figures"] = ordered_json::array();
  for (std::size_t f = 0; f < result.paper.figures.size(); ++f) {
    json["figures"].push_back(figure_json(result.paper.figures[f], result.answers[f]));
  }
  return json;
}

}  // namespace stcsim
