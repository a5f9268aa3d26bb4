#include "sim/design/machine_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim {
namespace {

/// Machines that are made up: their times, and what they cost.
struct MadeUpMachines {
  Lattice lattice{{}};
  std::vector<MachineTimes> times;
  std::vector<double> costs;
  /// How much above its own a time may lie.
  double noise = 0;

  [[nodiscard]] SearchProblem problem(Against against, double budget) const {
    SearchProblem problem(lattice);
    problem.cost = costs;
    problem.second_cost = costs;
    for (const double cost : costs) problem.is_allowed.push_back(cost <= budget);
    problem.against = against;
    problem.slack = noise;
    problem.simulate = [this](std::size_t machine) { return times[machine]; };
    return problem;
  }
};

double share(test::Dice& dice) {
  constexpr std::int64_t kFine = 1'000'000;
  return static_cast<double>(dice.between(0, kFine)) / static_cast<double>(kFine);
}

/// Three GEMMs, each bound by the resource that takes it longest; every level doubles a resource.
MadeUpMachines made_up(test::Dice& dice, double noise) {
  constexpr int kGemms = 3;
  Levels sizes;
  const std::int64_t resources = dice.between(1, 5);
  for (std::int64_t at = 0; at < resources; ++at) {
    sizes.push_back(static_cast<std::size_t>(dice.between(1, 4)));
  }
  MadeUpMachines made{Lattice(sizes), {}, {}, noise};
  std::vector<double> needs;
  for (std::size_t at = 0; at < sizes.size() * kGemms * 2; ++at) needs.push_back(8 * share(dice));
  std::vector<double> areas;
  for (std::size_t at = 0; at < sizes.size(); ++at) areas.push_back(share(dice));
  for (std::size_t machine = 0; machine < made.lattice.count(); ++machine) {
    MachineTimes times;
    double cost = 1;
    for (std::size_t gemm = 0; gemm < kGemms; ++gemm) {
      double own = 1;
      double dense = 5;
      for (std::size_t at = 0; at < sizes.size(); ++at) {
        const double width = std::exp2(static_cast<double>(made.lattice.level(machine, at)));
        own = std::max(own, needs[gemm * sizes.size() + at] / width);
        dense = std::max(dense, 2 * needs[(kGemms + gemm) * sizes.size() + at] / width);
        if (gemm == 0) cost += areas[at] * (width - 1);
      }
      times.own += own;
      times.dense += dense;
    }
    times.own *= 1 + noise * share(dice);
    times.dense *= 1 + noise * share(dice);
    made.times.push_back(times);
    made.costs.push_back(cost);
  }
  return made;
}

double speedup_of(const MadeUpMachines& made, Against against, std::size_t machine) {
  const double dense = made.times[against == Against::base ? 0 : machine].dense;
  return dense / made.times[machine].own;
}

/// The cheapest of all, found by looking at all: equal costs by levels, then by number.
std::optional<std::size_t> cheapest_by_hand(const MadeUpMachines& made, Against against,
                                            double speedup, double budget) {
  std::optional<std::size_t> best;
  for (std::size_t machine = 0; machine < made.times.size(); ++machine) {
    if (made.costs[machine] > budget || speedup_of(made, against, machine) < speedup) continue;
    const auto key = [&](std::size_t one) {
      return std::pair(made.costs[one], made.lattice.height(one));
    };
    if (!best || key(machine) < key(*best)) best = machine;
  }
  return best;
}

double fastest_by_hand(const MadeUpMachines& made, Against against, double budget) {
  double most = 0;
  for (std::size_t machine = 0; machine < made.times.size(); ++machine) {
    if (made.costs[machine] <= budget) most = std::max(most, speedup_of(made, against, machine));
  }
  return most;
}

/// Some that most machines reach, some that none does.
double goal_between(test::Dice& dice, double base, double most) {
  return base + (1.1 * most - base) * share(dice);
}

struct Effort {
  std::size_t machines = 0;
  std::size_t simulated = 0;
};

void expect_exact(std::uint64_t seed, double noise, Effort& effort) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  const MadeUpMachines made = made_up(dice, noise);
  for (const Against against : {Against::same, Against::base}) {
    const double budget = 1 + 8 * share(dice);
    const double most = fastest_by_hand(made, against, budget);
    const double goal = goal_between(dice, speedup_of(made, against, 0), most);
    MachineSearch search(made.problem(against, budget));
    EXPECT_EQ(search.cheapest(goal), cheapest_by_hand(made, against, goal, budget));
    EXPECT_EQ(MachineSearch(made.problem(against, budget)).cheapest_of_all(goal),
              cheapest_by_hand(made, against, goal, budget));
    effort.machines += made.lattice.count();
    effort.simulated += search.simulated();
    if (noise > 0) continue;
    MachineSearch fastest(made.problem(against, budget));
    EXPECT_EQ(fastest.most_speedup(), most);
    EXPECT_EQ(MachineSearch(made.problem(against, budget)).most_speedup_of_all(), most);
    EXPECT_LE(fastest.simulated(), made.lattice.count());
  }
}

TEST(MachineSearch, FindsWhatLookingAtAllFinds) {
  const std::uint64_t seed = test::seed_or(1);
  Effort effort;
  for (std::uint64_t at = 0; at < 400; ++at) expect_exact(seed + at, 0, effort);
  // A fifth of them would be many; small spaces, of which most are simulated, are among them.
  EXPECT_LT(effort.simulated * 5, effort.machines) << "seed " << seed;
}

/// Times that are up to a hundredth above what they should be, here and there.
TEST(MachineSearch, IsExactWithinTheSlack) {
  const std::uint64_t seed = test::seed_or(10'001);
  Effort effort;
  for (std::uint64_t at = 0; at < 400; ++at) expect_exact(seed + at, 0.01, effort);
  EXPECT_LT(effort.simulated * 5, effort.machines) << "seed " << seed;
}

/// 5^5 machines whose time is the sum of five parts, each halved by every level of one resource; a
/// level of each costs the same. The cheapest that reaches half the way has all at about the same
/// level; how many machines the search needs was counted once, and may only become fewer.
TEST(MachineSearch, LooksAtFewOfManyMachines) {
  const Lattice lattice(Levels(5, 5));
  SearchProblem problem(lattice);
  for (std::size_t machine = 0; machine < lattice.count(); ++machine) {
    problem.cost.push_back(static_cast<double>(lattice.height(machine)));
  }
  problem.second_cost = problem.cost;
  problem.is_allowed.assign(lattice.count(), true);
  problem.simulate = [&](std::size_t machine) {
    MachineTimes times{0, 10};
    for (std::size_t at = 0; at < lattice.resources(); ++at) {
      times.own += std::exp2(-static_cast<double>(lattice.level(machine, at)));
    }
    return times;
  };
  MachineSearch search(problem);
  const std::optional<std::size_t> cheapest = search.cheapest(8);  // each 1/4: 5/4
  ASSERT_TRUE(cheapest);
  EXPECT_EQ(lattice.levels(*cheapest), Levels(5, 2));
  EXPECT_EQ(MachineSearch(problem).cheapest_of_all(8), cheapest);
  EXPECT_LT(search.simulated(), 1000U);
}

/// One resource: every halving takes two simulations, the second because what is a level below the
/// best may be all that is left.
TEST(MachineSearch, HalvesOneResource) {
  constexpr std::size_t kMachines = 1024;  // 2^10
  SearchProblem problem(Lattice({kMachines}));
  for (std::size_t machine = 0; machine < kMachines; ++machine) {
    problem.cost.push_back(static_cast<double>(machine));
  }
  problem.second_cost = problem.cost;
  problem.is_allowed.assign(kMachines, true);
  problem.simulate = [](std::size_t machine) {
    return MachineTimes{1024.0 / static_cast<double>(machine + 1), 1024.0};
  };
  for (const std::size_t goal : {1U, 2U, 511U, 512U, 513U, 700U, 1023U, 1024U}) {
    MachineSearch search(problem);
    EXPECT_EQ(search.cheapest(static_cast<double>(goal)), goal - 1);
    EXPECT_LE(search.simulated(), 2U * 10 + 5) << goal;
  }
  EXPECT_EQ(MachineSearch(problem).cheapest(1025), std::nullopt);
}

/// What only a simulation tells: a machine that is fast enough but draws too much is passed over.
TEST(MachineSearch, PassesOverWhatIsNotAccepted) {
  SearchProblem problem(Lattice({4, 4}));
  for (std::size_t machine = 0; machine < 16; ++machine) {
    problem.cost.push_back(static_cast<double>(problem.lattice.height(machine)));
  }
  problem.second_cost = problem.cost;
  problem.is_allowed.assign(16, true);
  problem.simulate = [&](std::size_t machine) {
    return MachineTimes{8.0 - static_cast<double>(Lattice({4, 4}).height(machine)), 8.0};
  };
  problem.accepts = [](std::size_t machine) { return machine % 2 == 1; };
  MachineSearch search(problem);
  const std::optional<std::size_t> found = search.cheapest(2);  // height 4: 4 and 4, or 1 and 3
  EXPECT_EQ(found, problem.lattice.machine({1, 3}));
  problem.accepts = [](std::size_t machine) { return machine < 8; };
  EXPECT_EQ(MachineSearch(problem).most_speedup(), 2.0);
}

}  // namespace
}  // namespace stcsim
