#pragma once

#include "cli/base/common_options.hpp"
#include "reports/compare/comparison.hpp"

namespace stcsim {

/// How two results are compared and shown, in `compare` and `check`.
struct ComparisonOptions {
  double rtol = 0;
  bool all_rows = false;
  Format format = Format::table;
};

struct ComparisonTable {
  Option rtol{"rtol", "X", "relative difference to tolerate (default 0)"};
  Option layers = kCommon.layers.as("", "show all lines that changed, not the first dozen");
  Option format =
      kCommon.format.as("table|json|markdown|junit", "form of the output (default table)");
  Option html = kCommon.html;
};
inline constexpr ComparisonTable kComparison;

[[nodiscard]] ComparisonOptions comparison_options_of(const Arguments& arguments);

/// In the form asked for, in so many columns.
[[nodiscard]] std::string comparison_as(const Comparison& comparison,
                                        const ComparisonOptions& options, std::size_t width);
/// kExitFine if they are equal, kExitDifferent if not, kExitFailed if points of `now` failed.
[[nodiscard]] int exit_code_of(const Comparison& comparison);

}  // namespace stcsim
