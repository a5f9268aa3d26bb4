#include "workloads/scale_sim.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/error.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

const std::string kConvHeader =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\n";
const std::string kSparseConvHeader =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides, Sparsity,\n";
const std::string kGemmHeader = "Layer, M, N, K,\n";
const std::string kSparseGemmHeader = "Layer, M, N, K, Sparsity,\n";

class ScaleSim : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Network load(const std::string& text) {
    std::ofstream(path_) << text;
    return load_scale_sim(path_);
  }

  /// The error without the file's name, which stands first.
  std::string error_of(const std::string& text) {
    try {
      load(text);
    } catch (const ConfigError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_.string())) << message;
      return message.substr(path_.string().size());
    }
    return "accepted";
  }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("topology" + std::to_string(getpid()) + ".csv");
};

TEST_F(ScaleSim, ReadsConvolutions) {
  const Network network = load(kConvHeader +
                               "Conv1, 224, 230, 7, 5, 3, 64, 1,\n"
                               "Conv2, 56, 56, 3, 3, 64, 128, 1,\n");
  EXPECT_EQ(network.name, path_.stem().string());
  EXPECT_EQ(network.batch, 1);
  ASSERT_EQ(network.layers.size(), 2U);
  const Layer& layer = network.layers[0];
  EXPECT_EQ(layer.name, "Conv1");
  EXPECT_EQ(layer.kind, LayerKind::conv);
  EXPECT_EQ(layer.out_height(), 218);
  EXPECT_EQ(layer.out_width(), 226);
  EXPECT_EQ(layer.in_channels, 3);
  EXPECT_EQ(layer.out_channels, 64);
  EXPECT_EQ(layer.forward_macs(), std::int64_t{218} * 226 * 7 * 5 * 3 * 64);
  EXPECT_TRUE(layer.needs_dgrad);
  EXPECT_EQ(layer.weight_pattern, std::nullopt);
}

// SCALE-Sim: ofmap_h = ceil((ifmap_h - filt_h + stride_h) / stride_h).
TEST_F(ScaleSim, CountsTheLastWindowThatHangsOverTheEdge) {
  const Network network = load(kConvHeader + "a, 224, 224, 7, 7, 3, 64, 2,\n" +
                               "b, 56, 56, 1, 1, 64, 128, 2,\n" + "c, 7, 9, 3, 3, 1, 1, 2,\n");
  EXPECT_EQ(network.layers[0].out_height(), 110);
  EXPECT_EQ(network.layers[1].out_height(), 29);
  EXPECT_EQ(network.layers[2].out_height(), 3);
  EXPECT_EQ(network.layers[2].out_width(), 4);
}

TEST_F(ScaleSim, ReadsGemms) {
  const Network network = load(kGemmHeader + "qkv, 128, 1536, 512,\n");
  const Layer& layer = network.layers.at(0);
  EXPECT_EQ(layer.kind, LayerKind::linear);
  EXPECT_EQ(layer.height, 128);
  EXPECT_EQ(layer.out_channels, 1536);
  EXPECT_EQ(layer.in_channels, 512);
  EXPECT_EQ(layer.forward_macs(), std::int64_t{128} * 1536 * 512);
}

TEST_F(ScaleSim, SparsityIsTheWeightsPattern) {
  const Network conv =
      load(kSparseConvHeader + "a,56,56,3,3,64,64,1,1:4,\nb,56,56,3,3,64,64,1,4:4,\n");
  EXPECT_EQ(conv.layers[0].weight_pattern, (Pattern{1, 4}));
  EXPECT_EQ(conv.layers[1].weight_pattern, std::nullopt);
  EXPECT_EQ(load(kSparseGemmHeader + "a,1,2,3,2:4\n").layers[0].weight_pattern, (Pattern{2, 4}));
}

TEST_F(ScaleSim, DepthwiseLayersAreMarkedDP) {
  const Layer layer = load(kConvHeader + "ConvDP1, 48, 48, 3, 3, 8, 2, 1,\n").layers.at(0);
  EXPECT_EQ(layer.groups, 8);
  EXPECT_EQ(layer.out_channels, 16);
  EXPECT_EQ(layer.forward_macs(), 46 * 46 * 9 * 8 * 2);
}

TEST_F(ScaleSim, AcceptsWhatIsFoundInTheWild) {
  const Network network = load("\r\n" + kSparseConvHeader +
                               "a, 112, 112, 3, 3, 1, 1, 1,#dw\r\n\n  \n"
                               "b,14,14,3,3,192,384,1\n"
                               "c, 96, 96, 3, 3, 3, 8, 2, 2\n"
                               "d, 96, 96, 3, 3, 3, 8, 2, 2, 2:4,,,\n"
                               "# a remark\n"
                               "e,1,1,1,1,512,1000,1,");
  ASSERT_EQ(network.layers.size(), 5U);
  EXPECT_EQ(network.layers[2].stride, 2);
  EXPECT_EQ(network.layers[3].weight_pattern, (Pattern{2, 4}));
  EXPECT_EQ(network.layers[4].name, "e");
}

TEST_F(ScaleSim, MalformedRowsNameThePlace) {
  EXPECT_EQ(error_of(kConvHeader + "a,56,56,3,3,64,64,\n"),
            ":2:16: error: the row ends before 'strides'");
  EXPECT_EQ(error_of(kConvHeader + "\na, 56, x6, 3, 3, 64, 64, 1,\n"),
            ":3:8: error: 'IFMAP width' is 'x6', must be a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(kConvHeader + "a,56,56,3,3,64,64,0,\n"),
            ":2:19: error: 'strides' is '0', must be a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(kConvHeader + "a,56,56,3,3,64,99999999999999999999,1,\n"),
            ":2:16: error: 'num filter' is '99999999999999999999', must be a whole number from 1 "
            "to 2147483647");
  EXPECT_EQ(error_of(kConvHeader + "a,56,56,3,3,64,,1,\n"),
            ":2:16: error: 'num filter' is '', must be a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(kSparseConvHeader + "a,56,56,3,3,64,64,1,NPU\n"),
            ":2:21: error: 'sparsity' is 'NPU', must be N:M with N of M weights kept, such as 2:4");
  EXPECT_EQ(error_of(kConvHeader + "a,56,56,3,3,64,64,1,2,\n"),
            ":2:21: error: the strides differ; only equal strides are supported");
  EXPECT_EQ(error_of(kSparseConvHeader + "a,56,56,3,3,64,64,1,2:4,1,\n"),
            ":2:25: error: unexpected field '1', the header has no column for it");
  EXPECT_EQ(error_of(kSparseConvHeader + "a,56,56,3,3,64,64,1,1,2:4,7\n"),
            ":2:27: error: unexpected field '7', the header has no column for it");
  EXPECT_EQ(error_of(kConvHeader + "a,56,56,3,3,64,64,1,2:4\n"),
            ":2:21: error: unexpected field '2:4', the header has no column for it");
  EXPECT_EQ(error_of(kSparseGemmHeader + "a,1,2,3,5:4,\n"),
            ":2:9: error: 'sparsity' is '5:4', must be N:M with N of M weights kept, such as 2:4");
  EXPECT_EQ(error_of(kGemmHeader + ",1,2,3,\n"), ":2:1: error: the layer has no name");
}

TEST_F(ScaleSim, ImpossibleLayersNameThePlace) {
  EXPECT_EQ(error_of(kConvHeader + "a,2,2,3,3,64,64,1,\n"),
            ":2:1: error: layer 'a': kernel 3x3 is larger than the input 2x2 with pad 0");
}

TEST_F(ScaleSim, ColumnsAreFoundByTheirNames) {
  const Layer gemm = load("K, sparsity, layer name, N, M\n512, 2:4, qkv, 1536, 128\n").layers.at(0);
  EXPECT_EQ(gemm.name, "qkv");
  EXPECT_EQ(gemm.height, 128);
  EXPECT_EQ(gemm.out_channels, 1536);
  EXPECT_EQ(gemm.in_channels, 512);
  EXPECT_EQ(gemm.weight_pattern, (Pattern{2, 4}));
  const Layer conv =
      load(
          "Layer,Num_Filters,channels,FILTER WIDTH,Filter Height,IFMAP Width,ifmap_height,"
          "Stride Height,Stride Width\na,64,3,5,7,230,224,2,2\n")
          .layers.at(0);
  EXPECT_EQ(conv.out_channels, 64);
  EXPECT_EQ(conv.in_channels, 3);
  EXPECT_EQ(conv.kernel_width, 5);
  EXPECT_EQ(conv.kernel_height, 7);
  EXPECT_EQ(conv.stride, 2);
  EXPECT_EQ(conv.out_height(), 110);
  EXPECT_EQ(conv.out_width(), 114);
}

TEST_F(ScaleSim, WrongColumnsAreNamed) {
  EXPECT_EQ(error_of("Layer, M, N,\na,1,2,\n"), ":1:1: error: the topology has no column 'K'");
  EXPECT_EQ(error_of("M, N, K\n1,2,3\n"), ":1:1: error: the topology has no column 'Layer name'");
  EXPECT_EQ(error_of("Layer, M, N, K, m,\na,1,2,3,4\n"),
            ":1:17: error: column 'm' is here a second time");
  EXPECT_EQ(error_of("Layer, M, N, K, Sparsty,\na,1,2,3,4\n"),
            ":1:17: error: unknown column 'Sparsty'; did you mean 'sparsity'?");
  EXPECT_EQ(error_of("Layer, M, N, K, Batch,\na,1,2,3,4\n"),
            ":1:17: error: unknown column 'Batch'; known columns: Layer name, M, N, K, sparsity");
  EXPECT_EQ(error_of("Layer, M, N, K, Strides,\na,1,2,3,4\n").substr(0, 39),
            ":1:17: error: unknown column 'Strides';");
  EXPECT_EQ(error_of("Layer, M,, N, K,\na,1,2,3,4\n"),
            ":1:10: error: a column of the header has no name");
}

TEST_F(ScaleSim, LayersOfTheSameNameAreNumbered) {
  const Network network = load(kGemmHeader + "a,1,2,3,\na,1,2,4,\nb,1,2,3\na,1,2,6\nb,1,2,7\n");
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a#2", "b", "a#3", "b#2"}));
  EXPECT_EQ(network.note,
            "3 layers have the name of an earlier one and a number behind it: the second 'a' is "
            "'a#2'");
  EXPECT_EQ(load(kGemmHeader + "a,1,2,3,\nb,1,2,3\n").note, "");
}

TEST_F(ScaleSim, TextsThatAreNotUtf8AreNamed) {
  EXPECT_EQ(error_of(kGemmHeader + "caf\xE9,1,2,3,\n"),
            ":2:4: error: byte 0xe9 is not UTF-8 (is the text Latin-1?), must be text in UTF-8");
  EXPECT_EQ(error_of(std::string("\xFF\xFEL\0a\0", 6)),
            ":1:1: error: the text is UTF-16, must be UTF-8");
  EXPECT_EQ(load("\xEF\xBB\xBF" + kGemmHeader + "caf\xC3\xA9,1,2,3,\n").layers[0].name,
            "caf\xC3\xA9");
}

TEST_F(ScaleSim, AFileWithoutLayersIsAnError) {
  EXPECT_EQ(error_of(""), ": error: the topology is empty");
  EXPECT_EQ(error_of(kConvHeader), ": error: the topology has no layers");
  EXPECT_EQ(error_of("a,56,56,3,3,64,64,1,\n"),
            ":1:1: error: the first line must be the header (\"Layer name, IFMAP Height, ...\" or "
            "\"Layer, M, N, K\"), not a layer");
}

TEST(ScaleSimFile, AMissingFileOrAFolderCannotBeRead) {
  EXPECT_THROW((void)load_scale_sim("/no/such/topology.csv"), ConfigError);
  EXPECT_THROW((void)load_scale_sim("/"), ConfigError);
}

}  // namespace
}  // namespace stcsim
