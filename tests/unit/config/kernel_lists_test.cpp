// Families and spaces of kernels: what they stand for, and what is refused where.
#include <set>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/kernel_family.hpp"
#include "sim/config/machine.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

std::string expanded(const std::string& text) {
  YamlNode machine = parse_yaml(text, "machine.yaml").root;
  expand_kernel_families(machine);
  return to_json(machine).dump();
}

std::string complaint_of(const std::string& text) {
  return error_of([&] { static_cast<void>(expanded(text)); });
}

TEST(KernelFamily, IsAKernelForEachTileInPlaceOfIt) {
  EXPECT_EQ(
      expanded("kernels: [{name: first}, {name: a_*_b, sparse: true, tiles: [64x8x32_s12, "
               "128x256x64_s3], warps: [4, 1], splits_k: true}, {name: last}]"),
      R"({"kernels":[{"name":"first"},)"
      R"({"name":"a_64x8x32_s12_b","sparse":true,"splits_k":true,"stages":12,"tile":[64,8,32],"warps":[4,1]},)"
      R"({"name":"a_128x256x64_s3_b","sparse":true,"splits_k":true,"stages":3,"tile":[128,256,64],"warps":[4,1]},)"
      R"({"name":"last"}]})");
}

TEST(KernelFamily, AMapOfTilesHasTheWarpsOfEach) {
  EXPECT_EQ(expanded("more_kernels: [{name: '*', tiles: {64x8x32_s12: [4, 1], 8x8x8_s1: [1, 1]}, "
                     "max_n: 8}]"),
            R"({"more_kernels":[)"
            R"({"max_n":8,"name":"64x8x32_s12","stages":12,"tile":[64,8,32],"warps":[4,1]},)"
            R"({"max_n":8,"name":"8x8x8_s1","stages":1,"tile":[8,8,8],"warps":[1,1]}]})");
}

TEST(KernelFamily, StandsInLibrariesToo) {
  EXPECT_EQ(expanded("libraries: [{name: one, kernels: [{name: k_*, tiles: [8x8x8_s2]}]}]"),
            R"({"libraries":[{"kernels":[)"
            R"({"name":"k_8x8x8_s2","stages":2,"tile":[8,8,8]}],"name":"one"}]})");
}

TEST(KernelFamily, RefusesWhatItCannotMeanWhereItStands) {
  EXPECT_EQ(complaint_of("kernels: [{name: a_*, tiles: [64x8x32]}]"),
            "machine.yaml:1:31: error: '64x8x32' is no tile, must be its extents along m, n and k, "
            "and the stages: 128x64x32_s6");
  for (const char* const wrong : {"64x8x32_s", "x8x32_s1", "64x-8x32_s1", "64x8x32_s1_", "a"}) {
    EXPECT_NE(complaint_of(std::string("kernels: [{name: a_*, tiles: [") + wrong + "]}]")
                  .find("is no tile"),
              std::string::npos)
        << wrong;
  }
  EXPECT_EQ(complaint_of("kernels: [{name: a, tiles: [8x8x8_s1]}]"),
            "machine.yaml:1:18: error: 'name' must have a '*' where each of the 'tiles' stands");
  EXPECT_NE(complaint_of("kernels: [{name: '**', tiles: [8x8x8_s1]}]").find("'name' must"),
            std::string::npos);
  EXPECT_NE(complaint_of("kernels: [{tiles: [8x8x8_s1]}]").find("'name' must"), std::string::npos);
  EXPECT_EQ(complaint_of("kernels: [{name: a_*, stages: 3, tiles: [8x8x8_s1]}]"),
            "machine.yaml:1:31: error: 'stages' has no place beside 'tiles', which say it: must be "
            "left out");
  EXPECT_EQ(complaint_of("kernels: [{name: a_*, tiles: []}]"),
            "machine.yaml:1:30: error: 'tiles' is a list, must be a list of tiles, or a map of "
            "tiles to warps");
}

/// Also where a file extends a shipped one.
TEST(KernelFamily, AMachineOfOnesOwnMayHaveSome) {
  const ScratchFolder folder;
  folder.write("mine.yaml",
               "extends: a100\nname: mine\nmore_kernels: [{name: my_*, tiles: [32x32x64_s3, "
               "32x64x64_s3], warps: [2, 2]}]\n");
  const MachineConfig shipped = load_machine("a100").config;
  const MachineConfig mine = load_machine(folder.at("mine.yaml")).config;
  ASSERT_EQ(mine.kernels.size(), shipped.kernels.size() + 2);
  EXPECT_EQ(mine.kernels.back().name, "my_32x64x64_s3");
  EXPECT_EQ(mine.kernels.back().tile_n, 64);
}

/// `kernels`, `libraries` and `stacks` of a machine that names files.
class NamedSoftware : public testing::Test {
 protected:
  std::string error(const std::string& lists) {
    folder_.write("mine.yaml", "extends: rtx4090\nname: mine\n" + lists);
    return error_of([&] { (void)load_machine(mine_); });
  }

  ScratchFolder folder_;
  std::string mine_ = folder_.at("mine.yaml");
};

TEST_F(NamedSoftware, StandsForWhatTheFilesHave) {
  folder_.write("own.yaml",
                "description: mine\nlibraries: [{name: own, kernels: [{name: o_*, tiles: "
                "[64x64x32_s3], warps: [2, 2]}]}]\nstacks: [{name: both, dense: own, sparse: "
                "kernels}]\n");
  ASSERT_EQ(error("libraries: [own.yaml, cublas12_ada, {name: more, kernels: []}]\n"
                  "stacks: [{name: first, dense: cublas12, sparse: kernels}, ./own.yaml]\n"),
            "no error");
  const MachineConfig mine = load_machine(mine_).config;
  EXPECT_EQ(mine.library_names(), (std::vector<std::string>{"own", "cublas12", "more"}));
  EXPECT_EQ(mine.stack_names(), (std::vector<std::string>{"first", "both", "best"}));
  EXPECT_EQ(mine.libraries.front().kernels.front().kernel.name, "o_64x64x32_s3");
  EXPECT_EQ(load_machine(mine_, {"stacks=[cuda12]",
                                 "libraries=[cublas12_ada, cusparselt08_ada, cudnn8_ampere]"})
                .config.stacks,
            load_machine("rtx4090").config.stacks);
}

TEST_F(NamedSoftware, IsRefusedWhereItIsNamed) {
  EXPECT_EQ(
      error("libraries: [cublas12_adda]\n"),
      mine_ +
          ":3:13: error: unknown library 'cublas12_adda', must be a path or a shipped one "
          "such as cublas12_ada, cublas12_a100, cublas11_a100 ('stcsim list libraries' shows all)");
  EXPECT_EQ(error("kernels: [cuda12]\n"),
            mine_ +
                ":3:11: error: library 'cuda12' has no 'kernels', must be one that has ('stcsim "
                "list libraries' shows all)");
  EXPECT_EQ(error("libraries: [cublas12_ada]\nstacks: [cuda12]\n"),
            mine_ + ":4:10: error: 'sparse' is 'cusparselt08', must be one of cublas12, kernels");
  folder_.write("own.yaml", "stakcs: []\n");
  EXPECT_NE(error("stacks: [own.yaml]\n").find("own.yaml:1:1: error: unknown key 'stakcs'"),
            std::string::npos);
}

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
