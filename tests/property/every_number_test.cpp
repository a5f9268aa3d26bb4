#include "tests/property/every_number.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace stcsim::test {
namespace {

/// Every number of a machine's file does what the table of its field says; the other machines are
/// among the heavy tests.
TEST(EveryNumber, OfTheRtx3090DoesSomething) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", 1);
  const ChangedMachines machines("rtx3090");
  EXPECT_GT(machines.numbers().size(), 70U);
  for (const Number& number : machines.numbers()) {
    EXPECT_EQ(machines.check(number, false), "") << number.path;
  }
}

/// The check finds a number that the table says something wrong about. (The ranking of kernels
/// knows nothing of the latency of shared memory, so that no other kernel is chosen because of it.)
TEST(EveryNumber, IsCompared) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", 1);
  const ChangedMachines machines("rtx3090");
  for (Number number : machines.numbers()) {
    if (number.path == "accelerator.num_sms") {
      number.field.effect = Effect::none;
      EXPECT_EQ(machines.check(number, false), "accelerator.num_sms changes a launch");
    }
    if (number.path == "accelerator.sm.shared_memory.latency_cycles") {
      number.field.effect = Effect::faster;
      EXPECT_EQ(
          machines.check(number, false),
          "accelerator.sm.shared_memory.latency_cycles changes launches, but none as its table "
          "says");
    }
  }
}

}  // namespace
}  // namespace stcsim::test
