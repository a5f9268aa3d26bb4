#pragma once

#include <string>
#include <string_view>

#include "curves/read_options.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// What stands before the JSON of a line of MLPerf's log.
inline constexpr std::string_view kMllogMark = ":::MLLOG";

/// Runs of an MLPerf log (mlcommons/logging): lines ":::MLLOG {...}", other text before them and
/// between. Metrics are the numbers whose metadata say how much had been trained: epoch_num (which
/// in BERT's logs counts samples), samples_count, step_num; or the seconds since run_start. A
/// run_start behind values begins another run. Each rank may write a line again.
/// @throws ConfigError if the text is no UTF-8 or has no value of any metric
[[nodiscard]] RunFile read_mllog(std::string_view text, const std::string& file,
                                 const ReadOptions& options);

}  // namespace stcsim::curves
