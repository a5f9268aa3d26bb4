#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "curves/read_runs.hpp"

namespace stcsim::curves {

/// Whether a file begins like a TFRecord file: a length and its checksum.
[[nodiscard]] bool begins_like_records(std::string_view head);
/// Bytes that begins_like_records() looks at.
inline constexpr std::size_t kRecordHead = 12;

/// Largest record that is kept; longer ones (graphs, images) are read past.
inline constexpr std::size_t kLargestRecord = std::size_t{16} << 20U;

/// The part that learning curves need of TensorBoard's message Event
/// (tensorflow/core/util/event.proto).
struct Event {
  struct Scalar {
    std::string tag;
    double value = 0;
  };
  std::int64_t step = 0;
  /// The program began, or began again, at this step.
  bool session_start = false;
  /// Values that are one number; histograms, images and tensors of several are left out.
  std::vector<Scalar> scalars;
};

/// @return nothing if the data are no such message
[[nodiscard]] std::optional<Event> parse_event(std::string_view data);

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
/// The same of one file.
[[nodiscard]] RunFile read_event_file(std::istream& file, const std::string& name,
                                      const ReadOptions& options);

}  // namespace stcsim::curves
