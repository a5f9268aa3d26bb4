#pragma once

#include <boost/program_options/options_description.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/common_options.hpp"
#include "reports/compare/comparison.hpp"

namespace stcsim {

/// How two results are compared and shown, in `compare` and `check`.
struct ComparisonOptions {
  double rtol = 0;
  bool all_rows = false;
  Format format = Format::table;
};

void add_comparison_options(boost::program_options::options_description& options);
[[nodiscard]] ComparisonOptions comparison_options_of(const Arguments& arguments);

/// In the form asked for, in so many columns.
[[nodiscard]] std::string comparison_as(const Comparison& comparison,
                                        const ComparisonOptions& options, std::size_t width);
/// kExitFine if they are equal, kExitDifferent if not, kExitFailed if points of `now` failed.
[[nodiscard]] int exit_code_of(const Comparison& comparison);

}  // namespace stcsim
