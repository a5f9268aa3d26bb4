#pragma once

#include <string>
#include <string_view>

#include "pruning/prune_summary.hpp"

namespace stcsim {

/// The figures of a pruned tensor as text: a line each, those that do not apply left out.
[[nodiscard]] std::string prune_text(const pruning::PruneSummary& summary);

inline constexpr std::string_view kPruneSchema = "stcsim.prune/1";

/// The summary as JSON; docs/reference/results.md lists the keys. What does not apply is null.
[[nodiscard]] std::string prune_to_json(const pruning::PruneSummary& summary);

/// The summary as CSV of one line: the keys of the JSON document but 'config' and 'files',
/// flattened (csv.hpp). The columns are the same for all schemes.
[[nodiscard]] std::string prune_to_csv(const pruning::PruneSummary& summary);

}  // namespace stcsim
