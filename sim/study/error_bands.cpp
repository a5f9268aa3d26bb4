#include "sim/study/error_bands.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "common/data_type.hpp"

namespace stcsim {
namespace {

constexpr double kWide = 0.95;
constexpr double kNarrow = 0.80;
/// Of cards that were measured, where another is asked for: what only that one has is added.
constexpr double kWideOfOthers = 0.90;

/// Rows that stand for a card with the same SM: no single one of them is an end (rank 2).
constexpr std::size_t kRowsOfSiblings = 79;

/// Quantiles of the normal distribution at (1 + share) / 2.
constexpr double kNormalWide = 1.959964;
constexpr double kNormalNarrow = 1.281552;

/// The quantile of Student's t where the normal distribution has z (Abramowitz and Stegun,
/// 26.7.5); from five degrees of freedom on right to a part in 800.
double student(double z, double degrees) {
  const double z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
  const double third = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
  return z + first / degrees + second / (degrees * degrees) + third / std::pow(degrees, 3);
}

/// Of one more value.
LogRange normal_range(const std::vector<double>& values, double share) {
  const auto rows = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / rows;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (rows - 1) * (1 + 1 / rows));
  const double z = share == kNarrow ? kNormalNarrow : kNormalWide;
  const double half = student(z, rows - 1) * deviation;
  return {mean - half, mean + half};
}

/// The least value below or at which `share` of the weight lies, one value's weight more counted.
double weighted_rank(const std::vector<std::pair<double, double>>& values, double share) {
  const auto rows = static_cast<double>(values.size());
  double weight = 0;
  for (const auto& [value, own] : values) {
    weight += own * rows / (rows + 1);
    if (weight >= share) return value;
  }
  return values.back().first;
}

/// What cells are found under: quantity, how many rows they are of (the fewest first), machine,
/// type, regime.
using CellName = std::tuple<int, int, std::string, std::string, std::string>;
constexpr std::array<std::string_view, 5> kQuantities{"dense", "sparse", "speedup", "step",
                                                      "stream"};
constexpr int kOwnAll = 0;
constexpr int kOwn = 1;
constexpr int kOwnBits = 2;
constexpr int kSameSm = 3;
constexpr int kAnyCard = 4;
constexpr int kAnything = 5;

int quantity_rank(const std::string& quantity) {
  const auto* const at = std::find(kQuantities.begin(), kQuantities.end(), quantity);
  return static_cast<int>(at - kQuantities.begin());
}

std::vector<CellName> names_of(const Residual& row, const Dies& dies) {
  const int quantity = quantity_rank(row.quantity);
  if (row.quantity == "stream") return {{quantity, kOwn, row.machine, "", ""}};
  if (row.quantity == "step") {
    return {{quantity, kOwn, row.machine, "", row.regime},
            {quantity, kOwnAll, row.machine, "", ""},
            {quantity, kAnything, "", "", ""}};
  }
  std::vector<CellName> names{
      {quantity, kOwnAll, row.machine, row.dtype, ""},
      {quantity, kOwn, row.machine, row.dtype, row.regime},
      {quantity, kOwnBits, row.machine, bits_of_type(row.dtype), row.regime},
      {quantity, kAnyCard, "", "", row.regime},
      {quantity, kAnything, "", "", ""}};
  const auto die = dies.find(row.machine);
  if (die != dies.end()) names.emplace_back(quantity, kSameSm, die->second, "", row.regime);
  return names;
}

std::optional<ErrorBand> band_of_gemms(const std::vector<double>& values) {
  const auto wide = middle_of(values, kWide);
  const auto narrow = middle_of(values, kNarrow);
  if (!wide || !narrow) return std::nullopt;
  return ErrorBand{*wide, *narrow};
}

std::optional<ErrorBand> band_of_few(const std::vector<double>& values) {
  if (static_cast<std::int64_t>(values.size()) < kFewestRows) return std::nullopt;
  return ErrorBand{middle_of_few(values, kWide), middle_of_few(values, kNarrow)};
}

ErrorBand band_of_cards(const std::vector<const Residual*>& rows) {
  std::map<std::string, std::vector<double>> by_card;
  for (const Residual* const row : rows) by_card[row->machine].push_back(row->log_ratio);
  return {middle_of_cards(by_card, kWideOfOthers), middle_of_cards(by_card, kNarrow)};
}

ErrorCell cell_of(const CellName& name, const std::vector<const Residual*>& rows) {
  const auto& [quantity, scope, machine, dtype, regime] = name;
  ErrorCell cell{machine, dtype, rows.front()->quantity, regime,
                 static_cast<std::int64_t>(rows.size())};
  std::vector<double> values;
  for (const Residual* const row : rows) {
    const double error = std::expm1(-row->log_ratio);
    cell.mean_absolute_error += std::abs(error) / static_cast<double>(rows.size());
    cell.bias += error / static_cast<double>(rows.size());
    values.push_back(row->log_ratio);
  }
  if (cell.quantity == "step" && scope == kAnything) {
    cell.band = band_of_cards(rows);
  } else if (cell.quantity == "step" || cell.quantity == "stream") {
    cell.band = band_of_few(values);
  } else if (scope != kOwnAll && (scope != kSameSm || rows.size() >= kRowsOfSiblings)) {
    cell.band = band_of_gemms(values);
  }
  return cell;
}

}  // namespace

GemmRegime regime_of(std::int64_t m, std::int64_t n, double time_us) {
  const bool is_short = time_us < kShortUs;
  if (std::min(m, n) <= kFewColumns) return is_short ? GemmRegime::few_short : GemmRegime::few_long;
  return is_short ? GemmRegime::many_short : GemmRegime::many_long;
}

std::optional<LogRange> middle_of(std::vector<double> values, double share) {
  constexpr double kRounding = 1e-9;
  const auto rows = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>((1 - share) / 2 * (rows + 1) + kRounding);
  if (rank < 1) return std::nullopt;
  std::sort(values.begin(), values.end());
  return LogRange{values[rank - 1], values[values.size() - rank]};
}

LogRange middle_of_few(const std::vector<double>& values, double share) {
  if (const auto range = middle_of(values, share)) return *range;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const LogRange normal = normal_range(values, share);
  return {std::min(*least, normal.low), std::max(*most, normal.high)};
}

LogRange middle_of_cards(const std::map<std::string, std::vector<double>>& by_card, double share) {
  const auto cards = static_cast<double>(by_card.size());
  std::vector<std::pair<double, double>> upwards;
  std::vector<std::pair<double, double>> downwards;
  for (const auto& [card, values] : by_card) {
    for (const double value : values) {
      const double weight = 1 / cards / static_cast<double>(values.size());
      upwards.emplace_back(value, weight);
      downwards.emplace_back(-value, weight);
    }
  }
  std::sort(upwards.begin(), upwards.end());
  std::sort(downwards.begin(), downwards.end());
  const double part = (1 + share) / 2;
  return {-weighted_rank(downwards, part), weighted_rank(upwards, part)};
}

std::string bits_of_type(std::string_view dtype) {
  constexpr std::int64_t kElements = 8;  // whose bytes are the bits of one
  const auto type = data_type_from_string(dtype);
  return type ? std::to_string(bytes_of(*type, kElements)) : "";
}

std::vector<ErrorCell> error_cells(const std::vector<Residual>& residuals, const Dies& dies) {
  std::map<CellName, std::vector<const Residual*>> rows;
  for (const Residual& residual : residuals) {
    for (CellName& name : names_of(residual, dies)) rows[std::move(name)].push_back(&residual);
  }
  std::vector<ErrorCell> cells;
  for (const auto& [name, of_name] : rows) {
    ErrorCell cell = cell_of(name, of_name);
    const bool counts_alone = std::get<1>(name) == kOwnAll || cell.quantity == "step";
    if (cell.band || counts_alone) cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace stcsim
