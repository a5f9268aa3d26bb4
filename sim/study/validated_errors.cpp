#include "sim/study/validated_errors.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"

namespace stcsim {
namespace {

double number_in(const CsvField& field, double least = 0) {
  double number = 0;
  const char* const end = field.text.data() + field.text.size();
  const auto [at, error] = std::from_chars(field.text.data(), end, number);
  if (error != std::errc() || at != end || !(number >= least)) {
    throw ConfigError(field.where,
                      fmt::format("'{}' is no number of at least {}", field.text, least));
  }
  return number;
}

bool has_same_bits(const std::string& name, DataType dtype) {
  const auto type = data_type_from_string(name);
  return type && bytes_of(*type, 8) == bytes_of(dtype, 8);
}

}  // namespace

std::optional<ValidatedErrors> ValidatedErrors::load(const std::filesystem::path& folder) {
  const std::filesystem::path measured = folder / "errors.csv";
  const std::filesystem::path assumed = folder / "assumed_errors.csv";
  if (!std::filesystem::exists(measured) || !std::filesystem::exists(assumed)) return std::nullopt;
  ValidatedErrors errors;
  errors.read_measured(measured);
  errors.read_assumed(assumed);
  return errors;
}

void ValidatedErrors::read_measured(const std::filesystem::path& file) {
  const CsvTable table = CsvTable::read(file);
  table.check_columns({"machine", "dtype", "quantity", "rows", "mean_absolute_error", "bias"}, {});
  for (const CsvTable::Row& row : table.rows()) {
    if (number_in(row[table.column("rows")]) < kFewestRows) continue;
    cells_.push_back({row[table.column("machine")].text, row[table.column("dtype")].text,
                      row[table.column("quantity")].text,
                      number_in(row[table.column("mean_absolute_error")]),
                      number_in(row[table.column("bias")], -1)});
  }
}

void ValidatedErrors::read_assumed(const std::filesystem::path& file) {
  const CsvTable table = CsvTable::read(file);
  table.check_columns({"machine", "as", "note"}, {});
  for (const CsvTable::Row& row : table.rows()) {
    taken_as_[row[table.column("machine")].text] = row[table.column("as")].text;
  }
}

TimeErrors ValidatedErrors::of(const std::string& machine, DataType dtype) const {
  const Found dense = find(machine, dtype, "dense");
  const Found gain = find(machine, dtype, "speedup");
  const Found stream = find(machine, dtype, "stream");
  const Found selection = find(machine, dtype, "selection");
  return {dense.error, gain.error, stream.error, dense.is_assumed || gain.is_assumed,
          selection.bias};
}

std::optional<ValidatedErrors::Found> ValidatedErrors::find_own(const std::string& machine,
                                                                DataType dtype,
                                                                const char* quantity) const {
  const Cell* best = nullptr;
  const auto rank = [&](const Cell& cell) {
    return cell.dtype.empty() || cell.dtype == to_string(dtype) ? 2
           : has_same_bits(cell.dtype, dtype)                   ? 1
                                                                : 0;
  };
  for (const Cell& cell : cells_) {
    if (cell.machine != machine || cell.quantity != quantity) continue;
    const bool is_better = best == nullptr || rank(cell) > rank(*best) ||
                           (rank(cell) == rank(*best) && cell.error > best->error);
    if (is_better) best = &cell;
  }
  if (best == nullptr) return std::nullopt;
  return Found{best->error, best->bias, rank(*best) < 2};
}

ValidatedErrors::Found ValidatedErrors::find(std::string machine, DataType dtype,
                                             const char* quantity) const {
  for (std::size_t links = 0; links <= taken_as_.size(); ++links) {
    if (const auto own = find_own(machine, dtype, quantity)) {
      return {own->error, own->bias, own->is_assumed || links > 0};
    }
    const auto next = taken_as_.find(machine);
    if (next == taken_as_.end()) break;
    machine = next->second;
  }
  return largest(quantity);
}

ValidatedErrors::Found ValidatedErrors::largest(const char* quantity) const {
  Found most{0, 0, true};
  for (const Cell& cell : cells_) {
    if (cell.quantity == quantity && cell.error > most.error) most = {cell.error, cell.bias, true};
  }
  return most;
}

}  // namespace stcsim
