#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// The answer, then per machine the table of schemes, what trainings are made of, pairs that are
/// compared, measured trainings; what the figures rest on, and how they were made.
[[nodiscard]] std::string tta_text(const TtaSummary& summary, std::size_t width);

/// The same tables in Markdown.
[[nodiscard]] std::string tta_markdown(const TtaSummary& summary);

inline constexpr std::string_view kTtaSchema = "stcsim.tta/1";

/// The summary as a JSON document; docs/accuracy.md lists the keys. What does not apply is null.
[[nodiscard]] std::string tta_to_json(const TtaSummary& summary);

/// A line per result; docs/accuracy.md lists the columns.
[[nodiscard]] std::string tta_to_csv(const TtaSummary& summary);

}  // namespace stcsim
