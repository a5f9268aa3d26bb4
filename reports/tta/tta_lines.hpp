#pragma once

#include <string>
#include <vector>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// What every result of a machine rests on.
[[nodiscard]] std::string evidence_lines(const std::vector<const TtaResult*>& results);

/// What pairs come to, a line each that begins with `before`: how long their epochs take, and what
/// was published then says of their number.
[[nodiscard]] std::string comparison_lines(const TtaSummary& summary, const char* before);

/// Runs that were continued; how the figures were made, and what they assume; where published
/// figures are from; notes.
[[nodiscard]] std::string closing_lines(const TtaSummary& summary);

}  // namespace stcsim
