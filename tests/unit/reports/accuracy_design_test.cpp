#include <cmath>

#include <gtest/gtest.h>

#include "reports/design/design_report.hpp"

namespace stcsim {
namespace {

AccuracyPoint point(const std::string& scheme, double hours, double area, KnownLoss known) {
  AccuracyPoint one;
  one.scheme = scheme;
  one.hours = hours;
  one.joules = 1000 * hours;
  one.area_ratio = area;
  one.known = known;
  return one;
}

AccuracyDesign design(double most_loss, std::vector<AccuracyPoint> points) {
  AccuracyDesign asked;
  asked.most_loss = most_loss;
  asked.points = std::move(points);
  choose(asked);
  return asked;
}

std::vector<AccuracyPoint> four_points() {
  return {point("dense", 10, 1, {}), point("careful", 8, 1, {0.05, 0.2, "a"}),
          point("bold", 6, 1.2, {0.4, 0.2, "b"}), point("reckless", 5, 1.2, {3, 0.2, "c"})};
}

TEST(AccuracyChoice, IsTheFastestThatSurelyLosesNoMore) {
  const AccuracyDesign asked = design(0.5, four_points());
  EXPECT_TRUE(asked.is_distinguishable);
  EXPECT_EQ(asked.points[asked.sure].scheme, "careful");
  EXPECT_EQ(asked.points[asked.possible].scheme, "bold");
}

/// No loss is known to 0.1.
TEST(AccuracyChoice, NamesNobodyWhereNothingIsKnownThatExactly) {
  EXPECT_FALSE(design(0.1, four_points()).is_distinguishable);
}

TEST(AccuracyChoice, IsDenseWhereNoSchemeIsSure) {
  const AccuracyDesign asked = design(0.2, four_points());
  EXPECT_EQ(asked.points[asked.sure].scheme, "dense");
  EXPECT_EQ(asked.points[asked.possible].scheme, "bold");
}

TEST(AccuracyChoice, OfEquallyFastOnesIsTheSmallest) {
  std::vector<AccuracyPoint> points = four_points();
  points.push_back(point("large", 7.95, 1.5, {0, 0.2, "d"}));
  const AccuracyDesign asked = design(0.5, points);
  EXPECT_EQ(asked.points[asked.sure].scheme, "careful");
}

TEST(AccuracyChoice, HasNoPointOnTheFrontThatAnotherBeatsOrNobodyKnows) {
  std::vector<AccuracyPoint> points = four_points();
  points.push_back(point("beaten", 8, 1, {0.06, 0, "d"}));
  points.push_back(point("unknown", 1, 1, {}));
  points.back().known.reset();
  const AccuracyDesign asked = design(0.5, points);
  for (std::size_t at = 0; at < points.size(); ++at) {
    EXPECT_EQ(asked.points[at].is_on_front, at < 4) << asked.points[at].scheme;
  }
}

/// trained.csv: dense ends at 0.84890 (0.83510 to 0.86080), sdgp-2:8 at 0.82300.
TEST(TrainedLoss, IsOfTheLastEpoch) {
  const auto loss = trained_loss_of("images", "sdgp-2:8");
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->points, 84.890 - 82.300, 1e-9);
  EXPECT_GT(loss->error, (86.080 - 83.510) / 2);
  EXPECT_NEAR(*trained_end("images", "dense"), 84.890, 1e-9);
  EXPECT_FALSE(trained_loss_of("images", "none"));
  EXPECT_FALSE(trained_end("text", "dense")) << "losses are no accuracies";
}

}  // namespace
}  // namespace stcsim
