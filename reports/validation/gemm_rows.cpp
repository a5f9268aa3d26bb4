#include "reports/validation/gemm_rows.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/evidence/table_fields.hpp"

namespace stcsim {
namespace {

bool is_selected(const MeasuredGemm& gemm, const ErrorSelection& selection) {
  if (!selection.gpu.empty() && gemm.gpu != selection.gpu) return false;
  if (selection.selects_columns && !gemm.problem.a_pattern.selects_columns()) return false;
  return selection.use ? gemm.use == *selection.use : is_scored(gemm.use);
}

std::optional<double> number_after(std::string_view note, std::string_view word) {
  const std::size_t at = note.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  note.remove_prefix(at + word.size());
  const std::optional<double> value =
      to_number(note.substr(0, note.find_first_not_of("0123456789.")));
  return value && *value > 0 ? value : std::nullopt;
}

constexpr double kTera = 1e12;
constexpr double kMicro = 1e6;
/// Times of the host below this are mostly those of launching, tens of microseconds whatever the
/// work.
constexpr double kShortestHostTimeUs = 50;

enum class Unit : std::uint8_t { seconds, milliseconds, microseconds, tflops };
constexpr std::array<std::pair<std::string_view, Unit>, 5> kUnits{{{"s", Unit::seconds},
                                                                   {"ms", Unit::milliseconds},
                                                                   {"us", Unit::microseconds},
                                                                   {"TFLOPS", Unit::tflops},
                                                                   {"TFLOP/s", Unit::tflops}}};

double microseconds(double value, Unit unit, double flop) {
  switch (unit) {
    case Unit::seconds:
      return value * kMicro;
    case Unit::milliseconds:
      return value * 1e3;
    case Unit::microseconds:
      return value;
    case Unit::tflops:
      break;
  }
  return flop / (value * kTera) * kMicro;
}

/// "row" or "row.row", and "batch=n", in any order; else free text.
void read_layout(const CsvField& layout, GemmProblem& problem) {
  constexpr std::string_view kBatch = "batch=";
  std::string order = layout.text;
  if (const std::size_t at = order.find(kBatch); at != std::string::npos) {
    const std::size_t number = at + kBatch.size();
    const std::size_t end = std::min(order.find_first_of(" ,;", number), order.size());
    problem.batch_count = size_in({order.substr(number, end - number), layout.where}, "batch");
    order.erase(at, end - at);
  }
  std::erase_if(order, [](char letter) { return letter == ' ' || letter == ',' || letter == ';'; });
  if (order == "row" || order == "row.row") problem.b_layout = OperandLayout::mn_major;
}

/// Eight bits without a name for their format are e4m3 in measurements of GEMMs, four are NVIDIA's.
std::optional<DataType> operand_type(const std::string& name) {
  if (name == "fp4") return DataType::nvfp4;
  return name == "fp8" ? DataType::fp8_e4m3 : data_type_from_string(name);
}

void read_operand_type(const TableFields& fields, MeasuredGemm& gemm) {
  const CsvField* const dtype = fields.given("dtype");
  if (dtype == nullptr) return;
  const std::string name = dtype->text.substr(0, dtype->text.find(' '));
  const std::size_t slash = name.find('/');
  const auto type = operand_type(name.substr(0, slash));
  if (!type) {
    gemm.unusable = "data type '" + dtype->text + "' is not simulated";
    return;
  }
  gemm.problem.dtype = *type;
  if (slash == std::string::npos) return;
  const std::string_view accumulator = to_string(accumulator_of(*type));
  if (name.substr(slash + 1) == accumulator) return;
  gemm.unusable = fmt::format("data type '{}' is not simulated: GEMMs of {} accumulate in {}",
                              dtype->text, to_string(*type), accumulator);
}

/// "2:10 (V=128)" as it is written elsewhere, "128:2:10"; anything else as it is.
std::string rows_first(const std::string& pattern) {
  constexpr std::string_view kRows = " (V=";
  const std::size_t at = pattern.find(kRows);
  if (at == std::string::npos || !pattern.ends_with(')')) return pattern;
  const std::size_t rows = at + kRows.size();
  return pattern.substr(rows, pattern.size() - 1 - rows) + ":" + pattern.substr(0, at);
}

void read_pattern(const std::string& pattern, MeasuredGemm& gemm) {
  gemm.pattern = pattern;
  if (const auto parsed = pattern_from_string(rows_first(pattern))) {
    gemm.problem.a_pattern = *parsed;
  } else {
    gemm.unusable = "pattern '" + pattern + "' is not n:m or V:2:m";
  }
}

void read_timing(const TableFields& fields, MeasuredGemm& gemm) {
  if (const CsvField* const timing = fields.given("timing")) {
    gemm.timing = timing->text;
  } else if (gemm.note.find("incl. launch overhead") != std::string::npos) {
    gemm.timing = "host";
  }
  if (gemm.timing != "host") return;
  for (const std::optional<double>& time : {gemm.measured.dense_us, gemm.measured.sparse_us}) {
    if (time && *time < kShortestHostTimeUs && gemm.unusable.empty()) {
      gemm.unusable = "timed on the host and below 50 us: mostly launch overhead";
    }
  }
}

void read_use(const TableFields& fields, MeasuredGemm& gemm) {
  const CsvField* const use = fields.given("use");
  if (use == nullptr) return;
  for (const auto& [name, known] : kRowUses) {
    if (use->text != name) continue;
    gemm.use = known;
    return;
  }
  throw ConfigError(use->where,
                    "use is '" + use->text + "', must be fitting, testing, shown or empty");
}

Unit unit_of(const CsvField& unit) {
  for (const auto& [name, value] : kUnits) {
    if (unit.text == name) return value;
  }
  throw ConfigError(unit.where, "unit is '" + unit.text + "', must be s, ms, us or TFLOPS");
}

void read_times(const TableFields& fields, MeasuredGemm& gemm) {
  const double flop = 2.0 * static_cast<double>(gemm.problem.macs());
  const auto time = [&](std::string_view name) -> std::optional<double> {
    const std::optional<double> value = fields.number(name);
    if (!value) return std::nullopt;
    return microseconds(*value, unit_of(fields.at("unit")), flop);
  };
  gemm.measured.dense_us = time("dense_value");
  gemm.measured.sparse_us = time("sparse_value");
  gemm.measured.speedup = fields.number("speedup");
  const auto range = measured_range_in(gemm.note);
  if (!range || !gemm.measured.dense_us) return;
  const Unit unit = unit_of(fields.at("unit"));
  gemm.dense_range_us = std::minmax(
      {microseconds(range->first, unit, flop), microseconds(range->second, unit, flop)});
}

MeasuredGemm read_gemm(const TableFields& fields) {
  MeasuredGemm gemm;
  read_product(fields, gemm);
  read_times(fields, gemm);
  read_timing(fields, gemm);
  if (fields.given("clock_mhz") != nullptr) gemm.clock_mhz = fields.count("clock_mhz");
  return gemm;
}

}  // namespace

void read_product(const TableFields& fields, MeasuredGemm& gemm) {
  gemm.where = fields.at("gpu").where;
  gemm.source = fields.text_or_nothing("source");
  gemm.gpu = fields.text("gpu");
  gemm.note = fields.text_or_nothing("note");
  gemm.stack = fields.text_or_nothing("stack");
  GemmProblem& problem = gemm.problem;
  problem.m = size_in(fields.at("M"), "M");
  problem.n = size_in(fields.at("N"), "N");
  problem.k = size_in(fields.at("K"), "K");
  if (const CsvField* const layout = fields.given("layout")) read_layout(*layout, problem);
  read_operand_type(fields, gemm);
  validate(problem, gemm.where.to_string());
  read_pattern(fields.text("pattern"), gemm);
  read_use(fields, gemm);
}

std::string_view to_string(RowUse use) {
  return std::ranges::find(kRowUses, use, &std::pair<std::string_view, RowUse>::second)->first;
}

std::string table_of(const MeasuredGemm& gemm) {
  return std::filesystem::path(gemm.where.file).filename().string();
}

std::optional<double> value_of(const GemmTimes& times, GemmFigure quantity) {
  if (quantity == GemmFigure::dense) return times.dense_us;
  return quantity == GemmFigure::sparse ? times.sparse_us : times.speedup;
}

std::optional<double> error_of(const ValidationRow& row, GemmFigure quantity) {
  return relative_error(value_of(row.simulated, quantity), value_of(row.gemm.measured, quantity));
}

std::optional<std::pair<double, double>> measured_and_predicted(
    const ValidationRow& row, GemmFigure quantity, GemmTimes ValidationRow::*predicted) {
  const std::optional<double> measured = value_of(row.gemm.measured, quantity);
  const std::optional<double> value = value_of(row.*predicted, quantity);
  if (!measured || !value) return std::nullopt;
  return std::pair(*measured, *value);
}

ErrorSummary summarise_errors(const std::vector<ValidationRow>& rows,
                              const ErrorSelection& selection, GemmFigure quantity) {
  std::vector<std::pair<double, double>> points;
  for (const ValidationRow& row : rows) {
    if (!is_selected(row.gemm, selection)) continue;
    const auto point = measured_and_predicted(row, quantity, selection.predicted);
    if (point) points.push_back(*point);
  }
  return error_statistics(points);
}

std::vector<NamedSelection> reported_selections(const std::vector<ValidationRow>& rows) {
  std::vector<NamedSelection> selections;
  for (const ValidationRow& row : rows) {
    const std::string& gpu = row.gemm.gpu;
    const auto is_it = [&](const NamedSelection& one) { return one.name == gpu; };
    if (std::any_of(selections.begin(), selections.end(), is_it)) continue;
    selections.push_back({gpu, {gpu}});
  }
  selections.push_back({"all", {}});
  const auto has = [&](const ErrorSelection& some) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const ValidationRow& row) { return is_selected(row.gemm, some); });
  };
  const ErrorSelection fitting{"", RowUse::fitting};
  const ErrorSelection shown{"", RowUse::shown};
  const ErrorSelection sealed{"", RowUse::sealed};
  const ErrorSelection columns{"", std::nullopt, &ValidationRow::simulated, true};
  if (has(fitting)) {
    selections.push_back({"all, fitting", fitting});
    selections.push_back({"all, testing", {"", RowUse::testing}});
  }
  if (has(columns)) selections.push_back({"all, V:2:m", columns});
  if (has(shown)) selections.push_back({"all, not scored", shown});
  if (has(sealed)) selections.push_back({"all, sealed", sealed});
  selections.push_back({"all, by a roofline", {"", std::nullopt, &ValidationRow::roofline}});
  return selections;
}

std::optional<std::pair<double, double>> measured_range_in(std::string_view note) {
  const std::optional<double> least = number_after(note, "least ");
  const std::optional<double> most = number_after(note, "most ");
  if (!least || !most) return std::nullopt;
  return std::pair(*least, *most);
}

std::vector<MeasuredGemm> read_measured_gemms(const std::filesystem::path& path,
                                              std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  table.check_columns({"source", "gpu", "dtype", "M", "N", "K", "layout", "dense_value",
                       "sparse_value", "unit", "speedup", "pattern", "note"},
                      {"timing", "use", "stack", "clock_mhz"});
  return read_rows(table, bad_rows, &read_gemm);
}

}  // namespace stcsim
