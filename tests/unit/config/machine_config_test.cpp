#include "sim/config/machine_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/field_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "tests/unit/config/sample_configs.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

MachineConfig read(const std::string& text) {
  const YamlDocument document = parse_yaml(text, "m.yaml");
  MapReader map(document);
  return read_machine(map);
}

/// The error after changing one place of the sample.
std::string error_with(const std::string& from, const std::string& to) {
  return error_of([&] { (void)read(replaced(kSampleMachine, from, to)); });
}

TEST(MachineConfig, ReadsEveryFieldOfTheMachine) {
  const MachineConfig machine = read(kSampleMachine);
  EXPECT_EQ(machine.name, "tiny");
  EXPECT_EQ(machine.description, "A machine of two SMs");
  EXPECT_EQ(machine.clock_mhz, 1410.5);
  EXPECT_EQ(machine.split_k, (std::vector<std::int64_t>{1, 2, 4}));
  const AcceleratorConfig& accelerator = machine.accelerator;
  EXPECT_EQ(accelerator.num_sms, 2);
  EXPECT_EQ(accelerator.cta_scheduler, (CtaSchedulerConfig{100, 30}));
  EXPECT_EQ(accelerator.memory_bus, (MemoryBusConfig{80, 48, 40}));
  EXPECT_EQ(accelerator.l2_cache, (L2CacheConfig{1000000, 200, 150, 208, 357, 2048, 1, 500000}));
  EXPECT_EQ(accelerator.dram, (DramConfig{4000000000, 4, 100, 267, 32, 5000}));
}

TEST(MachineConfig, ReadsEveryFieldOfTheSm) {
  const StreamingMultiprocessorConfig sm = read(kSampleMachine).accelerator.sm;
  EXPECT_EQ(sm.sub_cores, 2);
  EXPECT_EQ(sm.max_ctas, 16);
  EXPECT_EQ(sm.max_warps, 32);
  EXPECT_EQ(sm.registers, 32768);
  EXPECT_EQ(sm.max_registers_per_thread, 128);
  EXPECT_EQ(sm.vector_lanes_per_sub_core, 8);
  EXPECT_EQ(sm.operand_selector, (OperandSelectorConfig{{{2, 4}, {1, 8}}, 32, 6}));
  EXPECT_EQ(sm.operand_fetch, (OperandFetchConfig{192, 3}));
  EXPECT_EQ(sm.shared_memory, (SharedMemoryConfig{66560, 65536, 1024, 16, 8, 128, 29, 20}));
  EXPECT_EQ(sm.copy_engine, (CopyEngineConfig{64}));
  EXPECT_EQ(sm.epilogue, (EpilogueConfig{99, 7, 0, 4096}));
  EXPECT_EQ(sm.tensor_core.multipliers,
            (std::vector<MultiplierRate>{{DataType::fp16, 256}, {DataType::int8, 512}}));
  EXPECT_EQ(sm.tensor_core.instructions,
            (std::vector<MmaInstruction>{{DataType::fp16, kDense, 16, 8, 16, 25, 8},
                                         {DataType::int8, kDense, 16, 8, 32, 26, 0},
                                         {DataType::fp16, {2, 4}, 16, 8, 32, 27, 16}}));
  EXPECT_EQ(sm.tensor_core.same_warp_bubble, Millicycles(1000));
  EXPECT_EQ(sm.tensor_core.same_warp_bubble_fp16, Millicycles(4250));
}

TEST(MachineConfig, ReadsKernels) {
  const std::vector<KernelConfig> kernels = read(kSampleMachine).kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0], (KernelConfig{"dense", false, 64, 64, 32, 4, 2, 1, 1}));
  EXPECT_EQ(kernels[1], (KernelConfig{"sparse", true, 64, 64, 64, 3, 2, 2, 2}));
}

TEST(MachineConfig, ReadsBackWhatItWritesAsJson) {
  const MachineConfig machine = read(kSampleMachine);
  EXPECT_EQ(read(to_json(machine).dump()), machine);
}

TEST(MachineConfig, TakesDefaultsForOptionalKeys) {
  EXPECT_EQ(read(replaced(kSampleMachine, "same_warp_bubble_fp16_cycles: 4.25", ""))
                .accelerator.sm.tensor_core.same_warp_bubble_fp16,
            Millicycles(1000));
  EXPECT_EQ(read(replaced(kSampleMachine, ", fragment_buffers: 3", ""))
                .accelerator.sm.operand_fetch.fragment_buffers,
            2);
  EXPECT_EQ(read(replaced(kSampleMachine, "    sub_cores: 2\n", "")).accelerator.sm.sub_cores, 4);
  EXPECT_EQ(read(replaced(kSampleMachine, ", burst_bytes: 32", "")).accelerator.dram.burst_bytes,
            64);
  EXPECT_EQ(read(replaced(kSampleMachine, "description: A machine of two SMs\n", "")).description,
            "");
}

/// What is no limit may say so, where the table of fields allows it.
TEST(MachineConfig, ReadsUnlimited) {
  const MachineConfig machine = read(
      replaced(kSampleMachine, "sm_read_bytes_per_clk: 48", "sm_read_bytes_per_clk: unlimited"));
  EXPECT_EQ(machine.accelerator.memory_bus.sm_read_bytes_per_clk, 1'000'000'000);
  EXPECT_EQ(to_json(machine)["accelerator"]["memory_bus"]["sm_read_bytes_per_clk"], "unlimited");
  EXPECT_EQ(read(to_json(machine).dump()), machine);
  EXPECT_EQ(error_with("sm_read_bytes_per_clk: 48", "sm_read_bytes_per_clk: lots"),
            "m.yaml:36:55: error: 'sm_read_bytes_per_clk' is 'lots', must be a whole number from 1 "
            "to 1000000000, or unlimited");
  EXPECT_EQ(error_with("hop_cycles: 80", "hop_cycles: unlimited"),
            "m.yaml:36:28: error: 'hop_cycles' is 'unlimited', must be a whole number from 0 to "
            "1000000000");
}

/// Without a far latency there is one partition.
TEST(MachineConfig, TheFarPartitionIsOptional) {
  EXPECT_EQ(read(replaced(kSampleMachine, "    far_hit_cycles: 357\n", ""))
                .accelerator.l2_cache.far_hit_cycles,
            208);
}

TEST(MachineConfig, RefusesImpossibleValues) {
  EXPECT_EQ(error_with("num_sms: 2", "num_sms: 0"),
            "m.yaml:5:12: error: 'num_sms' is '0', must be a whole number from 1 to 4096");
  EXPECT_EQ(error_with("1410.5", "0"),
            "m.yaml:3:12: error: 'clock_mhz' is '0', must be a number from 1 to 100000");
  EXPECT_EQ(error_with("1410.5", "fast"),
            "m.yaml:3:12: error: 'clock_mhz' is 'fast', must be a number from 1 to 100000");
  EXPECT_EQ(error_with("hop_cycles: 80", "hop_cycles: -1"),
            "m.yaml:36:28: error: 'hop_cycles' is '-1', must be a whole number from 0 to "
            "1000000000");
  EXPECT_EQ(error_with("latency_cycles: 27", "latency_cycles: 0"),
            "m.yaml:21:77: error: 'latency_cycles' is '0', must be a whole number from 1 to "
            "1000000000");
}

TEST(MachineConfig, RefusesUnknownAndMissingKeys) {
  EXPECT_EQ(error_with("num_sms: 2", "num_smss: 2"),
            "m.yaml:5:3: error: unknown key 'num_smss' in 'accelerator'; did you mean 'num_sms'?");
  EXPECT_EQ(error_with("bank_bytes: 8", "bank_byte: 8"),
            "m.yaml:31:7: error: unknown key 'bank_byte' in 'accelerator.sm.shared_memory'; did "
            "you mean 'bank_bytes'?");
  EXPECT_EQ(error_with("{name: dense, tile: [64, 64, 32], ", "{name: dense, "),
            "m.yaml:47:5: error: 'tile' is missing in 'kernels.0'");
}

TEST(MachineConfig, ChecksMemorySizesAgainstEachOther) {
  EXPECT_EQ(error_with("capacity_bytes: 66560", "capacity_bytes: 66559"),
            "m.yaml:28:26: error: 'max_bytes_per_cta' is 65536, must be at most 65535: "
            "'capacity_bytes' less 'reserved_bytes_per_cta'");
  EXPECT_EQ(error_with("near_hit_cycles: 208", "near_hit_cycles: 159"),
            "m.yaml:41:22: error: 'near_hit_cycles' is 159, must be at least 160: it includes two "
            "bus hops, 'hop_cycles'");
  EXPECT_EQ(error_with("near_hit_cycles: 208", "near_hit_cycles: 160"), "no error");
  EXPECT_EQ(error_with("      banks: 16\n", "      banks: 16\n      fill_bytes_per_clk: 129\n"),
            "m.yaml:31:27: error: 'fill_bytes_per_clk' is 129, must be at most 128: 'banks' times "
            "'bank_bytes'");
  EXPECT_EQ(error_with("far_hit_cycles: 357", "far_hit_cycles: 207"),
            "m.yaml:42:21: error: 'far_hit_cycles' is 207, must be at least 'near_hit_cycles', "
            "which is 208");
}

TEST(MachineConfig, ChecksTensorCores) {
  EXPECT_EQ(error_with("dtype: int8, fma", "dtype: fp16, fma"),
            "m.yaml:17:19: error: multipliers for 'fp16' are here a second time");
  EXPECT_EQ(error_with("        - {dtype: int8, fma_per_clk: 512}\n", ""),
            "m.yaml:19:19: error: 'multipliers' has no entry for 'int8', must have one for each "
            "instruction's dtype");
  EXPECT_EQ(
      error_with("k: 16, latency_cycles: 25, interval_cycles: 8",
                 "k: 16, latency_cycles: 25, interval_cycles: 7"),
      "m.yaml:19:82: error: 'interval_cycles' is 7, must be within 3 % of the 8 that the file's "
      "hardware takes (multipliers 8, registers 4, metadata 0, selector 0), or left out");
  EXPECT_EQ(error_with("pattern: \"2:4\", m: 16, n: 8, k: 32", "pattern: 2:4, m: 16, n: 8, k: 30"),
            "m.yaml:21:55: error: 'k' is 30, must be a multiple of 4 for pattern 2:4");
  EXPECT_EQ(error_with("pattern: \"2:4\", m: 16, n: 8, k: 32", "m: 16, n: 8, k: 16"),
            "m.yaml:21:19: error: instruction fp16/fp32 dense m16n8k16 is here a second time, "
            "must differ in 'dtype', 'accumulator', 'pattern', 'm', 'n' or 'k'");
  EXPECT_EQ(error_with("        - {dtype: int8, m: 16, n: 8, k: 32, latency_cycles: 26}\n", ""),
            "m.yaml:19:9: error: 'instructions' has no dense one for 'int8' that adds up in int32, "
            "must have one for each dtype of 'multipliers'");
  EXPECT_EQ(error_with("native_patterns: [\"2:4\", \"1:8\"]", "native_patterns: [\"2:4\", dense]"),
            "m.yaml:24:41: error: 'native_patterns' has 'dense', leave it out: it always runs");
}

/// The same shape may stand twice, once for each accumulator.
TEST(MachineConfig, ReadsAccumulators) {
  const MachineConfig machine =
      read(replaced(replaced(kSampleMachine, "pattern: \"2:4\", m: 16, n: 8, k: 32",
                             "accumulator: fp16, m: 16, n: 8, k: 16"),
                    "interval_cycles: 16", "interval_cycles: 8"));
  const auto& instructions = machine.accelerator.sm.tensor_core.instructions;
  EXPECT_EQ(instructions.at(0).accumulator, DataType::fp32);
  EXPECT_EQ(instructions.at(1).accumulator, DataType::int32);
  EXPECT_EQ(instructions.at(2).accumulator, DataType::fp16);
  EXPECT_EQ(read(to_json(machine).dump()), machine);
  EXPECT_EQ(error_with("dtype: int8, m", "dtype: int8, accumulator: fp16, m"),
            "m.yaml:20:38: error: 'accumulator' is fp16, must be int32 for dtype int8");
  EXPECT_EQ(error_with("fp16, m: 16, n: 8, k: 16", "fp16, accumulator: int32, m: 16, n: 8, k: 16"),
            "m.yaml:19:38: error: 'accumulator' is int32, must be fp32 or fp16 for dtype fp16");
}

TEST(MachineConfig, BubblesHaveThreeDecimals) {
  EXPECT_EQ(error_with("fp16_cycles: 4.25", "fp16_cycles: 4.125"), "no error");
  EXPECT_EQ(
      error_with("fp16_cycles: 4.25", "fp16_cycles: 4.0625"),
      "m.yaml:23:37: error: 'same_warp_bubble_fp16_cycles' is 4.0625, must not have more than "
      "three decimals");
  EXPECT_EQ(
      error_with("fp16_cycles: 4.25", "fp16_cycles: -1"),
      "m.yaml:23:37: error: 'same_warp_bubble_fp16_cycles' is '-1', must be a number from 0 to "
      "1000000000");
}

TEST(MachineConfig, ChecksKernels) {
  EXPECT_EQ(error_with("name: sparse,", "name: dense,"),
            "m.yaml:48:12: error: kernel 'dense' is here a second time");
  EXPECT_EQ(error_with("warps: [2, 1]", "warps: [3, 1]"),
            "m.yaml:47:57: error: 'warps' is [3, 1], must divide the tile's 64 rows and 64 "
            "columns");
  EXPECT_EQ(error_with("b_shared_by_warps: 2", "b_shared_by_warps: 4"),
            "m.yaml:48:99: error: 'b_shared_by_warps' is 4, must divide the 2 warps along m");
  EXPECT_EQ(error_with("tile: [64, 64, 32]", "tile: [64, 64]"),
            "m.yaml:47:25: error: 'tile' must be a list of three numbers: [m, n, k]");
}

/// Too many registers, stages, warps, or no whole instructions: no candidates, but no errors.
TEST(MachineConfig, KernelsNeedNotFitTheHardware) {
  for (const char* kernel :
       {"[512, 128, 32], stages: 1, warps: [4, 4]", "[64, 64, 32], stages: 64, warps: [2, 1]",
        "[64, 64, 32], stages: 4, warps: [16, 4]", "[64, 64, 24], stages: 4, warps: [2, 1]"}) {
    EXPECT_EQ(error_with("[64, 64, 32], stages: 4, warps: [2, 1]", kernel), "no error") << kernel;
  }
}

TEST(MachineConfig, MoreKernelsFollowThoseOfTheMachineItExtends) {
  YamlDocument document = parse_yaml(
      kSampleMachine +
          "more_kernels:\n  - {name: third, tile: [64, 64, 32], stages: 2, warps: [2, 1]}\n",
      "m.yaml");
  MapReader map(document);
  const MachineConfig machine = read_machine(map);
  ASSERT_EQ(machine.kernels.size(), 3U);
  EXPECT_EQ(machine.kernels.back().name, "third");
}

constexpr const char* kLibraryAndStack = R"(
libraries:
  - name: blas
    kernels:
      - {name: k, tile: [16, 8, 16], stages: 2, warps: [1, 1]}
stacks:
  - {name: usual, dense: blas, sparse: kernels}
)";

TEST(MachineConfig, ReadsStacks) {
  const MachineConfig machine = read(kSampleMachine + std::string(kLibraryAndStack));
  EXPECT_EQ(machine.stacks,
            (std::vector<StackConfig>{{"usual", "blas", kByHeuristic, kOwnKernels, kBySearch}}));
  EXPECT_EQ(machine.stack_names(), (std::vector<std::string>{"usual", "best"}));
  EXPECT_EQ(read(to_json(machine).dump()), machine);
}

TEST(MachineConfig, ChecksStacks) {
  const auto error = [](const std::string& from, const std::string& to) {
    return error_of(
        [&] { (void)read(replaced(kSampleMachine + std::string(kLibraryAndStack), from, to)); });
  };
  const auto says = [](const std::string& words) { return testing::HasSubstr(words); };
  EXPECT_THAT(error("dense: blas", "dense: blsa"),
              says("'dense' is 'blsa', must be one of blas, kernels; did you mean 'blas'?"));
  EXPECT_THAT(error("sparse: kernels", "sparse: blas"),
              says("'sparse' is 'blas', which has no sparse kernel"));
  EXPECT_THAT(error("name: usual", "name: best"), says("stack 'best' is every machine's own"));
  EXPECT_THAT(error("sparse: kernels}", "sparse: kernels, sparse_choice: luck}"),
              says("'sparse_choice' is 'luck', must be heuristic, whole_waves or search"));
  EXPECT_THAT(error("sparse: kernels}\n",
                    "sparse: kernels}\n  - {name: usual, dense: blas, sparse: kernels}\n"),
              says("stack 'usual' is here a second time"));
}

TEST(MachineConfig, RequiresAscendingSplits) {
  for (const char* list : {"[]", "[2, 4]", "[1, 4, 2]", "[1, 1]"}) {
    EXPECT_EQ(error_with("[1, 2, 4]", list),
              "m.yaml:45:10: error: 'split_k' must begin with 1 and ascend");
  }
}

/// A measured interval is compared with the hardware of its own file only: where a value of the
/// tensor core comes from elsewhere, it is left out.
TEST(MachineConfig, LeavesOutIntervalsMeasuredOnOtherHardware) {
  YamlDocument document = parse_yaml(kSampleMachine, "m.yaml");
  apply_override(document.root, "accelerator.sm.operand_selector.b_bytes_per_clk=64");
  MapReader map(document);
  const MachineConfig machine = read_machine(map);
  const auto& instructions = machine.accelerator.sm.tensor_core.instructions;
  EXPECT_EQ(instructions.at(0).interval_cycles, 0);
  EXPECT_EQ(instructions.at(2).interval_cycles, 0);
  EXPECT_TRUE(machine.notes.empty());
}

}  // namespace
}  // namespace stcsim
