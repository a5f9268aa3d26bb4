#include "tests/property/every_number.hpp"

#include <gtest/gtest.h>

namespace stcsim::test {
namespace {

#ifndef STCSIM_SANITIZED  // a check of the model, which takes the sanitizers a minute
/// Every number of a machine's file does what the table of its field says; the other machines are
/// among the heavy tests.
TEST(EveryNumber, OfTheRtx3090DoesSomething) {
  const ChangedMachines machines("rtx3090");
  EXPECT_GT(machines.numbers().size(), 70U);
  for (const std::string& wrong : machines.check_all(machines.numbers())) ADD_FAILURE() << wrong;
}
#endif

/// The check finds numbers that their table says something wrong about.
TEST(EveryNumber, IsCompared) {
  const ChangedMachines machines("rtx3090");
  std::vector<Number> numbers;
  for (Number number : machines.numbers()) {
    if (number.path == "accelerator.num_sms") number.field.effect = Effect::none;
    if (number.path == "clock_mhz") number.field.effect = Effect::slower;
    const bool is_right = number.path == "accelerator.dram.latency_cycles";
    if (is_right || number.field.effect == Effect::none || number.path == "clock_mhz") {
      numbers.push_back(number);
    }
  }
  EXPECT_EQ(numbers.size(), 3U);
  EXPECT_EQ(
      machines.check_all(numbers),
      (std::vector<std::string>{"clock_mhz: clock_mhz changes launches, but none as its table says",
                                "accelerator.num_sms: accelerator.num_sms changes a launch"}));
}

}  // namespace
}  // namespace stcsim::test
