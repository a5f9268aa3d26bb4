#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/property/machine_numbers.hpp"
#include "tests/property/random_machines.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {
namespace {

/// A shipped machine and its numbers.
struct Shipped {
  std::string name;
  YamlNode root;
  std::vector<Number> numbers;
};

std::vector<Shipped> shipped_machines() {
  std::vector<Shipped> all;
  for (const CatalogEntry& entry : list_configs(ConfigKind::machine)) {
    const YamlNode root = load_by_name(ConfigKind::machine, entry.name);
    all.push_back({entry.name, root, numbers_of(root)});
  }
  return all;
}

/// Any size, each order of magnitude as likely.
std::int64_t any_size(std::int64_t least, std::int64_t most, Dice& dice) {
  const double share = static_cast<double>(dice.between(0, 1'000'000)) / 1e6;
  const double spread = std::log(static_cast<double>(most) - static_cast<double>(least) + 1);
  const double above = std::floor(std::exp(share * spread)) - 1;
  return std::min(most, least + static_cast<std::int64_t>(above));
}

std::string any_value(const Number& number, Dice& dice) {
  const Field& field = number.field;
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  switch (dice.between(0, 9)) {
    case 0:
      return text(field.least);
    case 1:
      return text(field.most);
    case 2:
      return text(field.least - 1);
    case 3:
      return text(field.least + 1);
    case 4:
      return "99999999999999999999";
    case 5:
      return text(dice.one_of({1, 2, 3, 7, 61, 127, 1009, 65537, 1'000'003}));
    case 6:
      return dice.between(0, 1) == 0 ? "0.001" : "-0.5";
    case 7:
      return kUnlimited;
    default:
      return text(any_size(field.least, field.most, dice));
  }
}

GemmProblem any_problem(Dice& dice) {
  GemmProblem problem = random_problem(dice);
  problem.k *= dice.one_of({1, 1, 8});
  return problem;
}

/// One number of the machine, sometimes two.
std::vector<std::string> any_changes(const std::vector<Number>& numbers, Dice& dice) {
  std::vector<std::string> changes;
  for (std::int64_t count = dice.one_of({1, 1, 2}); count > 0; --count) {
    const auto at = static_cast<std::size_t>(dice.between(0, std::ssize(numbers) - 1));
    changes.push_back(numbers[at].path + "=" + any_value(numbers[at], dice));
  }
  return changes;
}

/// Runs the GEMM, the dense one beside it, and a stream kernel. Returns "" for a result,
/// "refused: ..." or "failed: ...".
std::string outcome_of(const YamlNode& machine, const std::vector<std::string>& changes,
                       GemmProblem problem) {
  try {
    YamlNode changed = machine;
    apply_overrides(changed, changes);
    MachineRunner runner(read_machine(changed).config);
    if (!runner.machine().supports(problem.dtype)) problem.dtype = DataType::fp16;
    (void)run_gemm(runner, problem, {"auto", 2});
    problem.a_pattern = kDense;
    (void)run_gemm(runner, problem, {"auto", 1});
    (void)run_stream(runner, {100'000, 30'000, 50'000});
    return "";
  } catch (const ConfigError& error) {
    return fmt::format("refused: {}", error.what());
  } catch (const std::exception& error) {
    return fmt::format("failed: {}", error.what());
  }
}

/// A refusal says what would be right.
bool is_fine(const std::string& outcome) {
  if (outcome.empty()) return true;
  return outcome.starts_with("refused: ") && outcome.find("must") != std::string::npos;
}

}  // namespace

void expect_results_or_refusals(std::uint64_t seed, std::int64_t cases) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::vector<Shipped> machines = shipped_machines();
  Dice dice(seed);
  for (std::int64_t count = 0; count < cases; ++count) {
    const Shipped& machine =
        machines[static_cast<std::size_t>(dice.between(0, std::ssize(machines) - 1))];
    const std::vector<std::string> changes = any_changes(machine.numbers, dice);
    const GemmProblem problem = any_problem(dice);
    const std::string outcome =
        in_own_process([&] { return outcome_of(machine.root, changes, problem); });
    EXPECT_TRUE(is_fine(outcome)) << fmt::format(
        "stcsim gemm --arch {} --m {} --n {} --k {} --batch-count {} --dtype {} --sparsity {} "
        "--set {}: "
        "{}",
        machine.name, problem.m, problem.n, problem.k, problem.batch_count,
        to_string(problem.dtype), problem.a_pattern.to_string(), fmt::join(changes, " --set "),
        outcome);
  }
}

}  // namespace stcsim::test
