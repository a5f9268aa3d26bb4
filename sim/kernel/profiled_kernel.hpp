#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {

/// What a measured kernel's name says of its tiling. Sizes are as the name has them: k in elements
/// of the operands' type, uncompressed.
struct KernelName {
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t tile_k = 0;
  /// Nothing where the name does not say; as many as fit then.
  std::optional<std::int64_t> stages;
  /// CTAs of a cluster, one above the other (nothing where the name does not say; one by one then)
  /// and side by side.
  std::optional<std::int64_t> cluster_m;
  std::int64_t cluster_n = 1;
  /// It computes C^T = B^T A^T: its rows are the columns of C (cuBLASLt's nvjet kernels, where the
  /// tile's columns are a multiple of wgmma's 64 rows).
  bool is_transposed = false;
  /// Cuts the k axis into slices whose sums another kernel adds; how many, it does not say.
  bool splits_k = false;
  /// Cuts the k axis as it goes along, where tiles do not fill the last wave (cuSPARSELt's
  /// segment_k).
  bool segments_k = false;
};

/// Reads the names of cuBLASLt's kernels for Hopper ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA",
/// columns of C first) and of cuSPARSELt's ("sm90_xmma_sparse_gemm_..._tilesize128x256x64_
/// cgasize2x1x1_..."). Nothing for any other.
[[nodiscard]] std::optional<KernelName> kernel_name(std::string_view name);

/// A GEMM, and the machine with the kernel that ran it.
struct NamedKernelRun {
  MachineConfig machine;
  GemmProblem problem;
  /// Of the machine's list.
  std::string kernel;
};

/// The machine with that kernel: all that the name leaves open is as of the kernel of the stack's
/// library whose tile has the nearest size.
/// @param stack  one of the machine's; "" is its default
/// @throws ConfigError  that says why there is none
[[nodiscard]] NamedKernelRun run_of(const KernelName& name, const GemmProblem& problem,
                                    const MachineConfig& machine, const std::string& stack);

/// Bytes that the SMs get of A and B in the launch that `report` is of: whole tiles, those that
/// fill up the last cluster too. A byte that a cluster shares counts once for each of its SMs.
/// Nothing if the machine does not list the kernel.
[[nodiscard]] std::optional<std::int64_t> received_bytes(const MachineConfig& machine,
                                                         const GemmProblem& problem,
                                                         const KernelReport& report);

}  // namespace stcsim
