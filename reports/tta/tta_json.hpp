#pragma once

#include <string>
#include <string_view>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

inline constexpr std::string_view kTtaSchema = "stcsim.tta/1";

/// The summary as a JSON document; docs/accuracy.md lists the keys. What does not apply is null.
[[nodiscard]] std::string tta_to_json(const TtaSummary& summary);

/// A line per result; docs/accuracy.md lists the columns.
[[nodiscard]] std::string tta_to_csv(const TtaSummary& summary);

}  // namespace stcsim
