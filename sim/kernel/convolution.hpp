#pragma once

#include <cstdint>
#include <vector>

#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Channels of the image that a convolution's product reads beside filters or gradients (forward
/// and wgrad: its input; dgrad: its output), all groups together; 0 if it is none of a convolution.
[[nodiscard]] std::int64_t channels_of(const GemmProblem& problem);

/// True if the library takes `entry` for this pass, this filter and so many channels; of any other
/// product if it names no pass.
[[nodiscard]] bool is_for_convolution(const LibraryKernel& entry, const GemmProblem& problem);

/// The product as a kernel multiplies it: with so many channels that its accesses have their width
/// (CUTLASS' align8), and where a k-step lies within one tap of the filter (CUTLASS' analytic and
/// optimized iterators), K of that many k-steps a tap. The problem itself where both are so.
/// @param config  tile_k in elements of the problem's type
[[nodiscard]] GemmProblem with_whole_channels(const KernelConfig& config,
                                              const GemmProblem& problem);

/// Lets the launch of a kernel that pads channels load the channels that there are, not those of
/// which a k-step is made, in whole sectors: pixels that a stride sets apart share none.
void load_channels(const KernelConfig& config, const GemmProblem& problem, KernelLaunch& launch);

/// What runs before a kernel: of one that pads channels zeros, and the image copied into them; of
/// one that converts A its copy.
[[nodiscard]] std::vector<KernelLaunch> transform_launches(const MachineConfig& machine,
                                                           const KernelConfig& config,
                                                           const GemmProblem& problem);

}  // namespace stcsim
