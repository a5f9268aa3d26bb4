#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/io/format.hpp"
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

}  // namespace stcsim
