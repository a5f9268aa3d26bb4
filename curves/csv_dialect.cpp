#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/letter_case.hpp"
#include "curves/csv_cells.hpp"

namespace stcsim::curves {
namespace {

constexpr std::string_view kDash = " - ";
constexpr std::string_view kLeast = "__MIN";
constexpr std::string_view kMost = "__MAX";

/// Whether a header is that of a chart of Weights & Biases: "RUN - METRIC" with "RUN -
/// METRIC__MIN" beside it, or in all columns but the first.
bool has_wandb_columns(const CsvScanner::Record& header) {
  const auto names_run = [](const CsvField& field) {
    return field.text.find(kDash) != std::string::npos;
  };
  return std::any_of(header.begin(), header.end(),
                     [&](const CsvField& field) {
                       return field.text.ends_with(kLeast) && names_run(field);
                     }) ||
         (header.size() > 1 && std::all_of(header.begin() + 1, header.end(), names_run));
}

/// The columns of the file that TensorBoard's page downloads.
constexpr std::string_view kTensorboardTime = "Wall time";
constexpr std::string_view kTensorboardValue = "Value";

/// The tag in the file's name, "run-NAME-tag-TAG.csv"; else the column's name.
std::string tensorboard_metric(const CsvField& value) {
  constexpr std::string_view kMark = "-tag-";
  const std::string stem = std::filesystem::path(value.where.file).stem().string();
  const std::size_t tag = stem.rfind(kMark);
  return tag == std::string::npos ? value.text : stem.substr(tag + kMark.size());
}

/// The columns "RUN - METRIC" and their runs. A run's name may hold " - " itself: it ends at the
/// last one. Left out are __MIN and __MAX and metrics of W&B's own ("_step").
void take_wandb_columns(const CsvScanner::Record& header, CsvDialect& dialect) {
  dialect.runs.clear();
  for (std::size_t index = 0; index < header.size(); ++index) {
    const std::string& name = header[index].text;
    const std::size_t dash = name.rfind(kDash);
    if (dash == std::string::npos || name.ends_with(kLeast) || name.ends_with(kMost)) continue;
    const std::string metric = name.substr(dash + kDash.size());
    if (metric.empty() || metric.starts_with('_')) continue;
    const std::string run = name.substr(0, dash);
    const auto found = std::find(dialect.runs.begin(), dialect.runs.end(), run);
    const auto number = static_cast<std::size_t>(found - dialect.runs.begin());
    if (found == dialect.runs.end()) dialect.runs.push_back(run);
    dialect.columns.push_back({index, number, metric});
  }
}

using Header = CsvScanner::Record;

/// Names writers have for the column that says how much was trained.
constexpr std::array<std::pair<std::string_view, Axis>, 19> kAxisColumns{{
    {"epoch", Axis::epochs},
    {"epochs", Axis::epochs},
    {"step", Axis::steps},
    {"steps", Axis::steps},
    {"_step", Axis::steps},
    {"global_step", Axis::steps},
    {"trainer/global_step", Axis::steps},
    {"train/global_step", Axis::steps},
    {"iteration", Axis::steps},
    {"iterations", Axis::steps},
    {"samples", Axis::samples},
    {"train_samples", Axis::samples},
    {"samples_count", Axis::samples},
    {"hours", Axis::hours},
    {"hour", Axis::hours},
    {"seconds", Axis::seconds},
    {"time_s", Axis::seconds},
    {"elapsed_seconds", Axis::seconds},
    {"_runtime", Axis::seconds},
}};

std::optional<Axis> axis_of(std::string_view column) {
  for (const auto& [name, axis] : kAxisColumns) {
    if (same_but_case(name, column)) return axis;
  }
  if (column.starts_with("seconds_since_")) return Axis::seconds;
  return std::nullopt;
}

bool has(const Header& header, std::string_view name) {
  return std::any_of(header.begin(), header.end(),
                     [name](const CsvField& field) { return field.text == name; });
}

bool has_prefix(const Header& header, std::string_view prefix) {
  return std::any_of(header.begin(), header.end(),
                     [prefix](const CsvField& field) { return field.text.starts_with(prefix); });
}

bool sorted_after_first(const Header& header) {
  return std::is_sorted(header.begin() + 1, header.end(),
                        [](const CsvField& a, const CsvField& b) { return a.text < b.text; });
}

FileFormat format_of(const Header& header) {
  if (has_wandb_columns(header)) return FileFormat::wandb;
  // None of the writers below counts samples.
  const auto counts_samples = [](const auto& field) {
    return axis_of(field.text) == Axis::samples;
  };
  if (std::any_of(header.begin(), header.end(), counts_samples)) return FileFormat::csv;
  const bool epoch_first = header.front().text == "epoch";
  if (epoch_first && has_prefix(header, "eval_") && has_prefix(header, "train_")) {
    return FileFormat::timm;
  }
  if (has(header, "epoch") && has(header, "step") && header.size() > 2) {
    return FileFormat::lightning;
  }
  if (epoch_first && has(header, "loss") && sorted_after_first(header)) return FileFormat::keras;
  return FileFormat::csv;
}

/// The first column of every axis.
std::map<Axis, std::size_t> axis_columns(const Header& header) {
  std::map<Axis, std::size_t> columns;
  for (std::size_t index = 0; index < header.size(); ++index) {
    if (const std::optional<Axis> axis = axis_of(header[index].text)) columns.emplace(*axis, index);
  }
  return columns;
}

std::string names_of(const Header& header) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const CsvField& field : header) {
    if (names.size() == kMostNamed) {
      names.emplace_back("...");
      break;
    }
    names.push_back(field.text);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::pair<Axis, std::size_t> x_of(const Header& header, const ReadOptions& options) {
  const std::map<Axis, std::size_t> columns = axis_columns(header);
  if (columns.empty()) {
    throw ConfigError(header.front().where,
                      fmt::format("no column says how much was trained, must be one of epoch, "
                                  "step, samples, hours and seconds; columns: {}",
                                  names_of(header)));
  }
  if (!options.axis) return *columns.begin();
  const auto found = columns.find(*options.axis);
  if (found != columns.end()) return *found;
  throw ConfigError(header.front().where, fmt::format("no column counts {}; columns: {}",
                                                      axis_name(*options.axis), names_of(header)));
}

void refuse_repeated(const Header& header) {
  std::set<std::string_view> names;
  for (const CsvField& field : header) {
    if (!names.insert(field.text).second) {
      throw ConfigError(field.where, fmt::format("column '{}' is here a second time", field.text));
    }
  }
}

}  // namespace

bool CsvDialect::counts_from_zero() const {
  if (axis == Axis::epochs) return format == FileFormat::timm;
  return axis == Axis::steps && format == FileFormat::lightning;
}

bool CsvDialect::may_count_from_zero() const {
  return axis == Axis::epochs && (format == FileFormat::lightning || format == FileFormat::keras);
}

bool CsvDialect::repeats() const {
  return format == FileFormat::lightning;
}

bool CsvDialect::ends_lines() const {
  return format == FileFormat::lightning || format == FileFormat::timm;
}

char separator_of(std::string_view header_line) {
  constexpr std::string_view kSeparators = ",;\t";
  const auto count = [header_line](char separator) {
    return std::count(header_line.begin(), header_line.end(), separator);
  };
  return *std::max_element(kSeparators.begin(), kSeparators.end(),
                           [&](char left, char right) { return count(left) < count(right); });
}

CsvDialect dialect_of(const Header& header, const ReadOptions& options) {
  refuse_repeated(header);
  CsvDialect dialect;
  dialect.format = options.format.value_or(format_of(header));
  std::tie(dialect.axis, dialect.x_column) = x_of(header, options);
  if (dialect.format == FileFormat::wandb) {
    take_wandb_columns(header, dialect);
  } else {
    const bool is_tensorboard = has(header, kTensorboardTime) && has(header, kTensorboardValue);
    for (std::size_t index = 0; index < header.size(); ++index) {
      const std::string& name = header[index].text;
      if (axis_of(name) || name.empty() || (is_tensorboard && name == kTensorboardTime)) continue;
      const bool is_value = is_tensorboard && name == kTensorboardValue;
      dialect.columns.push_back({index, 0, is_value ? tensorboard_metric(header[index]) : name});
    }
  }
  if (dialect.columns.empty()) {
    throw ConfigError(header.front().where,
                      fmt::format("no column holds a metric; columns: {}", names_of(header)));
  }
  return dialect;
}

}  // namespace stcsim::curves
