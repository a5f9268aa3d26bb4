#include <gtest/gtest.h>

#include "reports/validation/gemm_run.hpp"

namespace stcsim {
namespace {

/// Below a tenth is left out; the largest first.
TEST(UnitWaits, NameTheLargestBuckets) {
  EXPECT_EQ(unit_waits({{"core", 1, {{"busy", 10}, {"waiting", 81}, {"blocked", 9}}},
                        {"dram", 2, {{"busy", 50}, {"idle", 50}}}}),
            "core waiting 81 %, busy 10 %; dram busy 50 %, idle 50 %");
}

TEST(UnitWaits, LeaveOutUnitsWithNothingToDo) {
  EXPECT_EQ(unit_waits({{"selector", 4, {{"busy", 0}, {"starved", 100}}},
                        {"vector", 4, {{"busy", 0}, {"idle", 100}}},
                        {"bus", 1, {{"busy", 9}, {"idle", 91}}},
                        {"dram", 1, {{"busy", 10}, {"idle", 90}}}}),
            "dram idle 90 %, busy 10 %");
  EXPECT_EQ(unit_waits({}), "");
}

}  // namespace
}  // namespace stcsim
