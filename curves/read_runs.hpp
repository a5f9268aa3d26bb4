#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "curves/read_options.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// The runs of a file of any format; which, its content tells. A directory is the run of the
/// TensorBoard event files in it. Text files have at most 64 MiB.
/// @throws ConfigError with the file, and line and column where there are, for what cannot be read
[[nodiscard]] RunFile read_runs(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for bytes in memory; `file` stands for them in messages.
[[nodiscard]] RunFile read_runs(std::string_view text, const std::string& file,
                                const ReadOptions& options = {});

}  // namespace stcsim::curves
