#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "reports/validation/validation_run.hpp"

namespace stcsim {

inline constexpr std::string_view kValidationSchema = "stcsim.validation/1";

/// 'results': a GEMM each, errors as signed fractions, null where nothing was measured or
/// simulated; 'summary': per GPU and for all ("all"), per quantity; 'instructions' and 'networks':
/// a row each. docs/evidence.md lists the keys.
[[nodiscard]] std::string validation_to_json(const ValidationResults& results);

/// One kind of rows as CSV, the same keys: instructions or networks if there is nothing else, else
/// the GEMMs.
[[nodiscard]] std::string validation_to_csv(const ValidationResults& results);

/// A row as an object; errors as signed fractions, null where nothing was measured or simulated.
/// docs/evidence.md lists the keys.
[[nodiscard]] nlohmann::ordered_json instruction_json(const InstructionRow& row);
[[nodiscard]] nlohmann::ordered_json network_json(const NetworkRow& row);

[[nodiscard]] std::vector<nlohmann::ordered_json> instructions_json(
    const std::vector<InstructionRow>& rows);
[[nodiscard]] std::vector<nlohmann::ordered_json> networks_json(
    const std::vector<NetworkRow>& rows);

[[nodiscard]] nlohmann::ordered_json stream_json(const StreamRow& row);
[[nodiscard]] std::vector<nlohmann::ordered_json> streams_json(const std::vector<StreamRow>& rows);

}  // namespace stcsim
