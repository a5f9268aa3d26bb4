#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "curves/read_options.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

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

}  // namespace stcsim::curves
