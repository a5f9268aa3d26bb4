#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "common/io/text_file.hpp"
#include "curves/csv_cells.hpp"
#include "curves/read_runs.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

/// The first line that is no comment and not blank.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.starts_with('#') && line.find_first_not_of(" \t\r") != std::string_view::npos)
      return line;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return text;
}

constexpr std::size_t kMostLeftOut = 10'000;

class CsvRunReader {
 public:
  CsvRunReader(std::string_view text, const std::string& file, const ReadOptions& options)
      : text_(text),
        file_(file),
        options_(options),
        scanner_(text, file, separator_of(first_line(text))) {}

  RunFile read() {
    scanner_.skip_empty_lines();
    if (scanner_.at_end()) {
      throw ConfigError(scanner_.where(), "the file is empty, must have a header");
    }
    take_header(scanner_.record());
    for (scanner_.skip_empty_lines(); !scanner_.at_end(); scanner_.skip_empty_lines()) {
      const SourceLocation where = scanner_.where();
      if (const std::optional<CsvScanner::Record> row = next_row(where)) take_row(*row, where);
    }
    return finish();
  }

 private:
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

  [[nodiscard]] const std::string& x_name() const { return header_[dialect_.x_column].text; }

  void take_header(CsvScanner::Record header) {
    dialect_ = dialect_of(header, options_);
    header_ = std::move(header);
    // Later headers, of resumed runs, are of the same kind.
    options_ = {dialect_.format, dialect_.axis};
    if (lists_.empty()) lists_.assign(dialect_.runs.size(), SampleList(file_));
    numbers_.clear();
    std::vector<std::string> names;
    for (const CsvDialect::Column& column : dialect_.columns) {
      numbers_.push_back(lists_[column.run].metric(column.metric, header_.front().where.line));
      names.push_back(column.metric);
    }
    counts_ = ColumnCounts(std::move(names));
  }

  /// A resumed run may write its header again, with other columns too.
  [[nodiscard]] bool is_header(const CsvScanner::Record& row) const {
    return dialect_.format != FileFormat::wandb &&
           std::any_of(row.begin(), row.end(),
                       [this](const CsvField& field) { return field.text == x_name(); });
  }

  void take_row(const CsvScanner::Record& row, const SourceLocation& where) {
    const bool unfinished = scanner_.at_end() && !text_.ends_with('\n');
    if (unfinished && dialect_.ends_lines()) {
      leave_out(where, "the last line does not end, so it was cut");
      return;
    }
    if (is_header(row)) {
      counts_.tell(notes_);
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
      if (unfinished) notes_.add(where, "the last line does not end: its last value may be cut");
      take_cells(row, *x, where.line);
    }
  }

  std::optional<double> x_of(const CsvScanner::Record& row) {
    const CsvField& field = row[dialect_.x_column];
    const Cell x = read_cell(field.text);
    if (x.kind == Cell::Kind::number && std::isfinite(x.number) && x.number >= 0) return x.number;
    if (x.kind == Cell::Kind::blank) {
      if (blank_++ == 0) first_blank_ = field.where;
    } else {
      leave_out(field.where,
                fmt::format("'{}' is '{}', must be a number from 0", x_name(), field.text));
    }
    return std::nullopt;
  }

  void take_cells(const CsvScanner::Record& row, double x, int line) {
    restarts_.take(x, lists_.front().size(), line);
    for (std::size_t i = 0; i < dialect_.columns.size(); ++i) {
      const CsvDialect::Column& column = dialect_.columns[i];
      const Cell cell = read_cell(row[column.index].text);
      counts_.take(i, cell, row[column.index].where);
      if (cell.kind == Cell::Kind::number)
        lists_[column.run].add(numbers_[i], x, cell.number, line);
    }
  }

  SampleList::Shape shape() {
    const bool whole = std::all_of(lists_.begin(), lists_.end(),
                                   [](const SampleList& list) { return list.all_whole(); });
    const bool zero = std::any_of(lists_.begin(), lists_.end(), [](const SampleList& list) {
      return list.size() > 0 && list.least_x() == 0;
    });
    const bool from_zero =
        dialect_.counts_from_zero() || (dialect_.axis == Axis::epochs && whole && zero);
    if (from_zero) {
      notes_.add({file_}, fmt::format("{} are counted from 0: {} n is taken as n + 1 {} trained",
                                      axis_name(dialect_.axis), axis_singular(dialect_.axis),
                                      axis_name(dialect_.axis)));
    }
    if (!from_zero && dialect_.may_count_from_zero()) {
      notes_.add({file_},
                 "epochs do not begin at 0: taken as counted from 1 (a run that was resumed "
                 "into another file would count one too few)");
    }
    return {dialect_.axis, from_zero ? 1.0 : 0.0, dialect_.repeats()};
  }

  void take_run(const std::string& name, std::vector<Curve> curves) {
    if (curves.empty()) return;
    found_.runs.push_back(
        {name, std::string(format_name(dialect_.format)), std::move(curves), std::nullopt});
  }

  void take_parts(const SampleList::Shape& how) {
    const SampleList& list = lists_.front();
    const std::vector<Restart> parts = restarts_.parts(list.size());
    if (parts.size() > kMostRuns) {
      throw ConfigError(
          {file_, parts[kMostRuns].line},
          fmt::format("more than {} runs in one file: {} falls too often", kMostRuns, x_name()));
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::size_t end = part + 1 < parts.size() ? parts[part + 1].sample : list.size();
      if (part > 0) {
        notes_.add({file_, parts[part].line},
                   fmt::format("{} begin anew here: taken as another run", axis_name(how.axis)));
      }
      take_run(part == 0 ? file_ : fmt::format("{}#{}", file_, part + 1),
               list.curves(parts[part].sample, end, how, notes_));
    }
  }

  void tell_blank() {
    if (blank_ == 0) return;
    leave_out(first_blank_, blank_ == 1
                                ? fmt::format("'{}' is blank here", x_name())
                                : fmt::format("'{}' is blank in {} rows", x_name(), blank_));
  }

  RunFile finish() {
    counts_.tell(notes_);
    tell_blank();
    const SampleList::Shape how = shape();
    if (dialect_.format == FileFormat::wandb) {
      for (std::size_t run = 0; run < lists_.size(); ++run) {
        take_run(file_ + ": " + dialect_.runs[run], lists_[run].curves(how, notes_));
      }
    } else {
      take_parts(how);
    }
    if (found_.runs.empty()) {
      constexpr const char* kNothing = "the file has no value of any metric";
      if (notes_.empty()) throw ConfigError(SourceLocation{file_}, kNothing);
      throw ConfigError(notes_.front().where, fmt::format("{}: {}", kNothing, notes_.front().text));
    }
    found_.notes = notes_.take(file_);
    return std::move(found_);
  }

  std::string_view text_;
  std::string file_;
  ReadOptions options_;
  CsvScanner scanner_;
  CsvScanner::Record header_;
  CsvDialect dialect_;
  std::vector<std::size_t> numbers_;  // of the metric of each of the dialect's columns
  ColumnCounts counts_;
  std::vector<SampleList> lists_;  // of each run
  Restarts restarts_;
  NoteList notes_;
  std::size_t left_out_ = 0;  // lines
  std::size_t blank_ = 0;     // rows without x
  SourceLocation first_blank_;
  RunFile found_;
};

}  // namespace

RunFile read_csv_runs(std::string_view text, const std::string& file, const ReadOptions& options) {
  check_encoding(text, file);
  return CsvRunReader(text, file, options).read();
}

}  // namespace stcsim::curves
