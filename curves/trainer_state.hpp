#pragma once

#include <string>
#include <string_view>

#include "curves/read_options.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// The run of Hugging Face's trainer_state.json: the entries of `log_history`, over optimizer steps
/// unless told otherwise (epochs are rounded there). Speeds, run times and total_flos are no
/// metrics. NaN and Infinity, which Python writes though JSON has none, are read.
/// @throws ConfigError with file:line:column if the text is no such file, or cut
[[nodiscard]] RunFile read_trainer_state(std::string_view text, const std::string& file,
                                         const ReadOptions& options);

}  // namespace stcsim::curves
