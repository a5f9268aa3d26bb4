#include "sim/kernel/mapper.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/data_type.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {
namespace {

using Kernels = std::vector<KernelConfig>;

/// What does not depend on sizes.
KernelConfig way_of(const KernelConfig& like, bool sparse) {
  KernelConfig way;
  way.sparse = sparse;
  way.b_shared_by_warps = like.b_shared_by_warps;
  way.metadata_in_registers = sparse && like.metadata_in_registers;
  way.persistent = like.persistent;
  way.cta_pair = like.cta_pair;
  way.stages_output_type = like.stages_output_type;
  return way;
}

/// The ways in which the machine's own kernels are compiled, of the same kind of operands if there
/// are such; without any, that of the first of its libraries' kernels.
Kernels ways_of(const MachineConfig& machine, bool sparse) {
  Kernels like = machine.kernels;
  for (const LibraryConfig& library : machine.libraries) {
    for (const LibraryKernel& one : library.kernels) like.push_back(one.kernel);
  }
  const bool has_clusters = std::ranges::any_of(
      like, [](const auto& one) { return one.multicast_a > 1 || one.multicast_b > 1; });
  like.resize(std::max<std::size_t>(machine.kernels.size(), 1));
  const auto is_other = [&](const KernelConfig& one) { return one.sparse != sparse; };
  if (!std::ranges::all_of(like, is_other)) std::erase_if(like, is_other);
  Kernels ways;
  for (const KernelConfig& one : like) {
    KernelConfig way = way_of(one, sparse);
    if (std::ranges::find(ways, way) != ways.end()) continue;
    ways.push_back(way);
    way.multicast_b = 2;
    if (has_clusters) ways.push_back(way);
  }
  return ways;
}

void set_name(KernelConfig& kernel) {
  kernel.name = fmt::format("{}_{}_{}x{}x{}_s{}_w{}x{}{}{}", kMapped,
                            kernel.sparse ? "sparse" : "dense", kernel.tile_m, kernel.tile_n,
                            kernel.tile_k, kernel.stages, kernel.warps_m, kernel.warps_n,
                            kernel.cta_pair ? "_pair" : "", kernel.multicast_b > 1 ? "_c2x1" : "");
}

/// So many instructions along k, as kernel lists state it: the fitted tile has just these.
std::int64_t stated_tile_k(const MmaInstruction& one, std::int64_t instructions) {
  const std::int64_t k = instructions * one.k;
  if (one.pattern.of_a().is_dense()) return bytes_of(one.dtype, k) / bytes_of(DataType::fp16, 1);
  return bytes_of(one.dtype, k / one.pattern.m * one.pattern.n);
}

/// Makes the kernels for one instruction.
class Mapper {
 public:
  Mapper(const MachineConfig& machine, const MmaInstruction& instruction)
      : machine_(machine), one_(instruction) {}

  /// Of tiles and stages no more than cover the problem.
  Kernels all(const GemmProblem& problem) {
    for (const KernelConfig& way : ways_of(machine_, !one_.pattern.of_a().is_dense())) {
      KernelConfig kernel = way;
      const std::int64_t least_rows = one_.m * way.b_shared_by_warps;
      for (kernel.tile_m = least_rows; is_tried(kernel.tile_m, least_rows, problem.m);
           kernel.tile_m *= 2) {
        for (kernel.tile_n = one_.n; is_tried(kernel.tile_n, one_.n, problem.n);
             kernel.tile_n *= 2) {
          for (std::int64_t k = 1; k == 1 || (k <= 4 && k * one_.k / 2 < problem.k); k *= 2) {
            most_stages_ = std::min(kMostStages, ceil_div(problem.k, k * one_.k));
            add_warps(kernel, k);
          }
        }
      }
    }
    return std::move(made_);
  }

 private:
  static bool is_tried(std::int64_t extent, std::int64_t least, std::int64_t covered) {
    return extent <= std::max(kLargestExtent, least) && (extent == least || extent / 2 < covered);
  }

  /// One warp for each sub-core, or as many as the tile has instructions, then twice as many. More
  /// where their registers do not hold the tile.
  void add_warps(KernelConfig kernel, std::int64_t instructions) {
    kernel.tile_k = stated_tile_k(one_, instructions);
    const std::int64_t blocks = kernel.tile_m / one_.m * (kernel.tile_n / one_.n);
    const auto sub_cores = static_cast<std::uint64_t>(machine_.accelerator.sm.sub_cores);
    const auto usual = static_cast<std::int64_t>(std::bit_floor(sub_cores));
    int found = 0;
    for (std::int64_t warps = std::min(usual, blocks);
         warps <= std::min(kMostWarps, blocks) && found < kNumbersOfWarps; warps *= 2) {
      if (set_warps(kernel, warps) && add_stages(kernel)) ++found;
    }
  }

  /// So that they read least from shared memory; false if they cannot be divided.
  [[nodiscard]] bool set_warps(KernelConfig& kernel, std::int64_t warps) const {
    std::int64_t least = 0;
    for (std::int64_t along_m = kernel.b_shared_by_warps; along_m <= warps; along_m *= 2) {
      const std::int64_t along_n = warps / along_m;
      const bool divides = warps % along_m == 0 && kernel.tile_m / one_.m % along_m == 0 &&
                           kernel.tile_n / one_.n % along_n == 0;
      if (!divides) continue;
      const std::int64_t read = kernel.tile_m / along_m + kernel.tile_n / along_n;
      if (least > 0 && read >= least) continue;
      least = read;
      kernel.warps_m = along_m;
      kernel.warps_n = along_n;
    }
    return least > 0;
  }

  /// As many as fit beside one CTA, two, ...; false if not even one does.
  bool add_stages(KernelConfig kernel) {
    std::string why_not;
    kernel.stages = 1;
    const auto fitted = fit_kernel(machine_, kernel, one_, why_not);
    if (!fitted) return false;
    const SharedMemoryConfig& memory = machine_.accelerator.sm.shared_memory;
    const std::int64_t most = kernel.persistent ? 1 : std::min(fitted->ctas_per_sm, kMostCtas);
    std::int64_t before = 0;
    for (std::int64_t ctas = 1; ctas <= most; ++ctas) {
      const std::int64_t bytes = std::min(
          memory.max_bytes_per_cta, memory.capacity_bytes / ctas - memory.reserved_bytes_per_cta);
      kernel.stages = std::min(bytes / fitted->shared_memory_bytes, most_stages_);
      if (kernel.stages < 1 || kernel.stages == before) continue;
      before = kernel.stages;
      set_name(kernel);
      made_.push_back(kernel);
    }
    return true;
  }

  static constexpr std::int64_t kLargestExtent = 256;  // or one instruction's
  static constexpr std::int64_t kMostWarps = 16;
  static constexpr std::int64_t kMostStages = 16;
  static constexpr std::int64_t kMostCtas = 4;
  /// That are tried of a tile.
  static constexpr int kNumbersOfWarps = 2;

  const MachineConfig& machine_;
  const MmaInstruction& one_;
  std::int64_t most_stages_ = kMostStages;
  Kernels made_;
};

}  // namespace

std::vector<KernelConfig> mapped_kernels(const MachineConfig& machine,
                                         const MmaInstruction& instruction,
                                         const GemmProblem* problem) {
  GemmProblem any;
  any.m = any.n = any.k = std::numeric_limits<std::int64_t>::max() / 2;
  return Mapper(machine, instruction).all(problem == nullptr ? any : *problem);
}

std::string why_unmapped(const MachineConfig& machine, const MmaInstruction& instruction) {
  KernelConfig smallest = ways_of(machine, !instruction.pattern.of_a().is_dense()).front();
  smallest.warps_m = smallest.b_shared_by_warps;
  smallest.warps_n = smallest.stages = 1;
  smallest.tile_m = instruction.m * smallest.warps_m;
  smallest.tile_n = instruction.n;
  smallest.tile_k = stated_tile_k(instruction, 1);
  set_name(smallest);
  std::string why_not;
  if (fit_kernel(machine, smallest, instruction, why_not)) return "";
  return fmt::format("'{}' of one instruction m{}n{}k{}: {}", smallest.name, instruction.m,
                     instruction.n, instruction.k, why_not);
}

}  // namespace stcsim
