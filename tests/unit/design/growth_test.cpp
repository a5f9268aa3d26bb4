#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/design/lattice.hpp"

namespace stcsim {
namespace {

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

}  // namespace
}  // namespace stcsim
