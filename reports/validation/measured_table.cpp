#include "reports/validation/measured_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/validation/measured_fields.hpp"
#include "reports/validation/measured_range.hpp"
#include "reports/validation/read_rows.hpp"

namespace stcsim {
namespace {

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

void read_layout(const CsvField& layout, GemmProblem& problem) {
  constexpr std::string_view kBatch = "batch=";
  if (layout.text == "row" || layout.text == "row.row") problem.b_layout = OperandLayout::mn_major;
  const std::size_t at = layout.text.find(kBatch);
  if (at == std::string::npos) return;
  const std::string text = layout.text.substr(at + kBatch.size());
  problem.batch_count = size_in({text, layout.where}, "batch");
}

/// Of eight bits without a name for their format, measurements of GEMMs have e4m3.
std::optional<DataType> operand_type(const std::string& name) {
  return name == "fp8" ? DataType::fp8_e4m3 : data_type_from_string(name);
}

void read_dtype(const MeasuredFields& fields, MeasuredGemm& gemm) {
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

void read_timing(const MeasuredFields& fields, MeasuredGemm& gemm) {
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

void read_use(const MeasuredFields& fields, MeasuredGemm& gemm) {
  const CsvField* const use = fields.given("use");
  if (use == nullptr) return;
  for (const RowUse known : {RowUse::fitting, RowUse::testing, RowUse::shown}) {
    if (use->text != to_string(known)) continue;
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

void read_times(const MeasuredFields& fields, MeasuredGemm& gemm) {
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

MeasuredGemm read_gemm(const MeasuredFields& fields) {
  MeasuredGemm gemm;
  gemm.where = fields.at("source").where;
  gemm.source = fields.text("source");
  gemm.gpu = fields.text("gpu");
  gemm.note = fields.text("note");
  GemmProblem& problem = gemm.problem;
  problem.m = size_in(fields.at("M"), "M");
  problem.n = size_in(fields.at("N"), "N");
  problem.k = size_in(fields.at("K"), "K");
  read_layout(fields.at("layout"), problem);
  read_dtype(fields, gemm);
  validate(problem, gemm.where.to_string());
  read_times(fields, gemm);
  read_pattern(fields.text("pattern"), gemm);
  read_timing(fields, gemm);
  read_use(fields, gemm);
  if (const CsvField* const stack = fields.given("stack")) gemm.stack = stack->text;
  return gemm;
}

}  // namespace

std::vector<MeasuredGemm> read_measured_gemms(const std::filesystem::path& path,
                                              std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  table.check_columns({"source", "gpu", "dtype", "M", "N", "K", "layout", "dense_value",
                       "sparse_value", "unit", "speedup", "pattern", "note"},
                      {"timing", "use", "stack"});
  return read_rows(table, bad_rows, &read_gemm);
}

}  // namespace stcsim
