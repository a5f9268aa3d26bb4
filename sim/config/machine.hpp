#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "models/accelerator/accelerator_config.hpp"

namespace stcsim {

/// One entry of a machine's kernel list: a tiling a GEMM library is compiled with. Stated for
/// 16-bit elements and, if sparse, for 2:4; other element sizes and patterns scale tile_k so that a
/// stage holds the same bytes of A.
struct KernelConfig {
  std::string name;
  bool sparse = false;
  /// CTA tile; tile_k is logical (uncompressed).
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t tile_k = 0;
  std::int64_t stages = 0;
  /// Warps along m and n; warp tile = CTA tile / warps.
  std::int64_t warps_m = 0;
  std::int64_t warps_n = 0;
  /// Warps that share one read of the B fragment from shared memory (4 for wgmma, else 1).
  std::int64_t b_shared_by_warps = 1;
  /// Most CTAs an SM runs at a time (the launch bounds it is compiled with); 0 = all that fit.
  std::int64_t max_ctas_per_sm = 0;
  /// Reads C before it writes it, whatever beta is.
  bool reads_c = false;

  friend bool operator==(const KernelConfig&, const KernelConfig&) = default;
};

/// A kernel of a library, and the GEMMs the library considers it for.
struct LibraryKernel {
  KernelConfig kernel;
  /// Only where the reduction axis is contiguous in both operands (true) or not in both (false).
  std::optional<bool> k_contiguous;
  /// Only for reductions of these lengths.
  std::int64_t min_k = 1;
  std::int64_t max_k = std::numeric_limits<std::int64_t>::max();
  /// Only for C of at most so many rows and columns.
  std::int64_t max_m = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_n = std::numeric_limits<std::int64_t>::max();
  /// Only for grids of at most so many waves; 0 = any.
  std::int64_t max_waves = 0;
  /// May cut the reduction axis, as the machine's split_k says.
  bool splits_k = false;

  friend bool operator==(const LibraryKernel&, const LibraryKernel&) = default;
};

/// The kernels a GEMM library has for the machine, and how it chooses: among those it considers for
/// a GEMM, the fastest.
struct LibraryConfig {
  std::string name;
  std::vector<LibraryKernel> kernels;

  friend bool operator==(const LibraryConfig&, const LibraryConfig&) = default;
};

/// A machine file: hardware, clock, and the software that runs on it.
struct MachineConfig {
  std::string name;
  std::string description;
  /// The clock the machine sustains in tensor-core work; cycles become seconds with it.
  double clock_mhz = 0;
  AcceleratorConfig accelerator;
  std::vector<KernelConfig> kernels;
  /// Libraries whose choice of kernels is known; only used where one is named.
  std::vector<LibraryConfig> libraries;
  /// Numbers of k slices a kernel may cut the reduction axis into; 1 where none of them is
  /// possible.
  std::vector<std::int64_t> split_k;
  /// What a user should know of how the file was read.
  std::vector<std::string> notes;

  friend bool operator==(const MachineConfig&, const MachineConfig&) = default;

  /// True if the tensor cores multiply this type.
  [[nodiscard]] bool supports(DataType dtype) const;
  [[nodiscard]] std::vector<std::string> library_names() const;
};

}  // namespace stcsim
