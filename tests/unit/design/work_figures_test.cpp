#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "sim/design/work_runner.hpp"

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
  ordered_json without = step(1, 1);
  without["dgrad_time_us"] = without["dense_dgrad_time_us"] = 0;
  EXPECT_THROW((void)work_figures({}, {without}, WorkPart::dgrad), ConfigError);
}

std::string refusal(const ordered_json& figures, WorkPart part) {
  try {
    static_cast<void>(work_figures({}, {figures}, part));
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

TEST(WorkFigures, NameTheFigureThatAPointLacks) {
  EXPECT_EQ(refusal(step(1, 1), WorkPart::wgrad),
            "a point of the sweep has no number 'wgrad_time_us'");
  ordered_json without = step(1, 1);
  without.erase("dense_joules");
  EXPECT_EQ(refusal(without, WorkPart::step), "a point of the sweep has no number 'dense_joules'");
  without["dense_joules"] = "much";
  EXPECT_EQ(refusal(without, WorkPart::step), "a point of the sweep has no number 'dense_joules'");
}

}  // namespace
}  // namespace stcsim
