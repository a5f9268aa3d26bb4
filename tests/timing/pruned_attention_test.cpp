#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/functional/reference_gemm.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Scores as lower() states them: keys x queries, a query's keys side by side in memory.
GemmProblem scores_of(std::int64_t keys, std::int64_t queries, std::int64_t batch,
                      Pattern kept = {2, 4}, DataType dtype = DataType::bf16) {
  GemmProblem problem = test::make_problem(keys, queries, 64, batch, dtype);
  problem.c_layout = OutputLayout::column_major;
  problem.c_pattern = kept;
  return problem;
}

MachineConfig three_sms(const char* name) {
  MachineConfig machine = load_machine(name).config;
  machine.accelerator.num_sms = 3;
  return machine;
}

/// What metadata and values say of one query, masked where nothing is kept.
std::vector<float> unpacked(const pruning::Compressed& packed, std::int64_t row) {
  std::vector<float> scores(static_cast<std::size_t>(packed.groups * packed.pattern.m), kMasked);
  std::int64_t bits = 0;
  while ((std::int64_t{1} << bits) < packed.pattern.m) ++bits;
  for (std::int64_t at = 0; at < packed.groups * packed.pattern.n; ++at) {
    std::int64_t place = 0;
    for (std::int64_t bit = 0; bit < bits; ++bit) {
      const std::int64_t from = at * bits + bit;
      const auto word =
          packed.metadata.at(static_cast<std::size_t>(row * packed.words_per_row + from / 32));
      place |= static_cast<std::int64_t>(word >> (from % 32) & 1U) << bit;
    }
    scores.at(static_cast<std::size_t>(at / packed.pattern.n * packed.pattern.m + place)) =
        packed.values.at(static_cast<std::size_t>(row * packed.groups * packed.pattern.n + at));
  }
  return scores;
}

/// A score is kept if fewer than n of its group are larger, or as large and before it.
float expected_score(const std::vector<float>& row, std::size_t at, Pattern kept) {
  const std::size_t first = at - at % static_cast<std::size_t>(kept.m);
  const std::size_t end = std::min(row.size(), first + static_cast<std::size_t>(kept.m));
  std::int64_t before = 0;
  for (std::size_t other = first; other < end; ++other) {
    before += row[other] > row[at] || (row[other] == row[at] && other < at) ? 1 : 0;
  }
  return before < kept.n ? row[at] : kMasked;
}

TEST(PrunedScores, AreTheLargestAndSayWhereTheyStood) {
  const std::uint64_t seed = test::seed_or(21);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  for (const Pattern kept : {Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 8}, Pattern{5, 9}}) {
    for (const OutputLayout layout : {OutputLayout::row_major, OutputLayout::column_major}) {
      GemmProblem problem = scores_of(dice.between(1, 70), dice.between(1, 70), 2, kept);
      problem.c_layout = layout;
      PlainMatrix c(2, problem.m, problem.n);
      for (float& value : c.values) value = static_cast<float>(dice.between(-3, 3));
      const bool by_rows = layout == OutputLayout::row_major;
      const pruning::Compressed packed = pruned_result(problem, c, 1);
      for (std::int64_t row = 0; row < (by_rows ? problem.m : problem.n); ++row) {
        std::vector<float> scores;
        for (std::int64_t at = 0; at < (by_rows ? problem.n : problem.m); ++at) {
          scores.push_back(by_rows ? c.at(1, row, at) : c.at(1, at, row));
        }
        const std::vector<float> kept_ones = unpacked(packed, row);
        for (std::size_t at = 0; at < scores.size(); ++at) {
          ASSERT_EQ(kept_ones[at], expected_score(scores, at, kept)) << kept.to_string();
        }
      }
    }
  }
}

/// Softmax of what is kept, of every query: A of the product with the values.
PlainMatrix probabilities(const GemmProblem& problem, const PlainMatrix& scores) {
  PlainMatrix p(scores.batch_count, scores.columns, scores.rows);
  for (std::int64_t batch = 0; batch < p.batch_count; ++batch) {
    const pruning::Compressed packed = pruned_result(problem, scores, batch);
    for (std::int64_t query = 0; query < p.rows; ++query) {
      const std::vector<float> kept = unpacked(packed, query);
      double sum = 0;
      for (const float score : kept) sum += std::exp(static_cast<double>(score));
      for (std::int64_t key = 0; key < p.columns; ++key) {
        const auto score = static_cast<double>(kept[static_cast<std::size_t>(key)]);
        p.at(batch, query, key) = static_cast<float>(std::exp(score) / sum);
      }
    }
  }
  return p;
}

/// Scores, keys x queries, of two heads.
void mask_causally(PlainMatrix& scores) {
  for (std::int64_t key = 0; key < scores.rows; ++key) {
    for (std::int64_t query = 0; query < key; ++query) {
      scores.at(0, key, query) = scores.at(1, key, query) = kMasked;
    }
  }
}

/// Both products on the machine with values: the pruned one, and the sparse one of what it kept.
void expect_attention(bool causal, const char* name = "a100") {
  constexpr std::int64_t kTokens = 96;
  MachineRunner runner(three_sms(name));
  const GemmProblem scores = scores_of(kTokens, kTokens, 2);
  const PlainOperands keys_queries = random_operands(scores, 5);
  const FunctionalRun first =
      run_gemm_with_values(runner, scores, {}, {}, {.a = keys_queries.a, .b = keys_queries.b});
  EXPECT_EQ(first.check.mismatches, 0) << first.check.first_mismatch;
  EXPECT_EQ(first.check.elements, 2 * kTokens * kTokens);
  PlainMatrix c = reference_gemm(scores, keys_queries, ascending_order(scores));
  if (causal) mask_causally(c);
  const PlainMatrix p = probabilities(scores, c);
  for (std::int64_t query = 0; query < kTokens; ++query) {
    std::int64_t kept = 0;
    for (std::int64_t key = 0; key < kTokens; ++key) {
      kept += p.at(1, query, key) > 0 ? 1 : 0;
      if (causal && key > query) {
        EXPECT_EQ(p.at(1, query, key), 0);
      }
    }
    const std::int64_t seen = causal ? query + 1 : kTokens;  // two of four, or what is seen of them
    EXPECT_EQ(kept, seen / 4 * 2 + std::min<std::int64_t>(2, seen % 4));
  }
  GemmProblem values = test::make_problem(kTokens, 64, kTokens, 2, DataType::bf16, {2, 4});
  const FunctionalRun second = run_gemm_with_values(runner, values, {}, {}, {.a = p});
  EXPECT_EQ(second.run.hardware_pattern, (Pattern{2, 4}));
  EXPECT_EQ(second.check.mismatches, 0) << second.check.first_mismatch;
}

TEST(PrunedAttention, MultipliesWhatIsKept) {
  expect_attention(false);
}
TEST(PrunedAttention, OfACausalBlockKeepsWhatIsSeen) {
  expect_attention(true);
}
TEST(PrunedAttention, MultipliesTheSameIfAUnitPrunes) {
  expect_attention(true, "a100_spc");
}
TEST(PrunedAttention, MultipliesTheSameOnRubin) {
  expect_attention(false, "rubin");
}

PlainMatrix turned(const PlainMatrix& matrix) {
  PlainMatrix other(matrix.batch_count, matrix.columns, matrix.rows);
  for (std::int64_t batch = 0; batch < matrix.batch_count; ++batch) {
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (std::int64_t at = 0; at < matrix.columns; ++at) {
        other.at(batch, at, row) = matrix.at(batch, row, at);
      }
    }
  }
  return other;
}

/// Queries, keys, values and the result's gradient, tokens x head size, and the probabilities, of
/// which only those that are 0 count: what is not kept.
struct AttentionValues {
  PlainMatrix q, k, v, gradient, p;

  /// The sum over all of the result times its gradient, computed anew.
  [[nodiscard]] double loss() const {
    double all = 0;
    for (std::int64_t query = 0; query < q.rows; ++query) {
      double sum = 0;
      double weighed = 0;
      for (std::int64_t key = 0; key < k.rows; ++key) {
        if (p.at(1, query, key) == 0) continue;
        double score = 0;
        double product = 0;
        for (std::int64_t at = 0; at < q.columns; ++at) {
          score += static_cast<double>(q.at(1, query, at)) * static_cast<double>(k.at(1, key, at));
          product += static_cast<double>(gradient.at(1, query, at)) *
                     static_cast<double>(v.at(1, key, at));
        }
        sum += std::exp(score);
        weighed += std::exp(score) * product;
      }
      all += weighed / sum;
    }
    return all;
  }
  /// Of the second matrix of the batch, by differences of the loss.
  void expect_gradient(PlainMatrix AttentionValues::*of, const PlainMatrix& actual) {
    const float largest =
        std::ranges::max(actual.values, {}, [](float value) { return std::abs(value); });
    ASSERT_GT(std::abs(largest), 0);
    for (const std::int64_t row : {0, 5, 50, 95}) {
      for (const std::int64_t column : {0, 17, 63}) {
        float& value = (this->*of).at(1, row, column);
        constexpr float kStep = 1.0F / 256;
        const float before = std::exchange(value, value + kStep);
        const double above = loss();
        value = before - kStep;
        const double below = loss();
        value = before;
        EXPECT_NEAR(actual.at(1, row, column), (above - below) * 128, 0.02 * std::abs(largest));
      }
    }
  }
};

/// The five products of a causal block, backward: one is sparse, with the gradients of scores.
TEST(PrunedAttention, BackwardGivesTheGradientsOfWhatIsKept) {
  constexpr std::int64_t kTokens = 96;
  MachineRunner runner(three_sms("rubin"));
  const auto multiply = [&](const GemmProblem& problem, const PlainMatrix& a,
                            const PlainMatrix& b) {
    const FunctionalRun run = run_gemm_with_values(runner, problem, {}, {}, {.a = a, .b = b});
    EXPECT_EQ(run.check.mismatches, 0) << run.check.first_mismatch;
    EXPECT_EQ(run.run.hardware_pattern, problem.a_pattern);
    return reference_gemm(problem, {a, b}, ascending_order(problem));
  };
  GemmProblem scores = scores_of(kTokens, kTokens, 2);
  AttentionValues values;
  auto [keys, queries, none] = random_operands(scores, 7);
  for (float& value : keys.values) value /= 8;
  PlainMatrix c = multiply(scores, keys, queries);
  mask_causally(c);
  values.p = probabilities(scores, c);
  auto [v, gradient, nothing] = random_operands(scores, 8);
  scores.c_pattern = kDense;
  const PlainMatrix dp = turned(multiply(scores, v, gradient));
  PlainMatrix ds = values.p;
  for (std::int64_t row = 0; row < ds.batch_count * kTokens; ++row) {
    const auto first = static_cast<std::size_t>(row * kTokens);
    float mean = 0;
    for (std::size_t at = first; at < first + kTokens; ++at) mean += ds.values[at] * dp.values[at];
    for (std::size_t at = first; at < first + kTokens; ++at) ds.values[at] *= dp.values[at] - mean;
  }
  values.q = turned(queries);
  values.k = keys;
  values.v = v;
  values.gradient = turned(gradient);
  const GemmProblem dense = test::make_problem(kTokens, 64, kTokens, 2, DataType::bf16);
  GemmProblem sparse = dense;
  sparse.a_pattern = {2, 4};
  values.expect_gradient(&AttentionValues::q, multiply(sparse, ds, keys));
  values.expect_gradient(&AttentionValues::k, multiply(dense, turned(ds), values.q));
  values.expect_gradient(&AttentionValues::v, multiply(dense, turned(values.p), values.gradient));
}

/// 2:4 of bf16 is 9 bytes of 8 elements, 1:2 of tf32 33 of 16; what is read is as ever.
TEST(PrunedAttention, StoresKeptScoresAndMetadata) {
  MachineRunner runner(three_sms("a100"));
  for (const auto& [dtype, kept, bytes_of_16] : {std::tuple(DataType::bf16, Pattern{2, 4}, 18),
                                                 std::tuple(DataType::tf32, Pattern{1, 2}, 33)}) {
    const GemmProblem pruned = scores_of(512, 256, 3, kept, dtype);
    GemmProblem dense = pruned;
    dense.c_pattern = kDense;
    const LaunchResult own = run_gemm(runner, pruned, {}).result;
    const LaunchResult all = run_gemm(runner, dense, {}).result;
    EXPECT_EQ(own.kernel.split_k, 1);
    const std::int64_t written = 512 * 256 * 3 / 16 * bytes_of_16;
    EXPECT_EQ(own.count("l2_write_bytes"), written);
    EXPECT_EQ(own.count("dram_write_bytes"), written);
    EXPECT_EQ(all.count("l2_write_bytes"), 512 * 256 * 3 * bytes_of(output_of(dtype), 1));
  }
}

/// An A100's 64 lanes take eight comparisons of an element; they come on top of what it takes.
TEST(PrunedAttention, ChoosesOnTheLanesThatCompare) {
  const MachineConfig machine = load_machine("a100").config;
  std::string why_not;
  const auto kernel =
      fit_kernel(machine, machine.kernels.front(), DataType::bf16, kDense, why_not).value();
  GemmProblem problem = scores_of(512, 512, 1);
  const KernelLaunch pruned = gemm_launch(machine, kernel, problem, 1);
  problem.c_pattern = kDense;
  const KernelLaunch dense = gemm_launch(machine, kernel, problem, 1);
  const std::int64_t own = dense.epilogue.elements_per_clk;
  const double moved =
      static_cast<double>(own > 0 ? own : machine.accelerator.sm.epilogue.elements_per_clk);
  EXPECT_EQ(pruned.epilogue.elements_per_clk, std::floor(1 / (1 / moved + 8.0 / 64)));
  EXPECT_EQ(pruned.epilogue.stored_per_1024, 1024 * 9 / 16);
  EXPECT_EQ(pruned.stored_bytes(), dense.stored_bytes() * 9 / 16);
}

/// 18 of 32 bytes are left to warps that move what a unit has kept, unless it is slower itself.
TEST(PrunedAttention, LeavesWarpsWhatAUnitKeeps) {
  MachineConfig machine = load_machine("a100_spc").config;
  std::string why_not;
  const auto kernel =
      fit_kernel(machine, machine.kernels.front(), DataType::bf16, kDense, why_not).value();
  const auto epilogue = [&](std::int64_t rate) {
    machine.accelerator.sm.epilogue.compress_elements_per_clk = rate;
    return gemm_launch(machine, kernel, scores_of(512, 512, 1), 1).epilogue;
  };
  ASSERT_EQ(kernel.config.epilogue_elements_per_clk, 0) << "the machine's 26 count";
  for (const auto& [rate, elements] : {std::pair(1, 1), std::pair(32, 32),
                                       std::pair(64, 26 * 32 / 18), std::pair(128, 26 * 32 / 18)}) {
    EXPECT_EQ(epilogue(rate).elements_per_clk, elements) << rate;
    EXPECT_EQ(epilogue(rate).stored_per_1024, epilogue(0).stored_per_1024);
  }
}

/// The same kernel on three SMs, whose lanes or whose unit prunes.
TEST(PrunedAttention, WritesTheSameBytesSoonerIfAUnitPrunes) {
  MachineRunner lanes(three_sms("a100"));
  MachineRunner unit(three_sms("a100_spc"));
  for (const Pattern kept : {Pattern{2, 4}, Pattern{1, 8}}) {
    const GemmProblem problem = scores_of(512, 256, 3, kept);
    const auto candidates = kernel_candidates(lanes.machine(), problem, {kDense}, {"auto", 1});
    const KernelCandidate& candidate = candidates.front();
    const LaunchStatistics slow = lanes.run(candidate.launch);
    const LaunchStatistics fast =
        unit.run(gemm_launch(unit.machine(), candidate.kernel, problem, 1));
    for (const char* const bytes : {"l2_write_bytes", "dram_write_bytes", "l2_read_bytes"}) {
      EXPECT_EQ(fast.count(bytes), slow.count(bytes)) << bytes;
    }
    EXPECT_LT(fast.cycles, slow.cycles);
  }
}

/// Random shapes on five machines: no faster than its bounds, and what is skipped changes nothing.
TEST(PrunedAttention, IsNoFasterThanItsBounds) {
  const std::uint64_t seed = test::seed_or(22);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const char* const name : {"a100", "h100_sxm", "a100_nm", "a100_spc", "rubin"}) {
    runners.push_back(std::make_unique<MachineRunner>(three_sms(name)));
  }
  for (int round = 0; round < 15; ++round) {
    MachineRunner& runner = *runners.at(static_cast<std::size_t>(round % 5));
    const Pattern kept = round % 2 == 0 ? Pattern{2, 4} : Pattern{1, 8};
    const GemmProblem problem =
        scores_of(dice.between(8, 900), dice.between(8, 900), dice.between(1, 4), kept);
    const auto candidates = kernel_candidates(runner.machine(), problem, {kDense}, {"auto", 2});
    for (const KernelCandidate& candidate : candidates) {
      runner.set_fast_forward(true);
      const LaunchStatistics fast = runner.run(candidate.launch);
      runner.set_fast_forward(false);
      const LaunchStatistics slow = runner.run(candidate.launch);
      EXPECT_EQ(fast.cycles, slow.cycles);
      EXPECT_EQ(slow.count("l2_write_bytes"), candidate.launch.stored_bytes());
      EXPECT_EQ(candidate.launch.splits, 1);
      EXPECT_LE(least_cycles(runner.machine().accelerator, candidate.launch), slow.cycles);
    }
  }
}

}  // namespace
}  // namespace stcsim
