#include <gtest/gtest.h>

#include "models/base/sm_groups.hpp"

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

}  // namespace
}  // namespace stcsim
