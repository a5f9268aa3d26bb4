#include "sim/config/machine_config.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "common/compressed_row.hpp"
#include "sim/config/accelerator_config.hpp"
#include "sim/config/field_reader.hpp"
#include "sim/config/interval_expectations.hpp"

namespace stcsim {
namespace {

/// Kernels are stated for 16-bit elements and, if sparse, for 2:4.
constexpr std::int64_t kElementBytes = 2;
constexpr Pattern kKernelPattern{2, 4};

/// Shared memory of all stages: A (kept values and metadata if sparse) and B.
std::int64_t stage_bytes(const KernelConfig& kernel) {
  const RowBytes a_row =
      row_bytes(kernel.tile_k, kernel.sparse ? kKernelPattern : kDense, DataType::fp16);
  const RowBytes b_row = row_bytes(kernel.tile_k, kDense, DataType::fp16);
  return kernel.stages *
         (kernel.tile_m * (a_row.values + a_row.metadata) + kernel.tile_n * b_row.values);
}

void check_warps(const MapReader& map, const KernelConfig& kernel,
                 const StreamingMultiprocessorConfig& sm) {
  const std::int64_t warps = kernel.warps_m * kernel.warps_n;
  if (warps > sm.max_warps) {
    map.fail("warps",
             fmt::format("'warps' makes {} warps, must be at most {}, the SM's 'max_warps'", warps,
                         sm.max_warps));
  }
  if (kernel.tile_m % kernel.warps_m != 0 || kernel.tile_n % kernel.warps_n != 0) {
    map.fail("warps", fmt::format("'warps' is [{}, {}], must divide the tile's {} rows and {} "
                                  "columns",
                                  kernel.warps_m, kernel.warps_n, kernel.tile_m, kernel.tile_n));
  }
  if (kernel.warps_m % kernel.b_shared_by_warps != 0) {
    map.fail("b_shared_by_warps",
             fmt::format("'b_shared_by_warps' is {}, must divide the {} warps along m",
                         kernel.b_shared_by_warps, kernel.warps_m));
  }
}

/// The accumulators, one 32-bit register per element, must fit beside each other.
void check_registers(const MapReader& map, const KernelConfig& kernel,
                     const StreamingMultiprocessorConfig& sm) {
  const std::int64_t elements = kernel.tile_m * kernel.tile_n;
  const std::int64_t threads = kernel.warps_m * kernel.warps_n * kWarpThreads;
  const std::int64_t per_thread = (elements + threads - 1) / threads;
  if (per_thread > sm.max_registers_per_thread) {
    map.fail("tile", fmt::format("'tile' needs {} accumulators per thread, must be at most {}, the "
                                 "SM's 'max_registers_per_thread'",
                                 per_thread, sm.max_registers_per_thread));
  }
  if (elements > sm.registers) {
    map.fail("tile", fmt::format("'tile' needs {} accumulators, must be at most {}, the SM's "
                                 "'registers'",
                                 elements, sm.registers));
  }
}

bool is_16_bit(DataType dtype) {
  return bytes_per_element(dtype) == kElementBytes;
}

/// True if a warp's tile is made of whole instructions of this shape.
bool tiles(const MmaInstruction& instruction, const KernelConfig& kernel) {
  const std::int64_t warp_m = kernel.tile_m / kernel.warps_m;
  const std::int64_t warp_n = kernel.tile_n / kernel.warps_n;
  return warp_m % instruction.m == 0 && warp_n % instruction.n == 0 &&
         kernel.tile_k % instruction.k == 0;
}

void check_instructions(const MapReader& map, const KernelConfig& kernel,
                        const TensorCoreConfig& tensor_core) {
  bool any = false;
  for (const MmaInstruction& instruction : tensor_core.instructions) {
    if (!is_16_bit(instruction.dtype) || instruction.pattern.is_dense() == kernel.sparse) continue;
    if (tiles(instruction, kernel)) return;
    any = true;
  }
  if (!any) return;
  map.fail("tile", fmt::format("'tile' gives a warp {}x{}x{}, must be whole {} 16-bit "
                               "'instructions' of the tensor core",
                               kernel.tile_m / kernel.warps_m, kernel.tile_n / kernel.warps_n,
                               kernel.tile_k, kernel.sparse ? "sparse" : "dense"));
}

void check_kernel(const MapReader& map, const KernelConfig& kernel,
                  const StreamingMultiprocessorConfig& sm) {
  check_warps(map, kernel, sm);
  check_registers(map, kernel, sm);
  check_instructions(map, kernel, sm.tensor_core);
  const std::int64_t bytes = stage_bytes(kernel);
  if (bytes > sm.shared_memory.max_bytes_per_cta) {
    map.fail("tile", fmt::format("'tile' with {} stages needs {} bytes of shared memory, must be "
                                 "at most {}, 'max_bytes_per_cta'",
                                 kernel.stages, bytes, sm.shared_memory.max_bytes_per_cta));
  }
}

void check_kernels(MapReader& map, const MachineConfig& machine) {
  const std::vector<MapReader> entries = map.get_maps("kernels");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const KernelConfig& kernel = machine.kernels[at];
    check_kernel(entries[at], kernel, machine.accelerator.sm);
    const auto same_name = [&](const KernelConfig& other) { return other.name == kernel.name; };
    if (&*std::find_if(machine.kernels.begin(), machine.kernels.end(), same_name) == &kernel) {
      continue;
    }
    entries[at].fail("name", fmt::format("kernel '{}' is here a second time", kernel.name));
  }
}

void check_library(MapReader& map, const LibraryConfig& library,
                   const StreamingMultiprocessorConfig& sm) {
  const std::vector<MapReader> entries = map.get_maps("kernels");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    check_kernel(entries[at], library.kernels[at].kernel, sm);
  }
}

void check_libraries(MapReader& map, const MachineConfig& machine) {
  if (machine.libraries.empty()) return;
  std::vector<MapReader> entries = map.get_maps("libraries");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const LibraryConfig& library = machine.libraries[at];
    const auto same_name = [&](const LibraryConfig& other) { return other.name == library.name; };
    if (&*std::find_if(machine.libraries.begin(), machine.libraries.end(), same_name) != &library) {
      entries[at].fail("name", fmt::format("library '{}' is here a second time", library.name));
    }
    check_library(entries[at], library, machine.accelerator.sm);
  }
}

/// Dense GEMMs are every machine's baseline.
void require_dense_kernel(const MapReader& map, const MachineConfig& machine) {
  if (std::any_of(machine.kernels.begin(), machine.kernels.end(),
                  [](const KernelConfig& kernel) { return !kernel.sparse; })) {
    return;
  }
  map.fail("kernels", "'kernels' has no dense one, must have at least one without 'sparse: true'");
}

}  // namespace

MachineConfig read_machine(MapReader& map) {
  MachineConfig machine = read_fields<MachineConfig>(map);
  MapReader accelerator = map.get_map("accelerator");
  check_accelerator(accelerator, machine.accelerator);
  check_interval_expectations(map.node(), machine);
  check_kernels(map, machine);
  check_libraries(map, machine);
  require_dense_kernel(map, machine);
  if (machine.split_k.empty() || machine.split_k.front() != 1 ||
      !std::is_sorted(machine.split_k.begin(), machine.split_k.end(), std::less_equal<>())) {
    map.fail("split_k", "'split_k' must begin with 1 and ascend");
  }
  return machine;
}

}  // namespace stcsim
