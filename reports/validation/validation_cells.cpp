#include "reports/validation/validation_cells.hpp"

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

}  // namespace stcsim
