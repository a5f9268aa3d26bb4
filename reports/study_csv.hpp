#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// The study's rows as CSV: the keys of the JSON document's 'results', flattened (see csv.hpp).
[[nodiscard]] std::string results_to_csv(const StudyResult& study);

/// The study's totals as CSV: the keys of 'totals', e.g. "forward.cycles".
[[nodiscard]] std::string totals_to_csv(const StudyResult& study);

}  // namespace stcsim
