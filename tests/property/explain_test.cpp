#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/property/gain_causes.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/poor_board.hpp"

namespace stcsim {
namespace {

/// Eight SMs of the A100, with their share of the L2 cache's and of DRAM's width.
MachineConfig eight_sms() {
  MachineConfig machine = load_machine("a100").config;
  machine.accelerator.num_sms = 8;
  machine.accelerator.l2_cache.read_bytes_per_clk = 320;
  machine.accelerator.l2_cache.write_bytes_per_clk = 320;
  machine.accelerator.dram.bytes_per_clk = 80;
  machine.accelerator.dram.tile_share = 1;
  machine.accelerator.sm.epilogue.setup_cycles = 100;
  machine.split_k = {1};
  return machine;
}

ExplainQuestion question_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  ExplainQuestion question;
  question.dense = test::make_problem(m, n, k);
  question.problem = question.dense;
  question.problem.a_pattern = {2, 4};
  question.policy.stack = "slides_2020";
  return question;
}

/// Eight tiles of 256 x 128: a CTA for every SM.
ExplainQuestion full_wave() {
  return question_of(1024, 256, 4096);
}

/// Its dense twin, whose cause is one of its time.
ExplainQuestion dense(ExplainQuestion question) {
  question.problem = question.dense;
  return question;
}

ExplainQuestion with_large_tiles(ExplainQuestion question) {
  const bool is_dense = question.problem.a_pattern.is_dense();
  question.policy.kernel = is_dense ? "dense_256x128x64_s3" : "sparse_256x128x64_s3";
  return question;
}

/// A machine on which one resource starves by design.
struct Starving {
  std::string resource;
  std::function<void(AcceleratorConfig&)> starve;
  /// Dense: its time is what starves. A sparse GEMM's gain is what its selector costs, and what
  /// latencies cost alike.
  ExplainQuestion question = dense(full_wave());
};

class ExplainStarving : public testing::TestWithParam<Starving> {};

TEST_P(ExplainStarving, IsNamed) {
  MachineConfig machine = eight_sms();
  GetParam().starve(machine.accelerator);
  const Explanation explanation = explain(machine, GetParam().question, 2);
  ASSERT_NE(explanation.verdict(), nullptr);
  EXPECT_EQ(explanation.verdict()->name, GetParam().resource);
  EXPECT_GT(explanation.saved_by(*explanation.verdict()), 0.2);
  MachineRunner runner(machine);
  const GemmRun run = run_gemm(runner, explanation.problem, GetParam().question.policy);
  EXPECT_EQ(bound_by(machine, run.result), GetParam().resource);
}

std::vector<Starving> starving_machines() {
  std::vector<Starving> all{
      Starving{"multipliers",
               [](AcceleratorConfig& hardware) {
                 for (auto& rate : hardware.sm.tensor_core.multipliers) rate.fma_per_clk /= 16;
               }},
      Starving{
          "operand_selector",
          [](AcceleratorConfig& hardware) { hardware.sm.operand_selector.b_bytes_per_clk = 8; },
          full_wave()},
      Starving{"metadata",
               [](AcceleratorConfig& hardware) {
                 hardware.sm.operand_selector.metadata_decode_cycles = 64;
               },
               full_wave()},
      Starving{"register_file",
               [](AcceleratorConfig& hardware) {
                 hardware.sm.operand_fetch.register_bytes_per_clk = 16;
               }},
      Starving{"shared_memory_port",
               [](AcceleratorConfig& hardware) { hardware.sm.shared_memory.banks = 4; }},
      Starving{
          "fill",
          [](AcceleratorConfig& hardware) { hardware.sm.shared_memory.fill_bytes_per_clk = 8; }},
      Starving{"memory_bus",
               [](AcceleratorConfig& hardware) { hardware.memory_bus.sm_read_bytes_per_clk = 4; }},
      Starving{"l2_cache",
               [](AcceleratorConfig& hardware) { hardware.l2_cache.read_bytes_per_clk = 16; }},
      Starving{"dram", [](AcceleratorConfig& hardware) { hardware.dram.bytes_per_clk = 4; }},
      Starving{"latencies",
               [](AcceleratorConfig& hardware) { hardware.dram.latency_cycles = 20'000; },
               full_wave()},
      Starving{"epilogue",
               [](AcceleratorConfig& hardware) { hardware.sm.epilogue.setup_cycles = 1'000'000; }},
      Starving{
          "launch",
          [](AcceleratorConfig& hardware) { hardware.cta_scheduler.launch_cycles = 1'000'000; }},
      Starving{kTooFewCtas,
               [](AcceleratorConfig& hardware) {
                 hardware.num_sms = 64;
                 hardware.l2_cache.read_bytes_per_clk = 3840;
                 hardware.dram.bytes_per_clk = 1000;
               },
               with_large_tiles(dense(full_wave()))},
      Starving{kLastWave, [](AcceleratorConfig&) {},
               with_large_tiles(dense(question_of(256 * 9, 128, 16'384)))}};
#ifdef STCSIM_SANITIZED  // checks of the model, which take the sanitizers a minute: two of them
  all.erase(all.begin(), all.end() - 2);
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(OneResource, ExplainStarving, testing::ValuesIn(starving_machines()),
                         [](const auto& one) { return one.param.resource; });

/// Every figure is a simulation: this one is repeated on a machine changed by hand.
TEST(Explain, IsASimulationOfTheChangedMachine) {
  const MachineConfig machine = eight_sms();
  const ExplainQuestion question = question_of(300, 200, 1000);
  const Explanation explanation = explain(machine, question, 2);
  ASSERT_EQ(explanation.chain.size(), relaxations().size());
  EXPECT_EQ(explanation.chain.back().times, explanation.all);
  MachineConfig changed = machine;
  changed.accelerator.dram.bytes_per_clk *= 2;
  MachineRunner as_it_is(machine);
  MachineRunner with_twice(changed);
  const auto candidates = gemm_candidates(machine, question.problem, question.policy);
  EXPECT_EQ(run_gemm(as_it_is, question.problem, question.policy).result.cycles,
            explanation.all.sparse.cycles);
  EXPECT_EQ(run_gemm(as_it_is, question.dense, question.policy).result.cycles,
            explanation.all.dense.cycles);
  for (const Counterfactual& one : explanation.counterfactuals) {
    if (one.name != "dram") continue;
    const auto same_kernel = [&](const KernelCandidate& candidate) {
      return candidate.kernel.config.name == explanation.sparse_kernel.name;
    };
    const auto chosen = std::find_if(candidates.begin(), candidates.end(), same_kernel);
    ASSERT_NE(chosen, candidates.end());
    EXPECT_EQ(with_twice.run(chosen->launch).cycles.count(), one.doubled->sparse.cycles);
  }
}

/// With the multipliers alone on a machine whose DRAM costs little, twice the clock takes half the
/// time; where DRAM is all that counts, the clock changes nothing.
TEST(Explain, TheClockLeavesDramAsItIs) {
  const auto twice_the_clock = [](std::int64_t dram_bytes_per_clk) {
    MachineConfig machine = eight_sms();
    machine.accelerator.dram.bytes_per_clk = dram_bytes_per_clk;
    machine.accelerator.dram.latency_cycles = 0;
    const Explanation explanation = explain(machine, full_wave(), 2);
    for (const Counterfactual& one : explanation.counterfactuals) {
      if (one.name == kClock) {
        return one.doubled->sparse.time_us() / explanation.all.sparse.time_us();
      }
    }
    return 0.0;
  };
  EXPECT_NEAR(twice_the_clock(1'000'000), 0.5, 0.001);
  EXPECT_GT(twice_the_clock(2), 0.95);
}

/// What can be counted without the machine: 300 x 200 x 1000 multiplications, half of them at 2:4,
/// at 8 x 4 x 256 a cycle.
TEST(Explain, BeginsWithTheMultiplications) {
  const Explanation explanation = explain(eight_sms(), question_of(300, 200, 1000), 2);
  EXPECT_EQ(explanation.at_peak, (TimesOfBoth{{7325, 1410}, {3663, 1410}}));
  TimesOfBoth before = explanation.at_peak;
  for (const ChainLink& link : explanation.chain) {
    EXPECT_GE(link.times.sparse.cycles, before.sparse.cycles * 99 / 100) << link.name;
    before = link.times;
  }
}

/// Where the board's limit decides which kernel is the fastest, and not: the kernel, its clock and
/// its time are those of the GEMM.
TEST(Explain, IsOfWhatTheGemmRuns) {
  ExplainQuestion question;
  question.problem = test::poor_board_problem();
  question.dense = question.problem;
  std::vector<LaunchConditions> all(5);
  all[1].locked_clock_mhz = 500;
  all[2].launch_us = 100;
  all[3].same_operands = true;
  all[4].launches = 2;
  MachineConfig machine = test::poor_board(20);
  machine.power.burst_joules = 0.001;
  machine.accelerator.l2_cache.capacity_bytes = 100'000'000;
  std::vector<Explanation> explanations;
  for (const LaunchConditions& one : all) {
    question.conditions = one;
    explanations.push_back(explain(machine, question, 2));
  }
  MachineRunner runner(machine);
  std::vector<std::string> kernels;
  for (std::size_t at = 0; at < all.size(); ++at) {
    SCOPED_TRACE(at);
    const LaunchResult run =
        run_gemm_sustained(runner, question.problem, question.policy, all[at]).result;
    const Explanation& explanation = explanations[at];
    EXPECT_EQ(explanation.sparse_kernel, run.kernel);
    EXPECT_EQ(explanation.all.sparse.clock_mhz, run.clock_mhz);
    EXPECT_NEAR(explanation.all.sparse.time_us(), run.time_us(), 0.002 * run.time_us());
    kernels.push_back(run.kernel.name);
  }
  EXPECT_EQ(kernels, (std::vector<std::string>{"large", "small", "large", "large", "large"}));
}

TEST(Explain, NamesWhatRaisesTheGainMost) {
  test::expect_cause_of_gain(eight_sms(), question_of(300, 200, 1000));
  test::expect_cause_of_gain(eight_sms(), full_wave());
  test::expect_cause_of_gain(eight_sms(), question_of(1300, 256, 2048));
  MachineConfig narrow = eight_sms();
  narrow.accelerator.sm.shared_memory.banks = 16;
  test::expect_cause_of_gain(narrow, full_wave());
}

/// A tile of 256 x 128 more than there are SMs: with nine of them, both fill one wave.
TEST(Explain, TheDenseGemmHasAsManySmsAsTheSparseOne) {
  const ExplainQuestion question = with_large_tiles(question_of(256 * 9, 128, 1024));
  const Explanation explanation = explain(eight_sms(), question, 2);
  MachineConfig nine = eight_sms();
  nine.accelerator.num_sms = 9;
  MachineRunner runner(nine);
  const auto candidates =
      gemm_candidates(eight_sms(), question.dense, policy_of_dense(question.policy));
  const auto chosen = std::ranges::find_if(candidates, [&](const KernelCandidate& candidate) {
    return candidate.kernel.config.name == explanation.dense_kernel.name;
  });
  ASSERT_NE(chosen, candidates.end());
  for (const Counterfactual& one : explanation.counterfactuals) {
    if (one.name != kLastWave) continue;
    EXPECT_EQ(one.change, "9 SMs instead of 8, so that it is not needed");
    EXPECT_EQ(runner.run(chosen->launch).cycles.count(), one.free->dense.cycles);
    return;
  }
  FAIL() << "no last wave";
}

TEST(Explain, OfADenseGemmBothAreTheSame) {
  ExplainQuestion question = question_of(100, 100, 100);
  question.problem = question.dense;
  const Explanation explanation = explain(eight_sms(), question, 2);
  EXPECT_FALSE(explanation.is_sparse());
  EXPECT_EQ(explanation.all.dense, explanation.all.sparse);
  for (const Counterfactual& one : explanation.counterfactuals) {
    const TimesOfBoth both = one.free ? *one.free : *one.doubled;
    EXPECT_EQ(both.dense, both.sparse) << one.name;
  }
}

}  // namespace
}  // namespace stcsim
