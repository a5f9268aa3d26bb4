#pragma once

#include <string>
#include <vector>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// What is trained where: "resnet50 on a100 (8 of them)".
[[nodiscard]] std::string place_text(const TtaSummary& summary, const std::string& machine);

/// The answer for one machine, in one line: how long dense training takes, and which schemes are
/// faster, slower, or cannot be told apart from it.
/// @param results of that machine, one at least
[[nodiscard]] std::string answer_line(const TtaSummary& summary,
                                      const std::vector<const TtaResult*>& results);

}  // namespace stcsim
