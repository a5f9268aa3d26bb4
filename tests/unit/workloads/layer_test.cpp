#include "workloads/layer.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/workloads/sample_layers.hpp"

namespace stcsim {
namespace {

TEST(Layer, OutputSizeRoundsDown) {
  Layer layer = conv_layer(3, 64, 224, 7, 2, 3);
  EXPECT_EQ(layer.out_height(), 112);
  layer.height = 8;
  layer.width = 9;
  layer.kernel_height = 3;
  layer.kernel_width = 5;
  layer.pad = 0;
  EXPECT_EQ(layer.out_height(), 3);  // (8 - 3) / 2 + 1
  EXPECT_EQ(layer.out_width(), 3);   // (9 - 5) / 2 + 1
}

TEST(Layer, CountsOfAConvolution) {
  Layer layer = conv_layer(16, 32, 8, 3, 2, 1);
  layer.groups = 4;
  EXPECT_EQ(layer.input_elements(), 16 * 8 * 8);
  EXPECT_EQ(layer.output_elements(), 32 * 4 * 4);
  EXPECT_EQ(layer.weight_elements(), 32 * 4 * 3 * 3);
  EXPECT_EQ(layer.forward_macs(), 4 * 4 * 32 * 4 * 9);
}

TEST(Layer, CountsOfALinearLayer) {
  const Layer layer = linear_layer(768, 3072, 128);
  EXPECT_EQ(layer.input_elements(), 768 * 128);
  EXPECT_EQ(layer.output_elements(), 3072 * 128);
  EXPECT_EQ(layer.weight_elements(), 768 * 3072);
  EXPECT_EQ(layer.forward_macs(), std::int64_t{768} * 3072 * 128);
}

TEST(Layer, ABmmHasNoWeights) {
  const Layer layer = bmm_layer(128, 96, 64, 12);
  EXPECT_EQ(layer.weight_elements(), 0);
  EXPECT_EQ(layer.input_elements(), 128 * 64 * 12);
  EXPECT_EQ(layer.output_elements(), 128 * 96 * 12);
  EXPECT_EQ(layer.forward_macs(), 128 * 96 * 64 * 12);
}

TEST(Layer, AnEmbeddingHasATableAndNoProduct) {
  Layer layer = embedding_layer(1000, 64, 7);
  EXPECT_EQ(layer.weight_elements(), 64000);
  EXPECT_EQ(layer.input_elements(), 7);
  EXPECT_EQ(layer.output_elements(), 7 * 64);
  EXPECT_EQ(layer.forward_macs(), 0);
  EXPECT_FALSE(layer.has_product());
  layer.tied = true;
  EXPECT_EQ(layer.weight_elements(), 0);
}

TEST(Network, SumsRepeatsBiasesAndOtherParameters) {
  Layer first = linear_layer(4, 8, 2);
  first.repeat = 3;
  first.bias = true;
  Layer tied = linear_layer(8, 16, 2);
  tied.tied = true;
  Network network;
  network.other_parameters = 5;
  network.layers = {first, tied};
  EXPECT_EQ(network.parameters(), 3 * (4 * 8 + 8) + 5);
  EXPECT_EQ(network.forward_macs(), 3 * 4 * 8 * 2 + 8 * 16 * 2);
}

struct FaultCase {
  std::string fault;
  std::function<void(Layer&)> spoil;
};

TEST(FindFault, NamesWhatIsImpossibleInAConvolution) {
  const Layer good = conv_layer(16, 32, 8, 3, 1, 1);
  ASSERT_EQ(find_fault(good, 1), "");
  const FaultCase cases[] = {
      {"stride is 0, must be at least 1", [](Layer& l) { l.stride = 0; }},
      {"groups is 0, must be at least 1", [](Layer& l) { l.groups = 0; }},
      {"repeat is 0, must be at least 1", [](Layer& l) { l.repeat = 0; }},
      {"input channels is -1, must be at least 1", [](Layer& l) { l.in_channels = -1; }},
      {"kernel width is 0, must be at least 1", [](Layer& l) { l.kernel_width = 0; }},
      {"pad is -1, must be 0 to 2^53", [](Layer& l) { l.pad = -1; }},
      {"groups 3 must divide the 16 input and 32 output channels", [](Layer& l) { l.groups = 3; }},
      {"groups 16 must divide the 16 input and 24 output channels",
       [](Layer& l) {
         l.groups = 16;
         l.out_channels = 24;
       }},
      {"kernel 11x3 is larger than the input 8x8 with pad 1",
       [](Layer& l) { l.kernel_height = 11; }},
      {"the layer has more than 2^53 activations in a training step",
       [](Layer& l) { l.height = std::int64_t{1} << 60; }},
      {"the layer has more than 2^53 multiply-accumulates in a training step",
       [](Layer& l) { l.repeat = std::int64_t{1} << 40; }},
  };
  for (const FaultCase& test : cases) {
    Layer layer = good;
    test.spoil(layer);
    EXPECT_EQ(find_fault(layer, 1), test.fault);
  }
}

TEST(FindFault, KernelMayFillThePaddedInputExactly) {
  Layer layer = conv_layer(16, 32, 8, 3, 1, 1);
  layer.kernel_height = 10;
  EXPECT_EQ(find_fault(layer, 1), "");
}

TEST(FindFault, LimitsTheBatch) {
  const Layer layer = linear_layer(1, 1, 1);
  EXPECT_EQ(find_fault(layer, 0), "batch is 0, must be at least 1");
  EXPECT_EQ(find_fault(layer, kMaxLayerCount), "");
  EXPECT_EQ(find_fault(layer, kMaxLayerCount + 1),
            "the layer has more than 2^53 activations in a training step");
}

TEST(FindFault, ChecksEmbeddingSizes) {
  // A table whose product with all tokens would be too large is none.
  EXPECT_EQ(find_fault(embedding_layer(std::int64_t{1} << 30, 1 << 20, 1 << 20), 1), "");
  EXPECT_EQ(find_fault(embedding_layer(0, 4, 5), 1), "vocabulary is 0, must be at least 1");
  EXPECT_EQ(find_fault(embedding_layer(3, 4, 0), 1), "tokens is 0, must be at least 1");
  EXPECT_EQ(find_fault(embedding_layer(kMaxLayerCount, 2, 1), 1),
            "the layer has more than 2^53 parameters in a training step");
  EXPECT_EQ(find_fault(embedding_layer(1, 2, kMaxLayerCount / 2), 2),
            "the layer has more than 2^53 activations in a training step");
}

TEST(FindFault, ChecksBmmSizes) {
  EXPECT_EQ(find_fault(bmm_layer(2, 3, 4, 5), 1), "");
  EXPECT_EQ(find_fault(bmm_layer(2, 0, 4, 5), 1), "n is 0, must be at least 1");
  EXPECT_EQ(find_fault(bmm_layer(2, 3, 4, 0), 1), "count is 0, must be at least 1");
  EXPECT_EQ(find_fault(bmm_layer(kMaxLayerCount, 3, 4, 5), 1),
            "the layer has more than 2^53 multiply-accumulates in a training step");
  Layer pruned = bmm_layer(2, 3, 4, 5);
  pruned.weight_pattern = Pattern{2, 4};
  EXPECT_EQ(find_fault(pruned, 1), "a bmm has no weights, so no weight pattern");
}

}  // namespace
}  // namespace stcsim
