#include <gtest/gtest.h>

#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

TEST(GemmRegimes, AreByTheShorterSideAndTheTime) {
  EXPECT_EQ(regime_of(256, 8192, 99.9), GemmRegime::few_short);
  EXPECT_EQ(regime_of(8192, 256, 100), GemmRegime::few_long);
  EXPECT_EQ(regime_of(257, 257, 99.9), GemmRegime::many_short);
  EXPECT_EQ(regime_of(8192, 8192, 100), GemmRegime::many_long);
}

TEST(BitsOfTypes, AreThoseOfAnElement) {
  EXPECT_EQ(bits_of_type("bf16"), "16");
  EXPECT_EQ(bits_of_type("nvfp4"), "4");
  EXPECT_EQ(bits_of_type("fp8_e4m3"), "8");
  EXPECT_EQ(bits_of_type("nothing"), "");
}

}  // namespace
}  // namespace stcsim
