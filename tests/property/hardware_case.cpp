#include "tests/property/hardware_case.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
  return {dice.one_of({1, 2, 4, m / 2}), m};
}

void add_pattern(AcceleratorConfig& machine, Dice& dice) {
  machine.sm.operand_selector.native_patterns.push_back(random_pattern(dice));
}

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
      {"copy engine", [](auto& m, Dice&) { m.sm.copy_engine.issue_bytes_per_clk *= 2; }},
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

MachineConfig random_nm_machine(Dice& dice) {
  MachineConfig machine = random_machine(dice);
  std::vector<Pattern>& native = machine.accelerator.sm.operand_selector.native_patterns;
  native.clear();
  for (std::int64_t count = dice.between(0, 3); count > 0; --count) {
    native.push_back(random_pattern(dice));
  }
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

GemmProblem problem_for(Dice& dice) {
  GemmProblem problem = random_problem(dice);
  problem.batch_count = 1;
  const std::vector<Pattern> patterns{kDense, {2, 4}, {1, 4}, {1, 8}, {2, 8}, {4, 8}, {1, 16}};
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
