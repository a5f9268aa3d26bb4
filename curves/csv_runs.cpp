#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/csv_table.hpp"
#include "common/io/text_file.hpp"
#include "common/suggestion.hpp"
#include "curves/read_runs.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

using Header = CsvScanner::Record;

constexpr std::size_t kMostLeftOut = 10'000;

/// Names that programs have for the column that says how much was trained, beside the axes' own.
constexpr std::array<std::pair<std::string_view, Axis>, 7> kAxisColumns{{
    {"global_step", Axis::steps},
    {"iteration", Axis::steps},
    {"iterations", Axis::steps},
    {"train_samples", Axis::samples},
    {"samples_count", Axis::samples},
    {"time_s", Axis::seconds},
    {"elapsed_seconds", Axis::seconds},
}};

std::optional<Axis> axis_of(std::string_view column) {
  if (column.starts_with("seconds_since_")) return Axis::seconds;
  for (const auto& [name, axis] : kAxisColumns) {
    if (same_but_case(name, column)) return axis;
  }
  return axis_from_name(column);
}

/// The separator of the fields: the one that the first line that is no comment and not blank has
/// most often.
char separator_of(std::string_view text) {
  std::string_view line;
  while (!text.empty()) {
    line = text.substr(0, text.find('\n'));
    if (!line.starts_with('#') && line.find_first_not_of(" \t\r") != std::string_view::npos) break;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  const auto is_rarer = [&](char one, char other) {
    return std::count(line.begin(), line.end(), one) < std::count(line.begin(), line.end(), other);
  };
  return std::max({',', ';', '\t'}, is_rarer);
}

std::string names_of(const Header& header) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const CsvField& field : header) names.push_back(field.text);
  if (names.size() > kMostNamed) {
    names.resize(kMostNamed);
    names.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_blank(std::string_view cell) {
  constexpr std::array<std::string_view, 6> kNoValue{"", "NA", "N/A", "null", "None", "-"};
  return std::ranges::any_of(kNoValue, [&](auto known) { return same_but_case(known, cell); });
}

/// The decimal number in a cell, which may be NaN or infinite; one beyond the range of a double is
/// none.
std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = number_from(cell.data(), cell.data() + cell.size(), number);
  if (stop != cell.data() + cell.size() || error != std::errc{}) return std::nullopt;
  return number;
}

/// A file that several runs were written into, one behind the other, begins anew where x falls to
/// the first x of the run or below it. Where x falls as often as it rises, rows are in no order,
/// and nothing begins anew.
class Restarts {
 public:
  /// A run's first sample and its line.
  struct Begin {
    std::size_t sample = 0;
    int line = 0;
  };

  /// The next row.
  /// @param sample how many samples were before it
  void take(double x, std::size_t sample, int line) {
    if (begins_.empty()) {
      begins_.push_back({0, 0});
      first_ = x;
      last_ = x;
    }
    if (x > last_) ++rises_;
    if (x < last_) ++falls_;
    if (x < last_ && x <= first_) {
      begins_.push_back({sample, line});
      first_ = x;
    }
    last_ = x;
  }

  /// The runs among so many samples.
  [[nodiscard]] std::vector<Begin> runs(std::size_t samples) const {
    std::vector<Begin> runs = begins_;
    if (falls_ >= rises_) runs.resize(std::min<std::size_t>(runs.size(), 1));
    std::erase_if(runs, [&](const Begin& one) { return one.sample > 0 && one.sample >= samples; });
    return runs;
  }

 private:
  std::vector<Begin> begins_;
  double first_ = 0;
  double last_ = 0;
  std::size_t rises_ = 0;
  std::size_t falls_ = 0;
};

class CsvRunReader {
 public:
  CsvRunReader(std::string_view text, const std::string& file, const ReadOptions& options)
      : text_(text),
        file_(file),
        axis_asked_(options.axis),
        scanner_(text, file, separator_of(text)),
        list_(file) {}

  RunFile read(const std::string& format) {
    scanner_.skip_empty_lines();
    if (scanner_.at_end()) {
      throw ConfigError(scanner_.where(), "the file is empty, must have a header");
    }
    take_header(scanner_.record());
    for (scanner_.skip_empty_lines(); !scanner_.at_end(); scanner_.skip_empty_lines()) {
      const SourceLocation where = scanner_.where();
      if (const std::optional<CsvScanner::Record> row = next_row(where)) take_row(*row, where);
    }
    tell_texts();
    tell_blank();
    std::vector<Run> found = runs(format);
    return notes_.with_runs(std::move(found), file_, "the file has no value of any metric");
  }

 private:
  /// A column of values, and what was found in it.
  struct Column {
    std::size_t index = 0;
    std::size_t metric = 0;  // its number in the list
    std::size_t numbers = 0;
    std::size_t texts = 0;
    SourceLocation first_text{};
  };

  std::optional<CsvScanner::Record> next_row(const SourceLocation& where) {
    try {
      return scanner_.record();
    } catch (const ConfigError& error) {
      const std::string_view what = error.what();
      constexpr std::string_view kMark = "error: ";
      leave_out(where, std::string(what.substr(what.find(kMark) + kMark.size())));
      scanner_.skip_rest_of_line();
      return std::nullopt;
    }
  }

  void leave_out(const SourceLocation& where, const std::string& why) {
    if (++left_out_ > kMostLeftOut) {
      throw ConfigError(where, fmt::format("more than {} lines cannot be used, this one because {}",
                                           kMostLeftOut, why));
    }
    notes_.add(where, why + "; left out");
  }

  [[nodiscard]] const std::string& x_name() const { return header_[x_column_].text; }

  void take_header(Header header) {
    const SourceLocation& where = header.front().where;
    std::set<std::string_view> names;
    std::map<Axis, std::size_t> axes;  // the first column of each
    columns_.clear();
    for (std::size_t index = 0; index < header.size(); ++index) {
      const std::string& name = header[index].text;
      if (!names.insert(name).second) {
        throw ConfigError(header[index].where,
                          fmt::format("column '{}' is here a second time", name));
      }
      if (const std::optional<Axis> axis = axis_of(name)) {
        axes.emplace(*axis, index);
      } else if (!name.empty()) {
        columns_.push_back({index, list_.metric(name, where.line)});
      }
    }
    choose_axis(header, axes);
    if (columns_.empty()) {
      throw ConfigError(where,
                        fmt::format("no column holds a metric; columns: {}", names_of(header)));
    }
    header_ = std::move(header);
  }

  void choose_axis(const Header& header, const std::map<Axis, std::size_t>& axes) {
    if (axes.empty()) {
      throw ConfigError(header.front().where,
                        fmt::format("no column says how much was trained, must be one of epoch, "
                                    "step, samples, hours and seconds; columns: {}",
                                    names_of(header)));
    }
    const auto found = axis_asked_ ? axes.find(*axis_asked_) : axes.begin();
    if (found == axes.end()) {
      throw ConfigError(header.front().where,
                        fmt::format("no column counts {}; columns: {}", to_string(*axis_asked_),
                                    names_of(header)));
    }
    axis_ = found->first;
    x_column_ = found->second;
    axis_asked_ = axis_;  // later headers, of resumed runs, are of the same kind
    has_several_rows_ = axis_ == Axis::epochs && axes.contains(Axis::steps);
  }

  void take_row(const CsvScanner::Record& row, const SourceLocation& where) {
    const auto is_name = [this](const CsvField& field) { return field.text == x_name(); };
    if (std::ranges::any_of(row, is_name)) {  // a resumed run's, with other columns perhaps
      tell_texts();
      take_header(row);
      notes_.add(where, "the header is here again (a resumed run?)");
      return;
    }
    if (row.size() != header_.size()) {
      leave_out(where, fmt::format("the row has {} fields, must have {} like the header",
                                   row.size(), header_.size()));
      return;
    }
    if (const std::optional<double> x = x_of(row)) {
      if (scanner_.at_end() && !text_.ends_with('\n')) {
        notes_.add(where, "the last line does not end: its last value may be cut");
      }
      take_cells(row, *x, where.line);
    }
  }

  std::optional<double> x_of(const CsvScanner::Record& row) {
    const CsvField& field = row[x_column_];
    const std::optional<double> x = number_in(field.text);
    if (x && std::isfinite(*x) && *x >= 0) return x;
    if (!is_blank(field.text)) {
      leave_out(field.where,
                fmt::format("'{}' is '{}', must be a number from 0", x_name(), field.text));
    } else if (blank_++ == 0) {
      first_blank_ = field.where;
    }
    return std::nullopt;
  }

  void take_cells(const CsvScanner::Record& row, double x, int line) {
    restarts_.take(x, list_.size(), line);
    for (Column& column : columns_) {
      const CsvField& cell = row[column.index];
      if (is_blank(cell.text)) continue;
      if (const std::optional<double> value = number_in(cell.text)) {
        ++column.numbers;
        list_.add(column.metric, x, *value, line);
      } else if (column.texts++ == 0) {
        column.first_text = cell.where;
      }
    }
  }

  void tell_texts() {
    for (const Column& column : columns_) {
      if (column.texts == 0) continue;
      const std::string what = column.numbers == 0 ? " holds no numbers"
                               : column.texts == 1
                                   ? ": this value is no number"
                                   : fmt::format(": {} values are no number", column.texts);
      notes_.add(column.first_text,
                 fmt::format("column '{}'{}; left out", header_[column.index].text, what));
    }
  }

  void tell_blank() {
    if (blank_ == 0) return;
    leave_out(first_blank_, blank_ == 1
                                ? fmt::format("'{}' is blank here", x_name())
                                : fmt::format("'{}' is blank in {} rows", x_name(), blank_));
  }

  std::vector<Run> runs(const std::string& format) {
    const bool from_zero = axis_ == Axis::epochs && list_.counts_from_zero();
    if (from_zero) {
      notes_.add({file_}, "epochs are counted from 0: epoch n is taken as n + 1 epochs trained");
    }
    const std::vector<Restarts::Begin> begins = restarts_.runs(list_.size());
    if (begins.size() > kMostRuns) {
      throw ConfigError(
          {file_, begins[kMostRuns].line},
          fmt::format("more than {} runs in one file: {} falls too often", kMostRuns, x_name()));
    }
    std::vector<Run> runs;
    for (std::size_t at = 0; at < begins.size(); ++at) {
      if (at > 0) {
        notes_.add({file_, begins[at].line},
                   fmt::format("{} begin anew here: taken as another run", to_string(axis_)));
      }
      const std::size_t end = at + 1 < begins.size() ? begins[at + 1].sample : list_.size();
      const SampleList::Shape shape{axis_, from_zero ? 1.0 : 0.0, has_several_rows_};
      std::vector<Curve> curves = list_.curves(begins[at].sample, end, shape, notes_);
      if (curves.empty()) continue;
      runs.push_back(
          {at == 0 ? file_ : fmt::format("{}#{}", file_, at + 1), format, std::move(curves)});
    }
    return runs;
  }

  std::string_view text_;
  std::string file_;
  std::optional<Axis> axis_asked_;
  CsvScanner scanner_;
  Header header_;
  Axis axis_ = Axis::epochs;
  std::size_t x_column_ = 0;
  /// Steps are counted too, so several rows of an epoch are no news.
  bool has_several_rows_ = false;
  std::vector<Column> columns_;
  SampleList list_;
  Restarts restarts_;
  NoteList notes_;
  std::size_t left_out_ = 0;  // lines
  std::size_t blank_ = 0;     // rows without x
  SourceLocation first_blank_;
};

}  // namespace

RunFile read_csv_runs(std::string_view text, const std::string& file, const ReadOptions& options,
                      FileFormat format) {
  check_encoding(text, file);
  return CsvRunReader(text, file, options).read(std::string(to_string(format)));
}

}  // namespace stcsim::curves
