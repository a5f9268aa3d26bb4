#include "tests/property/hardware_case.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/property/all_candidates.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kGemmsPerPair = 5;

struct Improvement {
  std::string what;
  std::function<void(AcceleratorConfig&, Dice&)> apply;
};

Pattern random_pattern(Dice& dice) {
  const std::int64_t m = dice.one_of({4, 8, 16, 32});
  return {dice.one_of({1, 2, m / 4, m / 2}), m};
}

void add_pattern(AcceleratorConfig& machine, Dice& dice) {
  machine.sm.operand_selector.native_patterns.push_back(random_pattern(dice));
}

const std::vector<std::string> kKernels{
    "dense_128x128x32_s4", "dense_64x64x64_s5",    "dense_128x64x64_s3",   "sparse_128x128x64_s3",
    "sparse_64x64x64_s4",  "sparse_128x64x128_s4", "sparse_128x128x32_s4", "sparse_128x64x32_s4"};

std::vector<std::int64_t*> widths_of(AcceleratorConfig& machine) {
  std::vector<std::int64_t*> widths{&machine.sm.operand_selector.b_bytes_per_clk,
                                    &machine.sm.operand_fetch.register_bytes_per_clk,
                                    &machine.sm.shared_memory.banks,
                                    &machine.sm.shared_memory.fill_bytes_per_clk,
                                    &machine.sm.copy_engine.issue_bytes_per_clk,
                                    &machine.memory_bus.sm_read_bytes_per_clk,
                                    &machine.memory_bus.sm_write_bytes_per_clk,
                                    &machine.l2_cache.capacity_bytes,
                                    &machine.l2_cache.read_bytes_per_clk,
                                    &machine.l2_cache.write_bytes_per_clk,
                                    &machine.dram.bytes_per_clk,
                                    &machine.dram.write_queue_bytes};
  for (MultiplierRate& rate : machine.sm.tensor_core.multipliers)
    widths.push_back(&rate.fma_per_clk);
  return widths;
}

/// The copy engine is left out: it asks for everything earlier, so that the memory serves in
/// another order, which costs up to 2.5 % where waves of CTAs are few.
const std::vector<Improvement>& improvements() {
  static const std::vector<Improvement> all{
      {"one more pattern", add_pattern},
      {"one more pattern", add_pattern},
      {"one more pattern", add_pattern},
      {"one more pattern", add_pattern},
      {"multipliers",
       [](auto& m, Dice&) {
         for (MultiplierRate& rate : m.sm.tensor_core.multipliers) rate.fma_per_clk *= 2;
       }},
      {"operand selector", [](auto& m, Dice&) { m.sm.operand_selector.b_bytes_per_clk *= 2; }},
      {"register file", [](auto& m, Dice&) { m.sm.operand_fetch.register_bytes_per_clk *= 2; }},
      {"shared-memory port", [](auto& m, Dice&) { m.sm.shared_memory.banks *= 2; }},
      {"fill port", [](auto& m, Dice&) { m.sm.shared_memory.fill_bytes_per_clk *= 2; }},
      {"shared memory",
       [](auto& m, Dice&) {
         m.sm.shared_memory.capacity_bytes *= 2;
         m.sm.shared_memory.max_bytes_per_cta *= 2;
       }},
      {"registers", [](auto& m, Dice&) { m.sm.registers *= 2; }},
      {"CTA slots", [](auto& m, Dice&) { m.sm.max_ctas *= 2; }},
      {"warps", [](auto& m, Dice&) { m.sm.max_warps *= 2; }},
      {"vector lanes", [](auto& m, Dice&) { m.sm.vector_lanes_per_sub_core *= 2; }},
      {"bus, reading", [](auto& m, Dice&) { m.memory_bus.sm_read_bytes_per_clk *= 2; }},
      {"bus, writing", [](auto& m, Dice&) { m.memory_bus.sm_write_bytes_per_clk *= 2; }},
      {"L2, reading", [](auto& m, Dice&) { m.l2_cache.read_bytes_per_clk *= 2; }},
      {"L2, writing", [](auto& m, Dice&) { m.l2_cache.write_bytes_per_clk *= 2; }},
      {"L2 capacity", [](auto& m, Dice&) { m.l2_cache.capacity_bytes *= 2; }},
      {"DRAM", [](auto& m, Dice&) { m.dram.bytes_per_clk *= 2; }},
      {"write queue", [](auto& m, Dice&) { m.dram.write_queue_bytes *= 2; }},
  };
  return all;
}

/// A part of the A100 with one to three native patterns and a few of its kernels; every width is
/// the A100's, half of it or twice as much.
MachineConfig random_nm_machine(Dice& dice) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", 1);
  MachineConfig machine = load_machine("a100_nm").config;
  AcceleratorConfig& hardware = machine.accelerator;
  const std::int64_t all_sms = hardware.num_sms;
  hardware.num_sms = dice.one_of({2, 4, 6});
  for (std::int64_t* const shared :
       {&hardware.l2_cache.capacity_bytes, &hardware.l2_cache.read_bytes_per_clk,
        &hardware.l2_cache.write_bytes_per_clk, &hardware.dram.bytes_per_clk,
        &hardware.dram.write_queue_bytes}) {
    *shared = std::max<std::int64_t>(1, *shared * hardware.num_sms / all_sms);
  }
  for (std::int64_t* const width : widths_of(hardware)) {
    *width = std::max<std::int64_t>(1, *width * dice.one_of({1, 2, 2, 4}) / 2);
  }
  std::vector<Pattern>& native = hardware.sm.operand_selector.native_patterns;
  native.clear();
  for (std::int64_t count = dice.between(1, 3); count > 0; --count) {
    native.push_back(random_pattern(dice));
  }
  std::erase_if(machine.kernels, [&](const KernelConfig& kernel) {
    return std::find(kKernels.begin(), kKernels.end(), kernel.name) == kKernels.end();
  });
  machine.split_k = {1, 2, 4};
  return machine;
}

struct Pair {
  std::string what;
  std::unique_ptr<MachineRunner> base;
  std::unique_ptr<MachineRunner> wider;
};

Pair random_pair(Dice& dice) {
  const auto& all = improvements();
  const Improvement& improvement =
      all[static_cast<std::size_t>(dice.between(0, std::ssize(all) - 1))];
  MachineConfig machine = random_nm_machine(dice);
  Pair pair{improvement.what, std::make_unique<MachineRunner>(machine), nullptr};
  improvement.apply(machine.accelerator, dice);
  pair.wider = std::make_unique<MachineRunner>(machine);
  return pair;
}

/// Around and between the tiles' edges, with a thousand multiplications or more per result: in the
/// shortest GEMMs, which CTA of an SM is served first can matter more than 1 %.
GemmProblem problem_for(Dice& dice) {
  const auto extent = [&](std::int64_t most) {
    return dice.between(0, 1) == 0 ? dice.between(1, most) : 64 * dice.between(1, most / 64);
  };
  const std::vector<Pattern> patterns{kDense, {2, 4}, {1, 4}, {1, 8}, {2, 8}, {4, 8}, {1, 16}};
  GemmProblem problem;
  problem.m = extent(640);
  problem.n = extent(640);
  problem.k = 1000 + extent(1024);
  problem.dtype = dice.between(0, 3) == 0 ? DataType::int8 : DataType::fp16;
  problem.a_pattern = patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))];
  return problem;
}

}  // namespace

void expect_hardware_never_hurts(std::uint64_t seed, std::int64_t pairs) {
  Dice dice(seed);
  std::vector<Pair> all;
  for (std::int64_t index = 0; index < pairs; ++index) all.push_back(random_pair(dice));
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (std::int64_t gemm = 0; gemm < kGemmsPerPair; ++gemm) {
      const GemmProblem problem = problem_for(dice);
      const Fastest base = fastest_of_all(*all[index].base, problem);
      const Fastest wider = fastest_of_all(*all[index].wider, problem);
      EXPECT_LE(wider.cycles, base.cycles + std::max<std::int64_t>(64, base.cycles / 100))
          << "seed " << seed << ", pair " << index << ", more " << all[index].what << ": "
          << problem.m << "x" << problem.n << "x" << problem.k << " " << to_string(problem.dtype)
          << " " << problem.a_pattern.to_string() << "; " << base.kernel << " as "
          << base.hardware.to_string() << ", then " << wider.kernel << " as "
          << wider.hardware.to_string();
    }
  }
}

}  // namespace stcsim::test
