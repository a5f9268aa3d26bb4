#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/library.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

/// Files of machines that extend shipped ones.
class InheritedMachine : public testing::Test {
 protected:
  /// `accelerator.sm` of a machine that extends another.
  std::string write(const std::string& sm, const std::string& rest = "",
                    const std::string& parent = "a100") {
    return folder_.write("mine.yaml", "extends: " + parent + "\nname: mine\n" + rest +
                                          "accelerator:\n  sm:\n    " + sm + "\n");
  }
  MachineConfig load(const std::string& sm, const std::string& rest = "",
                     const std::string& parent = "a100") {
    return load_machine(write(sm, rest, parent)).config;
  }
  std::string error(const std::string& sm, const std::string& rest = "",
                    const std::vector<std::string>& set = {}) {
    const std::string file = write(sm, rest);
    return error_of([&] { (void)load_machine(file, set); });
  }

  ScratchFolder folder_;
};

std::string default_stack(const MachineConfig& machine) {
  return stack_named(machine, "").name;
}

// ---- libraries of other hardware

TEST_F(InheritedMachine, LibrariesAreNotThoseOfHardwareTheyWereNotWrittenFor) {
  for (const char* const sm :
       {"operand_selector: {native_patterns: [\"2:4\", \"2:8\"]}",
        "operand_selector: {lanes: crossbar}", "operand_fetch: {fragment_buffers: 3}",
        "shared_memory: {capacity_bytes: 65536}", "registers: 32768",
        "max_registers_per_thread: 128", "max_warps: 32",
        "tensor_core: {instructions: [{dtype: fp16, m: 16, n: 8, k: 16, latency_cycles: 9}, "
        "{dtype: "
        "bf16, m: 16, n: 8, k: 16, latency_cycles: 9}, {dtype: tf32, m: 16, n: 8, k: 8, "
        "latency_cycles: 9}, {dtype: int8, m: 16, n: 8, k: 32, latency_cycles: 9}, {dtype: int4, "
        "m: 16, n: 8, k: 64, latency_cycles: 9}]}"}) {
    SCOPED_TRACE(sm);
    const MachineConfig mine = load(sm);
    EXPECT_EQ(default_stack(mine), kBestStack);
    EXPECT_TRUE(mine.stacks.empty());
    EXPECT_EQ(mine.other_stacks, load_machine("a100").config.stacks);
    const std::string sm_text(sm);
    ASSERT_THAT(mine.notes, Not(testing::IsEmpty()));
    EXPECT_THAT(mine.notes.back(),
                HasSubstr("mine: its default stack is 'best': those of a100.yaml"));
    EXPECT_THAT(mine.notes.back(), HasSubstr(sm_text.substr(0, sm_text.find(':'))));
  }
}

TEST_F(InheritedMachine, StacksOfOtherHardwareRunWhereTheyAreNamed) {
  const MachineConfig mine = load("max_warps: 32");
  EXPECT_EQ(mine.stack_names().front(), kBestStack);
  EXPECT_EQ(stack_named(mine, "cuda12_rule").dense, "cublas12");
  EXPECT_EQ(mine.preferred_stack({"cuda12_rule"}), kBestStack);
  EXPECT_EQ(mine.stacks_beside("cuda12_rule"),
            load_machine("a100").config.stacks_beside("cuda12_rule"));
  EXPECT_THAT(mine.notes.back(), HasSubstr("max_warps"));
}

/// What their kernels do not depend on, what is only said again, and what says the default.
TEST_F(InheritedMachine, LibrariesStayWhereTheirHardwareDoes) {
  for (const char* const sm :
       {"max_ctas: 16", "shared_memory: {capacity_bytes: 167936}", "max_warps: 64",
        "operand_selector: {lanes: ordered}", "operand_fetch: {register_bytes_per_clk: 192}",
        "copy_engine: {issue_bytes_per_clk: 64}"}) {
    SCOPED_TRACE(sm);
    const MachineConfig mine = load(sm);
    EXPECT_EQ(default_stack(mine), "cuda12_rule");
    EXPECT_TRUE(mine.other_stacks.empty());
  }
}

TEST_F(InheritedMachine, AMachineThatNamesStacksHasThem) {
  const std::string stacks = "stacks: [{name: own, dense: cublas12, sparse: kernels}]\n";
  EXPECT_EQ(default_stack(load("max_warps: 32", stacks)), "own");
  const MachineConfig none = load("max_warps: 32", "stacks: []\n");
  EXPECT_EQ(default_stack(none), kBestStack);
  EXPECT_TRUE(none.other_stacks.empty());
}

/// A file that extends one with stacks of its own, and --set on it, are other hardware too.
TEST_F(InheritedMachine, OverridesAndGrandchildrenAreOtherHardware) {
  const std::string stacks = "stacks: [{name: own, dense: cublas12, sparse: kernels}]\n";
  const std::string file = write("max_warps: 32", stacks);
  const std::string set = "accelerator.sm.max_warps=";
  EXPECT_EQ(default_stack(load_machine(file, {set + "48"}).config), kBestStack);
  EXPECT_EQ(default_stack(load_machine(file, {set + "32"}).config), "own");
  folder_.write("child.yaml",
                "extends: mine.yaml\nname: child\naccelerator: {dram: {bytes_per_clk: 900}}\n");
  EXPECT_EQ(default_stack(load_machine(folder_.at("child.yaml")).config), "own");
  EXPECT_EQ(default_stack(load_machine("a100", {set + "48"}).config), kBestStack);
}

/// Those that extend others name the stacks they have.
TEST_F(InheritedMachine, NoShippedMachineRunsAnothersLibraries) {
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) {
    const MachineConfig machine = load_machine(entry.name).config;
    for (const StackConfig& one : machine.other_stacks) {
      EXPECT_EQ(one.name, "ampere_kernels") << entry.name;
    }
  }
  for (const char* const name : {"a100_80gb", "a100_pcie", "h100_pcie", "h200", "l40s",
                                 "mi300x_cpx", "mi300x_qpx", "rtx5080", "rtx5090"}) {
    EXPECT_FALSE(load_machine(name).config.stacks.empty()) << name;
  }
}

TEST_F(InheritedMachine, StacksOfOtherHardwareAreReadAgain) {
  const MachineConfig mine = load("max_warps: 32");
  const std::string file = folder_.write("again.yaml", to_json(mine).dump());
  MachineConfig again = load_machine(file).config;
  again.notes = mine.notes;
  EXPECT_EQ(again, mine);
}

// ---- shared memory

SharedMemoryConfig memory_of(const MachineConfig& machine) {
  return machine.accelerator.sm.shared_memory;
}

TEST_F(InheritedMachine, ACapacityOfItsOwnHasItsOwnMostOfACta) {
  EXPECT_EQ(memory_of(load("shared_memory: {capacity_bytes: 65536}")).max_bytes_per_cta, 64512);
  EXPECT_EQ(memory_of(load("shared_memory: {capacity_bytes: 262144}")).max_bytes_per_cta, 261120);
  EXPECT_EQ(memory_of(load("shared_memory: {reserved_bytes_per_cta: 2048}")).max_bytes_per_cta,
            165888);
  EXPECT_EQ(memory_of(load("shared_memory: {capacity_bytes: 65536, max_bytes_per_cta: 49152}"))
                .max_bytes_per_cta,
            49152);
  EXPECT_EQ(memory_of(load("shared_memory: {max_bytes_per_cta: 49152}")).max_bytes_per_cta, 49152);
  EXPECT_EQ(memory_of(load("shared_memory: {latency_cycles: 20}")).max_bytes_per_cta, 166912);
}

TEST_F(InheritedMachine, OverridesAndGrandchildrenInheritTheMostOfACta) {
  const std::string file = write("shared_memory: {max_bytes_per_cta: 49152}");
  folder_.write("child.yaml",
                "extends: mine.yaml\nname: child\naccelerator: {dram: {bytes_per_clk: 900}}\n");
  EXPECT_EQ(memory_of(load_machine(folder_.at("child.yaml")).config).max_bytes_per_cta, 49152);
  const std::string set = "accelerator.sm.shared_memory.capacity_bytes=32768";
  EXPECT_EQ(memory_of(load_machine(file, {set}).config).max_bytes_per_cta, 31744);
  write("shared_memory: {capacity_bytes: 65536}");
  EXPECT_EQ(memory_of(load_machine(folder_.at("child.yaml")).config).max_bytes_per_cta, 64512);
}

// ---- errors

/// Where what a file inherits does not go with what it says, the error is at what it says.
TEST_F(InheritedMachine, ErrorsAreAtWhatTheFileChanges) {
  const std::string file = folder_.at("mine.yaml");
  EXPECT_THAT(
      error("shared_memory: {banks: 8}"),
      testing::StartsWith(file + ":5:28: error: 'fill_bytes_per_clk' is 64, must be at most "
                                 "32: 'banks' times 'bank_bytes'; that stands at "));
  EXPECT_THAT(error("shared_memory: {capacity_bytes: 512}"),
              testing::StartsWith(file + ":5:37: error: 'capacity_bytes' is 512, must be more than "
                                         "'reserved_bytes_per_cta', which is 1024"));
  EXPECT_THAT(error("operand_selector: {native_patterns: []}"),
              testing::StartsWith(file + ":5:41: error: 'pattern' is 2:4, must be one of the "
                                         "'native_patterns' of 'operand_selector' for fp16; that "
                                         "stands at "));
  EXPECT_THAT(error("max_warps: 32", "", {"accelerator.l2_cache.far_hit_cycles=100"}),
              testing::StartsWith("--set accelerator.l2_cache.far_hit_cycles=100: error: "
                                  "'far_hit_cycles' is 100, must be at least 'near_hit_cycles'"));
  EXPECT_THAT(error("max_warps: 32", "", {"accelerator.l2_cache.near_hit_cycles=400"}),
              testing::StartsWith("--set accelerator.l2_cache.near_hit_cycles=400: error: "
                                  "'far_hit_cycles' is 357, must be at least 'near_hit_cycles'"));
}

/// Of the files in between, it is the one that brings it.
TEST_F(InheritedMachine, ErrorsOfTheExtendedFileStayThere) {
  const std::string child = folder_.write(
      "child.yaml", "extends: mine.yaml\nname: child\naccelerator: {dram: {bytes_per_clk: 900}}\n");
  const std::string file = write("shared_memory: {banks: 8}");
  EXPECT_THAT(error_of([&] { (void)load_machine(child); }),
              testing::StartsWith(file + ":5:28: error: 'fill_bytes_per_clk' is 64, must be"));
  write("max_warps: 64", "split_k: [2]\n");
  EXPECT_EQ(error_of([&] { (void)load_machine(child); }),
            file + ":3:10: error: 'split_k' must begin with 1 and ascend");
}

TEST_F(InheritedMachine, ALimitOfPowerBelowWhatItDrawsWhenIdleIsRefused) {
  const std::string file = folder_.at("mine.yaml");
  EXPECT_EQ(error("max_warps: 64", "power: {limit_watts: 79.5}\n"),
            file +
                ":3:22: error: 'limit_watts' is 79.5, must be 0 (no limit) or at least "
                "'idle_watts', which is 80");
  EXPECT_THAT(error("max_warps: 64", "power: {idle_watts: 400.5}\n"),
              testing::StartsWith(file + ":3:21: error: 'limit_watts' is 400, must be 0 (no limit) "
                                         "or at least 'idle_watts', which is 400.5; that stands "));
  EXPECT_EQ(error("max_warps: 64", "power: {limit_watts: 80}\n"), "no error");
  EXPECT_EQ(error("max_warps: 64", "power: {limit_watts: 0}\n"), "no error");
  EXPECT_THAT(
      error("max_warps: 64", "", {"power.limit_watts=1e-300"}),
      testing::StartsWith("--set power.limit_watts=1e-300: error: 'limit_watts' is 1e-300"));
}

// ---- measured intervals

/// They bind the file that states them, and nothing that extends it.
TEST_F(InheritedMachine, MeasuredIntervalsAreNoErrorOfOtherHardware) {
  for (const char* const sm :
       {"operand_selector: {lanes: butterfly}",
        "operand_selector: {metadata_fill_bytes_per_clk: 4}",
        "operand_selector: {metadata_buffer_bytes: 1}", "tensor_core: {rows_at_a_time: 64}"}) {
    SCOPED_TRACE(sm);
    const MachineConfig mine = load(sm);
    EXPECT_EQ(mine.accelerator.sm.tensor_core.instructions.at(8).interval_cycles, 0);
  }
  EXPECT_EQ(load("max_warps: 32").accelerator.sm.tensor_core.instructions.front().interval_cycles,
            8);
}

}  // namespace
}  // namespace stcsim
