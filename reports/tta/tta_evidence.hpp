#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/tta/tta_summary.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// What was published of a scheme on a network with its pattern; of several rows the one that
/// prunes as the scheme does.
[[nodiscard]] std::optional<curves::PublishedFinal> published_of(
    const std::vector<curves::PublishedFinal>& rows, const Scheme& scheme,
    const std::string& network);

/// What the figures of a result rest on.
/// @param other_has_curves  what it is compared with, whose epochs are then taken for its own
[[nodiscard]] std::string evidence_of(const TtaResult& result, const TtaConfig& config,
                                      bool other_has_curves);

}  // namespace stcsim
