#include "models/base/sm_groups.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

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
