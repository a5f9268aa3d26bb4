#include "curves/published.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "curves/csv_cells.hpp"

namespace stcsim::curves {
namespace {

/// Visitor of a row's fields that names its columns.
struct ColumnNames {
  std::vector<std::string> names;

  void field(const Field& field, const auto& /*value*/) { names.emplace_back(field.key); }
};

/// Visitor of a row's fields that reads them from its cells.
class RowReader {
 public:
  RowReader(const CsvTable& table, const CsvTable::Row& row) : table_(table), row_(row) {}

  void field(const Field& field, std::string& value) const {
    value = cell(field).text;
    if (!field.is_required || !value.empty()) return;
    throw ConfigError(cell(field).where, fmt::format("'{}' is blank, must be there", field.key));
  }
  void field(const Field& field, std::optional<double>& value) const {
    const Cell number = read_cell(cell(field).text);
    if (number.kind == Cell::Kind::blank) return;
    if (number.kind == Cell::Kind::text || !std::isfinite(number.number)) {
      refuse(field, "a number or blank");
    }
    value = number.number;
  }
  void field(const Field& field, double& value) const {
    std::optional<double> number;
    this->field(field, number);
    if (!number || *number <= 0) refuse(field, "a number above 0");
    value = *number;
  }
  void field(const Field& field, Axis& value) const {
    const std::optional<Axis> axis = axis_from_name(cell(field).text);
    if (!axis) refuse(field, "epochs, steps, samples, hours or seconds");
    value = *axis;
  }

 private:
  [[nodiscard]] const CsvField& cell(const Field& field) const {
    return row_[table_.column(field.key)];
  }
  [[noreturn]] void refuse(const Field& field, const char* right) const {
    throw ConfigError(cell(field).where,
                      fmt::format("'{}' is '{}', must be {}", field.key, cell(field).text, right));
  }

  const CsvTable& table_;
  const CsvTable::Row& row_;
};

template <class Published>
std::vector<Published> read_rows(const std::filesystem::path& path) {
  const CsvTable table = CsvTable::read(path);
  Published empty;
  ColumnNames columns;
  Published::visit_fields(empty, columns);
  table.check_columns(columns.names, {});
  std::vector<Published> rows;
  for (const CsvTable::Row& row : table.rows()) {
    const RowReader reader(table, row);
    Published::visit_fields(rows.emplace_back(), reader);
    rows.back().where = row.front().where;
  }
  return rows;
}

}  // namespace

std::vector<PublishedFinal> read_published_finals(const std::filesystem::path& path) {
  std::vector<PublishedFinal> finals = read_rows<PublishedFinal>(path);
  for (const PublishedFinal& row : finals) {
    if (row.dense || row.sparse) continue;
    throw ConfigError(row.where, "'dense' and 'sparse' are both blank, must have one at least");
  }
  return finals;
}

std::vector<PublishedCrossing> read_published_crossings(const std::filesystem::path& path) {
  return read_rows<PublishedCrossing>(path);
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
