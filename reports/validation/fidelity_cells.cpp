#include "reports/validation/fidelity_cells.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace stcsim {
namespace {

using Rows = std::vector<const ValidationRow*>;

std::string source_name(const std::string& source) {
  return source.substr(0, source.find(" @"));
}

bool is_in(const ValidationRow& row, const CellKey& key) {
  const MeasuredGemm& gemm = row.gemm;
  if (key.use ? gemm.use != *key.use : gemm.use == RowUse::shown) return false;
  if (!key.stack.empty() && gemm.stack != key.stack) return false;
  return key.source.empty() || source_name(gemm.source) == key.source;
}

std::array<ErrorSummary, 3> errors_of(const Rows& rows, GemmTimes ValidationRow::*predicted) {
  std::array<ErrorSummary, 3> errors;
  for (const GemmFigure quantity : {GemmFigure::dense, GemmFigure::sparse, GemmFigure::speedup}) {
    std::vector<std::pair<double, double>> points;
    for (const ValidationRow* const row : rows) {
      const auto point = measured_and_predicted(*row, quantity, predicted);
      if (point) points.push_back(*point);
    }
    errors.at(static_cast<std::size_t>(quantity)) = error_statistics(points);
  }
  return errors;
}

SpreadSummary spread_of(const Rows& rows) {
  SpreadSummary spread;
  for (const ValidationRow* const row : rows) {
    const auto& range = row->gemm.dense_range_us;
    if (!range || !row->simulated.dense_us) continue;
    const auto& [least, most] = *range;
    ++spread.rows;
    spread.half_range += (most - least) / 2 / *row->gemm.measured.dense_us;
    spread.within += least <= *row->simulated.dense_us && *row->simulated.dense_us <= most ? 1 : 0;
  }
  if (spread.rows == 0) return spread;
  spread.half_range /= static_cast<double>(spread.rows);
  spread.within /= static_cast<double>(spread.rows);
  return spread;
}

/// The cells of one machine, data type and size class.
class Group {
 public:
  Group(CellKey key, Rows rows) : key_(std::move(key)), rows_(std::move(rows)) {
    for (const ValidationRow* const row : rows_) {
      const MeasuredGemm& gemm = row->gemm;
      if (gemm.use != RowUse::shown) stacks_.insert(gemm.stack);
      sources_.insert({source_name(gemm.source), gemm.stack, gemm.use});
      origins_.insert({source_name(gemm.source), gemm.stack});
    }
  }

  void add_to(std::vector<FidelityCell>& cells) const {
    add({}, cells);
    if (origins_.size() > 1) {
      for (const RowUse use : {RowUse::fitting, RowUse::testing, RowUse::shown}) {
        add({"", "", use}, cells);
      }
    }
    for (const std::string& stack : stacks_) {
      if (stacks_.size() > 1) add({"", stack, std::nullopt}, cells);
    }
    for (const Part& part : sources_) add(part, cells);
  }

 private:
  using Part = std::tuple<std::string, std::string, std::optional<RowUse>>;  // source, stack, use

  void add(const Part& part, std::vector<FidelityCell>& cells) const {
    CellKey key = key_;
    std::tie(key.source, key.stack, key.use) = part;
    Rows rows;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(rows),
                 [&](const ValidationRow* row) { return is_in(*row, key); });
    if (rows.empty()) return;
    cells.push_back({key, errors_of(rows, &ValidationRow::simulated),
                     errors_of(rows, &ValidationRow::roofline),
                     errors_of(rows, &ValidationRow::tiles), spread_of(rows)});
  }

  CellKey key_;
  Rows rows_;
  std::set<std::string> stacks_;
  std::set<std::pair<std::string, std::string>> origins_;
  std::set<Part> sources_;
};

}  // namespace

SizeClass size_class(const ValidationRow& row) {
  const std::optional<double>& measured = row.gemm.measured.dense_us;
  const double time = measured                 ? *measured
                      : row.simulated.dense_us ? *row.simulated.dense_us
                                               : row.gemm.measured.sparse_us.value_or(kLargeFromUs);
  return time >= kLargeFromUs ? SizeClass::large : SizeClass::small;
}

std::vector<FidelityCell> fidelity_cells(const std::vector<ValidationRow>& rows) {
  std::map<std::tuple<std::string, DataType, SizeClass>, Rows> groups;
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) continue;
    groups[{row.machine, row.gemm.problem.dtype, size_class(row)}].push_back(&row);
  }
  std::vector<FidelityCell> cells;
  for (auto& [name, of_group] : groups) {
    const auto& [machine, dtype, size] = name;
    Group({machine, dtype, size}, std::move(of_group)).add_to(cells);
  }
  return cells;
}

}  // namespace stcsim
