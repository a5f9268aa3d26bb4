#include "models/base/sm_groups.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(SmSets, EverySmAloneIsASetFromTheStart) {
  const SmSets sets(3);
  for (std::int32_t sm = 0; sm < 3; ++sm) {
    EXPECT_EQ(sets.members(SmSets::alone(sm)), SmNumbers{sm});
    EXPECT_EQ(sets.first(SmSets::alone(sm)), sm);
    EXPECT_EQ(sets.size(SmSets::alone(sm)), 1);
  }
  EXPECT_EQ(sets.sms(), 3);
}

TEST(SmSets, OneMemberIsThatSmAlone) {
  SmSets sets(4);
  EXPECT_EQ(sets.find({2}), SmSets::alone(2));
}

TEST(SmSets, EqualSetsHaveEqualNumbers) {
  SmSets sets(5);
  const SmSet some = sets.find({1, 3, 4});
  const SmSet others = sets.find({0, 3});
  EXPECT_NE(some, others);
  EXPECT_EQ(sets.find({1, 3, 4}), some);
  EXPECT_EQ(sets.find({0, 3}), others);
}

TEST(SmSets, KnowsTheMembersOfASet) {
  SmSets sets(5);
  const SmSet set = sets.find({1, 3, 4});
  EXPECT_EQ(sets.members(set), (SmNumbers{1, 3, 4}));
  EXPECT_EQ(sets.size(set), 3);
  EXPECT_EQ(sets.first(set), 1);
}

/// All 2^10 - 1 sets of ten SMs are kept apart.
TEST(SmSets, DifferentSetsHaveDifferentNumbers) {
  SmSets sets(10);
  std::vector<SmSet> numbers;
  for (unsigned mask = 1; mask < 1024; ++mask) {
    SmNumbers members;
    for (std::int32_t sm = 0; sm < 10; ++sm) {
      if ((mask >> static_cast<unsigned>(sm) & 1U) != 0) members.push_back(sm);
    }
    const SmSet set = sets.find(members);
    EXPECT_EQ(sets.members(set), members);
    for (const SmSet other : numbers) ASSERT_NE(other, set);
    numbers.push_back(set);
  }
}

/// A reference to a set's members stays good while others are added.
TEST(SmSets, MembersStayWhereTheyAre) {
  SmSets sets(64);
  const SmNumbers& members = sets.members(sets.find({3, 5}));
  for (std::int32_t sm = 1; sm < 64; ++sm) (void)sets.find({0, sm});
  EXPECT_EQ(members, (SmNumbers{3, 5}));
}

/// One set less than many, then as many: numbers are given anew.
TEST(SmSets, ManyAreForgottenButForTheSmsThemselves) {
  constexpr auto kSms = static_cast<std::int32_t>(SmSets::kMany) - 2;
  SmSets sets(kSms);
  const SmSet first = sets.find({0, 1});
  sets.forget_many();
  EXPECT_EQ(sets.find({0, 1}), first);
  (void)sets.find({1, 2});
  sets.forget_many();
  EXPECT_EQ(sets.members(SmSets::alone(3)), SmNumbers{3});
  EXPECT_EQ(sets.find({2, 3}), first);
  EXPECT_EQ(sets.members(first), (SmNumbers{2, 3}));
}

using Numbers = std::vector<std::int64_t>;

class SmGroupsTest : public testing::Test {
 protected:
  SmGroupsTest() : sets_(6), groups_(sets_) { groups_.reset(true); }

  [[nodiscard]] SmNumbers members(std::int64_t representative) const {
    return sets_.members(groups_.members(representative));
  }
  [[nodiscard]] Numbers representative_of_each() const {
    Numbers all;
    for (std::int64_t sm = 0; sm < sets_.sms(); ++sm) all.push_back(groups_.representative(sm));
    return all;
  }

  SmSets sets_;
  SmGroups groups_;
};

TEST_F(SmGroupsTest, TogetherAllAreRepresentedByTheFirst) {
  EXPECT_EQ(groups_.representatives(), Numbers{0});
  EXPECT_EQ(representative_of_each(), Numbers(6, 0));
  EXPECT_EQ(members(0), (SmNumbers{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(groups_.is_representative(0));
  EXPECT_FALSE(groups_.is_representative(3));
}

TEST_F(SmGroupsTest, ApartEveryOneRepresentsItself) {
  groups_.reset(false);
  EXPECT_EQ(groups_.representatives(), (Numbers{0, 1, 2, 3, 4, 5}));
  for (std::int64_t sm = 0; sm < 6; ++sm) {
    EXPECT_TRUE(groups_.is_representative(sm));
    EXPECT_EQ(groups_.members(sm), SmSets::alone(sm));
  }
}

/// Part {3, 5} leaves; 0 stays with the rest.
TEST_F(SmGroupsTest, APartWithoutTheRepresentativeGetsItsOwn) {
  EXPECT_EQ(groups_.split(0, {3, 5}), 3);
  EXPECT_EQ(groups_.representatives(), (Numbers{0, 3}));
  EXPECT_EQ(representative_of_each(), (Numbers{0, 0, 0, 3, 0, 3}));
  EXPECT_EQ(members(0), (SmNumbers{0, 1, 2, 4}));
  EXPECT_EQ(members(3), (SmNumbers{3, 5}));
}

/// Part {0, 4} keeps 0: the rest gets a new representative.
TEST_F(SmGroupsTest, APartWithTheRepresentativeKeepsIt) {
  EXPECT_EQ(groups_.split(0, {0, 4}), 1);
  EXPECT_EQ(groups_.representatives(), (Numbers{0, 1}));
  EXPECT_EQ(representative_of_each(), (Numbers{0, 1, 1, 1, 0, 1}));
  EXPECT_EQ(members(0), (SmNumbers{0, 4}));
  EXPECT_EQ(members(1), (SmNumbers{1, 2, 3, 5}));
}

TEST_F(SmGroupsTest, PartsCanBeSplitAgain) {
  (void)groups_.split(0, {3, 4, 5});
  EXPECT_EQ(groups_.split(3, {3}), 4);
  EXPECT_EQ(groups_.split(0, {1, 2}), 1);
  EXPECT_EQ(groups_.representatives(), (Numbers{0, 1, 3, 4}));
  EXPECT_EQ(representative_of_each(), (Numbers{0, 1, 1, 3, 4, 4}));
  EXPECT_EQ(groups_.members(0), SmSets::alone(0));
  EXPECT_EQ(members(1), (SmNumbers{1, 2}));
  EXPECT_EQ(groups_.members(3), SmSets::alone(3));
  EXPECT_EQ(members(4), (SmNumbers{4, 5}));
}

TEST_F(SmGroupsTest, MergedGroupsShareARepresentative) {
  (void)groups_.split(0, {1, 4});
  (void)groups_.split(0, {2, 5});
  groups_.merge(1, 2);
  EXPECT_EQ(groups_.representatives(), (Numbers{0, 1}));
  EXPECT_EQ(members(1), (SmNumbers{1, 2, 4, 5}));
  EXPECT_EQ(representative_of_each(), (Numbers{0, 1, 1, 0, 1, 1}));
}

/// The representative need not be the lowest member.
TEST_F(SmGroupsTest, AGroupMayJoinOneWithAHigherNumber) {
  (void)groups_.split(0, {3, 4});
  groups_.merge(3, 0);
  EXPECT_EQ(groups_.representatives(), Numbers{3});
  EXPECT_EQ(members(3), (SmNumbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(groups_.split(3, {0, 5}), 0);
  EXPECT_EQ(representative_of_each(), (Numbers{0, 3, 3, 3, 3, 0}));
}

TEST_F(SmGroupsTest, GroupsOfTheSameMembersAreTheSameSet) {
  const SmSet all = groups_.members(0);
  groups_.merge(groups_.split(0, {3, 5}), 0);
  EXPECT_EQ(groups_.members(3), all);
}

TEST_F(SmGroupsTest, ResetBringsThemTogetherAgain) {
  (void)groups_.split(0, {3, 5});
  groups_.reset(true);
  EXPECT_EQ(groups_.representatives(), Numbers{0});
  EXPECT_EQ(members(0), (SmNumbers{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace stcsim
