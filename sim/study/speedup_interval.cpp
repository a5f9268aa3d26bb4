#include "sim/study/speedup_interval.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>

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

/// Of a normal distribution: the standard deviation over the mean of absolute values.
constexpr double kDeviationOverMean = 1.2533;
constexpr double kDeviations = 2;

enum class ErrorClass : std::uint8_t { dense, gain, stream };
constexpr std::size_t kClasses = 3;

/// Kernels that are simulated once: they err alike.
using SameKernel = std::tuple<ErrorClass, std::string, std::int64_t, std::int64_t, std::int64_t,
                              std::int64_t, std::int64_t, std::int64_t>;

/// What a relative error of one adds to the logarithm of the speedup.
class Sensitivities {
 public:
  void add(ErrorClass of, const ResultRow& row, double sensitivity) {
    sums_.at(static_cast<std::size_t>(of)) += sensitivity;
    kernels_[{of, row.op, row.m, row.n, row.k, row.batch_count, row.cycles, row.dense_cycles}] +=
        sensitivity;
  }
  /// Half the interval's length.
  [[nodiscard]] double half(const std::array<double, kClasses>& errors) const {
    double common = 0;
    for (std::size_t at = 0; at < kClasses; ++at) common += std::abs(sums_[at]) * errors.at(at);
    double variance = 0;
    for (const auto& [kernel, sensitivity] : kernels_) {
      const double error = errors.at(static_cast<std::size_t>(std::get<0>(kernel)));
      variance += std::pow(sensitivity * error * kDeviationOverMean, 2);
    }
    return common + kDeviations * std::sqrt(variance);
  }

 private:
  std::array<double, kClasses> sums_{};
  std::map<SameKernel, double> kernels_;
};

/// Cycles per step of a row, all repeats.
struct RowCycles {
  double dense = 0;
  double sparse = 0;  // of the steps in which the scheme is
  double both = 0;    // of the mean step
};

RowCycles cycles_of(const ResultRow& row, double share) {
  const double repeat = row.per_step();
  RowCycles cycles;
  cycles.dense = repeat * static_cast<double>(row.dense_cycles);
  cycles.sparse = share * repeat * static_cast<double>(row.cycles);
  cycles.both = cycles.sparse + (1.0 - share) * cycles.dense;
  return cycles;
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

SpeedupInterval speedup_interval(const std::vector<const ResultRow*>& rows,
                                 double share_of_training, const TimeErrors& errors) {
  std::vector<RowCycles> cycles;
  double dense = 0;
  double both = 0;
  for (const ResultRow* const row : rows) {
    cycles.push_back(cycles_of(*row, share_of_training));
    dense += cycles.back().dense;
    both += cycles.back().both;
  }
  if (dense <= 0 || both <= 0) return {};
  Sensitivities sensitivities;
  double share_sparse = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const ResultRow& row = *rows[at];
    const bool is_gemm = row.is_gemm();
    if (row.ran_sparse) share_sparse += cycles[at].sparse / both;
    const double share_gained = cycles[at].dense / dense - cycles[at].both / both;
    sensitivities.add(is_gemm ? ErrorClass::dense : ErrorClass::stream, row, share_gained);
    if (is_gemm && row.cycles != row.dense_cycles) {
      sensitivities.add(ErrorClass::gain, row, cycles[at].sparse / both);
    }
  }
  const double half = sensitivities.half({errors.dense, errors.gain, errors.stream});
  const double excess = share_sparse * errors.selection;
  return {dense / both * std::exp(-half - std::max(excess, 0.0)),
          dense / both * std::exp(half - std::min(excess, 0.0)), errors.is_assumed};
}

double time_deviation(const std::vector<const ResultRow*>& rows, const TimeErrors& errors) {
  double all = 0;
  for (const ResultRow* const row : rows) all += cycles_of(*row, 1.0).sparse;
  if (all <= 0) return 0;
  Sensitivities sensitivities;
  for (const ResultRow* const row : rows) {
    const double share = cycles_of(*row, 1.0).sparse / all;
    const bool is_gemm = row->is_gemm();
    sensitivities.add(is_gemm ? ErrorClass::dense : ErrorClass::stream, *row, share);
    if (is_gemm && row->cycles != row->dense_cycles) {
      sensitivities.add(ErrorClass::gain, *row, share);
    }
  }
  return sensitivities.half({errors.dense, errors.gain, errors.stream});
}

void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const TimeErrors& errors) {
  for (StudyTotal& total : totals) {
    if (!total.is_complete()) continue;
    std::vector<const ResultRow*> own;
    for (const ResultRow& row : rows) {
      const bool is_own =
          row.network == total.network && row.scheme == total.scheme && row.pass() == total.pass;
      if (is_own) own.push_back(&row);
    }
    total.interval = speedup_interval(own, total.share_of_training, errors);
    total.step_interval = speedup_interval(own, 1.0, errors);
  }
}

}  // namespace stcsim
