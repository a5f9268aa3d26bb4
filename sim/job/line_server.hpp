#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stcsim {

/// How lines of text are answered in worker processes. Answers do not depend on `workers`.
struct LineServerOptions {
  /// Lines answered side by side, at least 1.
  std::int64_t workers = 1;
  /// Called in this process: what a worker has to be of to answer the line. Lines of one group
  /// share processes. What it throws is the line's failure.
  std::function<std::string(const std::string& line)> group_of;
  /// Called in a new process, for lines of a group: what answers them. May throw, as its result
  /// may: the line's failure.
  std::function<std::function<std::string(const std::string& line)>(const std::string& group)>
      start_worker;
  /// The answer of a line that failed, or whose process died.
  std::function<std::string(const std::string& line, const std::string& why)> on_failure;
  /// Takes answers, each with its line break, in the order of the lines; false: nobody wants more.
  std::function<bool(std::string_view answers)> write;
};

/// A line may be so long; of a longer one the beginning is what failed.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

/// Answers the lines that come from `input`, a file's descriptor, until it ends: each as soon as
/// those before it are, whether or not more have come. Empty lines have no answer. Processes are
/// kept for the lines to come, a few of other groups too; the lines that are known are a few for
/// each worker, however many come.
/// @throws ConfigError if `input` cannot be read
void serve_lines(int input, const LineServerOptions& options);

}  // namespace stcsim
