#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {

/// The kernel a GEMM ran with.
struct KernelReport {
  std::string name;  // "dense_128x256x32_s3"
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t tile_k = 0;  // logical (uncompressed) k
  std::int64_t stages = 0;
  std::int64_t warps = 0;
  std::string instruction;  // "mma.sp.m16n8k32"
  std::int64_t split_k = 1;
  std::int64_t ctas = 0;
  std::int64_t ctas_per_sm = 0;
  double waves = 0;

  /// "128x256x32"; "" of stream kernels.
  [[nodiscard]] std::string tile() const {
    if (tile_m == 0) return "";
    return std::to_string(tile_m) + "x" + std::to_string(tile_n) + "x" + std::to_string(tile_k);
  }
  friend bool operator==(const KernelReport&, const KernelReport&) = default;
};

/// A kernel of the machine's list, fitted to an element type and a hardware pattern.
struct FittedKernel {
  KernelConfig config;  // tile_k in elements of this type, logical
  Pattern hardware = kDense;
  MmaInstruction instruction;
  /// Shared memory of one CTA, without what the system reserves.
  std::int64_t shared_memory_bytes = 0;
  std::int64_t registers_per_thread = 0;
  /// Register buffers a warp prefetches fragments into: the machine's, or fewer if a thread's
  /// registers hold no more beside its accumulators.
  std::int64_t fragment_buffers = 0;
  std::int64_t ctas_per_sm = 0;
  /// The most of its CTAs that fit into an SM, if it is to run fewer than these.
  std::int64_t most_ctas_per_sm = 0;
  /// Tensor memory holds the accumulators of two tiles.
  bool has_spare_accumulators = false;
};

/// Fits `config` to an instruction, or says in `why_not` why it cannot be used: dense kernel for a
/// sparse pattern or the reverse, tile not a multiple of the instruction, too much shared memory or
/// too many registers.
[[nodiscard]] std::optional<FittedKernel> fit_kernel(const MachineConfig& machine,
                                                     const KernelConfig& config,
                                                     const MmaInstruction& instruction,
                                                     std::string& why_not);

/// All that it may be compiled to: what fit_kernel() gives, then with no more registers than it
/// needs if more of its CTAs fit into an SM so, and with fewer fragment buffers; none if it cannot
/// be used.
[[nodiscard]] std::vector<FittedKernel> fit_variants(const MachineConfig& machine,
                                                     const KernelConfig& config,
                                                     const MmaInstruction& instruction);

/// fit_kernel() for the longest instruction of `dtype` and `hardware` that it can be used with.
[[nodiscard]] std::optional<FittedKernel> fit_kernel(const MachineConfig& machine,
                                                     const KernelConfig& config, DataType dtype,
                                                     Pattern hardware, std::string& why_not);

/// Bytes of the mask of a tile of C: metadata of its rows' groups of columns; 0 if all is computed.
[[nodiscard]] std::int64_t mask_bytes(const FittedKernel& kernel);

/// Why no type and no pattern of the machine can use `config`; "" if one can.
[[nodiscard]] std::string why_unused(const MachineConfig& machine, const KernelConfig& config);

/// The launch that computes `problem` with `kernel`, its k axis cut into `split_k` parts. With
/// split_k > 1 it writes fp32 (int32) partial sums, and reduction_launch() has to follow. Of a
/// problem whose columns the kernel gathers (column_gather.hpp), k is the number of selected ones.
[[nodiscard]] KernelLaunch gemm_launch(const MachineConfig& machine, const FittedKernel& kernel,
                                       const GemmProblem& asked, std::int64_t split_k);

/// Most k slices that leave every CTA at least one k-step.
[[nodiscard]] std::int64_t most_splits(const FittedKernel& kernel, const GemmProblem& problem);

[[nodiscard]] KernelReport kernel_report(const MachineConfig& machine, const FittedKernel& kernel,
                                         const KernelLaunch& launch);

}  // namespace stcsim
