#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::gemm_row;
using test::refused_row;
using test::sparse_row;
using test::stream_row;
using ::testing::ElementsAre;

/// Row `bound_by` what it says.
ResultRow bound(ResultRow row, const char* by) {
  row.bound_by = by;
  return row;
}

/// "asp" loses 12 * (2000 - 1500) + (1250 - 1000) + (800 - 500) + (1024 - 512) = 7062 cycles, and
/// "dense" nothing: it is what the others are compared with.
StudyResult lossy_study() {
  StudyResult study;
  study.resolved_config = R"({"dtype":"fp16","networks":[{"name":"mlp","batch":8}]})";
  study.rows = {sparse_row("fc0", "forward", "dense", 9000, 9000),
                bound(sparse_row("fc1", "forward", "asp", 2000, 3000), "fill"),
                bound(sparse_row("fc2", "forward", "asp", 1250, 2000), "unclear"),
                bound(sparse_row("fc2", "dgrad", "asp", 800, 1000), "last_wave"),
                bound(sparse_row("fc3", "forward", "asp", 1024, 1024), "too_few_ctas"),
                gemm_row("fc1", "wgrad", "asp", 3000, 3000),
                stream_row("fc1", "relu", "asp"),
                refused_row("fc4", "forward", "asp")};
  study.rows.at(1).repeat = 12;
  return study;
}

TEST(LossesTables, TheLayersThatLoseMostAndWhatLimitsThem) {
  EXPECT_EQ(losses_tables(lossy_study()), R"(mlp on a100, asp: where sparsity loses

layer    phase    pattern  cycles   gain  ideal  cycles lost   share  limited by
-------  -------  -------  ------  -----  -----  -----------  ------  ------------
fc1 ×12  forward  2:4      24,000  1.50x  2.00x        6,000  85.0 %  fill
fc3      forward  2:4       1,024  1.00x  2.00x          512   7.3 %  too_few_ctas
fc2      dgrad    2:4         800  1.25x  2.00x          300   4.2 %  last_wave
fc2      forward  2:4       1,250  1.60x  2.00x          250   3.5 %  unclear
next: stcsim explain --arch a100 --layer mlp:fc1 --phase forward --scheme asp --batch 8

Cycles are of all repeats. Lost: what a layer takes longer than dense cycles / ideal, ideal being m/n of the hardware's pattern; share: of what the scheme loses. *: slower than dense.
)");
}

TEST(LossesTables, WithoutALossThereIsNoSection) {
  EXPECT_EQ(losses_tables(StudyResult{}), "");
  EXPECT_TRUE(losses_json(StudyResult{}).empty());
  StudyResult study;
  study.rows = {refused_row("fc1", "forward", "asp"), gemm_row("fc2", "forward", "asp", 100, 100),
                stream_row("fc1", "relu", "asp")};
  EXPECT_EQ(losses_tables(study), "");
  // As fast as the ideal, and faster: with FP8 against an fp16 baseline.
  study.rows = {sparse_row("fc1", "forward", "asp", 500, 1000),
                sparse_row("fc2", "forward", "asp", 300, 1000)};
  EXPECT_EQ(losses_tables(study), "");
}

/// Equal by one cycle: as fast as dense is not slower.
TEST(LossesTables, MarkWhatIsSlowerThanDense) {
  StudyResult study = lossy_study();
  study.rows = {sparse_row("fc1", "forward", "asp", 1001, 1000),
                sparse_row("fc2", "forward", "asp", 1000, 1000)};
  EXPECT_EQ(losses_tables(study).find(R"(mlp on a100, asp: where sparsity loses

layer  phase    pattern  cycles     gain  ideal  cycles lost   share  limited by
-----  -------  -------  ------  -------  -----  -----------  ------  -----------
fc1    forward  2:4       1,001  *0.999x  2.00x          501  50.0 %  tensor_core
fc2    forward  2:4       1,000    1.00x  2.00x          500  50.0 %  tensor_core
next:)"),
            0U)
      << losses_tables(study);
}

/// The study's order is kept where rows, and schemes, lose the same; the sixth row is not shown.
TEST(StudyLosses, TiesKeepTheStudysOrder) {
  StudyResult study = lossy_study();
  study.rows.clear();
  for (const char* scheme : {"one", "two", "three"}) {
    for (const char* layer : {"a", "b", "c", "d", "e", "f"}) {
      study.rows.push_back(sparse_row(layer, "forward", scheme, 600, 1000));
    }
  }
  const std::vector<SchemeLosses> all = study_losses(study);
  ASSERT_EQ(all.size(), 3U);
  std::vector<std::string> layers;
  for (const SparsityLoss& loss : all.front().worst) {
    layers.push_back(loss.row->layer);
    EXPECT_DOUBLE_EQ(loss.share, 1.0 / 6.0);
  }
  EXPECT_THAT(layers, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(all.front().lost_cycles, 600);
  const std::string text = losses_tables(study);
  EXPECT_LT(text.find("mlp on a100, one:"), text.find("mlp on a100, two:"));
  EXPECT_LT(text.find("mlp on a100, two:"), text.find("mlp on a100, three:"));
}

TEST(LossesTables, OfEachMachineTheSchemeThatLosesMostFirst) {
  StudyResult study = lossy_study();
  study.rows = {sparse_row("fc", "forward", "little", 600, 1000),
                sparse_row("fc", "forward", "much", 900, 1000),
                sparse_row("fc", "forward", "some", 700, 1000),
                sparse_row("fc", "forward", "little", 600, 1000)};
  study.rows.back().machine = "h100";
  const std::string text = losses_tables(study);
  EXPECT_EQ(text.find("mlp on a100, much: where sparsity loses\n"), 0U);
  EXPECT_LT(text.find("mlp on a100, some:"), text.find("mlp on a100, little:"));
  EXPECT_LT(text.find("mlp on a100, little:"), text.find("mlp on h100, little:"));
}

/// 2:8 on hardware for 2:4 can gain 2, 1:4 on its own 4.
TEST(StudyLosses, TheIdealIsThatOfTheHardware) {
  StudyResult study = lossy_study();
  study.rows = {sparse_row("fc1", "forward", "asp", 600, 1000),
                sparse_row("fc2", "forward", "asp", 300, 1000)};
  study.rows.at(0).pattern = {2, 8};
  study.rows.at(1).pattern = study.rows.at(1).hardware_pattern = {1, 4};
  const SchemeLosses losses = study_losses(study).at(0);
  ASSERT_EQ(losses.worst.size(), 2U);
  EXPECT_EQ(losses.worst.at(0).lost_cycles, 600 - 500);
  EXPECT_EQ(losses.worst.at(0).ideal_gain, 2.0);
  EXPECT_EQ(losses.worst.at(1).lost_cycles, 300 - 250);
  EXPECT_EQ(losses.worst.at(1).ideal_gain, 4.0);
  EXPECT_NE(losses_tables(study).find("fc1    forward  2:8 as 2:4"), std::string::npos);
}

/// The pass after training is a sum of its own; its GEMMs are those of forward.
TEST(StudyLosses, KeepThePassAfterTrainingApart) {
  StudyResult study = lossy_study();
  study.rows = {sparse_row("fc1", "forward", "asp", 600, 1000),
                sparse_row("fc1", "inference", "asp", 700, 1000)};
  const std::vector<SchemeLosses> all = study_losses(study);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).lost_cycles, 100);
  EXPECT_EQ(all.at(1).row().pass(), StudyPass::inference);
  EXPECT_EQ(all.at(1).lost_cycles, 200);
  EXPECT_EQ(all.at(1).explain.at(3), "--phase forward");
  EXPECT_NE(losses_tables(study).find("mlp on a100, inference, asp: where"), std::string::npos);
}

TEST(StudyLosses, TheNextCommandStatesWhatIsNotTheDefault) {
  StudyResult study = lossy_study();
  study.rows = {sparse_row("it's 1", "dgrad", "asp", 600, 1000)};
  study.rows.front().gemm_count = 4;
  study.rows.front().longest_part = 3;
  study.resolved_config = R"({"dtype":"bf16","kernel":"auto","kernel_candidates":5,"stack":"best",)"
                          R"("networks":[{"name":"other","batch":1},{"name":"mlp","batch":32}]})";
  EXPECT_THAT(study_losses(study).front().explain,
              ElementsAre("stcsim explain", "--arch a100", R"(--layer 'mlp:it'\''s 1')",
                          "--phase dgrad", "--scheme asp", "--part 3", "--batch 32", "--dtype bf16",
                          "--stack best", "--candidates 5"));
  study.resolved_config = R"({"dtype":"fp16","kernel":"auto"})";
  EXPECT_THAT(study_losses(study).front().explain,
              ElementsAre("stcsim explain", "--arch a100", R"(--layer 'mlp:it'\''s 1')",
                          "--phase dgrad", "--scheme asp", "--part 3"));
}

/// Lines are broken as a shell continues them, with long names too.
TEST(LossesTables, FitTheirWidth) {
  StudyResult study = lossy_study();
  study.rows.at(1).layer = "encoder.layer.0.attention.output.dense";
  study.rows.at(1).bound_by = "shared_memory_port";
  const std::string text = losses_tables(study, 100);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(display_width(text.substr(at, end - at)), 100U) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_NE(text.find("next: stcsim explain --arch a100 --layer "
                      "mlp:encoder.layer.0.attention.output.dense \\\n"
                      "    --phase forward --scheme asp --batch 8\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("shared_memory_port\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace stcsim
