#include "models/base/memory_traffic.hpp"

#include <algorithm>

namespace stcsim {
namespace {

constexpr std::int64_t kWhole = 1024;

/// Bytes of `strips` strips, the operand's first ones, with `slices` slices each.
std::int64_t bytes_of(const OperandStream& stream, std::int64_t strips, std::int64_t slices,
                      std::int64_t k_steps) {
  const bool has_edge_strip = strips == stream.strips;
  const std::int64_t rows =
      (strips - (has_edge_strip ? 1 : 0)) * stream.rows + (has_edge_strip ? stream.edge_rows : 0);
  const bool has_edge_slice = slices == k_steps;
  return rows * ((slices - (has_edge_slice ? 1 : 0)) * stream.row_bytes +
                 (has_edge_slice ? stream.edge_row_bytes : 0));
}

/// A fill of which only a part is distinct memory is rounded down to bytes.
std::int64_t distinct_bytes(const OperandStream& stream, std::int64_t k_steps) {
  const std::int64_t strips = std::min(stream.strips, stream.distinct_strips);
  const std::int64_t slices = std::min(k_steps, stream.distinct_slices);
  const std::int64_t bytes = bytes_of(stream, strips, slices, k_steps);
  if (stream.distinct_per_1024 == kWhole) return bytes;
  return std::max<std::int64_t>(bytes * stream.distinct_per_1024 / kWhole - strips * slices, 0);
}

template <class Use>
void for_each_value_stream(const KernelLaunch& launch, const Use& use) {
  for (const Operand operand : launch.operands()) {
    if (operand != Operand::column_indices) use(operand, launch.stream(operand));
  }
}

/// As often as they are loaded, of A with its metadata, of B and of the masks of C's tiles.
struct LoadedBytes {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t masks = 0;
};

/// The part of `bytes`, of all k-steps, that is of those k-steps that CTAs have.
std::int64_t part_of_steps(const KernelLaunch& launch, std::int64_t bytes) {
  if (launch.staircase.tiles == 0) return bytes;
  const double share = static_cast<double>(launch.column_steps()) /
                       static_cast<double>(launch.tiles_m * launch.k_steps);
  return static_cast<std::int64_t>(static_cast<double>(bytes) * share);
}

LoadedBytes loaded_of(const KernelLaunch& launch) {
  LoadedBytes loaded;
  for_each_value_stream(launch, [&](Operand operand, const OperandStream& stream) {
    if (stream.of_tiles) {
      loaded.masks = launch.batch_count * launch.splits * bytes_of(stream, stream.strips, 1, 1);
      return;
    }
    const std::int64_t bytes =
        launch.batch_count *
        part_of_steps(launch, bytes_of(stream, stream.strips, launch.k_steps, launch.k_steps));
    if (operand == Operand::b) {
      loaded.b += launch.tiles_m * bytes;
    } else {
      loaded.a += launch.tiles_n * bytes;
    }
  });
  return loaded;
}

}  // namespace

std::int64_t loaded_bytes(const KernelLaunch& launch) {
  const auto [a, b, masks] = loaded_of(launch);
  return a + b + masks;
}

std::int64_t l2_read_bytes(const KernelLaunch& launch) {
  const auto [a, b, masks] = loaded_of(launch);
  return launch.read_bytes(a, b) + masks;
}

std::int64_t least_dram_reads(const KernelLaunch& launch) {
  std::int64_t bytes = 0;
  for_each_value_stream(launch, [&](Operand operand, const OperandStream& stream) {
    if (stream.starts_in_l2) return;
    const std::int64_t all = distinct_bytes(stream, launch.k_steps);
    bytes += operand == Operand::b ? all : part_of_steps(launch, all);
  });
  return bytes * launch.batch_count;
}

}  // namespace stcsim
