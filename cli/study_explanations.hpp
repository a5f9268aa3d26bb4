#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// The worst GEMMs of a study (worst_gemms) explained: documents of stcsim.explain/2 as
/// page_document() makes them, without `config`. They are simulated anew from the configuration in
/// the study, at the study's clock. This process must not have simulated anything before.
/// @param file that the study was read from, for messages
/// @throws ConfigError if the study's configuration cannot be read, or does not have its GEMMs
[[nodiscard]] nlohmann::ordered_json explain_worst_gemms(const nlohmann::ordered_json& study,
                                                         const std::string& file, std::size_t count,
                                                         std::int64_t jobs);

}  // namespace stcsim
