#pragma once

#include <cstdint>
#include <string>

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

}  // namespace stcsim
