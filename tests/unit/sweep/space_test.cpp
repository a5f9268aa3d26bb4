#include "sim/sweep/space.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

using test::message_of;
using ::testing::ElementsAre;

const std::string kBase = "machines: [a100]\ngemms: [64x32x16]\n";

/// The labels of each point on the axes that are more than one value, joined by spaces.
std::vector<std::string> points_of_text(const std::string& text, PointKind kind = PointKind::gemm) {
  const Space space = parse_space(text, "space.yaml");
  std::vector<std::string> points;
  for (const Assignment& values : expand(space, kind)) {
    std::string labels;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (values[at] == nullptr || space.axes[at].values.size() == 1) continue;
      labels += (labels.empty() ? "" : " ") + values[at]->label;
    }
    points.push_back(labels);
  }
  return points;
}

std::vector<std::string> with_axis(const std::string& values) {
  return points_of_text(kBase + "axes: {gemm.k: " + values + "}\n");
}

std::string error_of(const std::string& text) {
  return message_of<ConfigError>(
      [&] { static_cast<void>(plan_sweep(parse_space(text, "space.yaml"))); });
}

TEST(Space, AxesAreListsOrRanges) {
  EXPECT_THAT(with_axis("[3, 1, 2]"), ElementsAre("3", "1", "2"));
  EXPECT_THAT(with_axis("{from: 54, to: 216, step: 54}"), ElementsAre("54", "108", "162", "216"));
  EXPECT_THAT(with_axis("{from: 1, to: 6, step: 2}"), ElementsAre("1", "3", "5"));
  EXPECT_THAT(with_axis("{from: 0.1, to: 0.4, step: 0.1}"),
              ElementsAre("0.1", "0.2", "0.30000000000000004", "0.4"));
  EXPECT_THAT(with_axis("{from: 16, to: 130, factor: 2}"), ElementsAre("16", "32", "64", "128"));
  EXPECT_THAT(with_axis("{from: 10, to: 1000, points: 3}"), ElementsAre("10", "505", "1000"));
  EXPECT_THAT(with_axis("{from: 10, to: 1000, points: 3, scale: log}"),
              ElementsAre("10", "100", "1000"));
  EXPECT_THAT(with_axis("{from: 1, to: 3, points: 5}"), ElementsAre("1", "2", "3"))
      << "1.5 and 2.5 are rounded, and each is there once";
  EXPECT_THAT(with_axis("{from: 1.0, to: 2, points: 3}"), ElementsAre("1", "1.5", "2"));
}

/// The last axis is fastest, machines are slowest and GEMMs fastest wherever they are written.
TEST(Space, IsACrossProduct) {
  const std::string axes =
      "axes: {gemm.k: [1, 2], gemm.pattern: [dense, \"2:4\"], machine.clock_mhz: [900, 800]}\n";
  EXPECT_THAT(points_of_text("machines: [a100]\ngemms: [4x4x4]\n" + axes),
              ElementsAre("900 1 dense", "900 1 2:4", "900 2 dense", "900 2 2:4", "800 1 dense",
                          "800 1 2:4", "800 2 dense", "800 2 2:4"));
}

TEST(Space, ZippedAxesGoTogether) {
  const std::string axes = "axes: {gemm.m: [1, 2], gemm.n: [3, 4], gemm.k: [5, 6]}\n";
  EXPECT_THAT(points_of_text(kBase + axes + "zip: [gemm.m, gemm.k]\n"),
              ElementsAre("1 3 5", "1 4 5", "2 3 6", "2 4 6"));
  EXPECT_THAT(points_of_text(kBase + axes + "zip: [gemm.m, gemm.k, gemm.n]\n"),
              ElementsAre("1 3 5", "2 4 6"));
}

/// A value may come again beside another one: of each pattern the selector it takes.
TEST(Space, ZippedAxesMayRepeatAValue) {
  const std::string axes = "axes: {gemm.m: [1, 2, 3], gemm.k: [5, 6, 5]}\nzip: [gemm.m, gemm.k]\n";
  EXPECT_THAT(points_of_text("machines: [a100]\ngemms: [4x4x4]\n" + axes),
              ElementsAre("1 5", "2 6", "3 5"));
}

/// A name changes nothing about the points; one axis may have one, too.
TEST(Space, ZipsMayHaveNames) {
  const std::string axes = "axes: {gemm.m: [1, 2], gemm.n: [3, 4], gemm.k: [5, 6]}\n";
  const std::string zips = "zip: {both: [gemm.m, gemm.k], alone: [gemm.n]}\n";
  EXPECT_THAT(points_of_text(kBase + axes + zips), ElementsAre("1 3 5", "1 4 5", "2 3 6", "2 4 6"));
  const Space space = parse_space(kBase + axes + zips, "space.yaml");
  std::map<std::string, std::vector<std::string>> named;
  for (const Dimension& dimension : space.dimensions) {
    for (const std::size_t axis : dimension.axes) {
      named[dimension.name].push_back(space.axes[axis].name);
    }
  }
  EXPECT_THAT(named["both"], ElementsAre("gemm.m", "gemm.k"));
  EXPECT_THAT(named["alone"], ElementsAre("gemm.n"));
  EXPECT_THAT(named[""], ElementsAre("machine", "gemm"));
  EXPECT_EQ(error_of(kBase + axes + "zip: {both: gemm.m}\n"),
            "space.yaml:4:13: error: 'both' is 'gemm.m', must be a list of axes");
}

/// What a GEMM weighs is no part of it.
TEST(Space, GemmsMayRepeat) {
  const SweepPlan plan = plan_sweep(parse_space(
      "machines: [a100]\ngemms: [{m: 8, n: 8, k: 8, repeat: 24}, 8x8x8]\n", "space.yaml"));
  ASSERT_EQ(plan.points.size(), 2U);
  EXPECT_EQ(plan.points[0].repeat, 24);
  EXPECT_EQ(plan.points[1].repeat, 1);
  EXPECT_EQ(plan.points[0].gemm, plan.points[1].gemm);
  EXPECT_NE(plan.points[0].key, plan.points[1].key);
}

TEST(Space, ConstraintsExcludePoints) {
  const std::string axes =
      "axes: {gemm.m: [1, 2, 4], gemm.n: [2, 4], gemm.pattern: [dense, 1:4]}\n";
  const auto where = [&](const std::string& text) {
    return points_of_text(kBase + axes + "where: " + text + "\n");
  };
  EXPECT_THAT(where("gemm.m > gemm.n"), ElementsAre("4 2 dense", "4 2 1:4"));
  EXPECT_THAT(where("[gemm.m >= 2, 'gemm.pattern == 1:4', gemm.n != 4]"),
              ElementsAre("2 2 1:4", "4 2 1:4"));
  EXPECT_THAT(where("['gemm.m * gemm.n == 2 * gemm.m', 1 < gemm.m, 'gemm.pattern != dense']"),
              ElementsAre("2 2 1:4", "4 2 1:4"));
}

TEST(Space, UnlimitedIsAboveAllNumbers) {
  const std::string text =
      "machines: [a100]\ngemms: [4x4x4]\n"
      "axes: {machine.accelerator.l2_cache.capacity_bytes: [1000000, unlimited]}\n"
      "where: machine.accelerator.l2_cache.capacity_bytes > 5e15\n";
  EXPECT_THAT(points_of_text(text), ElementsAre("unlimited"));
}

/// Axes of GEMMs do not multiply steps, and the other way round.
TEST(Space, PointsHaveTheAxesOfTheirKind) {
  const std::string text =
      "machines: [a100, h100_sxm]\ngemms: [4x4x4]\nnetworks: [resnet18]\nschemes: [asp, sdgp]\n"
      "axes: {gemm.k: [1, 2], network.batch: [3, 4], dtype: [fp16, bf16]}\n"
      "where: [network.batch == 4, gemm.k == 2, machine == a100]\n";
  EXPECT_THAT(points_of_text(text), ElementsAre("a100 fp16 2", "a100 bf16 2"));
  EXPECT_THAT(
      points_of_text(text, PointKind::step),
      ElementsAre("a100 fp16 4 asp", "a100 fp16 4 sdgp", "a100 bf16 4 asp", "a100 bf16 4 sdgp"));
}

const std::string kSquare =
    "axes: {gemm.m: {from: 1, to: 10, step: 1}, gemm.n: {from: 1, to: 10, step: 1}}\n";

TEST(Sample, ALatinHypercubeHasEveryValueEquallyOften) {
  const auto text = [](int seed) {
    return kBase + kSquare +
           "sample: {kind: latin_hypercube, points: 20, seed: " + std::to_string(seed) + "}\n";
  };
  const Space space = parse_space(text(7), "space.yaml");
  std::map<std::string, int> rows;
  std::map<std::string, int> columns;
  // Two points may fall upon one of the hundred cells, and are one then: such seeds are passed.
  const std::vector<Assignment> points = expand(space, PointKind::gemm);
  ASSERT_EQ(points.size(), 20U);
  for (const Assignment& values : points) {
    ++rows[values[2]->label];
    ++columns[values[3]->label];
  }
  for (const auto& [label, count] : rows) EXPECT_EQ(count, 2) << label;
  for (const auto& [label, count] : columns) EXPECT_EQ(count, 2) << label;
  EXPECT_EQ(points_of_text(text(7)), points_of_text(text(7)));
  EXPECT_NE(points_of_text(text(7)), points_of_text(text(8)));
}

/// As many points as values in a range that is drawn from: one in each slice.
TEST(Sample, ALatinHypercubeOfARangeHasOnePointInEverySlice) {
  const Space space =
      parse_space(kBase +
                      "axes: {gemm.m: {from: 1, to: 1000},\n"
                      "       machine.clock_mhz: {from: 1.0, to: 1024, scale: log}}\n"
                      "sample: {kind: latin_hypercube, points: 10, seed: 3}\n",
                  "space.yaml");
  std::set<int> slices;
  std::set<int> octaves;
  for (const Assignment& values : expand(space, PointKind::gemm)) {
    octaves.insert(static_cast<int>(std::log2(std::stod(values[1]->label))));
    slices.insert(static_cast<int>((std::stoi(values[3]->label) - 0.5) / 100));
  }
  EXPECT_THAT(slices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(octaves, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Sample, ARandomOneHasDifferentPointsThatTheConstraintsAllow) {
  const auto sample = [](const std::string& count) {
    return points_of_text(kBase + kSquare +
                          "where: gemm.m < gemm.n\nsample: {kind: random, points: " + count +
                          ", seed: 5}\n");
  };
  const std::vector<std::string> points = sample("30");
  EXPECT_EQ(std::set<std::string>(points.begin(), points.end()).size(), 30U);
  for (const std::string& point : points) {
    const std::size_t space = point.find(' ');
    EXPECT_LT(std::stoi(point.substr(0, space)), std::stoi(point.substr(space)));
  }
  EXPECT_EQ(sample("30"), points);
  EXPECT_EQ(sample("99").size(), 45U) << "there are no more";
}

/// A machine's values are found by its reader, at the place in the space.
TEST(SpaceErrors, AreAtTheValue) {
  const auto with = [](const std::string& text) { return error_of(kBase + text); };
  EXPECT_EQ(with("axes:\n  machine.accelerator.num_sms: [54, 0]\n"),
            "space.yaml:4:37: error: 'num_sms' is '0', must be a whole number from 1 to 4096, at "
            "machine.accelerator.num_sms 0");
  EXPECT_EQ(
      with("axes:\n  machine.accelerator.num_sm: [54]\n"),
      "space.yaml:4:3: error: unknown key 'num_sm' in 'accelerator'; did you mean 'num_sms'?");
  EXPECT_EQ(with("axes:\n  machne.clock_mhz: [54]\n"),
            "space.yaml:4:3: error: 'machne.clock_mhz' must begin with machine, network, scheme, "
            "framework or gemm, or be a plain key of experiments; did you mean 'machine'?");
  EXPECT_EQ(
      with("axes:\n  gemm.k: 5\n"),
      "space.yaml:4:11: error: 'gemm.k' is '5', must be a list of values or a range: {from: 1, "
      "to: 8, step: 1}, with factor or points instead of step");
  EXPECT_EQ(with("axes:\n  gemm.k: [5, 6, 5]\n"), "space.yaml:4:18: error: 'gemm.k' has '5' twice");
  EXPECT_EQ(with("axes:\n  gemm.k: []\n"), "space.yaml:4:11: error: 'gemm.k' is an empty list");
  EXPECT_EQ(with("axes:\n  gemm.k: {from: 8, to: 4, step: 1}\n"),
            "space.yaml:4:25: error: 'to' is 4, must be above 'from', which is 8");
  EXPECT_EQ(
      with("axes:\n  gemm.k: {from: 1, to: 4}\n"),
      "space.yaml:4:11: error: 'gemm.k' must have step, factor or points; without, values are "
      "drawn, for which the space must have 'sample'");
  EXPECT_EQ(with("axes:\n  network.batch: [1]\n"),
            "space.yaml:4:3: error: 'network.batch' has no effect: the space has no networks");
  EXPECT_EQ(with("axes:\n  machine: [a100]\n"),
            "space.yaml:4:3: error: 'machine' is the list 'machines' of the space, no axis");
  EXPECT_EQ(with("stack: cubals\n"),
            "space.yaml:3:8: error: 'stack' is 'cubals', must be a stack of a100 "
            "(cuda12_rule, cuda12_search, cuda11_rule, cuda11_search, pytorch23_cusparselt_rule, "
            "pytorch23_cutlass_rule, slides_2020, best)");
  EXPECT_EQ(with("dtype: fp16\naxes: {dtype: [fp16]}\n"),
            "space.yaml:4:8: error: 'dtype' is an axis and a plain key, must be one of them");
}

TEST(SpaceErrors, OfZipsConstraintsAndSamples) {
  const std::string axes = kBase + "axes: {gemm.m: [1, 2], gemm.n: [1, 2, 3]}\n";
  EXPECT_EQ(error_of(axes + "zip: [gemm.m, gemm.n]\n"),
            "space.yaml:4:15: error: 'gemm.n' has 3 values, must have as many as 'gemm.m', which "
            "has 2");
  EXPECT_EQ(error_of(kBase + "axes: {gemm.m: [1, 2, 1], gemm.n: [3, 4, 3]}\n"
                             "zip: [gemm.n, gemm.m]\n"),
            "space.yaml:3:23: error: 'gemm.m' has '1' twice, and what is zipped with it too");
  EXPECT_EQ(
      error_of(axes + "zip: [gemm.m, gemm.o]\n"),
      "space.yaml:4:15: error: 'zip' has 'gemm.o', which is no axis of the space; did you mean "
      "'gemm.m'?");
  EXPECT_EQ(error_of(axes + "where: gemm.q > 3\n"),
            "space.yaml:4:8: error: 'gemm.q > 3' names 'gemm.q', which is no axis of the space and "
            "no number; did you mean 'gemm.m'?");
  EXPECT_EQ(error_of(axes + "where: machine > 3\n"),
            "space.yaml:4:8: error: 'machine > 3' compares 'a100', which is no number");
  EXPECT_EQ(error_of(axes + "where: gemm.m > 3\n"),
            "error: space 'space' has no points: 'where' excludes all");
  EXPECT_EQ(error_of(axes + "sample: {kind: latin, points: 3}\n"),
            "space.yaml:4:16: error: 'kind' is 'latin', must be one of random, latin_hypercube");
  EXPECT_EQ(error_of("machines: [a100]\n"),
            "space.yaml:1:11: error: the space has no work, must have 'gemms', or 'networks' and "
            "'schemes'");
  EXPECT_EQ(
      error_of("machines: [a100]\ngemms: [64x32]\n"),
      "space.yaml:2:9: error: 'gemms' is '64x32', must be a size such as 1024x8192x1024 (m, n, "
      "k), or a map");
}

/// Keys are the points': the same again, different for all, of machines too that differ in nothing
/// but a value.
TEST(SweepPlan, PointsHaveKeysOfTheirOwn) {
  const std::string steps =
      "machines: [a100]\ngemms: [8x8x8, {m: 8, n: 8, k: 8, layout: nn}]\n"
      "networks: [resnet18]\nschemes: [sdgp]\nframeworks: [ideal, pytorch_eager]\n"
      "axes: {machine.clock_mhz: [1000, 1100], scheme.pattern: [\"2:4\", \"2:8\"],\n"
      "       clock_mhz: [800, 900]}\n";
  const SweepPlan plan = plan_sweep(parse_space(steps, "space.yaml"));
  const SweepPlan again = plan_sweep(parse_space(steps, "space.yaml"));
  ASSERT_EQ(plan.points.size(), 2U * 2 * 2 + 2 * 2 * 2 * 2);
  std::set<std::string> keys;
  for (std::size_t at = 0; at < plan.points.size(); ++at) {
    keys.insert(plan.points[at].key);
    EXPECT_EQ(plan.points[at].key, again.points[at].key);
  }
  EXPECT_EQ(keys.size(), plan.points.size());
  const Experiment experiment = experiment_of(plan.points.back());
  EXPECT_EQ(experiment.schemes.size(), 2U);
  EXPECT_EQ(experiment.schemes[0].name, "dense");
  EXPECT_EQ(experiment.schemes[1].name, "sdgp-2:8");
  EXPECT_EQ(experiment.framework.name, "pytorch_eager");
  EXPECT_EQ(experiment.machines[0].config.clock_mhz, 1100);
  EXPECT_EQ(experiment.clock_mhz, 900);
}

}  // namespace
}  // namespace stcsim
