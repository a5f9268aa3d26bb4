#include <set>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {
namespace {

KernelSpaceConfig space() {
  KernelSpaceConfig space;
  space.tile_m = {64, 128};
  space.tile_n = {64};
  space.tile_k = {32};
  space.stages = {2, 4};
  space.warp_m = {32};
  space.warp_n = {32, 128};
  return space;
}

/// Warps of 128 columns do not divide tiles of 64.
TEST(KernelSpace, HasEveryCombinationThatDivides) {
  std::vector<std::string> names;
  for (const KernelConfig& kernel : kernels_of(space())) names.push_back(kernel.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"dense_64x64x32_s2_w32x32", "dense_64x64x32_s4_w32x32",
                                      "dense_128x64x32_s2_w32x32", "dense_128x64x32_s4_w32x32",
                                      "sparse_64x64x32_s2_w32x32", "sparse_64x64x32_s4_w32x32",
                                      "sparse_128x64x32_s2_w32x32", "sparse_128x64x32_s4_w32x32"}));
  const KernelConfig last = kernels_of(space()).back();
  EXPECT_TRUE(last.sparse);
  EXPECT_EQ(last.warps_m, 4);
  EXPECT_EQ(last.warps_n, 2);
  EXPECT_EQ(last.stages, 4);
}

TEST(KernelSpace, LeavesOutTooManyWarpsAndThoseThatCannotShareB) {
  KernelSpaceConfig small = space();
  small.warp_m = {8};  // 16 warps of 64x64, 32 of 128x64
  small.stages = {2};
  EXPECT_EQ(kernels_of(small).size(), 2U);
  small = space();
  small.b_shared_by_warps = 4;  // only tiles of 128 have four warps along m
  EXPECT_EQ(kernels_of(small).size(), 4U);
  EXPECT_TRUE(kernels_of({}).empty());
}

TEST(KernelSpace, ListedKernelsComeFirstAndKeepTheirNames) {
  MachineConfig machine;
  KernelConfig listed = kernels_of(space()).front();
  listed.stages = 3;
  machine.kernels = {listed};
  machine.kernel_space = space();
  const std::vector<KernelConfig> all = all_kernels(machine);
  EXPECT_EQ(all.size(), 8U);
  EXPECT_EQ(all.front().stages, 3);
  std::set<std::string> names;
  for (const KernelConfig& kernel : all) names.insert(kernel.name);
  EXPECT_EQ(names.size(), all.size());
}

TEST(KernelSpace, IsReadFromAMachinesFile) {
  YamlNode root = load_by_name(ConfigKind::machine, "a100");
  apply_override(root,
                 "kernel_space={tile_m: [64], tile_n: [64], tile_k: [32, 64], stages: [3], warp_m: "
                 "[32], warp_n: [32]}");
  const MachineConfig machine = read_machine(root).config;
  EXPECT_EQ(machine.kernel_space.tile_k, (std::vector<std::int64_t>{32, 64}));
  EXPECT_EQ(all_kernels(machine).size(), machine.kernels.size() + 4);
  apply_override(root, "kernel_space.warp_m=[48]");
  EXPECT_THROW((void)read_machine(root), ConfigError);
}

}  // namespace
}  // namespace stcsim
