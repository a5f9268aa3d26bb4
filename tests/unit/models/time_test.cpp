#include "models/base/time.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(Time, PointsAndLengthsCalculate) {
  EXPECT_EQ(Cycle(7) + Cycles(3), Cycle(10));
  EXPECT_EQ(Cycle(10) - Cycles(3), Cycle(7));
  EXPECT_EQ(Cycle(10) - Cycle(7), Cycles(3));
  EXPECT_EQ(Cycles(4) * 3 + Cycles(1), Cycles(13));
  EXPECT_LT(Cycle(3), Cycle(4));
}

TEST(Time, GoingBelowZeroIsAnError) {
  EXPECT_THROW((void)(Cycles(3) - Cycles(4)), std::logic_error);
  EXPECT_THROW((void)(Cycle(3) - Cycles(4)), std::logic_error);
  EXPECT_THROW((void)(Cycle(3) - Cycle(4)), std::logic_error);
  EXPECT_THROW((void)Cycles(-1), std::logic_error);
  EXPECT_THROW((void)Cycle(-1), std::logic_error);
}

TEST(Time, ZeroIsReachable) {
  EXPECT_EQ(Cycles(3) - Cycles(3), Cycles());
  EXPECT_EQ(Cycle(3) - Cycle(3), Cycles());
  EXPECT_EQ(Cycle(3) - Cycles(3), Cycle());
}

TEST(Time, TransfersTakeWholeCycles) {
  EXPECT_EQ(cycles_for(0, 8), Cycles(0));
  EXPECT_EQ(cycles_for(1, 8), Cycles(1));
  EXPECT_EQ(cycles_for(8, 8), Cycles(1));
  EXPECT_EQ(cycles_for(9, 8), Cycles(2));
}

TEST(Earliest, NeverIsLaterThanEverything) {
  EXPECT_EQ(earliest(kNever, kNever), kNever);
  EXPECT_EQ(earliest(Cycle(4), kNever), Cycle(4));
  EXPECT_EQ(earliest(kNever, Cycle(4)), Cycle(4));
  EXPECT_EQ(earliest(Cycle(5), Cycle(4)), Cycle(4));
  EXPECT_EQ(earliest(Cycle(4), Cycle(5)), Cycle(4));
  EXPECT_EQ(earliest(Cycle(7), Cycle(5), kNever, Cycle(6)), Cycle(5));
}

TEST(Earliest, NeverIsNoTime) {
  EXPECT_EQ(if_ever(kNever), std::nullopt);
  EXPECT_EQ(if_ever(Cycle(3)), Cycle(3));
}

enum class Bucket : std::uint8_t { work, rest, count };

TEST(BucketClock, AccountsTheTimeSinceTheLastCall) {
  BucketClock<Bucket> clock;
  clock.account(Cycle(4), Bucket::rest);
  clock.account(Cycle(10), Bucket::work);
  clock.account(Cycle(10), Bucket::rest);
  clock.account(Cycle(11), Bucket::rest);
  EXPECT_EQ(clock.in(Bucket::work), Cycles(6));
  EXPECT_EQ(clock.in(Bucket::rest), Cycles(5));
  EXPECT_EQ(clock.accounted_until(), Cycle(11));
}

TEST(BucketClock, CannotGoBack) {
  BucketClock<Bucket> clock;
  clock.account(Cycle(4), Bucket::rest);
  EXPECT_THROW(clock.account(Cycle(3), Bucket::work), std::logic_error);
}

TEST(BucketClock, ResetStartsFromZero) {
  BucketClock<Bucket> clock;
  clock.account(Cycle(4), Bucket::rest);
  clock.reset();
  clock.account(Cycle(1), Bucket::work);
  EXPECT_EQ(clock.in(Bucket::rest), Cycles(0));
  EXPECT_EQ(clock.in(Bucket::work), Cycles(1));
}

}  // namespace
}  // namespace stcsim
