#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/csv.hpp"
#include "common/io/json_reader.hpp"
#include "curves/read_runs.hpp"

namespace stcsim::curves {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{{
    {"NaN", "\"\" "},
    {"-Infinity", "\"-inf\"   "},
    {"Infinity", "\"inf\"   "},
}};

/// JSON as Python writes it, with NaN, Infinity and -Infinity turned into texts ("", "inf", "-inf")
/// and blanks, so that every byte keeps its place.
std::string without_bare_nan(std::string_view text) {
  std::string out(text);
  bool inside_text = false;
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (out[at] == '"') inside_text = !inside_text;
    if (inside_text && out[at] == '\\') ++at;
    if (inside_text || (out[at] != 'N' && out[at] != 'I' && out[at] != '-')) continue;
    for (const auto& [word, instead] : kWords) {
      if (!text.substr(at).starts_with(word)) continue;
      std::copy(instead.begin(), instead.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
      at += word.size() - 1;
      break;
    }
  }
  return out;
}

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
