#include "tests/property/best_stack_case.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim::test {
namespace {

/// How far times of the same cycles may differ: floating point.
constexpr double kRounding = 1 + 1e-12;

/// Nothing if the stack has no kernel for it.
std::optional<GemmRun> run_with(MachineRunner& runner, const GemmProblem& problem,
                                const KernelPolicy& policy, bool at_own_clock) {
  try {
    return at_own_clock ? run_gemm(runner, problem, policy)
                        : run_gemm_sustained(runner, problem, policy);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// No kernel that it left out takes less.
double least_us(const GemmRun& run) {
  return run.result.time_us() * (1 - run.search.value().regret_at_most);
}

}  // namespace

BestStackCases::BestStackCases(std::uint64_t seed, std::int64_t most_macs)
    : dice_(seed), most_macs_(most_macs) {
  const auto launches = std::make_shared<LaunchCache>();
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) {
    const MachineConfig machine = load_machine(entry.name).config;
    if (machine.stacks.empty()) continue;
    runners_.push_back(std::make_unique<MachineRunner>(machine));
    runners_.back()->remember_launches(launches);
  }
}

/// Of every type that the machine multiplies, rows of all alignments, one wave and many.
GemmProblem BestStackCases::draw(const MachineConfig& machine) {
  const std::vector<Pattern> patterns{kDense, kDense, {2, 4},          {2, 4},
                                      {1, 4}, {6, 8}, {2, 8, 1, 0, 64}};
  GemmProblem problem;
  do {
    const std::int64_t unit = dice_.one_of({8, 64, 64, 128});
    const auto extent = [&] {
      return unit * dice_.one_of({1, 2, 3, 4, 7, 12, 16, 32, 64}) - dice_.one_of({0, 0, 0, 0, 1});
    };
    problem = {};
    problem.m = extent();
    problem.n = extent();
    problem.k = extent();
    problem.batch_count = dice_.one_of({1, 1, 1, 1, 5});
  } while (problem.macs() > most_macs_);
  const auto& types = operand_data_types();
  do {
    const std::int64_t at = dice_.between(-std::ssize(types), std::ssize(types) - 1);
    problem.dtype = at < 0 ? DataType::fp16 : types[static_cast<std::size_t>(at)];
  } while (!machine.supports(problem.dtype));
  const auto pattern = static_cast<std::size_t>(dice_.between(0, std::ssize(patterns) - 1));
  problem.a_pattern = patterns[pattern];
  if (dice_.between(0, 3) == 0) problem.b_layout = OperandLayout::mn_major;
  return problem;
}

void BestStackCases::check_next() {
  MachineRunner& runner = *runners_[next_++ % runners_.size()];
  const GemmProblem problem = draw(runner.machine_as_built());
  check(runner, problem, dice_.between(0, 2) == 0);
}

void BestStackCases::check(MachineRunner& runner, const GemmProblem& problem, bool at_own_clock) {
  const MachineConfig& machine = runner.machine_as_built();
  SCOPED_TRACE(fmt::format("{}, {}x{}x{} x{} {} {}{}", machine.name, problem.m, problem.n,
                           problem.k, problem.batch_count, to_string(problem.dtype),
                           problem.a_pattern.to_string(), at_own_clock ? ", at full clock" : ""));
  const auto best = run_with(runner, problem, {"auto", {}, kBestStack}, at_own_clock);
  const auto of_few = run_with(runner, problem, {"auto", 1, kBestStack}, at_own_clock);
  ASSERT_TRUE(best && of_few);
  const double best_us = best->result.time_us();
  sparse_ += problem.a_pattern.is_dense() ? 0 : 1;
  below_full_clock_ += best->result.clock_mhz < machine.clock_mhz ? 1 : 0;
  of_libraries_ +=
      std::any_of(machine.kernels.begin(), machine.kernels.end(),
                  [&](const KernelConfig& own) { return own.name == best->result.kernel.name; })
          ? 0
          : 1;
  for (const StackConfig& stack : machine.stacks) {
    const auto one = run_with(runner, problem, {"auto", {}, stack.name}, at_own_clock);
    if (!one) continue;
    const double us = one->result.time_us();
    EXPECT_LE(best_us, us * kRounding) << stack.name << ": " << one->result.kernel.name;
    EXPECT_LE(least_us(*best), us * kRounding) << stack.name;
    EXPECT_LE(least_us(*of_few), us * kRounding) << stack.name;
    ++comparisons_;
    faster_ += best_us < us ? 1 : 0;
  }
}

void BestStackCases::print_summary() const {
  const std::string text = fmt::format(
      "{} GEMMs on {} machines, {} sparse, {} below the full clock, {} with a library's kernel: "
      "best "
      "is faster in {} of {} comparisons",
      next_, machines(), sparse_, below_full_clock_, of_libraries_, faster_, comparisons_);
  std::printf("%s\n", text.c_str());
}

}  // namespace stcsim::test
