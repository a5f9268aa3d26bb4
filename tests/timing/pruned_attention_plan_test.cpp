#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {
namespace {

/// Attention of 2 heads, 64 queries and keys: 8192 scores, 16 bits each.
class PrunedAttentionPlan : public ::testing::Test {
 protected:
  PrunedAttentionPlan()
      : experiment_(load_experiment(STCSIM_SOURCE_DIR "/configs/experiments/dfss.yaml")) {
    Network network = experiment_.networks.front();
    network.batch = 1;
    for (Layer& layer : network.layers) {
      layer.count = 2;
      layer.bmm_n = 64;
      (layer.is_scores() ? layer.bmm_m : layer.bmm_k) = 64;
    }
    experiment_.networks = {network};
  }
  const PlannedRow& row_of(const std::string& layer, const std::string& op,
                           RowPhase phase = RowPhase::forward) {
    plan_ = plan_machine(experiment_, experiment_.machines.front());
    return *std::ranges::find_if(plan_.rows, [&](const PlannedRow& row) {
      return row.row.layer == layer && row.row.op == op && row.row.scheme == "dfss" &&
             (op != "gemm" || row.row.phase == phase);
    });
  }
  void run_backward() {
    experiment_.phases = {Phase::forward, Phase::dgrad, Phase::wgrad};
    experiment_.networks.front().layers.front().needs_dgrad = true;
  }
  template <class Kind>
  [[nodiscard]] Kind work_at(std::int64_t point) const {
    return std::get<Kind>(plan_.points.at(static_cast<std::size_t>(point)));
  }

  Experiment experiment_;
  MachinePlan plan_;
};

TEST_F(PrunedAttentionPlan, HalvesSoftmaxAndTheSecondProduct) {
  const PlannedRow scores = row_of("scores", "gemm");
  EXPECT_EQ(scores.gemms.front().c_pattern, (Pattern{2, 4}));
  EXPECT_TRUE(scores.dense_gemms.front().c_pattern.is_dense());
  const PlannedRow softmax = row_of("scores", "softmax forward");
  EXPECT_EQ(work_at<StreamWork>(softmax.dense_points.front()).read_bytes, 2 * 8192);
  const auto own = work_at<StreamWork>(softmax.points.front());
  EXPECT_EQ(own.read_bytes, 8192);
  EXPECT_EQ(own.write_bytes, 8192);
  const PlannedRow values = row_of("values", "gemm");
  EXPECT_EQ(values.gemms.front().a_pattern, (Pattern{2, 4}));
  EXPECT_EQ(values.gemms.front().m, 64) << "the scores are the left operand";
  EXPECT_FALSE(values.may_run_dense);
  EXPECT_TRUE(
      std::ranges::none_of(plan_.rows, [](const auto& row) { return row.row.scheme_work; }));
}

/// dP = dO V^T is written as the scores are, dQ = dS K is sparse; dV and dK need what is expanded.
TEST_F(PrunedAttentionPlan, BackwardHasGradientsOfWhatIsKept) {
  run_backward();
  const PlannedRow values = row_of("values", "gemm", RowPhase::dgrad);
  EXPECT_EQ(values.gemms.front().c_pattern, (Pattern{2, 4}));
  EXPECT_TRUE(values.gemms.front().a_pattern.is_dense());
  const PlannedRow scores = row_of("scores", "gemm", RowPhase::dgrad);
  EXPECT_TRUE(scores.gemms.front().c_pattern.is_dense());
  EXPECT_EQ(scores.gemms.front().a_pattern, (Pattern{2, 4}));
  EXPECT_EQ(scores.gemms.front().k, 64) << "keys";
  const auto softmax = row_of("scores", "softmax backward");
  EXPECT_EQ(work_at<StreamWork>(softmax.dense_points.front()).read_bytes, 4 * 8192);
  EXPECT_EQ(work_at<StreamWork>(softmax.points.front()).read_bytes, 2 * 8192);
  for (const char* const layer : {"scores", "values"}) {
    const PlannedRow wgrad = row_of(layer, "gemm", RowPhase::wgrad);
    EXPECT_EQ(wgrad.gemms, wgrad.dense_gemms);
    const bool is_first = layer == std::string("scores");
    const PlannedRow expand =
        row_of(layer, is_first ? "their gradients expanded" : "scores expanded");
    const auto work = work_at<StreamWork>(expand.points.front());
    EXPECT_EQ(work.read_bytes, 8192 * 9 / 8);
    EXPECT_EQ(work.write_bytes, 2 * 8192);
  }
}

TEST_F(PrunedAttentionPlan, BackwardIsDenseIfTheSchemeSaysNothingOfIt) {
  run_backward();
  experiment_.schemes.front().phases.at(1).sparsity.reset();
  EXPECT_TRUE(row_of("values", "gemm", RowPhase::dgrad).gemms.front().c_pattern.is_dense());
  EXPECT_TRUE(row_of("scores", "gemm", RowPhase::dgrad).gemms.front().a_pattern.is_dense());
  const auto softmax = row_of("scores", "softmax backward");
  EXPECT_EQ(softmax.points, softmax.dense_points);
}

TEST_F(PrunedAttentionPlan, PrunesInAKernelOfItsOwnIfNotFused) {
  experiment_.schemes.front().phases.front().sparsity->fused = false;
  EXPECT_TRUE(row_of("scores", "gemm").gemms.front().c_pattern.is_dense());
  const PlannedRow prune = row_of("values", "prune activations");
  const auto work = work_at<StreamWork>(prune.points.front());
  EXPECT_EQ(work.read_bytes, 2 * 8192);
  EXPECT_EQ(work.write_bytes, 8192 * 9 / 8);
}

TEST_F(PrunedAttentionPlan, StandsAgainstTheKernelThatKeepsScoresOnChip) {
  experiment_.framework = load_framework("pytorch_2_eager");
  const PlannedRow row = row_of("scores", "attention");
  EXPECT_EQ(row.dense_points.size(), 1U);
  EXPECT_EQ(work_at<AttentionWork>(row.dense_points.front()).kernel, AttentionKernel::flash2);
  ASSERT_EQ(row.points.size(), 2U);  // this framework names no softmax for packed scores
  EXPECT_EQ(work_at<GemmWork>(row.points.front()).problem.c_pattern, (Pattern{2, 4}));
  EXPECT_EQ(work_at<GemmWork>(row.points.back()).problem.a_pattern, (Pattern{2, 4}));
}

TEST_F(PrunedAttentionPlan, BackwardOfScoresInMemoryTakesTheFlashKernelsPlace) {
  run_backward();
  experiment_.framework = load_framework("pytorch_2_packed_scores");
  (void)row_of("scores", "attention");
  const PlannedRow& row = *std::ranges::find_if(plan_.rows, [](const PlannedRow& one) {
    return one.row.scheme == "dfss" && one.row.op == "attention" && one.row.backward;
  });
  ASSERT_EQ(row.points.size(), 7U) << "dP, softmax, dQ, expanded scores, dV, gradients, dK";
  EXPECT_EQ(work_at<GemmWork>(row.points[0]).problem.c_pattern, (Pattern{2, 4}));
  EXPECT_EQ(work_at<StreamWork>(row.points[1]).write_bytes, 8192);
  EXPECT_EQ(work_at<GemmWork>(row.points[2]).problem.a_pattern, (Pattern{2, 4}));
  EXPECT_EQ(work_at<StreamWork>(row.points[3]).write_bytes, 2 * 8192);
  EXPECT_EQ(work_at<GemmWork>(row.points[4]).problem.m, 64);
  EXPECT_EQ(work_at<StreamWork>(row.points[5]).write_bytes, 2 * 8192);
  EXPECT_EQ(work_at<GemmWork>(row.points[6]).problem.n, 64);
}

TEST_F(PrunedAttentionPlan, AKernelThatPrunesTakesTheDenseOnesPlace) {
  run_backward();
  experiment_.framework = load_framework("pytorch_2_pruned_on_chip");
  (void)row_of("scores", "attention");
  int kernels = 0;
  for (const PlannedRow& row : plan_.rows) {
    if (row.row.scheme != "dfss" || row.row.op != "attention") continue;
    ++kernels;
    auto own = work_at<AttentionWork>(row.points.front());
    EXPECT_EQ(std::exchange(own.shape.scores, kDense), (Pattern{2, 4}));
    EXPECT_EQ(own, work_at<AttentionWork>(row.dense_points.front()));
    EXPECT_EQ(row.points.size(), row.dense_points.size());
  }
  EXPECT_EQ(kernels, 2) << "forward and backward";
  EXPECT_TRUE(
      std::ranges::none_of(plan_.rows, [](const auto& row) { return row.row.scheme_work; }));
}

TEST_F(PrunedAttentionPlan, RunsDenseWhereTheMachineHasNoSuchPattern) {
  experiment_.schemes.front().phases.front().sparsity->pattern = {3, 4};
  EXPECT_TRUE(row_of("scores", "gemm").gemms.front().c_pattern.is_dense());
  EXPECT_TRUE(row_of("values", "gemm").gemms.front().a_pattern.is_dense());
}

}  // namespace
}  // namespace stcsim
