#pragma once

#include <string>
#include <string_view>

#include "sim/run/result.hpp"

namespace stcsim {

inline constexpr std::string_view kStudySchema = "stcsim.study/2";

/// The study as a JSON document; docs/configuration.md lists the keys. Same study, same bytes.
/// @throws std::invalid_argument if resolved_config is not the text of a JSON object
/// @throws SimulationError if a number is NaN or infinite
[[nodiscard]] std::string study_to_json(const StudyResult& study);

/// The study's rows as CSV: the keys of the JSON document's 'results', flattened (see csv.hpp).
[[nodiscard]] std::string results_to_csv(const StudyResult& study);

/// The study's totals as CSV: the keys of 'totals', e.g. "forward.cycles".
[[nodiscard]] std::string totals_to_csv(const StudyResult& study);

}  // namespace stcsim
