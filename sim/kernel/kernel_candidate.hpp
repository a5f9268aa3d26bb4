#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/gemm.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_estimate.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {

/// The GEMM to be run, and what it may run as: every instruction of the given patterns, every
/// kernel of the machine's own, or where none of those fits mapped ones. Nothing is estimated here.
struct KernelTask {
  const MachineConfig& machine;
  const GemmProblem& problem;
  std::vector<MmaInstruction> instructions;
  std::vector<KernelConfig> kernels;

  KernelTask(const MachineConfig& on, const GemmProblem& gemm,
             const std::vector<Pattern>& hardware);

  /// Its own if any of them fits the instruction's pattern. Mapped ones where none does; beside
  /// them where such multiply the dense operands: both sides are to be chosen from tiles of a kind.
  [[nodiscard]] std::vector<KernelConfig> kernels_for(const MmaInstruction& instruction) const;
};

/// Those of `splits` that leave each CTA something; 1 if none does.
[[nodiscard]] std::vector<std::int64_t> possible_splits(const FittedKernel& kernel,
                                                        const GemmProblem& problem,
                                                        std::vector<std::int64_t> splits);

/// Calls `use` for every kernel of the task that fits, with as many CTAs per SM as do and with
/// every smaller number of them. With fewer fragment buffers than its registers hold if
/// `with_fewer_buffers`, or where that lets more CTAs into an SM.
void for_each_kernel(const KernelTask& task, bool with_fewer_buffers,
                     const std::function<void(const FittedKernel&)>& use);

/// Who chooses among a library's kernels: its own rule, a search that times them, or either.
enum class Chooser : std::uint8_t { rule, search, either };

/// Calls `use(entry, kernel)` for every kernel that the chooser considers for the task.
void for_each_considered(const KernelTask& task, const LibraryConfig& library, Chooser chooser,
                         const std::function<void(const LibraryKernel&, const FittedKernel&)>& use);

/// Numbers of k slices that a library tries of its kernel: it cuts the reduction axis where its
/// tiles leave SMs without work.
[[nodiscard]] std::vector<std::int64_t> splits_of(const KernelTask& task,
                                                  const LibraryKernel& entry,
                                                  const FittedKernel& kernel);

/// A way in which a kernel may fill an SM: launches that differ in nothing else have the same CTAs.
struct Occupancy {
  std::int64_t ctas_per_sm = 0;
  std::int64_t fragment_buffers = 0;
};

/// Calls `use` with every launch that a search chooses from, and all the ways in which it may fill
/// an SM (its own is the first that its kernel has): of the machine's own kernels all that
/// for_each_kernel() has, fewer fragment buffers too, of a library's those that it considers, each
/// with every number of k slices.
void for_each_possible(
    const MachineConfig& machine, const GemmProblem& problem, const std::vector<Pattern>& hardware,
    const KernelPolicy& policy,
    const std::function<void(KernelLaunch&, const std::vector<Occupancy>&)>& use);

/// A kernel with the number of k slices it would run with, and the launch that follows from both.
struct KernelCandidate {
  FittedKernel kernel;
  KernelLaunch launch;
  /// Cycles of the machine's highest clock, if it is known which one a kernel has (EstimatedTime).
  double estimated_cycles = 0;
};

[[nodiscard]] bool is_ranked_before(const KernelCandidate& a, const KernelCandidate& b);

/// Estimates so close may as well be the other way round.
inline constexpr double kCloseEstimates = 1.05;

/// `kernel` with the best-ranked number of k slices, of those of `splits` that are possible.
[[nodiscard]] KernelCandidate best_split(const MachineConfig& machine, const FittedKernel& kernel,
                                         const GemmProblem& problem,
                                         const std::vector<std::int64_t>& splits,
                                         Waves waves = Waves::as_they_are);

/// The machine's own kernels, each with the best of the machine's numbers of k slices, in the order
/// of the list.
[[nodiscard]] std::vector<KernelCandidate> candidates_of_machine(const KernelTask& task);

/// The kernels that the chooser considers, in the order of the library's list; if its rule counts
/// whole waves, what it takes comes first.
[[nodiscard]] std::vector<KernelCandidate> candidates_of_library(const KernelTask& task,
                                                                 const LibraryConfig& library,
                                                                 Chooser chooser, Waves waves);

/// All that `auto` chooses from among the kernels of the machine's own list, with every number of k
/// slices, of CTAs per SM and of fragment buffers, best-ranked first.
[[nodiscard]] std::vector<KernelCandidate> every_candidate(const MachineConfig& machine,
                                                           const GemmProblem& problem,
                                                           const std::vector<Pattern>& hardware);

}  // namespace stcsim
