#include "curves/read_runs.hpp"

#include <array>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/text_file.hpp"
#include "curves/record_file.hpp"

namespace stcsim::curves {
namespace {

constexpr std::array<std::pair<FileFormat, std::string_view>, 7> kFormats{{
    {FileFormat::csv, "csv"},
    {FileFormat::lightning, "lightning"},
    {FileFormat::keras, "keras"},
    {FileFormat::timm, "timm"},
    {FileFormat::wandb, "wandb"},
    {FileFormat::tensorboard, "tensorboard"},
    {FileFormat::json_lines, "json-lines"},
}};

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
    throw ConfigError(
        SourceLocation{file},
        fmt::format("the file is {}, must be one of {}; 'python3 -m stcsim.curves {}' writes CSV",
                    what, fmt::join(format_names(), ", "), file));
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
  if (records) return read_event_bytes(text, file, options);
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

std::string_view format_name(FileFormat format) {
  return kFormats.at(static_cast<std::size_t>(format)).second;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kFormats) names.emplace_back(name);
  return names;
}

std::optional<FileFormat> format_from_name(std::string_view name) {
  for (const auto& [format, known] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

bool is_csv(FileFormat format) {
  return format <= FileFormat::wandb;
}

RunFile read_runs(const std::filesystem::path& path, const ReadOptions& options) {
  return with_printable_texts(runs_of_file(path, options));
}

RunFile read_runs(std::string_view text, const std::string& file, const ReadOptions& options) {
  return with_printable_texts(runs_of_text(text, file, options));
}

}  // namespace stcsim::curves
