#pragma once

#include <vector>

#include "sim/config/kernel_config.hpp"

namespace stcsim {

/// The kernels of configs/kernels/small.yaml, which stand in where none of a machine's fits; none
/// where no such file is shipped. Read once.
/// @throws ConfigError for a file that is none of kernels
[[nodiscard]] const std::vector<KernelConfig>& fallback_kernels();

/// Where messages say they come from.
inline constexpr const char* kFallbackFile = "configs/kernels/small.yaml";

}  // namespace stcsim
