#include "models/fast_forward/alike_sms.hpp"

#include "tests/unit/models/diagram_fixture.hpp"

namespace stcsim::test {
namespace {

using Numbers = std::vector<std::int64_t>;
using Groups = std::vector<SmNumbers>;

/// Four SMs in one group, represented by SM 0.
class AlikeSmsTest : public DiagramTest {
 protected:
  AlikeSmsTest() : DiagramTest(4), alike_(machine_.router->alike()) { launch(kernel(4, 8), true); }

  /// Adds to the first counter of an SM that is simulated.
  void count(std::int64_t number, std::int64_t more) {
    Numbers counters(described(number).counters.size(), 0);
    counters.front() = more;
    sm(number).add_to_counters(counters);
  }
  [[nodiscard]] std::int64_t counted(std::int64_t number) {
    return described(number).counters.front();
  }

  AlikeSms& alike_;
};

TEST_F(AlikeSmsTest, AWholeGroupIsNotSplit) {
  EXPECT_EQ(alike_.isolate(set({0, 1, 2, 3})), Numbers{0});
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
}

TEST_F(AlikeSmsTest, APartBecomesAGroupInTheSameState) {
  plan_something(0, Cycle(50));
  EXPECT_EQ(alike_.isolate(set({1, 2})), Numbers{1});
  EXPECT_EQ(groups(), (Groups{{0, 3}, {1, 2}}));
  EXPECT_EQ(sm(1).cta_slots->core.assignments.next_arrival(), Cycle(50));
  EXPECT_EQ(described(1).state, described(0).state);
}

/// {0, 3} and {1, 2} are both split by {0, 1}.
TEST_F(AlikeSmsTest, PartsOfSeveralGroupsStayApart) {
  (void)alike_.isolate(set({1, 2}));
  EXPECT_EQ(alike_.isolate(set({0, 1})), (Numbers{0, 1}));
  EXPECT_EQ(groups(), (Groups{{0}, {1}, {2}, {3}}));
}

TEST_F(AlikeSmsTest, EqualStatesAreMerged) {
  (void)alike_.isolate(set({1, 2}));
  EXPECT_TRUE(alike_.merge_equal(Numbers{0, 1}));
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
}

TEST_F(AlikeSmsTest, DifferentStatesAreNot) {
  (void)alike_.isolate(set({1, 2}));
  plan_something(1, Cycle(50));
  EXPECT_FALSE(alike_.merge_equal(Numbers{0, 1}));
  EXPECT_EQ(groups(), (Groups{{0, 3}, {1, 2}}));
}

/// Of three groups, the first and the last are alike.
TEST_F(AlikeSmsTest, WhoeverIsAlikeIsMerged) {
  (void)alike_.isolate(set({1}));
  (void)alike_.isolate(set({2, 3}));
  ASSERT_EQ(groups(), (Groups{{0}, {1}, {2, 3}}));
  plan_something(1, Cycle(50));
  EXPECT_TRUE(alike_.merge_equal(Numbers{0, 1, 2}));
  EXPECT_EQ(groups(), (Groups{{0, 2, 3}, {1}}));
}

TEST_F(AlikeSmsTest, ApartNothingIsMerged) {
  launch(kernel(4, 8), false);
  EXPECT_EQ(groups(), (Groups{{0}, {1}, {2}, {3}}));
  EXPECT_FALSE(alike_.merge_equal(Numbers{0, 1, 2, 3}));
  EXPECT_EQ(groups(), (Groups{{0}, {1}, {2}, {3}}));
}

/// What SMs 1 and 2 counted on their own stays theirs when they are simulated as SM 0 again.
TEST_F(AlikeSmsTest, CountersOfMembersAreKeptApart) {
  (void)alike_.isolate(set({1, 2}));
  count(0, 3);
  count(1, 5);
  ASSERT_TRUE(alike_.merge_equal(Numbers{0, 1}));
  count(0, 100);
  alike_.restore_counters();
  EXPECT_EQ(counted(0), 103);
  EXPECT_EQ(counted(1), 105);
  EXPECT_EQ(counted(2), 105);
  EXPECT_EQ(counted(3), 103);
}

/// SM 2 leaves the merged group: it goes on from its own count, and SM 1 from the same.
TEST_F(AlikeSmsTest, WhoLeavesTakesHisCountersAlong) {
  (void)alike_.isolate(set({1, 2}));
  count(1, 5);
  ASSERT_TRUE(alike_.merge_equal(Numbers{0, 1}));
  count(0, 100);
  EXPECT_EQ(alike_.isolate(set({2})), Numbers{2});
  EXPECT_EQ(counted(2), 105);
  count(2, 1000);
  alike_.restore_counters();
  EXPECT_EQ(counted(0), 100);
  EXPECT_EQ(counted(1), 105);
  EXPECT_EQ(counted(2), 1105);
  EXPECT_EQ(counted(3), 100);
}

/// SMs 1 and 2 leave together; only the one that represents them is simulated.
TEST_F(AlikeSmsTest, ThoseWhoLeaveTogetherMayDiffer) {
  (void)alike_.isolate(set({1}));
  count(1, 5);
  ASSERT_TRUE(alike_.merge_equal(Numbers{0, 1}));
  EXPECT_EQ(alike_.isolate(set({1, 2})), Numbers{1});
  EXPECT_EQ(counted(1), 5);
  count(1, 1000);
  alike_.restore_counters();
  EXPECT_EQ(counted(0), 0);
  EXPECT_EQ(counted(1), 1005);
  EXPECT_EQ(counted(2), 1000);
}

/// After a try in vain one chance is left out, after the next three, then seven.
TEST_F(AlikeSmsTest, TriesInVainBecomeSeldom) {
  const Numbers both{0, 1};
  (void)alike_.isolate(set({1, 2}));
  plan_something(1, Cycle(50));
  for (int chance = 0; chance < 3; ++chance) alike_.try_merge(both);  // tried, left out, tried
  plan_something(0, Cycle(50));
  for (int chance = 0; chance < 3; ++chance) {
    alike_.try_merge(both);
    EXPECT_EQ(groups().size(), 2U);
  }
  alike_.try_merge(both);
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
}

TEST_F(AlikeSmsTest, ATryThatSucceedsMakesTheNextOneCount) {
  (void)alike_.isolate(set({1, 2}));
  plan_something(1, Cycle(50));
  alike_.try_merge(Numbers{0, 1});
  plan_something(0, Cycle(50));
  alike_.try_merge(Numbers{0, 1});
  alike_.try_merge(Numbers{0, 1});
  ASSERT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
  (void)alike_.isolate(set({3}));
  alike_.try_merge(Numbers{0, 3});
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
}

}  // namespace
}  // namespace stcsim::test
