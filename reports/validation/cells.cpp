#include "reports/validation/cells.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {

std::string error_cell(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f} %", *error * 100.0) : "-";
}

std::string time_cell(const std::optional<double>& microseconds) {
  return microseconds ? format_time_us(*microseconds) : "-";
}

std::string value_cell(const std::optional<double>& value) {
  return value ? format_significant(*value) : "-";
}

std::string speedup_cell(const Interval& speedup) {
  if (!speedup.high) return speedup.low ? "from " + format_speedup(*speedup.low) : "-";
  if (!speedup.low) return "up to " + format_speedup(*speedup.high);
  if (*speedup.low == *speedup.high) return format_speedup(*speedup.low);
  return fmt::format("{:.2f}-{}", *speedup.low, format_speedup(*speedup.high));
}

std::vector<std::string> skipped_sentences(
    const std::vector<std::pair<std::string, std::string>>& reasons) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const auto& [reason, line] : reasons) {
    if (!reason.empty()) lines[reason].push_back(line);
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, at] : lines) {
    sentences.push_back(fmt::format("skipped {} row{}, the first in line {}: {}", at.size(),
                                    at.size() == 1 ? "" : "s", at.front(), reason));
  }
  return sentences;
}

bool are_of_several_tables(const std::vector<ValidationRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const ValidationRow& row) {
    return row.gemm.where.file != rows.front().gemm.where.file;
  });
}

std::string line_cell(const MeasuredGemm& gemm, bool with_table) {
  const std::string line = std::to_string(gemm.where.line);
  return with_table ? table_of(gemm) + ":" + line : line;
}

std::string quantity_cell(const std::optional<double>& value, GemmFigure quantity) {
  if (!value) return "-";
  return quantity == GemmFigure::speedup ? format_speedup(*value) : format_time_us(*value);
}

std::string problem_cell(const ValidationRow& row) {
  const GemmProblem& problem = row.gemm.problem;
  return format_shape(problem.m, problem.n, problem.k, problem.batch_count);
}

}  // namespace stcsim
