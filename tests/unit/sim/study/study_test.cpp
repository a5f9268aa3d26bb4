#include "sim/study/study.hpp"

#include <map>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/job/result_store.hpp"
#include "sim/study/study_plan.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_machine.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

using test::read_file;
using test::TemporaryDirectory;

constexpr std::int64_t kLayers = 6;
constexpr std::int64_t kPointsBeforeTheInterruption = 2;

/// A forward pass of linear layers, all different: one point each.
Experiment small_experiment() {
  Experiment experiment;
  experiment.machines = {{"tiny", test::tiny_machine()}};
  Network network;
  network.name = "net";
  network.batch = 1;
  for (std::int64_t number = 1; number <= kLayers; ++number) {
    Layer layer;
    layer.name = "layer" + std::to_string(number);
    layer.kind = LayerKind::linear;
    layer.in_channels = 16 * number;
    layer.out_channels = 16;
    layer.height = 8;
    network.layers.push_back(layer);
  }
  experiment.networks = {network};
  experiment.phases = {Phase::forward};
  Scheme dense;
  dense.name = "dense";
  experiment.schemes = {dense};
  experiment.stream_kernels = false;
  return experiment;
}

void refuse_warning(const std::string& text) {
  ADD_FAILURE() << text;
}

TEST(Study, TakesWhatIsStoredAndStartsNoWorkers) {
  const TemporaryDirectory directory;
  const StudyResult plain = run_study(small_experiment(), {});
  ASSERT_EQ(plain.rows.size(), static_cast<std::size_t>(kLayers));
  ResultStore cold(directory.path(), refuse_warning);
  EXPECT_EQ(run_study(small_experiment(), {.store = &cold}).rows, plain.rows);
  EXPECT_EQ(cold.found(), 0);

  ResultStore warm(directory.path(), refuse_warning);
  int times_waited = 0;
  StudyProgress last;
  StudyOptions options;
  options.store = &warm;
  options.interrupted = [&] { return ++times_waited < 0; };
  options.on_progress = [&](const StudyProgress& progress) { last = progress; };
  const StudyResult again = run_study(small_experiment(), options);
  EXPECT_EQ(again.rows, plain.rows);
  EXPECT_EQ(again.totals, plain.totals);
  EXPECT_EQ(warm.found(), kLayers);
  EXPECT_EQ(times_waited, 0) << "it waited for workers";
  EXPECT_EQ(last.points_done, kLayers);
  EXPECT_EQ(last.work, 0) << "of what is left to simulate";
}

TEST(Study, GoesOnWhereItWasInterrupted) {
  const TemporaryDirectory directory;
  ResultStore first(directory.path(), refuse_warning);
  std::int64_t done = 0;
  StudyOptions options;
  options.store = &first;
  options.on_progress = [&](const StudyProgress& progress) { done = progress.points_done; };
  options.interrupted = [&] { return done >= kPointsBeforeTheInterruption; };
  EXPECT_THROW((void)run_study(small_experiment(), options), StudyInterrupted);
  EXPECT_EQ(done, kPointsBeforeTheInterruption);

  ResultStore second(directory.path(), refuse_warning);
  const StudyResult result = run_study(small_experiment(), {.store = &second});
  EXPECT_EQ(second.found(), kPointsBeforeTheInterruption);
  EXPECT_EQ(result.rows, run_study(small_experiment(), {}).rows);
}

TEST(Study, StoresNoFailures) {
  const TemporaryDirectory directory;
  Experiment experiment = small_experiment();
  experiment.kernel = "no_such_kernel";
  for (int time = 0; time < 2; ++time) {
    ResultStore store(directory.path(), refuse_warning);
    const StudyResult result = run_study(experiment, {.store = &store});
    EXPECT_EQ(result.failures.size(), 1U);  // one cause of all layers
    EXPECT_TRUE(result.rows.empty());
    EXPECT_EQ(store.found(), 0);
  }
}

TEST(Study, FastForwardMakesNoOtherEntries) {
  const TemporaryDirectory directory;
  std::map<std::string, std::string> entries;
  for (const bool fast_forward : {false, true}) {
    ResultStore store(directory / (fast_forward ? "on" : "off"), refuse_warning);
    (void)run_study(small_experiment(), {.fast_forward = fast_forward, .store = &store});
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store.directory())) {
      if (!entry.is_regular_file()) continue;
      const auto [known, is_new] =
          entries.try_emplace(entry.path().filename(), read_file(entry.path()));
      EXPECT_EQ(known->second, read_file(entry.path()));
    }
  }
  EXPECT_EQ(entries.size(), static_cast<std::size_t>(kLayers));
}

/// What was checked with values is another entry than what was not.
TEST(Study, KeepsWhatRanWithValuesApart) {
  const TemporaryDirectory directory;
  ResultStore plain(directory.path(), refuse_warning);
  const StudyResult without = run_study(small_experiment(), {.store = &plain});
  Experiment experiment = small_experiment();
  experiment.functional = true;
  ResultStore first(directory.path(), refuse_warning);
  const StudyResult checked = run_study(experiment, {.store = &first});
  EXPECT_EQ(first.found(), 0);
  EXPECT_EQ(checked.checked_gemms, kLayers);
  EXPECT_EQ(checked.rows, without.rows);
  ResultStore again(directory.path(), refuse_warning);
  EXPECT_EQ(run_study(experiment, {.store = &again}).checked_gemms, kLayers);
  EXPECT_EQ(again.found(), kLayers);
}

/// The forward pass of the folded network: fp16 or int8, and nothing of the training step.
TEST(Study, InferenceIsTheForwardPassOfTheFoldedNetwork) {
  Experiment experiment = small_experiment();
  experiment.stream_kernels = true;
  experiment.framework = load_framework("ideal");
  for (Layer& layer : experiment.networks.front().layers) {
    layer.after = {StreamOp::batch_norm, StreamOp::relu, StreamOp::dropout, StreamOp::gelu};
  }
  Scheme sparse;
  sparse.name = "sparse";
  sparse.share_of_training = 0.5;
  sparse.phases[0].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_in, {2, 4}, "magnitude"};
  sparse.work = {{.name = "prune", .tensor = Tensor::weight, .reads = 1, .writes = 1}};
  experiment.schemes.push_back(sparse);
  for (const DataType dtype : {DataType::fp16, DataType::int8}) {
    experiment.dtype = dtype;
    experiment.phases = {};
    experiment.inference = true;
    const StudyResult after = run_study(experiment, {});
    Experiment forward = experiment;
    forward.inference = false;
    forward.phases = {Phase::forward};
    forward.networks = {for_inference(experiment.networks.front())};
    forward.schemes.back() = for_inference(sparse);
    StudyResult expected = run_study(forward, {});
    ASSERT_EQ(after.rows.size(), static_cast<std::size_t>(2 * 2 * kLayers));
    for (ResultRow& row : expected.rows) row.phase = RowPhase::inference;
    EXPECT_EQ(after.rows, expected.rows);
    ASSERT_EQ(after.totals.size(), 2U);
    EXPECT_EQ(after.totals.back().pass, StudyPass::inference);
    EXPECT_EQ(after.totals.back().share_of_training, 1.0);
    EXPECT_EQ(after.totals.back().step, expected.totals.back().step);
    EXPECT_GT(after.totals.back().step.speedup, 1.0);
  }
}

/// Asking for inference too changes nothing of the training step.
TEST(Study, InferenceStandsBesideTheTrainingStep) {
  Experiment experiment = small_experiment();
  experiment.phases = {Phase::forward, Phase::wgrad};
  const StudyResult training = run_study(experiment, {});
  experiment.inference = true;
  StudyResult both = run_study(experiment, {});
  ASSERT_EQ(both.totals.size(), 2U);
  EXPECT_EQ(both.totals.front(), training.totals.front());
  EXPECT_EQ(both.totals.back().pass, StudyPass::inference);
  both.rows.resize(training.rows.size());
  EXPECT_EQ(both.rows, training.rows);
}

/// Two schemes that differ in how they prune only: one point to simulate, two to check.
TEST(Study, ChecksEveryWayOfPruning) {
  Experiment experiment = small_experiment();
  experiment.scheme_work = false;
  for (const char* const prune : {"magnitude", "mvue"}) {
    Scheme scheme;
    scheme.name = prune;
    scheme.phases[0].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_in, {2, 4}, prune};
    experiment.schemes.push_back(scheme);
  }
  const auto points = [&experiment] {
    return plan_machine(experiment, experiment.machines.front()).points.size();
  };
  EXPECT_EQ(points(), static_cast<std::size_t>(2 * kLayers));
  experiment.functional = true;
  EXPECT_EQ(points(), static_cast<std::size_t>(3 * kLayers));
  const StudyResult checked = run_study(experiment, {});
  EXPECT_EQ(checked.checked_gemms, 3 * kLayers);
  EXPECT_TRUE(checked.failures.empty());
}

/// small_experiment() on a machine that says what it draws.
Experiment with_power(double limit_watts) {
  Experiment experiment = small_experiment();
  experiment.stream_kernels = true;
  experiment.framework = load_framework("ideal");
  experiment.networks.front().layers.front().after = {StreamOp::relu};
  PowerConfig& power = experiment.machines.front().config.power;
  power.limit_watts = limit_watts;
  power.idle_watts = 1;
  power.dram_pj_per_byte = power.vector_pj_per_byte = 1e5;
  power.voltage_floor = 0.5;
  return experiment;
}

TEST(Study, RunsAtTheClockThatPowerAllowsTheDenseStep) {
  const StudyTotal free = run_study(with_power(1e6), {}).totals.front();
  EXPECT_EQ(free.clock_mhz, 1000);
  EXPECT_EQ(free.clock_of, "machine");
  ASSERT_GT(free.dense_watts, 2);
  // Watts times seconds; the sparse step takes less of them.
  const double dense_us = free.step.time_us * free.step.speedup;
  EXPECT_NEAR(free.dense_joules, free.dense_watts * dense_us * 1e-6, 1e-6 * free.dense_joules);
  EXPECT_GT(free.joules, 0);
  const StudyTotal limited = run_study(with_power(free.dense_watts * 0.75), {}).totals.front();
  EXPECT_EQ(limited.clock_of, "power");
  EXPECT_LT(limited.clock_mhz, 1000);
  EXPECT_GT(limited.clock_mhz, 500);
  EXPECT_NEAR(limited.dense_watts, free.dense_watts * 0.75, free.dense_watts * 0.02);
  EXPECT_GT(limited.step.time_us, free.step.time_us);
  // DRAM and launches keep their times: it takes fewer cycles.
  EXPECT_LT(limited.step.cycles, free.step.cycles);
  EXPECT_DOUBLE_EQ(limited.step.time_us,
                   static_cast<double>(limited.step.cycles) / limited.clock_mhz);
}

TEST(Study, RunsAtALockedClockWhateverItDraws) {
  Experiment experiment = with_power(2);
  experiment.clock_mhz = 2000;
  const StudyTotal locked = run_study(experiment, {}).totals.front();
  EXPECT_EQ(locked.clock_mhz, 2000);
  EXPECT_EQ(locked.clock_of, "experiment");
  EXPECT_GT(locked.dense_watts, 2);
  experiment.clock_mhz.reset();
  EXPECT_LT(run_study(experiment, {}).totals.front().clock_mhz, 1000);
}

TEST(Study, AMachineThatSaysNothingOfPowerRunsAtItsClock) {
  const StudyTotal total = run_study(small_experiment(), {}).totals.front();
  EXPECT_EQ(total.clock_mhz, 1000);
  EXPECT_EQ(total.clock_of, "machine");
  EXPECT_EQ(total.dense_watts, 0);
}

}  // namespace
}  // namespace stcsim
