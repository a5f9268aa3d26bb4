#include "reports/papers/paper_json.hpp"

#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"

namespace stcsim {
namespace {

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
  return json;
}

ordered_json row_json(const PaperFigure& figure, const PaperRow& row, const RowAnswers& answers) {
  const PaperQuantity quantity = quantity_of(row);
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
