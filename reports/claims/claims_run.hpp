#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/claims/claim_check.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// Where claims are held against the simulation: every machine with every framework's kernels.
struct ClaimPlaces {
  std::vector<std::string> machines;
  std::vector<std::string> frameworks;
};

/// Simulates each claim that can be compared: one study of every network and framework, of the
/// schemes and passes that its claims need. Claims keep their order; those that are not compared
/// have no answers, nor have those about one GEMM on a machine of their own (gemm_claims.hpp);
/// those about all GEMMs of a step only answers with the first framework: GEMMs are alike in all.
/// @param run runs one experiment (run_study(), with progress)
/// @throws ConfigError if a machine, network, scheme or framework is not known
[[nodiscard]] CheckedClaims check_claims(const std::vector<Claim>& claims,
                                         const ClaimPlaces& places,
                                         const std::function<StudyResult(const Experiment&)>& run);

}  // namespace stcsim
