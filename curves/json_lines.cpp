#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/csv.hpp"
#include "common/io/json_reader.hpp"
#include "curves/read_runs.hpp"

namespace stcsim::curves {
namespace {

using nlohmann::ordered_json;

/// The numbers and texts of a line.
ordered_json values_in(const std::string& line, const SourceLocation& where) {
  ordered_json values = ordered_json::object();
  const ordered_json object = try_parse_json(line);
  if (!object.is_object()) {
    throw ConfigError(where,
                      "the line is no JSON object, must be one like {\"epoch\": 1, \"acc\": 0.5}");
  }
  for (const auto& [key, value] : object.items()) {
    if (value.is_number() || value.is_string() || value.is_null()) values[key] = value;
  }
  return values;
}

}  // namespace

RunFile read_json_lines(std::string_view text, const std::string& file,
                        const ReadOptions& options) {
  std::istringstream lines(without_bare_nan(text));
  std::vector<ordered_json> rows;
  ordered_json shape = ordered_json::object();
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool is_cut = lines.eof() && try_parse_json(line).is_discarded();
    if (is_cut || line.find_first_not_of(" \t\r") == std::string::npos) continue;
    rows.push_back(values_in(line, {file, number}));
    for (const auto& [key, value] : rows.back().items()) shape[key] = nullptr;
  }
  ReadOptions as_csv = options;
  as_csv.format = FileFormat::csv;
  RunFile found = read_csv_runs(to_csv(shape, rows), file, as_csv);
  for (Run& run : found.runs) run.format = format_name(FileFormat::json_lines);
  return found;
}

}  // namespace stcsim::curves
