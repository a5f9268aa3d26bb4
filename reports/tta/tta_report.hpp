#pragma once

#include <cstddef>
#include <string>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// The answer, then per machine the table of schemes, what trainings are made of, pairs that are
/// compared, measured trainings; what the figures rest on, and how they were made.
[[nodiscard]] std::string tta_text(const TtaSummary& summary, std::size_t width);

/// The same tables in Markdown.
[[nodiscard]] std::string tta_markdown(const TtaSummary& summary);

}  // namespace stcsim
