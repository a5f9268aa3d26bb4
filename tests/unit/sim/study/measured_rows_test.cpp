#include <numeric>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/study/study_rows.hpp"
#include "tests/support/row_phase.hpp"

namespace stcsim::measured_step {
namespace {

constexpr double kClockMhz = 1000;
constexpr std::int64_t kUs = 1000;  // cycles of a microsecond at that clock, and nanoseconds

ResultRow row(const std::string& layer, const std::string& phase, std::int64_t repeat,
              std::int64_t dense_us, std::int64_t us) {
  ResultRow row;
  row.network = "mlp";
  row.scheme = "sparse";
  row.layer = layer;
  row.phase = test::row_phase_named(phase);
  row.repeat = repeat;
  row.launches = 1;
  row.dense_cycles = dense_us * kUs;
  row.cycles = us * kUs;
  row.ran_sparse = us != dense_us;
  return row;
}

ResultRow stream(StreamKind kind, const std::string& phase, std::int64_t dense_us,
                 std::int64_t us) {
  ResultRow kernel = row("fc", phase, 1, dense_us, us);
  kernel.kind = kind;
  kernel.ran_sparse = false;
  return kernel;
}

/// Two layers of 30 and 20 us forward and backward, and 40 us beside them: 180 us of 200.
Network network(std::int64_t host_us) {
  Network network;
  network.name = "mlp";
  Layer layer;
  layer.name = "fc";
  layer.repeat = 2;
  layer.measured = MeasuredTimes{30 * kUs, 20 * kUs, 20 * kUs};
  network.layers = {layer};
  network.measured_step = MeasuredStep{.gpu = "NVIDIA H200",
                                       .span_ns = 200 * kUs,
                                       .optimizer_ns = 10 * kUs,
                                       .others_ns = 27 * kUs,
                                       .copies_ns = 1 * kUs,
                                       .fills_ns = 2 * kUs,
                                       .launches = 9,
                                       .host_ns = host_us * kUs};
  return network;
}

/// Simulated: a forward product takes half of its dense time, pruning 12 us.
std::vector<ResultRow> simulated(std::int64_t forward_us, std::int64_t pruning_us) {
  ResultRow pruning = stream(StreamKind::pruning, "other", 0, pruning_us);
  pruning.scheme_work = true;
  return {row("fc", "forward", 2, 10, forward_us), row("fc", "dgrad", 2, 7, 7),
          row("fc", "wgrad", 2, 9, 9), pruning, stream(StreamKind::activation, "other", 100, 100)};
}

SharedRows measured(const std::vector<ResultRow>& rows, const Network& network,
                    const LaunchCosts& launch = {}) {
  return measured_rows(network, {rows, std::vector<double>(rows.size(), 1.0)}, launch, kClockMhz);
}

std::int64_t sum(const SharedRows& rows, bool is_dense) {
  return std::accumulate(rows.rows.begin(), rows.rows.end(), std::int64_t{0},
                         [&](std::int64_t all, const ResultRow& one) {
                           return all + one.repeat * (is_dense ? one.dense_cycles : one.cycles);
                         });
}

TEST(MeasuredRows, AddUpToTheSpanOfTheDenseStep) {
  const SharedRows rows = measured(simulated(10, 0), network(150));
  EXPECT_EQ(sum(rows, true), 200 * kUs);
  EXPECT_EQ(sum(rows, false), 200 * kUs);
  EXPECT_EQ(rows.rows.size(), rows.shares.size());
  EXPECT_EQ(rows.rows.back().kind, StreamKind::launches);
  EXPECT_EQ(rows.rows.back().dense_cycles, 20 * kUs);
}

TEST(MeasuredRows, OfAProductAreItsTimeTimesTheSimulatedRatio) {
  const SharedRows rows = measured(simulated(5, 12), network(150));
  EXPECT_EQ(rows.rows[0].dense_cycles, 30 * kUs);
  EXPECT_EQ(rows.rows[0].cycles, 15 * kUs);
  EXPECT_TRUE(rows.rows[0].measured);
  EXPECT_FALSE(rows.rows[3].measured);
  // Two products spare 15 us each, pruning takes 12; gaps of 20 us stay.
  EXPECT_EQ(sum(rows, true), 200 * kUs);
  EXPECT_EQ(sum(rows, false), (200 - 30 + 12) * kUs);
}

TEST(MeasuredRows, LoseWherePruningCostsMoreThanProductsSpare) {
  EXPECT_EQ(sum(measured(simulated(5, 42), network(150)), false), (200 - 30 + 42) * kUs);
}

TEST(MeasuredRows, OfAHostThatBoundsSpareNothing) {
  const SharedRows rows = measured(simulated(5, 12), network(200));
  EXPECT_EQ(sum(rows, false), 200 * kUs);
  EXPECT_EQ(rows.rows.back().cycles, (20 + 30 - 12) * kUs);
  // It launches a kernel more, and makes descriptors of two sparse products.
  EXPECT_EQ(sum(measured(simulated(5, 12), network(200), {8, false, 100}), false),
            (200 + 8 + 2 * 100) * kUs);
}

TEST(MeasuredRows, OfAStepAloneAreTheRestBesideSimulatedProducts) {
  Network step = network(0);
  step.measured_step = MeasuredStep{.span_ns = 100 * kUs};
  const SharedRows rows = measured(simulated(5, 12), step);
  EXPECT_EQ(rows.rows[0].dense_cycles, 10 * kUs);
  EXPECT_EQ(sum(rows, true), 100 * kUs);
  EXPECT_EQ(sum(rows, false), (100 - 10 + 12) * kUs);
  step.measured_step->span_ns = 51 * kUs;
  EXPECT_THROW((void)measured(simulated(5, 12), step), ConfigError);
}

TEST(MeasuredRows, AreRefusedOfAStepThatIsShorterThanItsKernels) {
  Network step = network(150);
  step.measured_step->span_ns = 170 * kUs;
  EXPECT_THROW((void)measured(simulated(10, 0), step), ConfigError);
}

}  // namespace
}  // namespace stcsim::measured_step
