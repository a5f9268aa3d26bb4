#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"
#include "sim/functional/plain_matrix.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/result.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// A GEMM as it ran.
struct GemmRun {
  LaunchResult result;
  /// Native pattern of the hardware it ran on; dense if it ran dense.
  Pattern hardware_pattern = kDense;
  /// Why it ran dense although A is sparse, or what limits the gain; "" if nothing is to be said.
  std::string reason = {};
  /// Its kernel left out the columns that a pattern V:2:m does not select.
  bool gathers = false;
  /// What the search for its kernel has looked at; nothing where a library's rule chose it, or the
  /// user.
  std::optional<KernelSearch> search = {};

  friend bool operator==(const GemmRun&, const GemmRun&) = default;
};

/// Throws ConfigError if the machine does not multiply the problem's type, or if A, B and C do not
/// fit into its DRAM.
void require_runnable(const MachineConfig& machine, const GemmProblem& problem);

/// What `problem` may run with.
struct GemmKernels {
  /// As one of the native patterns that its own fits inside, or dense if there is none or the
  /// policy allows it; the pattern that saves most first.
  std::vector<Pattern> hardware;
  KernelRanking ranking;
};
/// @param machine  at the clock at which the first of them will be simulated
[[nodiscard]] GemmKernels gemm_kernels(const MachineConfig& machine, const GemmProblem& problem,
                                       const KernelPolicy& policy,
                                       const LaunchConditions& conditions);

/// Those that are simulated at the machine's clock, the best-ranked first (kernel_choice.hpp).
[[nodiscard]] std::vector<KernelCandidate> gemm_candidates(const MachineConfig& machine,
                                                           const GemmProblem& problem,
                                                           const KernelPolicy& policy);

/// Simulates `problem` with every candidate kernel at the runner's clock and returns the fastest
/// (the first of equals). Throws ConfigError if the machine cannot run it (unknown kernel, data
/// type not supported).
[[nodiscard]] GemmRun run_gemm(MachineRunner& runner, const GemmProblem& problem,
                               const KernelPolicy& policy);

/// The same for a GEMM that is launched over and over, as a benchmark does: at the clock that the
/// board sustains with it. Kernels are simulated at one clock, that of the best-ranked, and
/// compared by the time that they take at the clocks that the board sustains with each.
[[nodiscard]] GemmRun run_gemm_sustained(MachineRunner& runner, const GemmProblem& problem,
                                         const KernelPolicy& policy,
                                         const LaunchConditions& conditions = {});

/// The same, with the kernel that it ran with, one of gemm_kernels().
struct KernelRun {
  GemmRun run;
  KernelCandidate kernel;
};
[[nodiscard]] KernelRun run_fastest_kernel(MachineRunner& runner, const GemmProblem& problem,
                                           const KernelPolicy& policy,
                                           const LaunchConditions& conditions);

/// Outcome of a run that carried values.
struct FunctionalCheck {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
  /// First mismatch in words, "" if none.
  std::string first_mismatch;
};

struct FunctionalOptions {
  std::uint64_t seed = 1;
  /// Flips this bit of the compressed operand's metadata before the run (to see the check fail).
  std::optional<std::int64_t> flip_metadata_bit = {};
  /// Scheme of the pruning library that prunes A; "" for the largest magnitudes.
  std::string prune = {};
  /// A's numbers, batch x M x K, instead of random ones; pruned if `prune` says how, else they have
  /// to satisfy the pattern.
  std::optional<PlainMatrix> a = {};
};

/// Like run_gemm_sustained, but the fastest kernel is run once more with values, and C is compared
/// with an independent reference.
struct FunctionalRun {
  GemmRun run;
  FunctionalCheck check;
};
[[nodiscard]] FunctionalRun run_gemm_with_values(MachineRunner& runner, const GemmProblem& problem,
                                                 const KernelPolicy& policy,
                                                 const LaunchConditions& conditions,
                                                 const FunctionalOptions& options);

/// Simulates a stream kernel.
[[nodiscard]] LaunchResult run_stream(MachineRunner& runner, const StreamWork& work);

/// Peak of the machine in TFLOP/s (2 FLOP per MAC; dense-equivalent for a sparse pattern).
[[nodiscard]] double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware);

}  // namespace stcsim
