#include "sim/config/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stcsim {

bool MachineConfig::supports(DataType dtype) const {
  const auto& rates = accelerator.sm.tensor_core.multipliers;
  return std::any_of(rates.begin(), rates.end(),
                     [&](const MultiplierRate& rate) { return rate.dtype == dtype; });
}

std::vector<std::string> MachineConfig::library_names() const {
  std::vector<std::string> names;
  for (const LibraryConfig& one : libraries) names.push_back(one.name);
  return names;
}

std::vector<std::string> MachineConfig::stack_names() const {
  std::vector<std::string> names;
  for (const StackConfig& one : stacks) names.push_back(one.name);
  names.emplace_back(kBestStack);
  for (const StackConfig& one : other_stacks) names.push_back(one.name);
  return names;
}

const StackConfig* MachineConfig::find_stack(const std::string& stack) const {
  for (const std::vector<StackConfig>* const list : {&stacks, &other_stacks}) {
    for (const StackConfig& one : *list) {
      if (one.name == stack) return &one;
    }
  }
  return nullptr;
}

std::string MachineConfig::preferred_stack(const std::vector<std::string>& names) const {
  std::vector<std::string> own = stack_names();
  own.resize(stacks.size() + 1);
  const auto found = std::find_first_of(names.begin(), names.end(), own.begin(), own.end());
  return found == names.end() ? own.front() : *found;
}

std::vector<std::string> MachineConfig::stacks_beside(const std::string& stack) const {
  std::vector<std::string> beside;
  const StackConfig* const own = find_stack(stack);
  if (own == nullptr) return beside;
  for (const std::string& other : stack_names()) {
    const StackConfig* const one = find_stack(other);
    if (one == nullptr || other == stack) continue;
    if (one->dense == own->dense && one->sparse == own->sparse) beside.push_back(other);
  }
  beside.emplace_back(kBestStack);
  return beside;
}

namespace {

constexpr std::int64_t kMostWarps = 16;

/// The kernel's warps; false if they do not divide its tile or are too many.
bool set_warps(KernelConfig& kernel, std::int64_t warp_m, std::int64_t warp_n) {
  if (kernel.tile_m % warp_m != 0 || kernel.tile_n % warp_n != 0) return false;
  kernel.warps_m = kernel.tile_m / warp_m;
  kernel.warps_n = kernel.tile_n / warp_n;
  return kernel.warps_m % kernel.b_shared_by_warps == 0 &&
         kernel.warps_m * kernel.warps_n <= kMostWarps;
}

/// `kernel` with every k-step and number of stages.
void add_depths(const KernelSpaceConfig& space, KernelConfig kernel, std::int64_t warp_m,
                std::int64_t warp_n, std::vector<KernelConfig>& kernels) {
  for (const std::int64_t k : space.tile_k) {
    for (const std::int64_t stages : space.stages) {
      kernel.tile_k = k;
      kernel.stages = stages;
      kernel.name =
          fmt::format("{}_{}x{}x{}_s{}_w{}x{}", kernel.sparse ? "sparse" : "dense", kernel.tile_m,
                      kernel.tile_n, kernel.tile_k, kernel.stages, warp_m, warp_n);
      kernels.push_back(kernel);
    }
  }
}

void add_tiles(const KernelSpaceConfig& space, KernelConfig kernel,
               std::vector<KernelConfig>& kernels) {
  for (const std::int64_t m : space.tile_m) {
    for (const std::int64_t n : space.tile_n) {
      kernel.tile_m = m;
      kernel.tile_n = n;
      for (const std::int64_t warp_m : space.warp_m) {
        for (const std::int64_t warp_n : space.warp_n) {
          if (set_warps(kernel, warp_m, warp_n)) {
            add_depths(space, kernel, warp_m, warp_n, kernels);
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<KernelConfig> kernels_of(const KernelSpaceConfig& space) {
  std::vector<KernelConfig> kernels;
  for (const bool sparse : {false, true}) {
    KernelConfig kernel;
    kernel.sparse = sparse;
    kernel.b_shared_by_warps = space.b_shared_by_warps;
    add_tiles(space, kernel, kernels);
  }
  return kernels;
}

std::vector<KernelConfig> all_kernels(const MachineConfig& machine) {
  std::vector<KernelConfig> kernels = machine.kernels;
  for (const KernelConfig& one : kernels_of(machine.kernel_space)) {
    const auto same_name = [&](const KernelConfig& listed) { return listed.name == one.name; };
    if (std::none_of(machine.kernels.begin(), machine.kernels.end(), same_name)) {
      kernels.push_back(one);
    }
  }
  return kernels;
}

}  // namespace stcsim
