#include "tests/property/changed_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stcsim::test {
namespace {

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
