#pragma once

#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/claims/claim.hpp"

namespace stcsim {

/// Reads a file of claims: those of one publication.
/// @param name a path, or the name of a shipped file (configs/claims)
/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] std::vector<Claim> load_claims(const std::string& name);

/// The keys m, n, k, dtype (fp16) and pattern (dense) of a map, which has to be finished and may
/// have others.
[[nodiscard]] GemmProblem read_plain_gemm(MapReader& map);

}  // namespace stcsim
