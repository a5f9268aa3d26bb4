#pragma once

#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// Dense multiply-accumulates of all SMs; 0 if the machine does not multiply the type.
[[nodiscard]] std::int64_t peak_macs_per_clk(const MachineConfig& machine, DataType dtype);

/// Peak of the machine in TFLOP/s (2 FLOP per MAC; dense-equivalent for a sparse pattern).
[[nodiscard]] double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware);

/// What of a GEMM's launch will take energy, as far as its grid tells: instructions and what they
/// move are exact; of bytes of DRAM the least, everything read and written once. Only ranks kernels
/// before they are simulated.
/// @param cycles  estimated
[[nodiscard]] LaunchWork estimated_work(const MachineConfig& machine, const KernelLaunch& launch,
                                        double cycles);

/// What kernels are ranked by where the board's power limit sets the clock: a weighted geometric
/// mean of the estimated cycles and of the cycles of the machine's highest clock that take as long
/// as `work` at the clock that the board sustains with it.
[[nodiscard]] double cycles_at_full_clock(const MachineConfig& machine, DataType dtype,
                                          const LaunchWork& work,
                                          const LaunchConditions& conditions);

/// That of launches on `machine`, which has to outlive it; empty where nothing lowers the clock, or
/// somebody locked it.
[[nodiscard]] EstimatedTime estimated_time(const MachineConfig& machine, DataType dtype,
                                           const LaunchConditions& conditions);

/// Throws ConfigError if the machine does not multiply the problem's type, or if A, B and C do not
/// fit into its DRAM.
void require_runnable(const MachineConfig& machine, const GemmProblem& problem);

/// As if somebody had locked the clock that it has.
[[nodiscard]] LaunchConditions at_own_clock(const MachineConfig& machine);

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

}  // namespace stcsim
