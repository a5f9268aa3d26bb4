#include <gtest/gtest.h>

#include "models/base/beat_server.hpp"

namespace stcsim {
namespace {

/// Four parts, lines of 32 bytes, 64 bytes per clk together: a line takes its part 2 cycles.
TEST(InterleavedPart, TheOneWithMostLinesSaysHowLongARequestTakes) {
  const InterleavedPart part(4, 32, 64);
  EXPECT_EQ(part.busiest(0), Cycles(0));
  EXPECT_EQ(part.busiest(1), Cycles(2));
  EXPECT_EQ(part.busiest(32), Cycles(2));
  EXPECT_EQ(part.busiest(4 * 32), Cycles(2));
  EXPECT_EQ(part.busiest(4 * 32 + 1), Cycles(4));
}

/// Of one part, whole lines at the whole bandwidth.
TEST(InterleavedPart, AloneItHasAllOfTheBandwidth) {
  EXPECT_EQ(InterleavedPart(1, 32, 64).busiest(33), Cycles(1));
  EXPECT_EQ(InterleavedPart(1, 32, 64).busiest(65), Cycles(2));
}

}  // namespace
}  // namespace stcsim
