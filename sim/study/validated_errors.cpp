#include "sim/study/validated_errors.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

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

/// 2 of errors in the type or in all types, 1 of a type with as many bits, else 0.
int rank_of(const std::string& cell, DataType dtype) {
  if (cell.empty() || cell == to_string(dtype)) return 2;
  const auto type = data_type_from_string(cell);
  return type && bytes_of(*type, 8) == bytes_of(dtype, 8) ? 1 : 0;
}

/// Mean errors that a blind card's interval reaches to either side: nine in ten of a normal
/// distribution (2.06). Its errors are known in the mean only.
constexpr double kMeansOfABlindCard = 2;

/// 97.5 % of Student's t with kFewestRows degrees of freedom; with more it is less, down to 2.1.
constexpr double kFewRowsT = 2.45;

}  // namespace

LikelyInterval likely(double value, const QuantityError& error) {
  return {value * std::exp(-error.half), value * std::exp(error.half), error.is_assumed};
}

GemmIntervals gemm_intervals(const TimeErrors& errors, double time_us, double dense_time_us,
                             bool is_sparse) {
  const LikelyInterval dense = likely(dense_time_us, errors.dense);
  GemmIntervals intervals{dense, dense, {1, 1}};
  if (is_sparse) {
    intervals.time = likely(time_us, errors.sparse);
    intervals.speedup = likely(dense_time_us / time_us, errors.gain);
  }
  if (dense_time_us >= kValidatedFromUs) return intervals;
  for (auto* const one : {&intervals.time, &intervals.dense_time, &intervals.speedup}) {
    one->is_assumed = one->is_assumed || one->low < one->high;
  }
  return intervals;
}

double half_width(std::vector<double> log_errors, double of_blind_card) {
  const auto rows = static_cast<std::int64_t>(log_errors.size());
  if (rows < kFewestRows) return of_blind_card;
  if (rows < kRowsOfAQuantile) {
    double squares = 0;
    for (const double error : log_errors) squares += error * error;
    return std::max(kFewRowsT * std::sqrt(squares / static_cast<double>(rows)), of_blind_card);
  }
  for (double& error : log_errors) error = std::abs(error);
  std::sort(log_errors.begin(), log_errors.end());
  const std::int64_t rank = (95 * (rows + 1) + 99) / 100;
  return log_errors[static_cast<std::size_t>(rank - 1)];
}

std::optional<ValidatedErrors> ValidatedErrors::load(const std::filesystem::path& folder) {
  const std::filesystem::path measured = folder / "errors.csv";
  const std::filesystem::path blind = folder / "blind_errors.csv";
  if (!std::filesystem::exists(measured) || !std::filesystem::exists(blind)) return std::nullopt;
  ValidatedErrors errors;
  errors.read_measured(measured);
  errors.read_blind(blind);
  return errors;
}

void ValidatedErrors::read_measured(const std::filesystem::path& file) {
  const CsvTable table = CsvTable::read(file);
  table.check_columns(
      {"machine", "dtype", "quantity", "rows", "mean_absolute_error", "bias", "half_width"},
      {"inside_as_blind", "inside_left_out"});
  for (const CsvTable::Row& row : table.rows()) {
    if (number_in(row[table.column("rows")]) < static_cast<double>(kFewestRows)) continue;
    cells_.push_back({row[table.column("machine")].text,
                      row[table.column("dtype")].text,
                      row[table.column("quantity")].text,
                      number_in(row[table.column("bias")], -1),
                      {number_in(row[table.column("mean_absolute_error")]),
                       number_in(row[table.column("half_width")])}});
  }
}

void ValidatedErrors::read_blind(const std::filesystem::path& file) {
  const CsvTable table = CsvTable::read(file);
  table.check_columns({"quantity", "mean_absolute_error", "note"}, {});
  for (const CsvTable::Row& row : table.rows()) {
    const double mean = number_in(row[table.column("mean_absolute_error")]);
    blind_[row[table.column("quantity")].text] = {mean, kMeansOfABlindCard * mean, true};
  }
}

TimeErrors ValidatedErrors::of(const std::string& machine, DataType dtype) const {
  TimeErrors errors{error_of(machine, dtype, "dense"), error_of(machine, dtype, "sparse"),
                    error_of(machine, dtype, "speedup"), error_of(machine, dtype, "stream"),
                    error_of(machine, dtype, "step")};
  const Cell* selection = find_own(machine, dtype, "selection");
  if (selection == nullptr) selection = largest("selection");
  if (selection != nullptr) errors.selection = selection->bias;
  return errors;
}

const ValidatedErrors::Cell* ValidatedErrors::find_own(const std::string& machine, DataType dtype,
                                                       const char* quantity) const {
  const Cell* best = nullptr;
  for (const Cell& cell : cells_) {
    const int rank = rank_of(cell.dtype, dtype);
    if (cell.machine != machine || cell.quantity != quantity || rank == 0) continue;
    const int better = best == nullptr ? 1 : rank - rank_of(best->dtype, dtype);
    if (better > 0 || (better == 0 && cell.error.mean > best->error.mean)) best = &cell;
  }
  return best;
}

const ValidatedErrors::Cell* ValidatedErrors::largest(const char* quantity) const {
  const Cell* most = nullptr;
  for (const Cell& cell : cells_) {
    const bool is_more = most == nullptr || cell.error.mean > most->error.mean;
    if (cell.quantity == quantity && is_more) most = &cell;
  }
  return most;
}

QuantityError ValidatedErrors::error_of(const std::string& machine, DataType dtype,
                                        const char* quantity) const {
  const auto blind = blind_.find(quantity);
  const Cell* cell = find_own(machine, dtype, quantity);
  const bool is_assumed = cell == nullptr || rank_of(cell->dtype, dtype) < 2;
  if (cell == nullptr && blind != blind_.end()) return blind->second;
  if (cell == nullptr) cell = largest(quantity);
  if (cell == nullptr) return {0, 0, true};
  return {cell->error.mean, cell->error.half, is_assumed};
}

}  // namespace stcsim
