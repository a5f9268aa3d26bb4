#include "sim/study/validated_errors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/data_type.hpp"
#include "common/figure_key.hpp"
#include "common/io/csv_table.hpp"

namespace stcsim {

namespace {

/// Stands for all cards with a machine whose SM nobody measured.
constexpr const char* kBacktest = "backtest";

double number_in(const CsvField& field, double least = 0) {
  double number = 0;
  const char* const end = field.text.data() + field.text.size();
  const auto [at, error] = number_from(field.text.data(), end, number);
  if (error != std::errc() || at != end || !(number >= least)) {
    const std::string right = std::isinf(least) ? "" : fmt::format(" of at least {}", least);
    throw ConfigError(field.where, fmt::format("'{}' is no number{}", field.text, right));
  }
  return number;
}

/// 2 of errors in the type or in all types, 1 of a type with as many bits, else 0.
int rank_of(const std::string& cell, DataType dtype) {
  if (cell.empty() || cell == to_string(dtype)) return 2;
  const auto type = data_type_from_string(cell);
  return type && bytes_of(*type, 8) == bytes_of(dtype, 8) ? 1 : 0;
}

LogRange with_zero(const LogRange& range) {
  return {std::min(range.low, 0.0), std::max(range.high, 0.0)};
}

/// Said of what was simulated, so that it holds that.
ErrorBand with_zero(const ErrorBand& band) {
  return {with_zero(band.in_95), with_zero(band.in_80)};
}

LogRange widened(const LogRange& range, double independent) {
  return {-std::hypot(range.low, independent), std::hypot(range.high, independent)};
}

/// Nothing where the row states none.
std::optional<ErrorBand> band_in(const CsvTable& table, const CsvTable::Row& row) {
  if (row[table.column("low_95")].text.empty()) return std::nullopt;
  const auto end = [&](const char* column) {
    return number_in(row[table.column(column)], -std::numeric_limits<double>::infinity());
  };
  return ErrorBand{{end("low_95"), end("high_95")}, {end("low_80"), end("high_80")}};
}

std::vector<ErrorCell> read_cells(const std::filesystem::path& file) {
  const CsvTable table = CsvTable::read(file);
  table.check_columns({"machine", "dtype", "quantity", "regime", "rows", "mean_absolute_error",
                       "bias", "low_95", "low_80", "high_80", "high_95"},
                      {});
  std::vector<ErrorCell> cells;
  for (const CsvTable::Row& row : table.rows()) {
    const auto text = [&](const char* column) { return row[table.column(column)].text; };
    cells.push_back({text("machine"), text("dtype"), text("quantity"), text("regime"),
                     static_cast<std::int64_t>(number_in(row[table.column("rows")])),
                     number_in(row[table.column("mean_absolute_error")]),
                     number_in(row[table.column("bias")], -1), band_in(table, row)});
  }
  return cells;
}

Dies read_dies(const std::filesystem::path& file) {
  const CsvTable table = CsvTable::read(file);
  table.check_columns({"machine", "die"}, {});
  Dies dies;
  for (const CsvTable::Row& row : table.rows()) {
    dies[row[table.column("machine")].text] = row[table.column("die")].text;
  }
  return dies;
}

/// Cards that were measured tell themselves whether a slow dense kernel makes gains larger.
void limit_assumed_gain(const SimulatedGemm& gemm, LikelyInterval& gain) {
  const double most = 1.0 / std::max(gemm.problem.a_pattern.share(), gemm.hardware_pattern.share());
  if (!gain.is_assumed || gemm.dense_time_us > most * gemm.time_us) return;
  gain.high = std::min(gain.high, most);
  gain.high_80 = std::min(gain.high_80, most);
}

}  // namespace

LikelyInterval likely(double value, const QuantityError& error) {
  const ErrorBand& band = error.band;
  return {value * std::exp(band.in_95.low), value * std::exp(band.in_95.high), error.is_assumed,
          value * std::exp(band.in_80.low), value * std::exp(band.in_80.high)};
}

GemmIntervals gemm_intervals(const TimeErrors& errors, const SimulatedGemm& gemm) {
  const auto [m, n] = std::pair(gemm.problem.m, gemm.problem.n);
  const GemmRegime dense_regime = regime_of(m, n, gemm.dense_time_us);
  const LikelyInterval dense = likely(gemm.dense_time_us, errors.dense.in(dense_regime));
  GemmIntervals intervals{dense, dense, {1, 1, false, 1, 1}};
  const bool is_one_type = gemm.problem.dtype == gemm.dense.dtype;
  if (!gemm.hardware_pattern.is_dense() || !is_one_type) {
    const GemmRegime regime = regime_of(m, n, gemm.time_us);
    intervals.time = likely(gemm.time_us, errors.sparse.in(regime));
    intervals.speedup = likely(gemm.dense_time_us / gemm.time_us, errors.gain.in(regime));
    if (is_one_type) limit_assumed_gain(gemm, intervals.speedup);
  }
  if (gemm.dense_time_us >= kValidatedFromUs) return intervals;
  for (auto* const one : {&intervals.time, &intervals.dense_time, &intervals.speedup}) {
    one->is_assumed = one->is_assumed || one->low < one->high;
  }
  return intervals;
}

std::optional<ErrorTables> read_error_tables(const std::filesystem::path& folder) {
  const std::filesystem::path measured = folder / "errors.csv";
  const std::filesystem::path dies = folder / "dies.csv";
  const std::filesystem::path backtest = folder / "backtest_errors.csv";
  for (const auto* const file : {&measured, &dies, &backtest}) {
    if (!std::filesystem::exists(*file)) return std::nullopt;
  }
  ErrorTables tables{read_cells(measured), read_dies(dies)};
  std::ranges::move(read_cells(backtest), std::back_inserter(tables.cells));
  return tables;
}

ValidatedErrors::ValidatedErrors(ErrorTables tables) : dies_(std::move(tables.dies)) {
  for (ErrorCell& cell : tables.cells) {
    Name name{cell.quantity, cell.machine, cell.dtype, cell.regime};
    cells_[std::move(name)] = std::move(cell);
  }
}

std::optional<ValidatedErrors> ValidatedErrors::load(const std::filesystem::path& folder) {
  std::optional<ErrorTables> tables = read_error_tables(folder);
  if (!tables) return std::nullopt;
  return ValidatedErrors(*std::move(tables));
}

TimeErrors ValidatedErrors::of(const std::string& machine, DataType dtype,
                               const std::string& framework) const {
  TimeErrors errors{gemms_of(machine, dtype, "dense"), gemms_of(machine, dtype, "sparse"),
                    gemms_of(machine, dtype, std::string(kSpeedupKey.name)), stream_of(machine),
                    step_of(machine, framework)};
  const ErrorCell* selection = find_own(machine, dtype, "selection");
  if (selection == nullptr) selection = largest("selection");
  if (selection != nullptr) errors.selection = selection->bias;
  return errors;
}

const ErrorCell* ValidatedErrors::find(const Name& name) const {
  const auto cell = cells_.find(name);
  return cell == cells_.end() ? nullptr : &cell->second;
}

const ErrorCell* ValidatedErrors::find_own(const std::string& machine, DataType dtype,
                                           const std::string& quantity) const {
  const ErrorCell* best = nullptr;
  auto at = cells_.lower_bound({quantity, machine, "", ""});
  for (; at != cells_.end() && at->second.quantity == quantity && at->second.machine == machine;
       ++at) {
    const ErrorCell& cell = at->second;
    const int rank = rank_of(cell.dtype, dtype);
    if (!cell.regime.empty() || cell.rows < kFewestRows || rank == 0) continue;
    const int better = best == nullptr ? 1 : rank - rank_of(best->dtype, dtype);
    const bool is_larger = best != nullptr && cell.mean_absolute_error > best->mean_absolute_error;
    if (better > 0 || (better == 0 && is_larger)) best = &cell;
  }
  return best;
}

const ErrorCell* ValidatedErrors::largest(const std::string& quantity) const {
  const ErrorCell* most = nullptr;
  for (const auto& [name, cell] : cells_) {
    if (cell.quantity != quantity || cell.rows < kFewestRows) continue;
    const bool is_more = most == nullptr || cell.mean_absolute_error > most->mean_absolute_error;
    if (is_more) most = &cell;
  }
  return most;
}

QuantityError ValidatedErrors::band_of(const std::string& machine, DataType dtype,
                                       const std::string& quantity, std::string_view regime) const {
  const std::string in(regime);
  const auto die = dies_.find(machine);
  const std::string of_sm = die == dies_.end() ? kBacktest : die->second;
  const std::string others = die == dies_.end() ? kBacktest : "";
  const std::array<Name, 5> names{{{quantity, machine, std::string(to_string(dtype)), in},
                                   {quantity, machine, bits_of_type(to_string(dtype)), in},
                                   {quantity, of_sm, "", in},
                                   {quantity, others, "", in},
                                   {quantity, others, "", ""}}};
  for (std::size_t at = 0; at < names.size(); ++at) {
    const ErrorCell* const cell = find(names.at(at));
    if (cell != nullptr && cell->band) return {0, with_zero(*cell->band), at > 0};
  }
  return {0, {}, true};
}

GemmErrors ValidatedErrors::gemms_of(const std::string& machine, DataType dtype,
                                     const std::string& quantity) const {
  const ErrorCell* own = find_own(machine, dtype, quantity);
  if (own == nullptr) own = find({quantity, kBacktest, "", ""});
  GemmErrors errors;
  for (std::size_t at = 0; at < errors.size(); ++at) {
    errors.at(at) = band_of(machine, dtype, quantity, kGemmRegimes.at(at));
    errors.at(at).mean = own == nullptr ? 0 : own->mean_absolute_error;
  }
  return errors;
}

QuantityError ValidatedErrors::step_of(const std::string& machine,
                                       const std::string& framework) const {
  const ErrorCell* const own = find({"step", machine, "", framework});
  const ErrorCell* const card = find({"step", machine, "", ""});
  for (const ErrorCell* const cell : {own, card}) {
    if (own == nullptr || cell == nullptr || !cell->band) continue;
    return {cell->mean_absolute_error, with_zero(*cell->band), cell != own};
  }
  const ErrorCell* const all = find({"step", "", "", ""});
  if (all == nullptr || !all->band) return {0, {}, true};
  const ErrorCell* const blind = find({"dense", kBacktest, "", ""});
  const double of_card = blind == nullptr ? 0 : blind->mean_absolute_error;
  const ErrorBand band = with_zero(*all->band);
  return {
      all->mean_absolute_error, {widened(band.in_95, of_card), widened(band.in_80, of_card)}, true};
}

QuantityError ValidatedErrors::stream_of(const std::string& machine) const {
  const ErrorCell* const own = find({"stream", machine, "", ""});
  const ErrorCell* const cell = own == nullptr ? largest("stream") : own;
  if (cell == nullptr || !cell->band) return {0, {}, true};
  return {cell->mean_absolute_error, with_zero(*cell->band), cell != own};
}

GemmRegime regime_of(std::int64_t m, std::int64_t n, double time_us) {
  const bool is_short = time_us < kShortUs;
  if (std::min(m, n) <= kFewColumns) return is_short ? GemmRegime::few_short : GemmRegime::few_long;
  return is_short ? GemmRegime::many_short : GemmRegime::many_long;
}

std::string bits_of_type(std::string_view dtype) {
  constexpr std::int64_t kElements = 8;  // whose bytes are the bits of one
  const auto type = data_type_from_string(dtype);
  return type ? std::to_string(bytes_of(*type, kElements)) : "";
}

}  // namespace stcsim
