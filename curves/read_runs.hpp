#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "curves/run.hpp"

namespace stcsim::curves {

/// Formats of learning curves; docs/reference/experiments.md says how each is read.
enum class FileFormat : std::uint8_t {
  csv,          // a column epoch, step, samples, hours or seconds, and metrics
  tensorboard,  // TensorBoard's event files
  json_lines    // an object a line, with a key as the column of csv
};

/// As users write it: "csv", "tensorboard", "json-lines".
[[nodiscard]] std::string_view to_string(FileFormat format);

/// Choices of who reads a file of curves.
struct ReadOptions {
  /// Instead of what the content looks like.
  std::optional<FileFormat> format;
  /// The axis curves are drawn over, of what a file counts; else the first of epochs, steps,
  /// samples, hours and seconds that it has.
  std::optional<Axis> axis;
};

/// The runs of a file of any format; which, its content tells. A directory is the run of the
/// TensorBoard event files in it. Text files have at most 64 MiB.
/// @throws ConfigError with the file, and line and column where there are, for what cannot be read
[[nodiscard]] RunFile read_runs(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for bytes in memory; `file` stands for them in messages.
[[nodiscard]] RunFile read_runs(std::string_view text, const std::string& file,
                                const ReadOptions& options = {});

/// Runs of a CSV file. Rows that cannot be used are left out and told in notes. Where x falls back
/// to where the file began, a new run begins; where it falls less far, the run was resumed
/// (SampleList).
/// @param file stands for the file in messages
/// @param format that the runs are said to have
/// @throws ConfigError with file:line:column for a header that cannot be used or a file without
///         any value, or if it is not UTF-8
[[nodiscard]] RunFile read_csv_runs(std::string_view text, const std::string& file,
                                    const ReadOptions& options,
                                    FileFormat format = FileFormat::csv);

}  // namespace stcsim::curves
