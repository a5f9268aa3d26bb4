#include "sim/kernel/kernel_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/kernel/library.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

std::vector<KernelCandidate> candidates(const KernelPolicy& policy, Pattern hardware = kDense) {
  return kernel_candidates(test::tiny_machine(), test::make_problem(64, 64, 64), {hardware},
                           policy);
}

std::string complaint(const KernelPolicy& policy, Pattern hardware = kDense) {
  try {
    (void)candidates(policy, hardware);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(KernelChoice, AutoRanksAllUsableKernels) {
  const auto all = candidates({"auto", 8});
  std::set<std::string> kernels;
  for (std::size_t at = 0; at < all.size(); ++at) {
    EXPECT_LE(all[at == 0 ? 0 : at - 1].estimated_cycles, all[at].estimated_cycles);
    kernels.insert(all[at].kernel.config.name);
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"dense", "dense_s1"}));
  EXPECT_EQ(candidates({"auto", 1}).size(), 1U);
  EXPECT_EQ(candidates({"auto", 0}).size(), 1U);
  EXPECT_EQ(candidates({"auto", 1}).front().kernel.config.name, all[0].kernel.config.name);
}

/// Of a kernel of which an SM holds one CTA, and one of which it holds two or is given one: names
/// and CTAs per SM, by rank.
std::vector<std::string> order(std::int64_t m, std::int64_t k, const KernelPolicy& policy,
                               const EstimatedTime& time = {}) {
  MachineConfig machine = test::tiny_machine();
  test::remove_latencies(machine);
  machine.accelerator.num_sms = 2;  // with as much memory each as one has alone
  machine.accelerator.l2_cache.read_bytes_per_clk *= 2;
  machine.accelerator.dram.bytes_per_clk *= 2;
  machine.kernels.resize(2, machine.kernels.front());
  machine.kernels[1] = machine.kernels[0];
  machine.kernels[0].name = "alone";
  machine.kernels[0].max_ctas_per_sm = 1;
  machine.kernels[1].name = "shared";
  machine.kernels[1].max_ctas_per_sm = 2;
  std::vector<std::string> names;
  const GemmProblem problem = test::make_problem(m, 8, k);
  for (const KernelCandidate& one :
       rank_kernels(machine, problem, {kDense}, policy, time).candidates) {
    names.push_back(one.kernel.config.name + std::to_string(one.launch.ctas_per_sm));
  }
  return names;
}

using Names = std::vector<std::string>;

/// With as many CTAs per SM as fit, and with every smaller number.
TEST(KernelChoice, EveryOccupancyIsACandidate) {
  std::vector<std::int64_t> found;
  for (const KernelCandidate& one : candidates({"auto", 8})) {
    if (one.kernel.config.name == "dense") found.push_back(one.launch.ctas_per_sm);
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

/// Two kernels, of which an SM holds one to four CTAs, are ranked. Then come the same with one
/// fragment buffer instead of two.
TEST(KernelChoice, WhatIsSeldomFasterComesLast) {
  const auto ranked = candidates({"auto", 8});
  const auto all = candidates({"auto", 1000});
  ASSERT_EQ(all.size(), 8U * 2);
  for (std::size_t at = 0; at < all.size(); ++at) {
    EXPECT_EQ(all[at].launch.warp.fragment_buffers, at < 8 ? 2 : 1) << at;
    if (at < 8) {
      EXPECT_EQ(all[at].launch, ranked[at].launch) << at;
    }
  }
}

/// Two kernels with one to four CTAs on an SM, twice.
TEST(KernelChoice, OneSmAloneIsSearchedFurther) {
  MachineConfig machine = test::tiny_machine();
  machine.kernels.insert(machine.kernels.end(), machine.kernels.begin(), machine.kernels.end());
  const auto count = [&](std::int64_t sms) {
    machine.accelerator.num_sms = sms;
    return rank_kernels(machine, test::make_problem(64, 64, 64), {kDense}, {}).candidates.size();
  };
  EXPECT_EQ(count(1), 12U);
  EXPECT_EQ(count(2), 3U);
}

/// Estimates say less of kernels that nobody compiled: none of them takes a listed one's place.
TEST(KernelChoice, AsManyOfTheListAsOfTheSpaceAreSimulated) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.num_sms = 2;
  machine.kernel_space = {{16, 32}, {8, 16}, {16, 32}, {2, 3}, {16}, {8}, 1};
  const auto counts = [&](std::optional<std::int64_t> candidates) {
    const KernelRanking ranking = rank_kernels(machine, test::make_problem(64, 64, 64), {kDense},
                                               {"auto", candidates, kBestStack});
    const auto listed = [](const std::vector<KernelCandidate>& some) {
      return std::count_if(some.begin(), some.end(), [](const KernelCandidate& one) {
        return one.kernel.config.name == "dense" || one.kernel.config.name == "dense_s1";
      });
    };
    const std::int64_t simulated = listed(ranking.candidates);
    EXPECT_EQ(simulated + listed(ranking.left_out), 8) << "two, with one to four CTAs on an SM";
    return std::pair(simulated, std::ssize(ranking.candidates) - simulated);
  };
  using Counts = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(counts({}), (Counts{3, 3}));
  EXPECT_EQ(counts(1), (Counts{1, 1}));
  EXPECT_EQ(counts(5), (Counts{5, 5}));
}

/// A sparse tensor may run as any pattern it fits inside, with every instruction, or dense.
TEST(KernelChoice, EveryPatternAndInstructionIsACandidate) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_selector.native_patterns = {{1, 8}, {2, 8}};
  std::set<std::string> found;
  for (const KernelCandidate& one :
       every_candidate(machine, test::make_problem(64, 64, 512), {{1, 8}, {2, 8}, kDense})) {
    const MmaInstruction& instruction = one.kernel.instruction;
    found.insert(instruction.pattern.to_string() + " k" + std::to_string(instruction.k));
  }
  EXPECT_EQ(found, (std::set<std::string>{"1:8 k128", "1:8 k64", "1:8 k32", "1:8 k16", "2:8 k64",
                                          "2:8 k32", "2:8 k16", "dense k16"}));
}

/// Tiles of 16 rows and k-steps of 16: 16 CTAs of 1024 k-steps are the most that is not large. With
/// few k-steps, waiting for each CTA's first makes one CTA at a time clearly slower.
TEST(KernelChoice, LargeGemmsPreferTilesThatHaveAnSmForThemselves) {
  const KernelPolicy all{"auto", 3};
  EXPECT_EQ(order(256, 16384, all), (Names{"shared2", "alone1", "shared1"}));
  EXPECT_EQ(order(257, 16384, all), (Names{"alone1", "shared2", "shared1"}));
  EXPECT_EQ(order(65536, 256, all), (Names{"shared2", "alone1", "shared1"}));
}

TEST(KernelChoice, OfLargeGemmsOneIsSimulatedUnlessMoreAreAskedFor) {
  EXPECT_EQ(order(256, 16384, {"auto"}), (Names{"shared2", "alone1", "shared1"}));
  EXPECT_EQ(order(257, 16384, {"auto"}), Names{"alone1"});
  EXPECT_EQ(order(257, 16384, {"auto", 2}), (Names{"alone1", "shared2"}));
}

/// Where two CTAs in an SM bring the clock down. Whether they share one is decided by cycles.
TEST(KernelChoice, OfASearchTheShortestTimeRanksFirst) {
  const KernelPolicy all{"auto", 3};
  const EstimatedTime slow_together = [](const KernelLaunch& launch, double cycles) {
    return launch.ctas_per_sm == 2 ? 10 * cycles : cycles;
  };
  const EstimatedTime slow_alone = [](const KernelLaunch& launch, double cycles) {
    return launch.ctas_per_sm == 1 ? 10 * cycles : cycles;
  };
  EXPECT_EQ(order(256, 16384, all, slow_together), (Names{"alone1", "shared1", "shared2"}));
  EXPECT_EQ(order(257, 16384, all, slow_together), (Names{"alone1", "shared1", "shared2"}));
  EXPECT_EQ(order(257, 16384, all, slow_alone), (Names{"alone1", "shared2", "shared1"}));
}

TEST(KernelChoice, WhatFollowsARankingIsEstimatedLikeIt) {
  const EstimatedTime tenfold = [](const KernelLaunch&, double cycles) { return 10 * cycles; };
  const auto ranked = [](const EstimatedTime& time) {
    return rank_kernels(test::tiny_machine(), test::make_problem(64, 64, 64), {kDense},
                        {"auto", 1000}, time)
        .candidates;
  };
  const auto cycles = ranked({});
  const auto times = ranked(tenfold);
  ASSERT_EQ(cycles.size(), times.size());
  for (std::size_t at = 0; at < cycles.size(); ++at) {
    EXPECT_DOUBLE_EQ(times[at].estimated_cycles, 10 * cycles[at].estimated_cycles) << at;
  }
}

TEST(KernelChoice, ANameAsksForOneKernel) {
  ASSERT_EQ(candidates({"dense_s1", 3}).size(), 1U);
  EXPECT_EQ(candidates({"dense_s1", 3}).front().kernel.config.name, "dense_s1");
}

TEST(KernelChoice, SaysWhatIsWrong) {
  EXPECT_EQ(complaint({"fast", 1}),
            "error: tiny has no kernel 'fast'; its kernels are listed by 'stcsim list kernels "
            "--arch tiny'");
  EXPECT_EQ(complaint({"sparse", 1}), "error: kernel 'sparse' cannot be used: is a sparse kernel");
  EXPECT_EQ(complaint({"auto", 1}, {1, 8}),
            "error: none of the kernels of tiny can run fp16 1:8; it has no instruction for that");
}

/// Of dense operands where no dense kernel fits, and then beside the machine's own of 2:4 ones.
TEST(KernelChoice, MappedKernelsStandInWhereNoneFits) {
  MachineConfig machine = test::tiny_machine();
  const auto has = [&](const std::string& beginning, Pattern hardware) {
    return std::ranges::any_of(
        kernel_candidates(machine, test::make_problem(64, 64, 64), {hardware}, {"auto", 999}),
        [&](const KernelCandidate& one) { return one.kernel.config.name.starts_with(beginning); });
  };
  EXPECT_FALSE(has("mapped_", kDense));
  EXPECT_FALSE(has("mapped_", {2, 4}));
  EXPECT_EQ(mapping_note(machine, "", DataType::fp16), "");
  for (KernelConfig& one : machine.kernels) {
    if (!one.sparse) one.stages = 1000;
  }
  EXPECT_TRUE(has("mapped_dense_", kDense));
  EXPECT_FALSE(has("dense", kDense));
  EXPECT_TRUE(has("mapped_sparse_", {2, 4}));
  EXPECT_TRUE(has("sparse", {2, 4}));
  EXPECT_EQ(mapping_note(machine, "", DataType::fp16),
            "tiny: none of its kernels fits fp16 dense: ones made for it stand in, which nobody "
            "has compiled (mapped_...)");
  machine.accelerator.sm.shared_memory.max_bytes_per_cta = 64;
  EXPECT_THROW((void)has("", kDense), ConfigError);
}

/// Few tiles and a long k: the SMs that would stand idle are worth a reduction.
TEST(KernelChoice, SplitsKWhereTilesAreFew) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.num_sms = 8;
  machine.accelerator.l2_cache.read_bytes_per_clk = 4096;
  machine.accelerator.dram.bytes_per_clk = 4096;
  machine.split_k = {1, 2, 4, 8};
  const auto splits = [&](const GemmProblem& problem) {
    return kernel_candidates(machine, problem, {kDense}, {"dense", 1}).front().launch.splits;
  };
  EXPECT_EQ(splits(test::make_problem(16, 8, 65536)), 8);
  EXPECT_EQ(splits(test::make_problem(256, 256, 64)), 1);
  EXPECT_EQ(splits(test::make_problem(16, 8, 16)), 1);
}

}  // namespace
}  // namespace stcsim
