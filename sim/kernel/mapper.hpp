#pragma once

#include <string>
#include <vector>

#include "sim/config/machine.hpp"

namespace stcsim {

/// Kernels that nobody has compiled, made for an SM that none of its machine's own fits: tiles of
/// whole instructions, as many warps as give each sub-core one or two, k-steps of one, two or four
/// instructions, and as many stages as fill shared memory with one to four CTAs. All else (warps
/// that share B, tensor memory, pairs) is as of the machine's own kernels, or else of its
/// libraries'; clusters of two where any of these has some.
///
/// Each is named after what it is: "mapped_sparse_64x64x32_s3_w2x2". All fit. Tiles half of which
/// would do for `problem` are left out, and stages beyond its k-steps.
[[nodiscard]] std::vector<KernelConfig> mapped_kernels(const MachineConfig& machine,
                                                       const MmaInstruction& instruction,
                                                       const GemmProblem* problem = nullptr);

/// Why not even the smallest fits: "'mapped_dense_16x8x16_s1_w1x1' of one instruction m16n8k16:
/// needs
/// ..."; "" if one does.
[[nodiscard]] std::string why_unmapped(const MachineConfig& machine,
                                       const MmaInstruction& instruction);

}  // namespace stcsim
