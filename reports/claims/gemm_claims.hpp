#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "reports/claims/claim_check.hpp"
#include "sim/config/machine.hpp"
#include "sim/job/job.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How GEMMs of claims are simulated. Answers do not depend on it.
struct GemmClaimOptions {
  /// Worker processes to run side by side.
  std::int64_t jobs = 1;
  bool fast_forward = true;
  /// Told after every GEMM, with those done so far and their number; may be empty.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// A GEMM that is launched over and over with a stack's kernels.
[[nodiscard]] Job gemm_job(const JobMachine& machine, const GemmProblem& problem,
                           const std::string& stack);

/// Simulates the GEMMs of all claims about one GEMM, with the software that its machine lists first
/// and at the clock that its board affords, and adds the answer of each.
/// @throws SimulationError for the first GEMM that fails, ConfigError if a machine cannot be read
void check_gemm_claims(CheckedClaims& checked, const GemmClaimOptions& options);

/// What comes of a claim about one GEMM.
/// @param machine  what the claim's machine can say
/// @param run      the GEMM of the claim
/// @param against  the one it is held against
/// @param because  what limits it
[[nodiscard]] ClaimAnswer answer_gemm_claim(const Claim& claim, MachineSort machine,
                                            const LaunchResult& run, const LaunchResult& against,
                                            std::string because);

/// What limits a GEMM, in half a line: "multipliers busy 62.1 %, bound by l2".
[[nodiscard]] std::string gemm_limits(const MachineConfig& machine, const LaunchResult& run);

}  // namespace stcsim
