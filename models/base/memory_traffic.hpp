#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"

namespace stcsim {

/// Bytes that all CTAs of a launch load, values and metadata of both operands, each counted as
/// often as it is loaded. Without indices of columns.
[[nodiscard]] std::int64_t loaded_bytes(const KernelLaunch& launch);

/// Of these, what leaves the L2 cache: a read that serves several CTAs counts once.
[[nodiscard]] std::int64_t l2_read_bytes(const KernelLaunch& launch);

/// Bytes that come from DRAM at least, everything that is read once; what starts in the L2 cache
/// does not. Without indices of columns.
[[nodiscard]] std::int64_t least_dram_reads(const KernelLaunch& launch);

}  // namespace stcsim
