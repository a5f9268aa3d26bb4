#include "reports/validation/band_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kFolds = 10;

bool is_step(const Residual& residual) {
  return residual.quantity == "step";
}

/// The names of the rows that are left out together, row by row.
std::vector<std::string> folds_of(const std::vector<Residual>& residuals, HeldOut held_out) {
  std::map<std::string, std::size_t> numbers;
  for (const Residual& row : residuals) numbers.emplace(row.group, 0);
  std::size_t next = 0;
  for (auto& [group, number] : numbers) number = next++ % kFolds;
  std::vector<std::string> folds;
  for (const Residual& row : residuals) {
    if (held_out == HeldOut::card) {
      folds.push_back(row.machine);
    } else if (is_step(row)) {
      folds.push_back(row.machine + " " + row.group);
    } else {
      folds.push_back(std::to_string(numbers.at(row.group)));
    }
  }
  return folds;
}

const QuantityError& error_of(const TimeErrors& errors, const Residual& row) {
  if (is_step(row)) return errors.step;
  const GemmErrors& of_gemms = row.quantity == "dense"    ? errors.dense
                               : row.quantity == "sparse" ? errors.sparse
                                                          : errors.gain;
  const auto* const regime = std::find(kGemmRegimes.begin(), kGemmRegimes.end(), row.regime);
  return of_gemms.at(static_cast<std::size_t>(regime - kGemmRegimes.begin()));
}

/// Coverages of rows that come one by one.
class Count {
 public:
  void add(const Residual& row, const ErrorBand& band) {
    BandCoverage& coverage = found_[{row.quantity, is_step(row) ? row.machine : row.regime}];
    ++coverage.rows;
    coverage.in_95 += band.in_95.holds(row.log_ratio) ? 1 : 0;
    coverage.in_80 += band.in_80.holds(row.log_ratio) ? 1 : 0;
    coverage.ratios.push_back(std::exp(band.in_95.high - band.in_95.low));
  }
  [[nodiscard]] std::vector<BandCoverage> coverages() {
    std::vector<BandCoverage> coverages;
    for (auto& [name, coverage] : found_) {
      std::sort(coverage.ratios.begin(), coverage.ratios.end());
      std::tie(coverage.quantity, coverage.regime) = name;
      coverages.push_back(std::move(coverage));
    }
    return coverages;
  }

 private:
  std::map<std::pair<std::string, std::string>, BandCoverage> found_;
};

/// Rows of one fold against bands of all others.
void add_fold(const std::vector<Residual>& residuals, const std::vector<std::string>& folds,
              const std::string& fold, const ErrorTables& tables, Count& count) {
  std::vector<Residual> others;
  for (std::size_t at = 0; at < residuals.size(); ++at) {
    if (folds[at] != fold) others.push_back(residuals[at]);
  }
  const ValidatedErrors errors({error_cells(others, tables.dies), tables.dies, tables.blind});
  std::map<std::tuple<std::string, std::string, std::string>, TimeErrors> known;
  for (std::size_t at = 0; at < residuals.size(); ++at) {
    const Residual& row = residuals[at];
    if (folds[at] != fold) continue;
    const std::string framework = is_step(row) ? row.regime : "";
    const auto [found, is_new] = known.try_emplace({row.machine, row.dtype, framework});
    if (is_new) {
      const DataType dtype = data_type_from_string(row.dtype).value_or(DataType::fp16);
      found->second = errors.of(row.machine, dtype, framework);
    }
    count.add(row, error_of(found->second, row).band);
  }
}

std::string percent(std::int64_t part, std::int64_t rows) {
  return format_percent(static_cast<double>(part) / static_cast<double>(rows));
}

std::vector<std::string> cells_of(const BandCoverage& coverage) {
  return {percent(coverage.in_95, coverage.rows), percent(coverage.in_80, coverage.rows),
          fmt::format("{:.2f}", coverage.ratios[coverage.ratios.size() / 2])};
}

}  // namespace

std::vector<BandCoverage> band_coverage(const std::vector<Residual>& residuals,
                                        const ErrorTables& tables, HeldOut held_out) {
  Count count;
  for (const bool of_steps : {false, true}) {
    std::vector<Residual> rows;
    for (const Residual& row : residuals) {
      if (is_step(row) == of_steps && row.quantity != "stream") rows.push_back(row);
    }
    const std::vector<std::string> folds = folds_of(rows, held_out);
    for (const std::string& fold : std::set<std::string>(folds.begin(), folds.end())) {
      add_fold(rows, folds, fold, tables, count);
    }
  }
  return count.coverages();
}

Table band_table(const std::vector<Residual>& residuals, const ErrorTables& tables) {
  Table table({{"quantity"},
               {"regime"},
               {"rows", Align::right},
               {"card left out: in 95 %", Align::right},
               {"in 80 %", Align::right},
               {"high / low", Align::right},
               {"network left out: in 95 %", Align::right},
               {"in 80 %", Align::right},
               {"high / low", Align::right}});
  const auto by_card = band_coverage(residuals, tables, HeldOut::card);
  const auto by_network = band_coverage(residuals, tables, HeldOut::network);
  for (std::size_t at = 0; at < by_card.size(); ++at) {
    const BandCoverage& coverage = by_card[at];
    std::vector<std::string> row{coverage.quantity, coverage.regime, std::to_string(coverage.rows)};
    for (const auto* const of : {&coverage, &by_network[at]}) {
      for (std::string& cell : cells_of(*of)) row.push_back(std::move(cell));
    }
    table.add_row(row);
  }
  return table;
}

}  // namespace stcsim
