#include "curves/read_runs.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/csv.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "curves/tensorboard.hpp"

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

/// Runs of lines of JSON, objects whose numbers are what the columns of a CSV file are; keys that
/// are no numbers or texts are left out, and so is a last line that is cut. Line n is line n + 1 of
/// notes.
/// @throws ConfigError as read_csv_runs(), and at a line that is no object
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
  return read_csv_runs(to_csv(shape, rows), file, options, FileFormat::json_lines);
}

/// The beginning of a file that can be read twice, "" of any other (a pipe).
std::string head_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::array<char, kRecordHead> head{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(head.data(), head.size());
  return {head.data(), static_cast<std::size_t>(stream.gcount())};
}

/// @throws ConfigError at a log that the client turns into CSV
FileFormat text_format(std::string_view text, const std::string& file) {
  const auto refuse = [&](std::string_view what) {
    throw ConfigError(SourceLocation{file},
                      fmt::format("the file is {}, must be one of csv, tensorboard, json-lines; "
                                  "'python3 -m stcsim.curves {}' writes CSV",
                                  what, file));
  };
  if (text.find(":::MLLOG") != std::string_view::npos) refuse("a log of MLPerf");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return FileFormat::csv;
  if (text.find("\"log_history\"") != std::string_view::npos) refuse("a trainer_state.json");
  return FileFormat::json_lines;
}

RunFile runs_of_text(std::string_view text, const std::string& file, const ReadOptions& options) {
  const bool records =
      options.format ? *options.format == FileFormat::tensorboard : begins_like_records(text);
  if (records) {
    std::istringstream bytes{std::string(text)};
    return read_event_file(bytes, file, options);
  }
  const FileFormat format = options.format ? *options.format : text_format(text, file);
  if (format == FileFormat::json_lines) return read_json_lines(text, file, options);
  return read_csv_runs(text, file, options);
}

RunFile runs_of_file(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string file = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return read_event_files(event_files_in(path), file, options);
  }
  const bool records = options.format ? *options.format == FileFormat::tensorboard
                                      : begins_like_records(head_of(path));
  if (records) return read_event_files({path}, file, options);
  return runs_of_text(read_text_file(path, "a file of curves"), file, options);
}

/// Metrics are called what a program wrote, and notes repeat it, which may hold anything.
RunFile with_printable_texts(RunFile file) {
  for (Run& run : file.runs) {
    for (Curve& curve : run.curves) curve.metric = printable(curve.metric);
  }
  for (Note& note : file.notes) note.text = printable(note.text);
  return file;
}

}  // namespace

std::string_view to_string(FileFormat format) {
  constexpr std::array<std::string_view, 3> kNames{"csv", "tensorboard", "json-lines"};
  return kNames.at(static_cast<std::size_t>(format));
}

RunFile read_runs(const std::filesystem::path& path, const ReadOptions& options) {
  return with_printable_texts(runs_of_file(path, options));
}

RunFile read_runs(std::string_view text, const std::string& file, const ReadOptions& options) {
  return with_printable_texts(runs_of_text(text, file, options));
}

}  // namespace stcsim::curves
