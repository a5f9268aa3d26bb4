#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "reports/validation/validation_results.hpp"

namespace stcsim {

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
