#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/claims/claim.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What a claim looks like on one machine with one framework's kernels.
struct ClaimAnswer {
  std::string machine;
  std::string framework;
  /// In the claim's unit.
  double value = 0;
  /// Where it lies, given how far validated times are off; both are `value` where that is not
  /// known.
  double low = 0;
  double high = 0;
  /// Nothing, and no verdict, where it cannot be judged: simulated_kind().
  std::optional<VerdictKind> kind;
  /// As of papers: paper_verdict.hpp.
  std::string verdict;
  /// In half a line: what is left of the gain that counting multiplications promises, and where the
  /// rest went; "" of a dense share.
  std::string because;
};

/// Judges the answer's value and where it lies.
void judge(const Claim& claim, MachineSort machine, ClaimAnswer& answer);

/// By a machine's own name; those that are not there are built.
using MachineSorts = std::map<std::string, MachineSort>;

/// A claim beside all its answers.
struct CheckedClaim {
  Claim claim;
  std::vector<ClaimAnswer> answers;
};

struct CheckedClaims {
  std::vector<CheckedClaim> claims;
  /// SHA-256 of what was simulated, in hex.
  std::string config_hash;
};

/// @param study must have simulated the claim's network under its scheme; answers are in the order
///        of its machines. A machine whose figures are not complete has none.
[[nodiscard]] std::vector<ClaimAnswer> check_claim(const Claim& claim, const StudyResult& study,
                                                   const MachineSorts& machines = {});

}  // namespace stcsim
