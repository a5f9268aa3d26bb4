// Rows about steps: what they read, and what they make of a study.
#include "reports/papers/step_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/yaml_reader.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<StepRow> step_rows(const std::string& text) {
  const YamlDocument document = parse_yaml(text, "row.yaml");
  MapReader map(document);
  return read_step_rows(map);
}

std::string step_error(const std::string& text) {
  return error_of([&] { static_cast<void>(step_rows(text)); });
}

/// About "sr-ste" in "mlp" of the sample study.
StepRow sample_row(Quantity quantity,
                   std::vector<std::string> products = {"forward", "dgrad", "wgrad"}) {
  StepRow row;
  row.network = "mlp";
  row.scheme.name = "sr-ste";
  row.products = std::move(products);
  row.quantity = quantity;
  return row;
}

PaperColumn sample_column(bool assumed = false) {
  PaperColumn column;
  column.name = "A100";
  column.machine = "a100";
  column.framework = "eager";
  column.assumed = assumed;
  return column;
}

/// Forward 2,000 cycles instead of 3,000, dgrad 3,000, wgrad none; an activation of 250; the step
/// 6,000 instead of 6,250.
double step_value(const StepRow& row, bool assumed = false) {
  const StudyResult study = test::small_study_with_work();
  return answer_of(row, sample_column(assumed), study).value().value;
}

TEST(StepRowTest, QuantitiesOfLayersAndProducts) {
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::gemm_gain)), 1.2);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::gemm_gain, {"forward"})), 1.5);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::gemm_gain, {"wgrad"})), 1) << "none runs";
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::gemm_saved)), 100.0 / 6);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::share, {"forward"})), 40);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::share, {"forward", "dgrad"})), 100);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::share_of_dense, {"forward"})), 100.0 / 3);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::gemm_ms, {"dgrad"})), 0.003);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::block_gain)), 6250.0 / 5250);
}

TEST(StepRowTest, LayersAreOnlyThoseNamed) {
  StepRow row = sample_row(Quantity::gemm_ms, {"dgrad"});
  row.layers = {"fc1"};
  EXPECT_DOUBLE_EQ(step_value(row), 0.003);
  row.layers = {"fc2"};
  EXPECT_DOUBLE_EQ(step_value(row), 0);
}

TEST(StepRowTest, RepeatsCount) {
  StudyResult study = test::small_study_with_work();
  for (ResultRow& one : study.rows) {
    if (one.phase == RowPhase::dgrad) one.repeat = 3;
  }
  const auto answer = answer_of(sample_row(Quantity::gemm_gain), sample_column(), study).value();
  EXPECT_DOUBLE_EQ(answer.value, 12.0 / 11);
}

TEST(StepRowTest, QuantitiesOfTheStep) {
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::step_gain)), 6250.0 / 6000);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::step_saved)), 4);
  EXPECT_DOUBLE_EQ(step_value(sample_row(Quantity::step_ms)), 6);
  StepRow row = sample_row(Quantity::step_ratio);
  row.against.emplace().name = "dense";
  EXPECT_DOUBLE_EQ(step_value(row), 6250.0 / 6000);
}

TEST(StepRowTest, APassAfterTrainingHasATime) {
  StudyResult study = test::small_study_with_work();
  const StepRow row = sample_row(Quantity::inference_ms);
  EXPECT_FALSE(answer_of(row, sample_column(), study)) << "a training step is none";
  for (StudyTotal& total : study.totals) total.pass = StudyPass::inference;
  EXPECT_DOUBLE_EQ(answer_of(row, sample_column(), study).value().value, 6);
}

TEST(StepRowTest, SaysWhatEachProductGains) {
  StudyResult study = test::small_study_with_work();
  const auto because = [&](const StepRow& row) {
    return answer_of(row, sample_column(), study).value().because;
  };
  EXPECT_EQ(because(sample_row(Quantity::block_gain)), "forward 1.50x");
  EXPECT_EQ(because(sample_row(Quantity::gemm_gain, {"dgrad"})), "forward 1.50x of 2.00x counted")
      << "why dgrad alone gains nothing";
  EXPECT_EQ(because(sample_row(Quantity::step_gain)),
            "forward 1.50x of 2.00x counted; GEMMs are 96.0 % of the dense step; pruning takes "
            "12.0 % of it");
  EXPECT_EQ(because(sample_row(Quantity::step_ms)), "");
}

TEST(StepRowTest, SaysWhereTheGainWent) {
  StudyResult study = test::small_study_with_work();
  const auto because = [&](Quantity quantity) {
    return answer_of(sample_row(quantity, {"dgrad"}), sample_column(), study).value().because;
  };
  StudyResult inference = study;
  for (StudyTotal& total : inference.totals) total.pass = StudyPass::inference;
  for (ResultRow& row : inference.rows) row.phase = RowPhase::inference;
  EXPECT_EQ(answer_of(sample_row(Quantity::inference_gain), sample_column(), inference)->because,
            "inference 1.20x of 1.33x counted; GEMMs are 96.0 % of the dense pass; pruning takes "
            "12.0 % of it");
  study.rows.push_back(test::gemm_row("fc2", "forward", "sr-ste", 2000, 2000));
  EXPECT_EQ(because(Quantity::gemm_gain), "forward 1.50x of 1.33x counted")
      << "half of it is sparse";
  for (ResultRow& row : study.rows) {
    if (row.scheme == "sr-ste")
      row = test::refused_row(row.layer, to_string(row.phase), row.scheme);
  }
  EXPECT_EQ(because(Quantity::step_gain), "all GEMMs run dense: 4:8 does not fit 2:4 hardware");
}

TEST(StepRowTest, MemoryIsAPartOfTheOthers) {
  StudyResult study = test::small_study_with_work();
  study.totals.front().memory.weights = 400;
  study.totals.back().memory.weights = 100;
  study.totals.back().memory.masks = 200;
  StepRow row = sample_row(Quantity::memory_share);
  row.against.emplace().name = "dense";
  const PaperAnswer answer = answer_of(row, sample_column(), study).value();
  EXPECT_DOUBLE_EQ(answer.value, 75);
  EXPECT_EQ(answer.because, "");
}

TEST(StepRowTest, IntervalsAreTheStudysUnlessTheColumnIsAssumed) {
  StudyResult study = test::small_study_with_work();
  study.totals.back().step_interval = {1.02, 1.25, false};
  const StepRow gain = sample_row(Quantity::step_gain);
  const PaperAnswer answer = answer_of(gain, sample_column(), study).value();
  EXPECT_DOUBLE_EQ(answer.low, 1.02);
  EXPECT_DOUBLE_EQ(answer.high, 1.25);
  EXPECT_EQ(answer.column, "A100");
  EXPECT_EQ(answer.where, "a100 with eager");
  const StepRow saved = sample_row(Quantity::step_saved);
  EXPECT_DOUBLE_EQ(answer_of(saved, sample_column(), study).value().high, 20);
  const PaperAnswer exact = answer_of(gain, sample_column(true), study).value();
  EXPECT_DOUBLE_EQ(exact.low, exact.value);
  EXPECT_DOUBLE_EQ(exact.high, exact.value);
}

TEST(StepRowTest, HasNoAnswerIfSomeOfItFailed) {
  StudyResult study = test::small_study_with_work();
  study.totals.back().step.failed = 1;
  EXPECT_FALSE(answer_of(sample_row(Quantity::step_gain), sample_column(), study));
  StepRow dense = sample_row(Quantity::step_ms);
  dense.scheme.name = "dense";
  EXPECT_TRUE(answer_of(dense, sample_column(), study));
  dense.against.emplace().name = "sr-ste";
  EXPECT_FALSE(answer_of(dense, sample_column(), study));
}

TEST(StepRowTest, ReadsWhatItSays) {
  const StepRow row =
      step_rows(
          "{network: resnet18, batch: 64, dtype: bf16, scheme: sdgp, pattern: \"1:4\", "
          "layers: [conv1], products: [dgrad], quantity: share}")
          .at(0);
  EXPECT_EQ(row.network, "resnet18");
  EXPECT_EQ(row.batch, 64);
  EXPECT_EQ(row.dtype, "bf16");
  EXPECT_EQ(row.scheme.full_name(), "sdgp-1:4");
  EXPECT_THAT(row.layers, ElementsAre("conv1"));
  EXPECT_THAT(row.products, ElementsAre("dgrad"));
  const StepRow plain = step_rows("{network: resnet18, quantity: step_ms}").at(0);
  EXPECT_EQ(plain.scheme.full_name(), "dense");
  EXPECT_THAT(plain.products, ElementsAre("forward", "dgrad", "wgrad"));
  EXPECT_FALSE(plain.is_inference());
  EXPECT_TRUE(step_rows("{network: resnet18, quantity: inference_gain}").at(0).is_inference());
  EXPECT_TRUE(step_rows("{network: resnet18, quantity: inference_ms}").at(0).is_inference());
  EXPECT_TRUE(step_rows("{network: resnet18, quantity: gemm_ms, products: [inference]}")
                  .at(0)
                  .is_inference());
}

/// The first layer of a network has no dgrad.
TEST(StepRowTest, EachLayerIsARowOfEveryProduct) {
  const auto rows = step_rows("{network: resnet9_cifar10, quantity: gemm_ms, each: layer}");
  EXPECT_EQ(rows.size(), 9U * 3 - 1);
  EXPECT_THAT(rows.at(1).layers, ElementsAre("conv1"));
  EXPECT_THAT(rows.at(1).products, ElementsAre("wgrad"));
}

TEST(StepRowTest, RefusesWhatItCannotMean) {
  EXPECT_THAT(step_error("{network: resnet18, quantity: speed}"), HasSubstr("'speed'"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: gemm_ms, layers: [conv11]}"),
              HasSubstr("row.yaml:1:48: error: resnet18 has no layer 'conv11'; did you mean"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: step_ms, layers: [conv1]}"),
              HasSubstr("'layers' has no effect on step_ms, which is of a whole step or pass"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: step_ratio}"),
              HasSubstr("must have 'against' beside it"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: step_gain, against: {scheme: dense}}"),
              HasSubstr("'against' has no effect on step_gain"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: gemm_ms, products: [forward, inference]}"),
              HasSubstr("or inference alone"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: gemm_ms, each: product}"),
              HasSubstr("'each' must be layer"));
  EXPECT_THAT(step_error("{network: resnet17, quantity: gemm_ms}"), HasSubstr("resnet17"));
  EXPECT_THAT(step_error("{network: resnet18, quantity: gemm_ms, aganst: {}}"),
              HasSubstr("did you mean 'against'"));
}

}  // namespace
}  // namespace stcsim
