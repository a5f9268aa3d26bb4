#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/io/table.hpp"

namespace stcsim {

/// A column of a table, and what a row of it has there.
template <class Row>
struct DescribedColumn {
  Column column;
  std::function<std::string(const Row&)> cell;
};

/// @param rows  of Row, or pointers to them
template <class Row, class Rows>
[[nodiscard]] Table table_of(const std::vector<DescribedColumn<Row>>& columns, const Rows& rows) {
  std::vector<Column> headers;
  for (const DescribedColumn<Row>& one : columns) headers.push_back(one.column);
  Table table(std::move(headers));
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const DescribedColumn<Row>& one : columns) {
      if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>) {
        cells.push_back(one.cell(*row));
      } else {
        cells.push_back(one.cell(row));
      }
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace stcsim
