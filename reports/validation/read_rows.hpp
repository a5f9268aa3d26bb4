#pragma once

#include <vector>

#include "common/error.hpp"
#include "reports/validation/measured_fields.hpp"

namespace stcsim {

/// What `read` makes of every row of a table. Rows it refuses are left out, and why is put into
/// `bad_rows`; without `bad_rows`, or if no row is left, the first refusal is thrown.
template <class Row>
std::vector<Row> read_rows(const CsvTable& table, std::vector<ConfigError>* bad_rows,
                           Row (*read)(const MeasuredFields&)) {
  std::vector<Row> rows;
  for (const CsvTable::Row& row : table.rows()) {
    try {
      rows.push_back(read(MeasuredFields(table, row)));
    } catch (const ConfigError& error) {
      if (bad_rows == nullptr) throw;
      bad_rows->push_back(error);
    }
  }
  if (rows.empty() && bad_rows != nullptr && !bad_rows->empty())
    throw ConfigError(bad_rows->front());
  return rows;
}

}  // namespace stcsim
