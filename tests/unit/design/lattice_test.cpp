#include "sim/design/lattice.hpp"

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

}  // namespace
}  // namespace stcsim
