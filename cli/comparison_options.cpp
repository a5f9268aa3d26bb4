#include "cli/comparison_options.hpp"

#include "reports/compare/comparison_report.hpp"

namespace stcsim {

void add_comparison_options(boost::program_options::options_description& options) {
  add_option(options, "rtol", "X", "relative difference to tolerate (default 0)");
  options.add_options()("layers", "show all lines that changed, not the first dozen");
  add_option(options, "format", "table|json|markdown|junit", "form of the output (default table)");
}

ComparisonOptions comparison_options_of(const Arguments& arguments) {
  ComparisonOptions options;
  options.rtol = arguments.not_negative_or("rtol", 0);
  options.all_rows = arguments.has("layers");
  options.format =
      format_of(arguments, {Format::table, Format::json, Format::markdown, Format::junit});
  return options;
}

std::string comparison_as(const Comparison& comparison, const ComparisonOptions& options,
                          std::size_t width) {
  if (options.format == Format::json) return comparison_json(comparison);
  if (options.format == Format::junit) return comparison_junit(comparison);
  return options.format == Format::markdown ? comparison_markdown(comparison, options.all_rows)
                                            : comparison_text(comparison, options.all_rows, width);
}

int exit_code_of(const Comparison& comparison) {
  if (!comparison.now.study.failures.empty()) return kExitFailed;
  return comparison.is_equal() ? kExitFine : kExitDifferent;
}

}  // namespace stcsim
