#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/workloads/onnx_writer.hpp"
#include "tests/unit/workloads/sample_layers.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using Dims = OnnxWriter::Dims;

ImportedNetwork import_graph(const std::string& text, const ImportOptions& options = {}) {
  const ScratchFolder folder;
  const std::string file = folder.write("model.bin", text);
  EXPECT_EQ(recognise(file), ModelFile::onnx);
  return import_network(file, options);
}

std::string refusal_of_graph(const std::string& text, const ImportOptions& options = {}) {
  return error_of([&] { (void)import_graph(text, options); });
}

ProductCounts sample_products(const Network& network) {
  return products_of(network, 1);
}

TEST(Onnx, ConvolutionalNetworksComeBackLayerByLayer) {
  for (const char* const name : {"resnet18", "resnet50", "regnetx_400mf", "resnext101_32x16d"}) {
    for (const std::int64_t opset : {9, 13, 20, 23}) {
      const Network shipped = load_network(name);
      const ImportedNetwork read = import_graph(onnx_of_convolutions(shipped, opset));
      EXPECT_EQ(sample_products(read.network), sample_products(shipped)) << name << " " << opset;
      std::map<StreamOp, std::int64_t> missing;
      for (const Layer& layer : shipped.layers) {
        for (const StreamOp op : layer.after) missing[op] += layer.repeat;
      }
      for (const Layer& layer : read.network.layers) {
        for (const StreamOp op : layer.after) missing[op] -= layer.repeat;
      }
      for (const StreamOp op :
           {StreamOp::relu, StreamOp::max_pool, StreamOp::avg_pool, StreamOp::softmax}) {
        EXPECT_EQ(missing[op], 0) << name << " " << to_string(op);
      }
    }
  }
}

TEST(Onnx, BertComesBackAsItsConfigurationReads) {
  const Network shipped = load_network("bert_base_s128");
  for (const bool computes_shapes : {true, false}) {
    const ImportedNetwork read =
        import_graph(onnx_of_bert(768, 12, 128, 30522, computes_shapes), {shipped.batch, {}, {}});
    EXPECT_EQ(read.network.batch, shipped.batch);
    EXPECT_EQ(sample_products(read.network), sample_products(shipped)) << computes_shapes;
    constexpr std::int64_t kPooler = 768 * 768 + 768;  // not in the graph
    EXPECT_EQ(read.network.parameters(), shipped.parameters() - kPooler);
    std::map<LayerRole, std::int64_t> roles;
    for (const Layer& layer : read.network.layers) {
      if (layer.kind == LayerKind::linear) roles[layer.role] += 1;
    }
    EXPECT_EQ(roles[LayerRole::attention], 48);
    EXPECT_EQ(roles[LayerRole::ffn], 24);
    for (const Layer& layer : read.network.layers) {
      if (layer.out_channels == 3072) {
        EXPECT_EQ(layer.after, (std::vector{StreamOp::bias, StreamOp::gelu})) << layer.name;
      }
    }
  }
}

/// STCSIM_MODEL_SAMPLES: a folder with light_resnet50.onnx of onnx/onnx,
/// onnx/backend/test/data/light.
TEST(Onnx, ResNet50WithoutWeightsHasItsMultiplyAccumulates) {
  const char* const folder = std::getenv("STCSIM_MODEL_SAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "STCSIM_MODEL_SAMPLES is not set";
  const ImportedNetwork read = import_network(std::string(folder) + "/light_resnet50.onnx", {});
  std::int64_t convolutions = 0;
  std::int64_t macs = 0;
  for (const Layer& layer : read.network.layers) {
    if (layer.kind != LayerKind::conv) continue;
    convolutions += layer.repeat;
    macs += layer.repeat * layer.forward_macs();
  }
  EXPECT_EQ(convolutions, 53);
  EXPECT_EQ(macs, 4'087'136'256);
}

TEST(Onnx, PadsAndStridesByAxisAndDilation) {
  OnnxWriter writer;
  const std::string x = writer.input("x", {1, 8, 17, 33});
  writer.node("Conv", {x, writer.weight({8, 1, 3, 7})},
              {OnnxWriter::ints("strides", {2, 1}), OnnxWriter::ints("dilations", {2, 2}),
               OnnxWriter::ints("pads", {2, 3, 2, 3}), OnnxWriter::integer("group", 8)});
  writer.node("Conv", {x, writer.weight({4, 8, 3, 3})},
              {OnnxWriter::bytes(1, "auto_pad") + OnnxWriter::bytes(4, "SAME_UPPER"),
               OnnxWriter::ints("strides", {2, 2})});
  writer.node("Conv", {x, writer.weight({4, 8, 3, 3})}, {OnnxWriter::ints("pads", {0, 0, 2, 2})});
  const std::vector<Layer> layers = import_graph(writer.text()).network.layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(std::tuple(layers[0].stride, layers[0].column_stride(), layers[0].pad,
                       layers[0].column_pad(), layers[0].dilation, layers[0].groups),
            std::tuple(2, 1, 2, 3, 2, 8));
  // (17 + 4 - 5) / 2 + 1 and (33 + 6 - 13) / 1 + 1.
  EXPECT_EQ(std::tuple(layers[0].out_height(), layers[0].out_width()), std::tuple(9, 27));
  EXPECT_EQ(std::tuple(layers[1].out_height(), layers[1].out_width()), std::tuple(9, 17));
  EXPECT_EQ(std::tuple(layers[2].out_height(), layers[2].out_width()), std::tuple(17, 33));
}

TEST(Onnx, CellsAreTheirProducts) {
  OnnxWriter writer;
  const std::string x = writer.input("x", {20, 1, 32});
  writer.node("LSTM", {x, writer.weight({1, 256, 32}), writer.weight({1, 256, 64})});
  const ImportedNetwork read = import_graph(writer.text(), {1, {}, {}});
  const std::vector<Layer>& layers = read.network.layers;
  ASSERT_EQ(layers.size(), 3U);
  // Four gates of 64: the inputs of all 20 steps at once, the state step by step, one weight.
  EXPECT_EQ(read.network.forward_macs() * 1, 20 * 256 * 32 + 20 * 256 * 64);
  EXPECT_EQ(read.network.parameters(), 256 * 32 + 256 * 64);
  EXPECT_EQ(layers[2].repeat, 19);
}

TEST(Onnx, AttentionAndEinsumAreProducts) {
  OnnxWriter writer(23);
  const std::string q = writer.input("q", {1, 8, 128, 64});
  const std::string k = writer.input("k", {1, 2, 128, 64});
  writer.node("Attention", {q, k, k},
              {OnnxWriter::integer("is_causal", 1), OnnxWriter::integer("kv_num_heads", 2)});
  const std::string a = writer.input("a", {1, 6, 10, 20});
  const std::string b = writer.input("b", {1, 6, 30, 20});
  writer.node("Einsum", {a, b},
              {OnnxWriter::bytes(1, "equation") + OnnxWriter::bytes(4, "bhqd,bhkd->bhqk")});
  const std::vector<Layer> layers = import_graph(writer.text()).network.layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].forward_macs() + layers[1].forward_macs(), 2 * 8 * 128 * 128 * 64);
  EXPECT_TRUE(layers[0].causal);
  EXPECT_EQ(layers[0].shared_by, 4);
  EXPECT_EQ(layers[2].forward_macs(), 6 * 10 * 20 * 30);
}

TEST(Onnx, AWeightThatIsUsedTwiceCountsOnce) {
  OnnxWriter writer;
  const std::string table = writer.weight({1000, 32});
  const std::string words = writer.node("Gather", {table, writer.input("ids", {1, 8}, 7)});
  writer.node("MatMul", {words, writer.node("Transpose", {table})});
  const ImportedNetwork read = import_graph(writer.text());
  ASSERT_EQ(read.network.layers.size(), 2U);
  EXPECT_TRUE(read.network.layers[1].tied);
  EXPECT_EQ(read.network.parameters(), 1000 * 32);
  EXPECT_EQ(read.network.forward_macs(), 8 * 32 * 1000);
}

/// As PyTorch exports a ViT without its parameters: they are inputs, and shapes are computed.
TEST(Onnx, ParametersMayBeInputs) {
  OnnxWriter writer(17);
  const std::string image = writer.input("image", {0, 3, 32, 32});
  const std::string patches =
      writer.node("Conv", {image, writer.input("stem.kernel", {64, 3, 16, 16})},
                  {OnnxWriter::ints("strides", {16, 16})});
  const std::string rows = writer.node("Reshape", {patches, writer.shape({1, 64, 4})});
  const std::string tokens =
      writer.node("Transpose", {rows}, {OnnxWriter::ints("perm", {0, 2, 1})});
  // The shape of the class token: 1, or where that is -1 the given size.
  const std::string given = writer.shape({-1, 1, 64});
  const std::string is_kept = writer.node("Equal", {given, writer.shape({-1})});
  const std::string wanted = writer.node("Where", {is_kept, writer.shape({1, 1, 1}), given});
  const std::string token =
      writer.node("Expand", {writer.input("class_token", {1, 1, 64}), wanted});
  const std::string all = writer.node("Concat", {token, tokens}, {OnnxWriter::integer("axis", 1)});
  const std::string hidden =
      writer.node("MatMul", {all, writer.input("onnx::MatMul_12", {64, 128})});
  const std::string biased = writer.node("Add", {hidden, writer.input("mlp.0.bias", {128})});
  const std::string turned = writer.node("Transpose", {writer.input("mlp.1.weight", {10, 128})},
                                         {OnnxWriter::ints("perm", {1, 0})});
  writer.node("MatMul", {biased, turned});
  const ImportedNetwork read = import_graph(writer.text());
  const std::vector<Layer>& layers = read.network.layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].kind, LayerKind::conv);
  EXPECT_EQ(layers[1].kind, LayerKind::linear);
  EXPECT_EQ(layers[2].kind, LayerKind::linear);
  EXPECT_EQ(read.network.forward_macs(), 4 * 64 * 768 + 5 * 64 * 128 + 5 * 128 * 10);
  EXPECT_EQ(read.network.parameters(), 64 * 768 + 64 * 128 + 128 + 128 * 10);
}

/// A vector added right behind a product is its bias; behind an operation it is none.
TEST(Onnx, AVectorBehindAnOperationIsNoBias) {
  OnnxWriter writer;
  const std::string x = writer.input("x", {1, 8, 32});
  const std::string first = writer.node("MatMul", {x, writer.weight({32, 16})});
  const std::string biased = writer.node("Add", {first, writer.weight({16})});
  const std::string second = writer.node("MatMul", {biased, writer.weight({16, 16})});
  const std::string active = writer.node("Relu", {second});
  writer.node("Add", {active, writer.weight({16})});
  const ImportedNetwork read = import_graph(writer.text());
  ASSERT_EQ(read.network.layers.size(), 2U);
  EXPECT_TRUE(read.network.layers[0].bias);
  EXPECT_FALSE(read.network.layers[1].bias);
  EXPECT_EQ(read.network.layers[1].after, std::vector{StreamOp::relu});
  EXPECT_EQ(read.network.parameters(), 32 * 16 + 16 + 16 * 16 + 16);
}

TEST(Onnx, NamedDimensionsComeFromTheCommandLine) {
  OnnxWriter writer;
  const std::string x = writer.input("x", {4, 0, 32});
  writer.node("MatMul", {x, writer.weight({32, 16})});
  EXPECT_THAT(refusal_of_graph(writer.text()),
              HasSubstr("dimension 'N' of input 'x' has no size: --size N=N"));
  const ImportedNetwork stated = import_graph(writer.text(), {{}, {}, {{"N", 10}}});
  EXPECT_EQ(stated.network.layers.at(0).height, 10);
  EXPECT_EQ(stated.network.batch, 4);
  EXPECT_EQ(import_graph(writer.text(), {{}, 7, {}}).network.layers.at(0).height, 7);
}

TEST(Onnx, UnnamedDimensionsAreCalledAQuestionMark) {
  OnnxWriter writer;
  const std::string x = writer.input("x", {-1, -1, 32});
  writer.node("MatMul", {x, writer.weight({32, 16})});
  EXPECT_THAT(refusal_of_graph(writer.text()),
              HasSubstr("dimension 1 of input 'x' has no size: --size 'x:1'=N (or --size '?'=N"));
  const ImportedNetwork stated = import_graph(writer.text(), {{}, {}, {{"?", 10}}});
  EXPECT_EQ(stated.network.layers.at(0).height, 10);
  EXPECT_EQ(stated.network.batch, 1);
}

TEST(Onnx, UnknownOperatorsAreNamedWithTheirNodes) {
  OnnxWriter writer;
  const std::string x = writer.input("x", {1, 8, 32});
  const std::string odd = writer.node("Frobnicate", {x}, {}, "block.0/frob");
  writer.node("MatMul", {odd, writer.weight({32, 16})}, {}, "block.0/fc");
  writer.node("MatMul", {odd, writer.weight({32, 16})}, {}, "block.1/fc");
  const std::string text = refusal_of_graph(writer.text());
  EXPECT_THAT(text, HasSubstr("operator 'Frobnicate' (at node 'block.0/frob') is not read; "
                              "products behind it: 2, the first at node 'block.0/fc'"));
}

TEST(Onnx, FilesThatAreCutOffAreSaidToBe) {
  const std::string text = onnx_of_convolutions(load_network("resnet18"), 13);
  for (const std::size_t size : {std::size_t{20}, text.size() / 2, text.size() - 1}) {
    EXPECT_THAT(refusal_of_graph(text.substr(0, size)), HasSubstr("not usable as ONNX graph"))
        << size;
  }
}

}  // namespace
}  // namespace stcsim
