#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// The way the kernel of a GEMM is picked, and is simulated.
struct KernelPolicy {
  /// "auto", or the name of a kernel of the machine.
  std::string kernel = "auto";
  /// The number of best-ranked kernels that `auto` simulates; none given: as kernel_choice.hpp
  /// says.
  std::optional<std::int64_t> candidates = {};
  /// Whose kernels `auto` chooses from, and how: a stack of the machine; "" is its default one.
  std::string stack = kBestStack;
  /// A part of a kernel's grid may stand for all of it (sim/run/wave_sampling.hpp).
  bool sampled = false;

  friend auto operator<=>(const KernelPolicy&, const KernelPolicy&) = default;
};

/// The GEMM that a sparse one is compared with.
[[nodiscard]] inline GemmProblem dense_of(GemmProblem gemm) {
  gemm.a_pattern = kDense;
  return gemm;
}
/// The policy for its kernel: a kernel that is named is the sparse GEMM's.
[[nodiscard]] inline KernelPolicy policy_of_dense(const KernelPolicy& policy) {
  if (policy.kernel == "auto") return policy;
  return {"auto", policy.candidates, "", policy.sampled};
}

/// True if a sparse GEMM runs dense where that is faster: with the machine's best kernels only. The
/// software of a stack that names its libraries runs what it is asked for.
[[nodiscard]] inline bool may_run_dense(const MachineConfig& machine, const KernelPolicy& policy) {
  const bool is_best =
      policy.stack == kBestStack || (policy.stack.empty() && machine.stacks.empty());
  return is_best && policy.kernel == "auto";
}

}  // namespace stcsim
