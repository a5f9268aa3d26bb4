#include "sim/parallel/parallel_study.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

/// One layer of 1 MB of weights; every collective takes 100 us, an update 80 us.
class ParallelStudyOfALayer : public ::testing::Test {
 protected:
  ParallelStudyOfALayer() {
    Layer layer;
    layer.name = "fc";
    layer.kind = LayerKind::linear;
    layer.in_channels = 1000;
    layer.out_channels = 500;
    Network network;
    network.name = "net";
    network.layers = {layer};
    experiment_.networks = {network};
    experiment_.machines = {{"machine", {}}};
    experiment_.parallel.emplace();
    ParallelConfig& parallel = *experiment_.parallel;
    parallel.gpus = {1, 8};
    parallel.system.links.gb_per_s = parallel.system.links.own_gb_per_s = 1e9;
    parallel.system.links.simple = {100, 0, 1};
    add_scheme("dense", 1000, 1);
    add_scheme("half", 500, 1);
    add_scheme("slow", 1200, 1);
    add_scheme("half the time", 500, 0.5);
  }

  ParallelTotal total_of(const std::string& scheme, std::int64_t gpus) const {
    for (const ParallelTotal& total : parallel_totals(experiment_, study_)) {
      if (total.scheme == scheme && total.gpus == gpus) return total;
    }
    ADD_FAILURE() << scheme;
    return {};
  }

  LikelyInterval& interval_of(const std::string& scheme) {
    const auto found = std::ranges::find(study_.totals, scheme, &StudyTotal::scheme);
    return found->step_interval;
  }

 private:
  void add_scheme(const std::string& name, double us, double share) {
    Scheme scheme;
    scheme.name = name;
    experiment_.schemes.push_back(scheme);
    add_row(name, "fc", RowPhase::forward, us, 1000);
    add_row(name, "optimizer", RowPhase::optimizer, 80, 80);
    StudyTotal total;
    total.machine = "machine";
    total.network = "net";
    total.scheme = name;
    total.share_of_training = share;
    total.memory.weights = 1000;
    total.capacity_bytes = 999;
    study_.totals.push_back(total);
  }
  void add_row(const std::string& scheme, const char* layer, RowPhase phase, double us,
               double dense_us) {
    ResultRow row;
    row.machine = "machine";
    row.network = "net";
    row.scheme = scheme;
    row.layer = layer;
    row.phase = phase;
    row.time_us = us;
    row.dense_time_us = dense_us;
    study_.rows.push_back(row);
  }

  Experiment experiment_;
  StudyResult study_;
};

TEST_F(ParallelStudyOfALayer, GainsLessWhereGradientsAreExposed) {
  EXPECT_NEAR(total_of("half", 1).speedup, 1080.0 / 580, 1e-6);
  const ParallelTotal eight = total_of("half", 8);
  EXPECT_NEAR(eight.times.us, 680, 1e-3);
  EXPECT_NEAR(eight.speedup, 1180.0 / 680, 1e-6);
  EXPECT_NEAR(eight.kernels_speedup, 1080.0 / 580, 1e-6);
  EXPECT_NEAR(eight.efficiency, 580.0 / 680, 1e-6);
  ASSERT_EQ(eight.times.exposed.size(), 1U);
  EXPECT_EQ(eight.times.exposed.front().first, "gradients");
  EXPECT_EQ(eight.gains_nothing_from, std::nullopt);
  EXPECT_FALSE(eight.fits());
}

TEST_F(ParallelStudyOfALayer, IsAsSureAsTheGainOnOneGpuAndCollectivesAre) {
  EXPECT_FALSE(total_of("half", 8).likely.is_known());
  interval_of("half") = {1.5, 2.0, false};
  EXPECT_NEAR(total_of("half", 1).likely.low, 1.5, 1e-9);
  EXPECT_NEAR(total_of("half", 1).likely.high, 2.0, 1e-9);
  // Collectives take 100 us after the kernels, whatever these take: 15 % more or less.
  const ParallelTotal eight = total_of("half", 8);
  EXPECT_NEAR(eight.likely.low, (1080 + 115) / (1080 / 1.5 + 115), 1e-6);
  EXPECT_NEAR(eight.likely.high, (1080 + 85) / (1080 / 2.0 + 85), 1e-6);
  EXPECT_LT(eight.likely.low, eight.speedup);
  EXPECT_GT(eight.likely.high, eight.speedup);
  interval_of("dense") = {1, 1, false};
  EXPECT_FALSE(total_of("dense", 8).likely.is_known());
}

TEST_F(ParallelStudyOfALayer, DenseStepsOfATrainingCount) {
  EXPECT_NEAR(total_of("half the time", 1).speedup, 1080 / (0.5 * 580 + 0.5 * 1080), 1e-6);
}

TEST_F(ParallelStudyOfALayer, SaysFromWhenOnASchemeGainsNothing) {
  EXPECT_EQ(total_of("slow", 8).gains_nothing_from, 1);
  EXPECT_EQ(total_of("dense", 8).speedup, 1);
}

}  // namespace
}  // namespace stcsim
