#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/compare/comparison.hpp"

namespace stcsim {

/// What changed in the answer: "equal: ...", or of the step that changed most, preferably a sparse
/// one, its time and speedup before and now.
[[nodiscard]] std::string comparison_answer(const Comparison& comparison);

/// The answer; the values of the configuration that differ; steps if there are several; what moved,
/// largest share first; how much else there is.
/// @param all_rows  not the first dozen of those that moved
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all_rows,
                                          std::size_t width = kAnyWidth);
/// The same as Markdown, every value that differs in a list.
[[nodiscard]] std::string comparison_markdown(const Comparison& comparison, bool all_rows);

inline constexpr std::string_view kComparisonSchema = "stcsim.compare/1";
/// docs/configuration.md lists the keys.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// For systems that collect tests: a test case per step, failed if it or any of its rows moved.
[[nodiscard]] std::string comparison_junit(const Comparison& comparison);

/// "+4.9": how many per cent more `now` is than `before`, which is not 0.
[[nodiscard]] std::string percent_changed(double before, double now);

/// A line per step.
[[nodiscard]] Table compared_steps_table(const std::vector<ComparedStep>& steps);
/// A line for each of the first `count` of a comparison's rows; machine, network and scheme where
/// there are several.
[[nodiscard]] Table compared_rows_table(const Comparison& comparison, std::size_t count);

}  // namespace stcsim
