#pragma once

#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// A memory-bound kernel as a grid of CTAs that each read a piece, work on it with the vector lanes
/// and write a piece. The pieces of the larger of input and output add up to it; those of the
/// smaller may add up to a byte per CTA more.
[[nodiscard]] KernelLaunch stream_launch(const MachineConfig& machine, const StreamWork& work);

/// Adds up the partial sums a split-K GEMM has left: reads as many fp32 (int32) copies of C, or of
/// what is computed of it, as `gemm` has splits, and writes C.
[[nodiscard]] KernelLaunch reduction_launch(const MachineConfig& machine,
                                            const GemmProblem& problem, const KernelLaunch& gemm);

}  // namespace stcsim
