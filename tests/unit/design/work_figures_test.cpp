#include "sim/design/work_figures.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json step(double time_us, double joules) {
  return {{"time_us", time_us},
          {"dense_time_us", 2 * time_us},
          {"dgrad_time_us", time_us / 4},
          {"dense_dgrad_time_us", time_us},
          {"joules", joules},
          {"dense_joules", 3 * joules}};
}

TEST(WorkFigures, OfStepsAreTheirSums) {
  const WorkFigures work = work_figures({}, {step(1e6, 300), step(3e6, 700)}, WorkPart::step);
  EXPECT_EQ(work.time_us, 4e6);
  EXPECT_EQ(work.speedup(), 2);
  EXPECT_EQ(work.joules, 1000);
  EXPECT_EQ(work.dense_joules, 3000);
  EXPECT_EQ(work.watts(), 250);
}

TEST(WorkFigures, OfAPartOfAStepHaveNoEnergy) {
  const WorkFigures work = work_figures({}, {step(1e6, 300)}, WorkPart::dgrad);
  EXPECT_EQ(work.speedup(), 4);
  EXPECT_EQ(work.joules, std::nullopt);
  EXPECT_EQ(work.watts(), std::nullopt);
}

TEST(WorkFigures, HaveNoEnergyWhereAMachineDoesNotSay) {
  ordered_json unsaid = step(1e6, 0);
  unsaid["joules"] = nullptr;
  const WorkFigures work = work_figures({}, {step(1e6, 300), unsaid}, WorkPart::step);
  EXPECT_EQ(work.time_us, 2e6);
  EXPECT_EQ(work.joules, std::nullopt);
  EXPECT_EQ(work.dense_joules, std::nullopt);
}

TEST(WorkFigures, NeedAPhaseThatTakesTime) {
  EXPECT_THROW((void)work_figures({}, {step(1, 1)}, WorkPart::wgrad), ConfigError);
}

}  // namespace
}  // namespace stcsim
