#include "models/base/bucket_clock.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

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
