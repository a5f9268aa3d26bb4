#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "curves/run.hpp"

namespace stcsim::curves {

/// Formats that programs write learning curves in; docs/accuracy.md says how each is read.
enum class FileFormat : std::uint8_t {
  csv,          // a column epoch, step, samples, hours or seconds, and metrics
  lightning,    // PyTorch Lightning's CSVLogger, metrics.csv
  keras,        // Keras' CSVLogger
  timm,         // timm's summary.csv
  wandb,        // a chart of Weights & Biases exported as CSV
  tensorboard,  // TensorBoard's event files
  json_lines    // an object a line, with a key as the column of csv
};

/// As users write it: "csv", "lightning", "json-lines", ...
[[nodiscard]] std::string_view format_name(FileFormat format);
[[nodiscard]] std::vector<std::string> format_names();
[[nodiscard]] std::optional<FileFormat> format_from_name(std::string_view name);

/// The formats that are CSV; which one is told by the header alone (csv_dialect.hpp).
[[nodiscard]] bool is_csv(FileFormat format);

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

/// Runs from any of the CSV formats. Rows that cannot be used are left out and told in notes, a
/// last line that is cut among them. Where x falls back to where the file began, a new run begins;
/// where it falls less far, the run was resumed (SampleList).
/// @param file stands for the file in messages
/// @throws ConfigError with file:line:column for a header that cannot be used or a file without
///         any value, or if it is not UTF-8
[[nodiscard]] RunFile read_csv_runs(std::string_view text, const std::string& file,
                                    const ReadOptions& options);

/// The event files of a directory in the order of their names, which is that of time.
/// @throws ConfigError if it cannot be read or has none
[[nodiscard]] std::vector<std::filesystem::path> event_files_in(
    const std::filesystem::path& directory);

/// The run of TensorBoard event files that follow each other. Checksums are verified; behind a
/// record that is damaged nothing of its file is read, a last record that is cut is left out. Where
/// a session starts anew, at step s, values at step s and behind are dropped, as TensorBoard does.
/// Tags epoch_*, which Keras writes, are over epochs, all others over the writer's own steps.
/// @param name of the run, and the file in notes; there, the number of a line is that of a record
/// @throws ConfigError if there is no value, or a file cannot be read
[[nodiscard]] RunFile read_event_files(const std::vector<std::filesystem::path>& files,
                                       const std::string& name, const ReadOptions& options);
/// The same of one file whose bytes are in memory.
[[nodiscard]] RunFile read_event_bytes(std::string_view bytes, const std::string& name,
                                       const ReadOptions& options);

/// Runs of lines of JSON, objects whose numbers are what the columns of a CSV file are; keys that
/// are no numbers or texts are left out, and so is a last line that is cut. Line n is line n + 1 of
/// notes.
/// @throws ConfigError as read_csv_runs(), and at a line that is no object
[[nodiscard]] RunFile read_json_lines(std::string_view text, const std::string& file,
                                      const ReadOptions& options);

/// The part that learning curves need of TensorBoard's message Event
/// (tensorflow/core/util/event.proto).
struct Event {
  struct Scalar {
    std::string tag;
    double value = 0;
  };
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  /// "brain.Event:2", of the first event of a file.
  std::string file_version;
  /// The program began, or began again, at this step.
  bool session_start = false;
  /// Values that are one number; histograms, images and tensors of several are left out.
  std::vector<Scalar> scalars;
};

/// @return nothing if the data are no such message
[[nodiscard]] std::optional<Event> parse_event(std::string_view data);

}  // namespace stcsim::curves
