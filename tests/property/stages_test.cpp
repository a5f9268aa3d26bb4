#include <cstdint>

#include <gtest/gtest.h>

#include "tests/property/stages_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

class RigidStages : public testing::TestWithParam<int> {};

/// 200 of the cases that `make soak` draws.
TEST_P(RigidStages, AreTheClosedForm) {
  constexpr std::uint64_t kCases = 25;
  expect_equal_stages(seed_or(44000) + kCases * static_cast<std::uint64_t>(GetParam()), kCases);
}

INSTANTIATE_TEST_SUITE_P(Blocks, RigidStages, testing::Range(0, 8));

TEST(QueuedStages, AreSound) {
  expect_sound_queues(seed_or(45000), 40);
}

}  // namespace
}  // namespace stcsim::test
