#include "sim/design/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(Lattice, NumbersAllCombinations) {
  const Lattice lattice({2, 1, 3});
  ASSERT_EQ(lattice.count(), 6U);
  EXPECT_EQ(lattice.largest(), 5U);
  EXPECT_EQ(lattice.levels(0), Levels({0, 0, 0}));
  EXPECT_EQ(lattice.levels(1), Levels({0, 0, 1}));
  EXPECT_EQ(lattice.levels(3), Levels({1, 0, 0}));
  EXPECT_EQ(lattice.levels(5), Levels({1, 0, 2}));
  for (std::size_t machine = 0; machine < lattice.count(); ++machine) {
    EXPECT_EQ(lattice.machine(lattice.levels(machine)), machine);
  }
}

TEST(Lattice, ChangesOneLevel) {
  const Lattice lattice({2, 3, 4});
  const std::size_t machine = lattice.machine({1, 2, 1});
  EXPECT_EQ(lattice.levels(lattice.with(machine, 1, 0)), Levels({1, 0, 1}));
  EXPECT_EQ(lattice.levels(lattice.with(machine, 2, 3)), Levels({1, 2, 3}));
  EXPECT_EQ(lattice.height(machine), 4U);
}

TEST(Lattice, ComparesMachines) {
  const Lattice lattice({3, 3});
  EXPECT_TRUE(lattice.is_within(lattice.machine({1, 1}), lattice.machine({1, 2})));
  EXPECT_TRUE(lattice.is_within(lattice.machine({1, 1}), lattice.machine({1, 1})));
  EXPECT_FALSE(lattice.is_within(lattice.machine({1, 1}), lattice.machine({0, 2})));
  EXPECT_FALSE(lattice.is_within(lattice.machine({0, 2}), lattice.machine({1, 1})));
}

/// Times that are a formula of the levels.
TimesOf times_of(const std::function<double(std::size_t)>& time) {
  return {time, [](const std::vector<std::size_t>&) {}};
}

double width(const Lattice& lattice, std::size_t machine, std::size_t resource) {
  return std::exp2(static_cast<double>(lattice.level(machine, resource)));
}

/// What takes longest goes first, until another does.
TEST(WayUp, TakesTheBottleneckFirst) {
  const Lattice lattice({3, 3});
  const auto time = [&](std::size_t machine) {
    return std::max(12 / width(lattice, machine, 0), 8 / width(lattice, machine, 1));
  };
  const auto way = way_up(lattice, 0, lattice.machine({2, 1}), times_of(time));
  ASSERT_EQ(way.size(), 3U);
  EXPECT_EQ(way[0].resources, Levels({0}));
  EXPECT_DOUBLE_EQ(way[0].gain, 12.0 / 8 - 1);
  EXPECT_EQ(way[1].resources, Levels({1}));
  EXPECT_DOUBLE_EQ(way[1].gain, 8.0 / 6 - 1);
  EXPECT_EQ(way[2].resources, Levels({0}));
  EXPECT_DOUBLE_EQ(way[2].gain, 6.0 / 4 - 1);
  EXPECT_EQ(way[2].machine, lattice.machine({2, 1}));
}

/// Two in a row are the bottleneck alike: neither alone gains, both do.
TEST(WayUp, GrowsTogetherWhatGainsNothingAlone) {
  const Lattice lattice({2, 2, 2});
  const auto time = [&](std::size_t machine) {
    return std::max(8 / width(lattice, machine, 0), 8 / width(lattice, machine, 2));
  };
  const auto way = way_up(lattice, 0, lattice.largest(), times_of(time));
  ASSERT_EQ(way.size(), 2U);
  EXPECT_EQ(way[0].resources, Levels({0, 2}));
  EXPECT_DOUBLE_EQ(way[0].gain, 1);
  EXPECT_EQ(way[1].resources, Levels({1})) << "what gains nothing comes last";
  EXPECT_DOUBLE_EQ(way[1].gain, 0);
}

/// Steps of which none gains a hundredth are one.
TEST(WayUp, GrowsTheRestAtOnce) {
  const Lattice lattice({9});
  const auto time = [](std::size_t machine) { return 1 - 0.005 * static_cast<double>(machine); };
  const auto way = way_up(lattice, 0, 8, times_of(time));
  ASSERT_EQ(way.size(), 1U);
  EXPECT_EQ(way[0].machine, 8U);
  EXPECT_DOUBLE_EQ(way[0].gain, 1 / 0.96 - 1);
}

TEST(Gains, AreOfOneResourceAtATime) {
  const Lattice lattice({2, 3});
  const auto time = [&](std::size_t machine) {
    return 1 / width(lattice, machine, 0) + 3 / width(lattice, machine, 1);
  };
  const auto largest = [&](std::size_t at) { return lattice.size(at) - 1; };
  const auto gains = gains_of_each(lattice, 0, largest, times_of(time));
  ASSERT_EQ(gains.size(), 2U);
  EXPECT_DOUBLE_EQ(gains[0], 4 / 3.5 - 1);
  EXPECT_DOUBLE_EQ(gains[1], 4 / 1.75 - 1);
}

TEST(Unevenness, IsTheMostThatMoreOfEverythingCosts) {
  const Lattice lattice({2, 3});
  const std::vector<double> times{10, 8, 9, 12, 7, 5};  // {1, 0} takes 12, {0, 2} 9
  const auto time = [&](std::size_t machine) { return times[machine]; };
  EXPECT_DOUBLE_EQ(unevenness(lattice, {0, 1, 2, 3, 4, 5}, time), 12.0 / 10 - 1);
  EXPECT_DOUBLE_EQ(unevenness(lattice, {1, 2, 4, 5}, time), 9.0 / 8 - 1);
  EXPECT_DOUBLE_EQ(unevenness(lattice, {2, 3, 4}, time), 0) << "none of them is within another";
}

}  // namespace
}  // namespace stcsim
