#pragma once

#include <vector>

#include "sim/config/machine.hpp"

namespace stcsim {

/// Every combination of the space whose warps divide its tile, at most 16 of them, dense ones
/// first; named after what they are: "sparse_128x64x32_s3_w64x32". None of an empty space.
[[nodiscard]] std::vector<KernelConfig> kernels_of(const KernelSpaceConfig& space);

/// The machine's own kernels: those it lists, then those of its space that have other names.
[[nodiscard]] std::vector<KernelConfig> all_kernels(const MachineConfig& machine);

/// All that can be asked for by name: those, and the fallback ones.
[[nodiscard]] std::vector<KernelConfig> named_kernels(const MachineConfig& machine);

/// The kernels of configs/kernels/small.yaml, which stand in where none of a machine's fits; none
/// where no such file is shipped. Read once.
/// @throws ConfigError for a file that is none of kernels
[[nodiscard]] const std::vector<KernelConfig>& fallback_kernels();

/// Where messages say they come from.
inline constexpr const char* kFallbackFile = "configs/kernels/small.yaml";

}  // namespace stcsim
