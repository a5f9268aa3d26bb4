#pragma once

#include <string>
#include <vector>

#include "reports/claims/claim.hpp"

namespace stcsim {

/// Reads a file of claims: those of one publication.
/// @param name a path, or the name of a shipped file (configs/claims)
/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] std::vector<Claim> load_claims(const std::string& name);

}  // namespace stcsim
