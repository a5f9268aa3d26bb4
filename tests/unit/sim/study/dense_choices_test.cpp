#include <memory>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/study/scheme_gemms.hpp"

namespace stcsim {
namespace {

std::shared_ptr<const GemmRun> run_of(std::int64_t cycles, Pattern hardware = kDense) {
  GemmRun run;
  run.result.cycles = cycles;
  run.hardware_pattern = hardware;
  return std::make_shared<const GemmRun>(run);
}

/// Points: 0 and 1 are a product dense and sparse, 2 and 3 another, 4 is pruning that both need, 5
/// what only one needs.
PointResults results_of(std::int64_t first_sparse, std::int64_t second_sparse,
                        std::int64_t pruning) {
  return {run_of(1000),    run_of(first_sparse, {2, 4}),
          run_of(1000),    run_of(second_sparse, {2, 4}),
          run_of(pruning), run_of(pruning / 2)};
}

/// A layer with two units of a phase each: sparse in both, in the second, in the first, in none.
std::vector<LayerOptions> two_units() {
  LayerOptions layer;
  layer.scheme = "s";
  layer.layer = "l";
  layer.units = {{Phase::forward}, {Phase::wgrad}};
  layer.options = {{{1}, {3}, {4}}, {{0}, {3}, {5}}, {{1}, {2}, {5}}, {{0}, {2}}};
  return {layer};
}

/// Which phases run dense, "" being none.
std::string dense_phases(const DenseChoices& choices) {
  Scheme scheme;
  scheme.name = "s";
  Layer layer;
  layer.name = "l";
  const Scheme applied = choices.apply(scheme, layer, false);
  std::string text;
  for (const Phase phase : kPhases) {
    if (!applied.rule(phase).dense_because.empty()) text += std::string(to_string(phase)) + " ";
  }
  return text;
}

std::string chosen(const PointResults& results, double gain_error = 0) {
  return dense_phases(choose_dense(two_units(), results, gain_error));
}

TEST(DenseChoices, TakeTheBestOfAllCombinations) {
  EXPECT_EQ(chosen(results_of(600, 600, 100)), "");
  EXPECT_EQ(chosen(results_of(600, 1200, 100)), "wgrad ");
  EXPECT_EQ(chosen(results_of(1200, 600, 100)), "forward ");
  EXPECT_EQ(chosen(results_of(1200, 1200, 100)), "forward wgrad ");
}

TEST(DenseChoices, ChargePruningOnceWhereItIsShared) {
  // Alone neither gains what its pruning costs, 150; together they pay for 300.
  EXPECT_EQ(chosen(results_of(849, 849, 300)), "");
  EXPECT_EQ(chosen(results_of(851, 851, 300)), "forward wgrad ");
  EXPECT_EQ(chosen(results_of(800, 900, 300)), "wgrad ");
}

TEST(DenseChoices, AskMoreThanTheErrorOfGains) {
  EXPECT_EQ(chosen(results_of(900, 600, 0), 0.1), "");
  EXPECT_EQ(chosen(results_of(910, 600, 0), 0.1), "forward ");
  EXPECT_EQ(chosen(results_of(910, 600, 0), 0.09), "");
}

TEST(DenseChoices, SayWhy) {
  const auto reason = [](const DenseChoices& choices) {
    Scheme scheme;
    scheme.name = "s";
    Layer layer;
    layer.name = "l";
    return choices.apply(scheme, layer, false).rule(Phase::forward).dense_because;
  };
  EXPECT_EQ(reason(choose_dense(two_units(), results_of(1100, 600, 0), 0.1)),
            "left dense, where that is faster with pruning paid for");
  EXPECT_EQ(reason(choose_dense(two_units(), results_of(950, 600, 0), 0.1)),
            "left dense: gains less than gains are off (10.0 %)");
}

TEST(DenseChoices, LeaveLayersAloneOfWhichAPointFailed) {
  PointResults results = results_of(1200, 1200, 0);
  results[4] = nullptr;
  EXPECT_TRUE(choose_dense(two_units(), results, 0).empty());
}

/// A sparse product that runs dense where that is faster takes the shorter time, and is no gain
/// that could be off.
TEST(DenseChoices, KnowProductsThatChooseThemselves) {
  std::vector<LayerOptions> layers = two_units();
  layers[0].options[0][0].dense_point = layers[0].options[2][0].dense_point = 0;
  EXPECT_EQ(dense_phases(choose_dense(layers, results_of(1200, 600, 0), 0.1)), "");
}

TEST(PhaseUnits, AreThoseThatShareAChoice) {
  const Scheme transposable = load_scheme("transposable-2-4");
  EXPECT_EQ(phase_units(transposable, {Phase::forward, Phase::dgrad}),
            (std::vector<PhaseUnit>{{Phase::forward, Phase::dgrad}}));
  const Scheme slope = load_scheme("slope");
  EXPECT_EQ(phase_units(slope, {Phase::forward, Phase::dgrad}),
            (std::vector<PhaseUnit>{{Phase::forward}, {Phase::dgrad}}));
}

}  // namespace
}  // namespace stcsim
