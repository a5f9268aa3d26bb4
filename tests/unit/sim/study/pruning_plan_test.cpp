#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/study/study.hpp"
#include "sim/study/study_plan.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// 64 -> 32 features, 64 rows: 2048 weights and outputs.
constexpr std::int64_t kElements = 2048;

/// A training step of one linear layer under one scheme.
Experiment experiment_of(const Scheme& scheme, PruningKernels kernels) {
  Experiment experiment;
  experiment.machines = {{"tiny", test::tiny_machine()}};
  Layer layer;
  layer.name = "fc";
  layer.kind = LayerKind::linear;
  layer.in_channels = 64;
  layer.out_channels = 32;
  layer.height = 64;
  layer.repeat = 3;
  layer.after = {StreamOp::bias, StreamOp::gelu};
  Network network;
  network.name = "net";
  network.batch = 1;
  network.accumulation = 4;
  network.layers = {layer};
  experiment.networks = {network};
  experiment.phases.assign(kPhases.begin(), kPhases.end());
  experiment.schemes = {scheme};
  experiment.framework = load_framework("ideal");
  experiment.pruning_kernels = kernels;
  return experiment;
}

Scheme gradients_pruned() {
  Scheme scheme;
  scheme.name = "gradients";
  scheme.phases[2].sparsity = PhaseSparsity{Tensor::output_gradient, GroupAxis::tokens, {2, 4}};
  return scheme;
}

Scheme weights_pruned() {
  Scheme scheme;
  scheme.name = "weights";
  scheme.phases[0].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_in, {2, 4}};
  scheme.phases[1].sparsity = PhaseSparsity{Tensor::weight, GroupAxis::c_out, {2, 4}};
  return scheme;
}

/// The planned row of that operation, which has to be there once.
const PlannedRow& row_of(const MachinePlan& plan, const std::string& op) {
  const auto is_it = [&](const PlannedRow& row) { return row.row.op == op; };
  EXPECT_EQ(std::count_if(plan.rows.begin(), plan.rows.end(), is_it), 1) << op;
  return *std::find_if(plan.rows.begin(), plan.rows.end(), is_it);
}

/// Rows are the plan's: it has to outlive them.
const PlannedRow& row_of(const MachinePlan&& plan, const std::string& op) = delete;

StreamWork work_of(const MachinePlan& plan, const std::vector<std::int64_t>& points) {
  EXPECT_EQ(points.size(), 1U);
  return std::get<StreamWork>(plan.points.at(static_cast<std::size_t>(points.front())));
}

bool has_own_rows(const MachinePlan& plan) {
  return std::any_of(plan.rows.begin(), plan.rows.end(),
                     [](const PlannedRow& row) { return row.row.scheme_work; });
}

MachinePlan plan_of(const Experiment& experiment) {
  return plan_machine(experiment, experiment.machines.front());
}

TEST(PruningPlan, AKernelOfItsOwnStandsAgainstNothing) {
  const Experiment experiment = experiment_of(gradients_pruned(), PruningKernels::separate);
  const MachinePlan plan = plan_of(experiment);
  const PlannedRow& row = row_of(plan, "prune gradients");
  EXPECT_TRUE(row.row.scheme_work);
  EXPECT_FALSE(row.row.fused_work);
  EXPECT_TRUE(row.dense_points.empty());
  EXPECT_EQ(work_of(plan, row.points).read_bytes, 2 * kElements);
  EXPECT_EQ(row.row.every, 1);
  const Experiment of_weights = experiment_of(weights_pruned(), PruningKernels::separate);
  const MachinePlan weights = plan_of(of_weights);
  EXPECT_EQ(row_of(weights, "prune weights").row.every, 4) << "once per update";
}

/// The gradient of the layer's output is what GELU's backward writes; the bias only reads it.
TEST(PruningPlan, AGradientIsPrunedByWhatWritesIt) {
  const MachinePlan plan = plan_of(experiment_of(gradients_pruned(), PruningKernels::fused));
  EXPECT_FALSE(has_own_rows(plan));
  const PlannedRow& row = row_of(plan, "gelu backward");
  EXPECT_TRUE(row.row.fused_work);
  const StreamWork dense = work_of(plan, row.dense_points);
  const StreamWork own = work_of(plan, row.points);
  EXPECT_EQ(own.read_bytes, dense.read_bytes);
  EXPECT_EQ(own.write_bytes, dense.write_bytes + kElements * 9 / 8);
  EXPECT_EQ(own.vector_ops, dense.vector_ops + 8 * kElements);
  EXPECT_EQ(own.integer_ops, 8 * kElements);
  EXPECT_FALSE(row_of(plan, "bias backward").row.fused_work);
}

/// As the framework's kernels are fused, but for this one gradient; where no kernel writes it, what
/// is left to do for it does not read it.
TEST(PruningPlan, AFusedGradientIsPrunedByWhatWritesIt) {
  Scheme scheme = gradients_pruned();
  scheme.phases[2].sparsity->fused = true;
  scheme.phases[0].sparsity = weights_pruned().phases[0].sparsity;
  Experiment experiment = experiment_of(scheme, PruningKernels::separate);
  const MachinePlan plan = plan_of(experiment);
  const PlannedRow& row = row_of(plan, "gelu backward");
  EXPECT_TRUE(row.row.fused_work);
  EXPECT_EQ(work_of(plan, row.points).write_bytes,
            work_of(plan, row.dense_points).write_bytes + kElements * 9 / 8);
  EXPECT_TRUE(row_of(plan, "prune weights").row.scheme_work);
  experiment.networks.front().layers.front().after.clear();
  const MachinePlan bare = plan_of(experiment);
  const StreamWork apart = work_of(bare, row_of(bare, "prune gradients").points);
  EXPECT_EQ(apart.read_bytes, 0);
  EXPECT_EQ(apart.write_bytes, kElements * 9 / 8);
  scheme.phases[0].sparsity->fused = true;
  const MachinePlan of_both = plan_of(experiment_of(scheme, PruningKernels::separate));
  EXPECT_TRUE(row_of(of_both, "sgd_momentum update").row.fused_work);
  EXPECT_FALSE(has_own_rows(of_both));
}

/// A unit takes the time of as many elements as it prunes in a clk, of none of the lanes that
/// compare.
TEST(PruningPlan, AUnitOfTheEpilogueChoosesWhatAFusedKernelKeeps) {
  Scheme scheme = gradients_pruned();
  scheme.phases[2].sparsity->fused = true;
  scheme.phases[2].sparsity->cost.keeps_largest = true;
  Experiment experiment = experiment_of(scheme, PruningKernels::separate);
  StreamingMultiprocessorConfig& sm = experiment.machines.front().config.accelerator.sm;
  sm.epilogue.compress_elements_per_clk = 16;
  const MachinePlan plan = plan_of(experiment);
  const PlannedRow& row = row_of(plan, "gelu backward");
  const std::int64_t lanes = sm.sub_cores * sm.vector_lanes_per_sub_core;
  const StreamWork own = work_of(plan, row.points);
  EXPECT_EQ(own.vector_ops, work_of(plan, row.dense_points).vector_ops + kElements * lanes / 16);
  EXPECT_EQ(own.integer_ops, 0);
}

/// Nothing is launched for weights but the optimizer: all three layers' are pruned by that.
TEST(PruningPlan, WeightsArePrunedByTheOptimizer) {
  const MachinePlan plan = plan_of(experiment_of(weights_pruned(), PruningKernels::fused));
  EXPECT_FALSE(has_own_rows(plan));
  const PlannedRow& row = row_of(plan, "sgd_momentum update");
  EXPECT_TRUE(row.row.fused_work);
  EXPECT_EQ(work_of(plan, row.points).write_bytes,
            work_of(plan, row.dense_points).write_bytes + 3 * 2 * kElements * 9 / 8);
}

/// What no kernel writes is pruned apart: here nothing comes after the layer.
TEST(PruningPlan, WhatAProductWritesIsPrunedApart) {
  Experiment experiment = experiment_of(gradients_pruned(), PruningKernels::fused);
  experiment.networks.front().layers.front().after.clear();
  EXPECT_TRUE(has_own_rows(plan_of(experiment)));
  experiment = experiment_of(weights_pruned(), PruningKernels::fused);
  experiment.stream_kernels = false;
  EXPECT_TRUE(has_own_rows(plan_of(experiment)));
}

/// The 32 outputs' gradient is the left operand of wgrad: half of it is a dense product of its own,
/// and its pruning writes half as it is, 1024 values of which the other half keeps 512.
TEST(PruningPlan, ChannelsThatStayDenseAreAProductOfTheirOwn) {
  Scheme scheme = gradients_pruned();
  scheme.phases[2].sparsity->dense_share = 0.5;
  const MachinePlan plan = plan_of(experiment_of(scheme, PruningKernels::separate));
  const auto is_wgrad = [](const PlannedRow& row) { return row.row.phase == RowPhase::wgrad; };
  const auto row = std::find_if(plan.rows.begin(), plan.rows.end(), is_wgrad);
  ASSERT_NE(row, plan.rows.end());
  ASSERT_EQ(row->gemms.size(), 2U);
  EXPECT_EQ(row->gemms[0].m, 16);
  EXPECT_EQ(row->gemms[0].a_pattern, (Pattern{2, 4}));
  EXPECT_EQ(row->gemms[1].m, 16);
  EXPECT_TRUE(row->gemms[1].a_pattern.is_dense());
  EXPECT_FALSE(row->may_run_dense);
  EXPECT_EQ(row->dense_gemms.size(), 1U);
  EXPECT_EQ(work_of(plan, row_of(plan, "prune gradients").points).write_bytes,
            kElements / 2 * 2 + kElements / 2 * 9 / 8);
  scheme.phases[2].sparsity->dense_share = 1;
  const MachinePlan all = plan_of(experiment_of(scheme, PruningKernels::separate));
  const auto whole = std::find_if(all.rows.begin(), all.rows.end(), is_wgrad);
  ASSERT_EQ(whole->gemms.size(), 1U);
  EXPECT_TRUE(whole->gemms[0].a_pattern.is_dense());
}

/// Work on a tensor that is not pruned itself goes where no pruned one is left.
TEST(PruningPlan, NothingIsDoneForProductsLeftDense) {
  Scheme scheme = gradients_pruned();
  scheme.work = {{.name = "order", .tensor = Tensor::activation, .reads = 1, .writes = 1}};
  const MachinePlan plan = plan_of(experiment_of(scheme, PruningKernels::separate));
  EXPECT_EQ(work_of(plan, row_of(plan, "order").points).read_bytes, 2 * 2 * kElements);
  scheme.phases[2].dense_because = "slower";
  EXPECT_FALSE(has_own_rows(plan_of(experiment_of(scheme, PruningKernels::separate))));
  scheme.phases[0].sparsity = PhaseSparsity{};
  EXPECT_TRUE(has_own_rows(plan_of(experiment_of(scheme, PruningKernels::separate))));
}

/// Half of the weights, their gradients and states: half of the optimizer's traffic.
TEST(PruningPlan, TheOptimizerUpdatesKeptWeights) {
  Scheme scheme = weights_pruned();
  scheme.updates_kept = true;
  scheme.phases[0].sparsity->mask_every = 0;
  const MachinePlan plan = plan_of(experiment_of(scheme, PruningKernels::separate));
  const PlannedRow& row = row_of(plan, "sgd_momentum update");
  EXPECT_FALSE(row.row.fused_work);
  EXPECT_EQ(2 * work_of(plan, row.points).read_bytes, work_of(plan, row.dense_points).read_bytes);
  EXPECT_EQ(2 * work_of(plan, row.points).write_bytes, work_of(plan, row.dense_points).write_bytes);
}

/// What pruning adds to other kernels is what the scheme spends, as its own kernels are.
TEST(PruningPlan, TotalsCountBothAsTheSchemes) {
  for (const PruningKernels kernels : {PruningKernels::separate, PruningKernels::fused}) {
    const StudyResult study = run_study(experiment_of(gradients_pruned(), kernels), {});
    const StudyTotal& total = study.totals.front();
    EXPECT_GT(total.scheme_work.cycles, 0);
    EXPECT_EQ(total.step.cycles, total.step_without_work.cycles + total.scheme_work.cycles);
    Experiment free = experiment_of(gradients_pruned(), kernels);
    free.scheme_work = false;
    EXPECT_EQ(run_study(free, {}).totals.front().step.cycles, total.step_without_work.cycles);
  }
}

/// Between them GELU, which keeps the order; the residual stream does not.
TEST(PackedProducts, MeetWhatOthersLeftTransposed) {
  Experiment experiment = experiment_of(weights_pruned(), PruningKernels::separate);
  experiment.framework = load_framework("pytorch_2_11_eager");
  std::vector<Layer>& layers = experiment.networks.front().layers;
  layers.push_back(layers.front());
  layers.back().name = "out";
  std::swap(layers.back().in_channels, layers.back().out_channels);
  layers.back().after = {StreamOp::bias, StreamOp::residual_add};
  layers.push_back(layers.front());
  layers.back().name = "next";
  std::string found;
  for (const PlannedRow& row : plan_machine(experiment, experiment.machines.front()).rows) {
    const bool is_packed = !row.gemms.empty() && row.gemms.front().a_pattern == Pattern{2, 4};
    if (!is_packed || row.gemms.front().b_layout == OperandLayout::k_major) continue;
    found += row.row.layer + " " + std::string(to_string(row.row.phase)) + ";";
  }
  EXPECT_EQ(found, "fc dgrad;out forward;");
}

}  // namespace
}  // namespace stcsim
