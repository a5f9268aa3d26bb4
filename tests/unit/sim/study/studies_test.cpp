#include <map>
#include <optional>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/job/job.hpp"
#include "sim/job/result_store.hpp"
#include "sim/study/study.hpp"
#include "sim/study/study_plan.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// Linear layers of these input channels, each a different GEMM in every phase.
Network linear_network(const std::string& name, const std::vector<std::int64_t>& channels) {
  Network network;
  network.name = name;
  network.batch = 1;
  for (const std::int64_t in_channels : channels) {
    Layer layer;
    layer.name = "layer" + std::to_string(in_channels);
    layer.kind = LayerKind::linear;
    layer.in_channels = in_channels;
    layer.out_channels = 16;
    layer.height = 8;
    network.layers.push_back(layer);
  }
  return network;
}

Scheme dense_scheme() {
  Scheme scheme;
  scheme.name = "dense";
  return scheme;
}

Scheme sparse_scheme() {
  Scheme scheme;
  scheme.name = "sparse";
  scheme.phases[0].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_in, {2, 4}, "magnitude"};
  return scheme;
}

Experiment forward_of(const Network& network) {
  Experiment experiment;
  experiment.machines = {{"tiny", test::tiny_machine()}};
  experiment.networks = {network};
  experiment.phases = {Phase::forward};
  experiment.schemes = {dense_scheme()};
  experiment.stream_kernels = false;
  return experiment;
}

/// Its board affords `share` of what the dense step draws at the machine's own clock.
Experiment slowed_down(Experiment experiment, double share) {
  PowerConfig& power = experiment.machines.front().config.power;
  power.limit_watts = 1e6;
  power.idle_watts = 1;
  power.dram_pj_per_byte = 1e5;
  power.voltage_floor = 0.5;
  power.limit_watts = share * run_study(experiment, {}).totals.front().dense_watts;
  return experiment;
}

/// Keeps runs, and counts what is asked for and simulated.
class CountingStore final : public RunStore {
 public:
  [[nodiscard]] std::optional<std::string> find(const std::string& key) override {
    ++asked_[key];
    const auto known = runs_.find(key);
    if (known == runs_.end()) return std::nullopt;
    return known->second;
  }
  void put(const std::string& key, const std::string& answer) override {
    ++simulated_[key];
    clocks_.insert(decode(answer).result.clock_mhz);
    runs_[key] = answer;
  }

  /// By key, how often.
  std::map<std::string, int> asked_;
  std::map<std::string, int> simulated_;
  /// That it was simulated at, once for each run.
  std::multiset<double> clocks_;

 private:
  std::map<std::string, std::string> runs_;
};

std::vector<StudyOutcome> outcomes_of(const std::vector<Experiment>& experiments,
                                      const StudyOptions& options) {
  std::vector<StudyOutcome> outcomes(experiments.size());
  std::vector<int> ended(experiments.size());
  run_studies(experiments, options, [&](std::size_t number, StudyOutcome outcome) {
    ++ended.at(number);
    outcomes.at(number) = std::move(outcome);
  });
  EXPECT_THAT(ended, testing::Each(1));
  return outcomes;
}

void expect_equal(const StudyResult& one, const StudyResult& other) {
  EXPECT_EQ(one.rows, other.rows);
  EXPECT_EQ(one.totals, other.totals);
  EXPECT_EQ(one.failures, other.failures);
  EXPECT_EQ(one.checked_gemms, other.checked_gemms);
}

/// Three experiments, one on a machine that is slowed down: together as each is alone.
TEST(Studies, HaveInCompanyTheResultsThatTheyHaveAlone) {
  Experiment both = forward_of(linear_network("both", {16, 32, 48}));
  both.networks.push_back(linear_network("more", {48, 64}));
  both.schemes.push_back(sparse_scheme());
  Experiment slow = slowed_down(forward_of(linear_network("slow", {16, 64, 80})), 0.75);
  slow.schemes.push_back(sparse_scheme());
  Experiment checked = forward_of(linear_network("checked", {32}));
  checked.functional = true;
  const std::vector<Experiment> experiments{both, slow, checked};
  for (const std::int64_t jobs : {1, 3}) {
    CountingStore store;
    const auto outcomes = outcomes_of(experiments, {.jobs = jobs, .store = &store});
    for (std::size_t at = 0; at < experiments.size(); ++at) {
      SCOPED_TRACE(experiments[at].networks.front().name);
      ASSERT_FALSE(outcomes[at].error);
      expect_equal(outcomes[at].result, run_study(experiments[at], {}));
    }
    EXPECT_EQ(outcomes[1].result.totals.front().clock_of, "power");
    const StudyResult totals = run_study(slow, {.store = &store, .totals_only = true});
    EXPECT_TRUE(totals.rows.empty());
    EXPECT_EQ(totals.totals, outcomes[1].result.totals);
    EXPECT_EQ(outcomes[2].result.checked_gemms, 1);
  }
}

TEST(Studies, SimulateOnceWhatSeveralAskFor) {
  const std::vector<Experiment> experiments{forward_of(linear_network("a", {16, 32, 48})),
                                            forward_of(linear_network("b", {32, 48, 64})),
                                            forward_of(linear_network("a", {16, 32, 48}))};
  CountingStore store;
  StudyProgress last;
  const auto outcomes = outcomes_of(
      experiments, {.jobs = 2, .store = &store, .on_progress = [&last](const StudyProgress& now) {
                      last = now;
                    }});
  EXPECT_EQ(store.simulated_.size(), 4U);
  for (const auto& [key, times] : store.simulated_) EXPECT_EQ(times, 1) << key;
  for (const auto& [key, times] : store.asked_) EXPECT_EQ(times, 1) << key;
  expect_equal(outcomes[0].result, outcomes[2].result);
  EXPECT_EQ(last.points, 9);
  EXPECT_EQ(last.points_done, 9);
  EXPECT_DOUBLE_EQ(last.work_done, last.work);
}

/// What only the sparse scheme asks for is simulated at one clock, that of the result.
TEST(Studies, SimulateSparseGemmsAtTheClockThatTheDenseStepHas) {
  Experiment experiment = slowed_down(forward_of(linear_network("slow", {16, 64, 80})), 0.5);
  experiment.schemes.push_back(sparse_scheme());
  experiment.scheme_work = false;
  CountingStore store;
  const StudyResult result = run_study(experiment, {.store = &store});
  const double clock_mhz = result.totals.front().clock_mhz;
  EXPECT_LT(clock_mhz, 1000);
  EXPECT_EQ(store.clocks_.count(1000), 3U);
  EXPECT_EQ(store.clocks_.count(clock_mhz), 6U);
}

/// One whose GEMMs have no kernel, and one whose plan cannot be made, leave the others as they are.
TEST(Studies, FailAlone) {
  const Experiment good = forward_of(linear_network("good", {16, 32}));
  Experiment no_kernel = good;
  no_kernel.kernel = "no_such_kernel";
  Experiment no_stack = good;
  no_stack.stack = "no_such_stack";
  const auto outcomes = outcomes_of({no_kernel, good, no_stack, good}, {.jobs = 2});
  ASSERT_FALSE(outcomes[0].error);
  EXPECT_EQ(outcomes[0].result.failures.size(), 1U);  // one cause of two GEMMs
  EXPECT_TRUE(outcomes[0].result.rows.empty());
  EXPECT_THROW((void)run_study(no_stack, {}), std::exception);
  EXPECT_TRUE(outcomes[2].error);
  for (const std::size_t at : {1U, 3U}) {
    ASSERT_FALSE(outcomes[at].error);
    expect_equal(outcomes[at].result, run_study(good, {}));
    EXPECT_EQ(outcomes[at].result.rows.size(), 2U);
  }
}

TEST(Studies, OfNothingAreOverAtOnce) {
  EXPECT_TRUE(outcomes_of({}, {}).empty());
}

}  // namespace
}  // namespace stcsim
