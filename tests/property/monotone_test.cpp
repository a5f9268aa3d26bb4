#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim {
namespace {

using Improvement = std::function<void(AcceleratorConfig&)>;

/// More bandwidth or less latency, everywhere in the machine. The bus hop is left out: hit
/// latencies contain it.
std::vector<Improvement> improvements() {
  return {
      [](auto& m) { m.sm.shared_memory.banks *= 2; },
      [](auto& m) { m.sm.copy_engine.issue_bytes_per_clk += 3; },
      [](auto& m) { m.memory_bus.sm_read_bytes_per_clk += 1; },
      [](auto& m) { m.memory_bus.read_bytes_per_clk += 100; },
      [](auto& m) { m.memory_bus.sm_write_bytes_per_clk += 1; },
      [](auto& m) { m.l2_cache.read_bytes_per_clk += 7; },
      [](auto& m) { m.l2_cache.write_bytes_per_clk += 7; },
      [](auto& m) { m.dram.bytes_per_clk += 2; },
      [](auto& m) { m.dram.latency_cycles /= 2; },
      [](auto& m) { m.l2_cache.far_hit_cycles = m.l2_cache.near_hit_cycles; },
      [](auto& m) { m.sm.shared_memory.latency_cycles = 1; },
      [](auto& m) { m.sm.shared_memory.barrier_cycles /= 2; },
      [](auto& m) { m.sm.epilogue.setup_cycles /= 2; },
      [](auto& m) { m.cta_scheduler.launch_cycles /= 2; },
      [](auto& m) { m.cta_scheduler.cta_setup_cycles /= 2; },
      [](auto& m) {
        for (auto& one : m.sm.tensor_core.instructions) one.latency_cycles = 1;
      },
      [](auto& m) { m.sm.tensor_core.same_warp_bubble = Millicycles(0); },
  };
}

/// One CTA of one warp on one SM, with one stage and one fragment buffer.
MachineConfig serial_machine(test::Dice& dice) {
  MachineConfig machine = test::random_machine(dice);
  machine.accelerator.num_sms = 1;
  machine.accelerator.sm.sub_cores = 1;
  machine.accelerator.sm.operand_fetch.fragment_buffers = 1;
  machine.split_k = {1};
  machine.kernels = {test::make_kernel("serial", false, 16, 16, 32, 1, 1, 1)};
  return machine;
}

/// A faster part may make a whole machine slower: queues are served in order of arrival, and an
/// earlier arrival can push ahead of a more urgent one. Strict monotonicity holds where nothing can
/// overtake: with one stage and one warp every queue sees the same requests in the same order, and
/// every time is a maximum and sum of earlier ones.
TEST(Monotone, ASerialMachineIsNeverSlowerForAFasterPart) {
  constexpr std::uint64_t kSeed = 21;
  test::Dice dice(kSeed);
  struct Pair {
    std::unique_ptr<MachineRunner> base;
    std::unique_ptr<MachineRunner> better;
  };
  std::vector<Pair> pairs;
  for (int round = 0; round < 8; ++round) {
    for (const Improvement& improve : improvements()) {
      MachineConfig machine = serial_machine(dice);
      Pair pair;
      pair.base = std::make_unique<MachineRunner>(machine);
      improve(machine.accelerator);
      pair.better = std::make_unique<MachineRunner>(machine);
      pairs.push_back(std::move(pair));
    }
  }
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const GemmProblem problem =
        test::make_problem(dice.between(1, 16), dice.between(1, 16), dice.between(1, 300));
    const GemmRun base = run_gemm(*pairs[at].base, problem, {});
    const GemmRun better = run_gemm(*pairs[at].better, problem, {});
    EXPECT_LE(better.result.cycles, base.result.cycles)
        << "improvement " << at % improvements().size() << ", k " << problem.k << ", seed "
        << kSeed;
  }
}

}  // namespace
}  // namespace stcsim
