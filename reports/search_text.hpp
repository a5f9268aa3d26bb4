#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/kernel/kernel_search.hpp"

namespace stcsim {

/// "412 kernels could run it, 3 simulated, 350 known not to be faster, 59 left out: none of these
/// is more than 6.2 % faster"; of no search who chose the kernel.
/// @param is_named  by the user
[[nodiscard]] std::string search_text(const std::optional<KernelSearch>& search, bool is_named);

/// As docs/configuration.md says; null of no search.
[[nodiscard]] nlohmann::ordered_json search_json(const std::optional<KernelSearch>& search);

}  // namespace stcsim
