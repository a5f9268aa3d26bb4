#include <cmath>

#include <gtest/gtest.h>

#include "curves/crossing.hpp"

namespace stcsim::curves {
namespace {

/// Points on limit + scale * x^-exponent at x = 1 ... count.
Curve on_power_law(double limit, double scale, double exponent, int count) {
  Curve curve{"accuracy", Axis::epochs, {}};
  for (int x = 1; x <= count; ++x) {
    curve.points.push_back({static_cast<double>(x), limit + scale * std::pow(x, -exponent)});
  }
  return curve;
}

/// 90 - 40 / sqrt(x) is 80 at x = 16 and 86 at x = 100. The exponents tried lie 4.8 % apart, so
/// none is a half: what is found is near it.
TEST(Extrapolation, FindsThePowerLawOfPointsThatLieOnOne) {
  const Curve curve = on_power_law(90, -40, 0.5, 20);
  const std::optional<PowerLaw> law = fit_power_law(curve, false);
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->exponent, 0.5, 0.5 * 0.048);
  EXPECT_NEAR(law->limit, 90, 1);
  for (const Point& point : std::vector<Point>(curve.points.begin() + 10, curve.points.end())) {
    EXPECT_NEAR(law->value_at(point.x), point.value, 0.01);
  }
  const std::optional<double> x = extrapolated_crossing(curve, {82, false});  // at x = 25
  ASSERT_TRUE(x);
  EXPECT_NEAR(*x, 25, 0.25);
}

TEST(Extrapolation, OfAMetricThatFalls) {
  const std::optional<double> x =
      extrapolated_crossing(on_power_law(1, 4, 1, 20), {1.1, true});  // at x = 40
  ASSERT_TRUE(x);
  EXPECT_NEAR(*x, 40, 1);
}

TEST(Extrapolation, NeverBeyondTheLimit) {
  EXPECT_EQ(extrapolated_crossing(on_power_law(90, -40, 0.5, 20), {95, false}), std::nullopt);
}

TEST(Extrapolation, OfWhatNeedsNoneOrHasNoTrend) {
  EXPECT_EQ(extrapolated_crossing(on_power_law(90, -40, 0.5, 20), {80, false}), std::nullopt);
  EXPECT_EQ(extrapolated_crossing(on_power_law(90, -40, 0.5, 6), {85, false}), std::nullopt);
  EXPECT_EQ(extrapolated_crossing(on_power_law(90, 40, 0.5, 20), {140, false}), std::nullopt);
  EXPECT_EQ(extrapolated_crossing(on_power_law(90, 0, 0.5, 20), {95, false}), std::nullopt);
}

/// value = limit + scale / x.
TEST(Extrapolation, APowerLawAndItsInverse) {
  const PowerLaw law{10, -5, 1};
  EXPECT_DOUBLE_EQ(law.value_at(2), 7.5);
  EXPECT_DOUBLE_EQ(law.x_of(7.5).value(), 2);
  EXPECT_EQ(law.x_of(10), std::nullopt);
  EXPECT_EQ(law.x_of(11), std::nullopt);
}

}  // namespace
}  // namespace stcsim::curves
