#include <gtest/gtest.h>

#include "sim/design/lattice.hpp"

namespace stcsim {
namespace {

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
