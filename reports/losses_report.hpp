#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

inline constexpr std::size_t kAllSchemes = std::numeric_limits<std::size_t>::max();

/// Where sparsity loses (study_losses.hpp): a table for each of the `schemes` that lose most of
/// each machine, network and pass, the worst first, each with the call that says more; a line about
/// the schemes that are left out. "" if nothing is lost.
[[nodiscard]] std::string losses_tables(const StudyResult& study, std::size_t schemes = kAllSchemes,
                                        std::size_t width = kAnyWidth);

/// The same for programs: an array with an object per machine, network, pass and scheme.
[[nodiscard]] nlohmann::ordered_json losses_json(const StudyResult& study);

}  // namespace stcsim
