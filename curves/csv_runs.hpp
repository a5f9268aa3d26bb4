#pragma once

#include <string>
#include <string_view>

#include "curves/read_options.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// Runs from any of the CSV formats. Rows that cannot be used are left out and told in notes, a
/// last line that is cut among them. Where x falls back to where the file began, a new run begins;
/// where it falls less far, the run was resumed (SampleList).
/// @param file stands for the file in messages
/// @throws ConfigError with file:line:column for a header that cannot be used or a file without
///         any value, or if it is not UTF-8
[[nodiscard]] RunFile read_csv_runs(std::string_view text, const std::string& file,
                                    const ReadOptions& options);

}  // namespace stcsim::curves
