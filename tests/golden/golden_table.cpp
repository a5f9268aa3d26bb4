#include "tests/golden/golden_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace stcsim::test {
namespace {

using Row = GoldenTable::Row;

Row split(const std::string& line) {
  Row cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::string join(const Row& cells, std::size_t count) {
  std::string text;
  for (std::size_t at = 0; at < count; ++at) text += (at > 0 ? "," : "") + cells[at];
  return text;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::string difference(const std::string& golden, const std::string& now) {
  const auto before = number(golden);
  const auto after = number(now);
  std::string text = "golden " + golden + ", now " + now;
  if (before && after) {
    text += ", difference " + std::string(*after > *before ? "+" : "") +
            std::to_string(*after - *before);
  }
  return text;
}

std::map<std::string, Row> by_key(const GoldenTable& table) {
  std::map<std::string, Row> rows;
  for (const Row& row : table.rows) {
    if (!rows.emplace(join(row, table.keys), row).second) {
      throw std::runtime_error("two golden rows for " + join(row, table.keys));
    }
  }
  return rows;
}

}  // namespace

void write_table(const std::filesystem::path& path, const GoldenTable& table) {
  std::ofstream out(path);
  out << join(table.header, table.header.size()) << '\n';
  for (const Row& row : table.rows) out << join(row, row.size()) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

GoldenTable read_table(const std::filesystem::path& path, std::size_t keys) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  GoldenTable table{keys, {}, {}};
  for (std::string line; std::getline(in, line);) {
    if (table.header.empty()) {
      table.header = split(line);
      continue;
    }
    table.rows.push_back(split(line));
    if (table.rows.back().size() != table.header.size()) {
      throw std::runtime_error(path.string() + ": wrong number of cells: " + line);
    }
  }
  return table;
}

std::vector<std::string> differences(const GoldenTable& golden, const GoldenTable& now) {
  if (golden.header != now.header) return {"the columns of the golden file are others"};
  std::vector<std::string> found;
  std::map<std::string, Row> expected = by_key(golden);
  for (const auto& [key, row] : by_key(now)) {
    const auto at = expected.find(key);
    if (at == expected.end()) {
      found.push_back(key + ": not in the golden file");
      continue;
    }
    for (std::size_t cell = now.keys; cell < row.size(); ++cell) {
      if (row[cell] == at->second[cell]) continue;
      found.push_back(key + ": " + now.header[cell] + ": " +
                      difference(at->second[cell], row[cell]));
    }
    expected.erase(at);
  }
  for (const auto& [key, row] : expected) found.push_back(key + ": in the golden file only");
  return found;
}

}  // namespace stcsim::test
