#include "curves/published.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "curves/csv_cells.hpp"

namespace stcsim::curves {
namespace {

/// Cells of a row by the names of their columns.
class PublishedRow {
 public:
  PublishedRow(const CsvTable& table, const CsvTable::Row& row) : table_(&table), row_(&row) {}

  [[nodiscard]] const CsvField& field(std::string_view name) const {
    return (*row_)[table_->column(name)];
  }
  [[nodiscard]] const std::string& text(std::string_view name) const { return field(name).text; }

  [[nodiscard]] std::string required(std::string_view name) const {
    if (text(name).empty()) {
      throw ConfigError(field(name).where, fmt::format("'{}' is blank, must be there", name));
    }
    return text(name);
  }
  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const Cell cell = read_cell(text(name));
    if (cell.kind == Cell::Kind::blank) return std::nullopt;
    if (cell.kind == Cell::Kind::text || !std::isfinite(cell.number)) {
      throw ConfigError(field(name).where,
                        fmt::format("'{}' is '{}', must be a number or blank", name, text(name)));
    }
    return cell.number;
  }
  [[nodiscard]] double positive(std::string_view name) const {
    const std::optional<double> value = number(name);
    if (!value || *value <= 0) {
      throw ConfigError(field(name).where,
                        fmt::format("'{}' is '{}', must be a number above 0", name, text(name)));
    }
    return *value;
  }
  [[nodiscard]] const SourceLocation& where() const { return row_->front().where; }

 private:
  const CsvTable* table_;
  const CsvTable::Row* row_;
};

PublishedFinal final_of(const PublishedRow& row) {
  PublishedFinal published{row.required("source"),     row.required("scheme"),
                           row.text("config"),         row.required("network"),
                           row.text("network_config"), row.required("dataset"),
                           row.required("pattern"),    row.text("operands"),
                           row.required("metric"),     row.number("dense"),
                           row.number("sparse"),       row.text("length"),
                           row.text("schedule"),       row.text("missing"),
                           row.text("note"),           row.where()};
  if (!published.dense && !published.sparse) {
    throw ConfigError(row.where(), "'dense' and 'sparse' are both blank, must have one at least");
  }
  return published;
}

PublishedCrossing crossing_of(const PublishedRow& row) {
  const std::optional<Axis> axis = axis_from_name(row.text("unit"));
  if (!axis) {
    throw ConfigError(
        row.field("unit").where,
        fmt::format("'unit' is '{}', must be epochs, steps, samples, hours or seconds",
                    row.text("unit")));
  }
  return {row.required("source"),
          row.required("network"),
          row.required("metric"),
          row.positive("target"),
          row.positive("batch"),
          row.text("optimizer"),
          row.positive("to_target"),
          *axis,
          row.where()};
}

}  // namespace

std::vector<PublishedFinal> read_published_finals(const std::filesystem::path& path) {
  const CsvTable table = CsvTable::read(path);
  table.check_columns(
      {"source", "scheme", "config", "network", "network_config", "dataset", "pattern", "operands",
       "metric", "dense", "sparse", "length", "schedule", "missing", "note"},
      {});
  std::vector<PublishedFinal> finals;
  for (const CsvTable::Row& row : table.rows()) finals.push_back(final_of({table, row}));
  return finals;
}

std::vector<PublishedCrossing> read_published_crossings(const std::filesystem::path& path) {
  const CsvTable table = CsvTable::read(path);
  table.check_columns(
      {"source", "network", "metric", "target", "batch", "optimizer", "to_target", "unit"}, {});
  std::vector<PublishedCrossing> crossings;
  for (const CsvTable::Row& row : table.rows()) crossings.push_back(crossing_of({table, row}));
  return crossings;
}

std::vector<double> crossings_of(const std::vector<PublishedCrossing>& rows,
                                 std::string_view network, double batch) {
  std::vector<double> values;
  for (const PublishedCrossing& row : rows) {
    if (row.network == network && row.batch == batch) values.push_back(row.to_target);
  }
  return values;
}

}  // namespace stcsim::curves
