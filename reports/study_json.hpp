#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "sim/run/result.hpp"

namespace stcsim {

inline constexpr std::string_view kStudySchema = "stcsim.study/2";

/// The study as a JSON document; docs/configuration.md lists the keys. Same study, same bytes.
/// @throws std::invalid_argument if resolved_config is not the text of a JSON object
/// @throws SimulationError if a number is NaN or infinite
[[nodiscard]] std::string study_to_json(const StudyResult& study);

/// Reads a document of study_to_json() back; gives the same StudyResult if its resolved_config was
/// compact JSON. Keys it does not know are ignored.
/// @param file name for error messages
/// @throws ConfigError naming what is malformed, missing or of the wrong type
[[nodiscard]] StudyResult study_from_json(std::string_view text, const std::string& file);

/// One element of 'results', and of 'totals'.
[[nodiscard]] nlohmann::ordered_json row_json(const ResultRow& row);
[[nodiscard]] nlohmann::ordered_json total_json(const StudyTotal& total);

/// The study's rows as CSV: the keys of the JSON document's 'results', flattened (see csv.hpp).
[[nodiscard]] std::string results_to_csv(const StudyResult& study);

/// The study's totals as CSV: the keys of 'totals', e.g. "forward.cycles".
[[nodiscard]] std::string totals_to_csv(const StudyResult& study);

}  // namespace stcsim
