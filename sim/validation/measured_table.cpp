#include "sim/validation/measured_table.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "common/csv_table.hpp"
#include "sim/config/yaml_reader.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMaxSize = 2'147'483'647;
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

bool is_missing(const CsvField& field) {
  return field.text.empty() || field.text == "MISSING";
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t size_of(const CsvField& field, std::string_view what) {
  const auto value = number_in<std::int64_t>(field.text);
  if (!value || *value < 1 || *value > kMaxSize) {
    throw ConfigError(field.where, std::string(what) + " is '" + field.text +
                                       "', must be a whole number from 1 to 2147483647");
  }
  return *value;
}

std::optional<double> value_in(const CsvField& field, std::string_view what) {
  if (is_missing(field)) return std::nullopt;
  const auto value = number_in<double>(field.text);
  if (!value || !std::isfinite(*value) || *value < 0) {
    throw ConfigError(field.where, std::string(what) + " is '" + field.text +
                                       "', must be a number above 0, MISSING or empty");
  }
  if (*value == 0) return std::nullopt;
  return value;
}

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

/// Reads row after row; knows the columns.
class RowReader {
 public:
  explicit RowReader(const CsvTable& table) : table_(table) {}

  [[nodiscard]] MeasuredGemm read(const CsvTable::Row& row) const {
    MeasuredGemm gemm;
    gemm.where = row.front().where;
    gemm.source = field(row, "source").text;
    gemm.gpu = field(row, "gpu").text;
    gemm.note = field(row, "note").text;
    GemmProblem& problem = gemm.problem;
    problem.m = size_of(field(row, "M"), "M");
    problem.n = size_of(field(row, "N"), "N");
    problem.k = size_of(field(row, "K"), "K");
    read_layout(field(row, "layout"), problem);
    read_dtype(field(row, "dtype"), gemm);
    validate(problem, gemm.where.to_string());
    read_times(row, gemm);
    read_pattern(field(row, "pattern"), gemm);
    read_timing(row, gemm);
    read_use(row, gemm);
    return gemm;
  }

 private:
  [[nodiscard]] const CsvField& field(const CsvTable::Row& row, std::string_view name) const {
    return row[table_.column(name)];
  }

  static void read_layout(const CsvField& layout, GemmProblem& problem) {
    constexpr std::string_view kBatch = "batch=";
    if (layout.text == "row") problem.b_layout = OperandLayout::mn_major;
    const std::size_t at = layout.text.find(kBatch);
    if (at == std::string::npos) return;
    const std::string text = layout.text.substr(at + kBatch.size());
    problem.batch_count = size_of({text, layout.where}, "batch");
  }

  static void read_dtype(const CsvField& dtype, MeasuredGemm& gemm) {
    if (is_missing(dtype)) return;
    const std::string name = dtype.text.substr(0, dtype.text.find(' '));
    if (const auto type = data_type_from_string(name)) {
      gemm.problem.dtype = *type;
    } else {
      gemm.unusable = "data type '" + dtype.text + "' is not simulated";
    }
  }

  static void read_pattern(const CsvField& pattern, MeasuredGemm& gemm) {
    gemm.pattern = pattern.text;
    if (const auto parsed = pattern_from_string(pattern.text)) {
      gemm.problem.a_pattern = *parsed;
    } else {
      gemm.unusable = "pattern '" + pattern.text + "' is not n:m";
    }
  }

  void read_timing(const CsvTable::Row& row, MeasuredGemm& gemm) const {
    const std::optional<std::size_t> column = table_.find_column("timing");
    if (column && !is_missing(row[*column])) {
      gemm.timing = row[*column].text;
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

  void read_use(const CsvTable::Row& row, MeasuredGemm& gemm) const {
    const std::optional<std::size_t> column = table_.find_column("use");
    if (!column || is_missing(row[*column]) || row[*column].text == "testing") return;
    gemm.fitting = row[*column].text == "fitting";
    if (gemm.fitting) return;
    throw ConfigError(row[*column].where,
                      "use is '" + row[*column].text + "', must be fitting, testing or empty");
  }

  void read_times(const CsvTable::Row& row, MeasuredGemm& gemm) const {
    const double flop = 2.0 * static_cast<double>(gemm.problem.macs());
    const auto time = [&](std::string_view name) -> std::optional<double> {
      const std::optional<double> value = value_in(field(row, name), name);
      if (!value) return std::nullopt;
      return microseconds(*value, unit_of(field(row, "unit")), flop);
    };
    gemm.measured.dense_us = time("dense_value");
    gemm.measured.sparse_us = time("sparse_value");
    gemm.measured.speedup = value_in(field(row, "speedup"), "speedup");
  }

  static Unit unit_of(const CsvField& unit) {
    for (const auto& [name, value] : kUnits) {
      if (unit.text == name) return value;
    }
    throw ConfigError(unit.where, "unit is '" + unit.text + "', must be s, ms, us or TFLOPS");
  }

  const CsvTable& table_;
};

}  // namespace

std::vector<MeasuredGemm> read_measured_gemms(const std::filesystem::path& path) {
  const CsvTable table = CsvTable::read(path);
  const RowReader reader(table);
  std::vector<MeasuredGemm> gemms;
  for (const CsvTable::Row& row : table.rows()) gemms.push_back(reader.read(row));
  return gemms;
}

std::map<std::string, double> read_timing_overheads(const std::filesystem::path& path) {
  const YamlDocument document = load_yaml(path);
  MapReader map(document);
  std::map<std::string, double> overheads;
  for (MapReader& entry : map.get_maps("timing")) {
    const std::string name = entry.get_string("name");
    const double microseconds = entry.get_double("overhead_us", {0, 1e6});
    entry.finish();
    if (!overheads.emplace(name, microseconds).second) {
      entry.fail("name", "timing '" + name + "' is here a second time");
    }
  }
  map.finish();
  return overheads;
}

std::map<std::string, std::string> read_gpu_machines(const std::filesystem::path& path) {
  const YamlDocument document = load_yaml(path);
  MapReader map(document);
  std::map<std::string, std::string> machines;
  for (MapReader& entry : map.get_maps("gpus")) {
    const std::string name = entry.get_string("name");
    const std::string machine = entry.get_string("machine");
    entry.finish();
    if (!machines.emplace(name, machine).second) {
      entry.fail("name", "GPU '" + name + "' is here a second time");
    }
  }
  map.finish();
  return machines;
}

}  // namespace stcsim
