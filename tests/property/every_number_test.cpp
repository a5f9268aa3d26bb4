#include "tests/property/every_number.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/property/changed_fields.hpp"

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

/// Every field of a tensor core that --set may change is answered or refused for its own sake; that
/// all machines can multiply then is among the heavy tests.
TEST(ChangedFields, AreAnsweredOrRefusedForTheirOwnSake) {
  for (const char* const machine : {"a100", "h100_nm8"}) {
    std::vector<std::string> tried;
    for (const std::string& wrong : check_changed_fields(machine, false, tried)) {
      ADD_FAILURE() << wrong;
    }
    const std::string sm = "accelerator.sm.";
    EXPECT_THAT(tried, testing::IsSupersetOf({sm + "operand_selector.lanes=butterfly",
                                              sm + "operand_selector.metadata_coding=bitmask",
                                              sm + "operand_selector.has_packed_slots=true",
                                              sm + "operand_fetch.k_contiguous_types=[int8]",
                                              sm + "tensor_core.rows_at_a_time=64",
                                              sm + "tensor_core.multipliers.0.fma_per_clk=64",
                                              sm + "tensor_core.instructions.0.k=64"}));
  }
}

}  // namespace
}  // namespace stcsim::test
