#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {
namespace {

/// One product of 64 x 128 weights, 4:8 in forward and dgrad, and the same pruned 2:4.
class StudyMemory : public ::testing::Test {
 protected:
  static constexpr std::int64_t kWeights = 64 * 128;

  StudyMemory() {
    Network network;
    network.name = "net";
    network.batch = 2;
    Layer layer;
    layer.name = "layer";
    layer.kind = LayerKind::linear;
    layer.in_channels = 64;
    layer.out_channels = 128;
    layer.height = 16;
    network.layers = {layer};
    experiment_.networks = {network};
    for (const Pattern pattern : {Pattern{4, 8}, Pattern{2, 4}}) {
      Scheme scheme;
      scheme.name = pattern.to_string();
      scheme.phases[0].sparsity = PhaseSparsity{.pattern = pattern};
      scheme.phases[1].sparsity = PhaseSparsity{.axis = GroupAxis::c_out, .pattern = pattern};
      experiment_.schemes.push_back(scheme);
    }
    experiment_.framework = load_framework("ideal");
  }
  [[nodiscard]] StudyTotal total_of(const std::string& scheme, const std::string& machine,
                                    std::int64_t capacity = 1000000) const {
    StudyTotal total;
    total.network = "net";
    total.scheme = scheme;
    MachineSpec spec = load_machine(STCSIM_SOURCE_DIR "/configs/arch/" + machine + ".yaml");
    spec.config.accelerator.dram.capacity_bytes = capacity;
    add_memory(total, experiment_, spec);
    return total;
  }

  Experiment experiment_;
};

/// Two samples' 16 x 16 scores of two heads: softmax's result stays until backward, half of it and
/// two bits for each, where the product prunes it.
TEST_F(StudyMemory, PrunedScoresStayAsTheyAre) {
  experiment_.framework = load_framework("attention_in_memory");
  Layer& scores = experiment_.networks.front().layers.front();
  scores.kind = LayerKind::bmm;
  scores.bmm_m = scores.bmm_n = 16;
  scores.bmm_k = 32;
  scores.count = 2;
  scores.after = {StreamOp::softmax};
  Layer values = scores;
  values.name = "values";
  std::swap(values.bmm_m, values.bmm_k);
  values.after.clear();
  experiment_.networks.front().layers.push_back(values);
  experiment_.schemes = {load_scheme("dfss"), load_scheme("dense")};
  constexpr std::int64_t kScores = 2 * 2 * 16 * 16;
  EXPECT_EQ(
      total_of("dense", "a100").memory.activations - total_of("dfss", "a100").memory.activations,
      kScores - kScores / 2 / 4);
  experiment_.schemes.front().phases[0].sparsity->fused = false;
  EXPECT_EQ(total_of("dense", "a100").memory.activations,
            total_of("dfss", "a100").memory.activations);
}

TEST_F(StudyMemory, WeightsLieCompressedWhereTheMachineCanUseThePattern) {
  const StepMemory on_2_4 = total_of("2:4", "a100").memory;
  EXPECT_EQ(on_2_4.compressed, 2 * kWeights);        // half of two bytes, twice
  EXPECT_EQ(on_2_4.metadata, 2 * kWeights / 2 / 4);  // two bits for each
  EXPECT_EQ(total_of("4:8", "a100").memory.compressed, 0);
  const StepMemory on_4_8 = total_of("4:8", "a100_nm").memory;
  EXPECT_EQ(on_4_8.compressed, 2 * kWeights);
  EXPECT_EQ(on_4_8.metadata, 2 * kWeights / 2 * 3 / 8);
}

/// In bytes: weights 6 each, gradients 2, momentum 4, compressed 2.25; 32 tokens of 64 come in and
/// of 128 out, and so do their gradients.
TEST_F(StudyMemory, ItFitsUpToTheLastByte) {
  constexpr std::int64_t kNeeded =
      12 * kWeights + 2 * kWeights + kWeights / 4 + 2 * 32 * 64 + 2 * 32 * (64 + 128);
  EXPECT_EQ(total_of("2:4", "a100").memory.total(), kNeeded);
  EXPECT_TRUE(total_of("2:4", "a100", kNeeded).fits());
  EXPECT_FALSE(total_of("2:4", "a100", kNeeded - 1).fits());
}

TEST_F(StudyMemory, IsOfTheTrainingStep) {
  StudyTotal total;
  total.network = "net";
  total.pass = StudyPass::inference;
  add_memory(total, experiment_, load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml"));
  EXPECT_EQ(total.memory, StepMemory{});
  EXPECT_EQ(total.capacity_bytes, 42949672960);
}

}  // namespace
}  // namespace stcsim
