#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/gemm.hpp"
#include "models/functional/selection_circuit.hpp"
#include "sim/config/machine.hpp"
#include "sim/functional/operands.hpp"
#include "sim/kernel/attention_kernel.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/result.hpp"

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
  /// Its kernel's place among KernelRanking::candidates.
  std::int64_t rank = 0;

  friend bool operator==(const GemmRun&, const GemmRun&) = default;
};

/// What an SM does in the first cycles of a kernel.
struct LaunchTrace {
  /// So many; 0 for none.
  Cycles window{};
  /// Takes it.
  std::optional<Timeline>* timeline = nullptr;
};

/// Simulates `problem` with every candidate kernel at the runner's clock and returns the fastest
/// (the first of equals). Throws ConfigError if the machine cannot run it (unknown kernel, data
/// type not supported).
[[nodiscard]] GemmRun run_gemm(MachineRunner& runner, const GemmProblem& problem,
                               const KernelPolicy& policy);

/// The same for a GEMM that is launched over and over, as a benchmark does: at the clock that the
/// board sustains with it. A stack's kernels are simulated at one clock, that of the best-ranked,
/// and compared by the time that they take at the clocks that the board sustains with each.
/// kBestStack does so for every stack and takes the fastest.
/// @param trace  takes what an SM does in the first cycles of the kernel, if it wants any
[[nodiscard]] GemmRun run_gemm_sustained(MachineRunner& runner, const GemmProblem& problem,
                                         const KernelPolicy& policy,
                                         const LaunchConditions& conditions = {},
                                         const LaunchTrace& trace = {});

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
  /// B's, batch x K x N.
  std::optional<PlainMatrix> b = {};
  /// The share of A's kept values, and of B's, that are made zeros, drawn one by one.
  double a_zeros = 0;
  double b_zeros = 0;
  /// Draws of values, of which run_gemm_with_values() simulates the first.
  std::int64_t draws = 1;
  /// Decodes metadata and selects, if given.
  SelectionCircuit* circuit = nullptr;
};

struct FunctionalRun {
  GemmRun run;
  FunctionalCheck check;
};

/// Like run_gemm_sustained, but the fastest kernel is run once more with values, and C is compared
/// with an independent reference.
[[nodiscard]] FunctionalRun run_gemm_with_values(MachineRunner& runner, const GemmProblem& problem,
                                                 const KernelPolicy& policy,
                                                 const LaunchConditions& conditions,
                                                 const FunctionalOptions& options);

/// Simulates a stream kernel.
[[nodiscard]] LaunchResult run_stream(MachineRunner& runner, const StreamWork& work);

/// Simulates a kernel of attention, without the small ones beside the backward one.
[[nodiscard]] LaunchResult run_attention(MachineRunner& runner, const AttentionWork& work);

}  // namespace stcsim
