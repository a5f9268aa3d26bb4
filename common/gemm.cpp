#include "common/gemm.hpp"

#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"

namespace stcsim {
namespace {

/// Bytes per element is at most 4; keep every product a factor 16 below the 63-bit limit.
constexpr std::int64_t kLargestCount = std::numeric_limits<std::int64_t>::max() / 16;

void require_positive(std::int64_t value, std::string_view name, const std::string& what) {
  if (value >= 1) return;
  throw ConfigError(fmt::format("{}: {} is {}, must be at least 1", what, name, value));
}

}  // namespace

GemmProblem of_selected_columns(const GemmProblem& problem) {
  GemmProblem selected = problem;
  selected.a_pattern = kOfSelectedColumns;
  selected.k = ceil_div(problem.k, problem.a_pattern.m) * kOfSelectedColumns.m;
  return selected;
}

bool slides(Pattern pattern) {
  constexpr std::int64_t kShortest = 6;
  return pattern == Pattern{pattern.m - 2, pattern.m} && pattern.m % 2 == 0 &&
         pattern.m >= kShortest;
}

GemmProblem of_windows(const GemmProblem& problem) {
  constexpr std::int64_t kPaddedTo = 32;
  GemmProblem windows = problem;
  windows.a_pattern = kOfWindows;
  windows.k =
      round_up(ceil_div(problem.k, problem.a_pattern.m) * 2 * problem.a_pattern.n, kPaddedTo);
  return windows;
}

std::int64_t column_blocks(const GemmProblem& problem) {
  return ceil_div(problem.m, problem.a_pattern.block_rows);
}

void validate(const GemmProblem& problem, const std::string& what) {
  require_positive(problem.m, "m", what);
  require_positive(problem.n, "n", what);
  require_positive(problem.k, "k", what);
  require_positive(problem.batch_count, "batch_count", what);
  std::int64_t product = 1;
  for (const std::int64_t factor : {problem.m, problem.n, problem.k, problem.batch_count}) {
    if (product > kLargestCount / factor) {
      throw ConfigError(fmt::format("{}: m*n*k*batch_count overflows; it must stay below {}", what,
                                    kLargestCount));
    }
    product *= factor;
  }
}

}  // namespace stcsim
