#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/workloads/trace_totals.hpp"
#include "tests/unit/workloads/trace_writer.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

/// What the script in the tests, which shares nothing with the reader, counts in a file.
PhaseTotals counted_by_script(const std::string& file) {
  const std::string command =
      "python3 " STCSIM_SOURCE_DIR "/tests/unit/workloads/trace_reference.py '" + file + "'";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 256> line{};
  while (fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) text += line.data();
  EXPECT_EQ(pclose(pipe), 0);
  PhaseTotals totals;
  std::istringstream lines(text);
  std::string phase;
  std::int64_t count = 0;
  std::int64_t macs = 0;
  while (lines >> phase >> count >> macs) totals[phase] = {count, macs};
  return totals;
}

ImportedNetwork import_text(const std::string& text,
                            const std::string& name = "run.pt.trace.json") {
  const ScratchFolder folder;
  const std::string file = folder.write(name, text);
  EXPECT_EQ(recognise(file), ModelFile::trace);
  return import_network(file, {});
}

std::string refusal_of_trace(const std::string& text) {
  return error_of([&] { (void)import_text(text); });
}

TEST(Trace, CountsEqualAnIndependentScripts) {
  const ScratchFolder folder;
  for (const bool is_new : {false, true}) {
    const std::string file = folder.write("a.json", small_training_step(is_new).text());
    const PhaseTotals totals = totals_of(import_network(file, {}).network);
    EXPECT_EQ(totals, counted_by_script(file));
    // By hand, batch 4: 8 x 8 pixels of 16 channels by 3 x 3 x 3, twice 4 x 4 of 32 by 16 x 9, 32
    // x 10.
    const std::int64_t first = 4 * 64 * 16 * 27;
    const std::int64_t second = 4 * 16 * 32 * 144;
    const std::int64_t last = 4 * 32 * 10;
    EXPECT_EQ(totals.at("forward"), std::pair(std::int64_t{4}, first + 2 * second + last));
    EXPECT_EQ(totals.at("dgrad"), std::pair(std::int64_t{3}, 2 * second + last));
    EXPECT_EQ(totals.at("wgrad"), std::pair(std::int64_t{4}, first + 2 * second + last));
  }
}

/// Autocast calls an operator anew with cast operands: the number of the inner call is the one that
/// the backward operator has (PyTorch 2.11: the weight's cast took the outer one's).
TEST(Trace, AutocastsInnerCallIsWhatTheBackwardOperatorNames) {
  using nlohmann::json;
  TraceWriter trace(true);
  const auto forward = [&](const char* name, double start, double length, int sequence,
                           const char* type, const json& dims) {
    trace.op(name, 1, start, length,
             {{"Sequence number", sequence}, {"Input Dims", dims}, {"Input type", {type, type}}});
  };
  const json image{{2, 3, 8, 8}, {4, 3, 3, 3}};
  forward("aten::conv2d", 10, 30, 5, "float", image);
  forward("aten::conv2d", 20, 10, 6, "c10::BFloat16", image);
  forward("aten::convolution", 21, 8, 6, "c10::BFloat16", image);
  const json linear{{10}, {2, 32}, {32, 10}};
  forward("aten::addmm", 50, 30, 7, "float", linear);
  forward("aten::addmm", 60, 10, 9, "c10::BFloat16", linear);
  trace.op("AddmmBackward0", 2, 100, 30, {{"Sequence number", 9}, {"Input Dims", {{2, 10}}}});
  trace.op("aten::mm", 2, 101, 5, {{"Input Dims", {{2, 10}, {10, 32}}}});
  trace.op("aten::mm", 2, 111, 5, {{"Input Dims", {{32, 2}, {2, 10}}}});
  trace.op("ConvolutionBackward0", 2, 200, 30,
           {{"Sequence number", 6}, {"Input Dims", {{2, 4, 4, 4}}}});
  trace.op("aten::convolution_backward", 2, 201, 20,
           {{"Input Dims", {{2, 4, 4, 4}, {2, 3, 8, 8}, {4, 3, 3, 3}}},
            {"Concrete Inputs", {"", "", "", "[True, True, False]"}}});
  const ImportedNetwork read = import_text(trace.text());
  const std::int64_t convolution = std::int64_t{2} * 16 * 4 * 27;
  const std::int64_t macs = convolution + std::int64_t{2} * 32 * 10;
  const PhaseTotals totals = totals_of(read.network);
  for (const char* const phase : {"forward", "dgrad", "wgrad"}) {
    EXPECT_EQ(totals.at(phase), std::pair(std::int64_t{2}, macs)) << phase;
  }
  EXPECT_THAT(read.left_out, testing::IsEmpty());
  EXPECT_THAT(read.recognised, HasSubstr("5 products and convolutions, 3 of them backward"));
  EXPECT_THAT(read.recognised, testing::Not(HasSubstr("of float")));
}

/// cuDNN runs the data's gradient first; names such as nvjet's and CUTLASS' do not say whose one
/// they are.
TEST(Trace, TheOrderOfKernelsTellsAConvolutionsGradientsApart) {
  using nlohmann::json;
  using Kernels = std::vector<std::pair<const char*, double>>;
  const std::vector<std::pair<Kernels, std::array<std::int64_t, 2>>> cases{
      {{{"nvjet_NNN", 1},
        {"init_device_workspace_kernel", 10},
        {"cutlass::Kernel2", 100},
        {"cublasLt::splitKreduce_kernel", 1000}},
       {1000, 1'110'000}},
      {{{"nhwcAddPaddingKernel", 1},
        {"sm90_xmma_dgrad_a", 10},
        {"sm90_xmma_dgrad_b", 100},
        {"convertTensor_kernel", 1000},
        {"sm90_xmma_wgrad", 10'000},
        {"nhwcAddPaddingKernel", 100'000}},
       {111'000, 111'000'000}},
      {{{"sm80_wgrad", 1}, {"sm80_dgrad", 10}}, {10'000, 1000}},
  };
  for (const auto& [kernels, times] : cases) {
    TraceWriter trace(true);
    const json operands{{2, 3, 8, 8}, {4, 3, 3, 3}};
    trace.op("aten::convolution", 1, 10, 30, {{"Sequence number", 5}, {"Input Dims", operands}});
    trace.op("ConvolutionBackward0", 2, 200, 30, {{"Sequence number", 5}, {"Input Dims", {{2}}}});
    const int back = trace.op("aten::convolution_backward", 2, 201, 20,
                              {{"Input Dims", {{2, 4, 4, 4}, {2, 3, 8, 8}, {4, 3, 3, 3}}},
                               {"Concrete Inputs", {"", "", "", "[True, True, False]"}}});
    for (const auto& [name, time] : kernels) trace.kernel(name, back, time);
    const ImportedNetwork read = import_text(trace.text());
    ASSERT_EQ(read.network.layers.size(), 1U);
    EXPECT_EQ(read.network.layers[0].measured, (MeasuredTimes{0, times[0], times[1]}))
        << kernels.front().first;
  }
}

/// A programmatic launch starts before the kernel before it ends, and waits: 4 of its 10
/// microseconds.
TEST(Trace, WhatAKernelWaitsBesideTheOneBeforeIsNotItsTime) {
  TraceWriter trace(true);
  const int forward = trace.op("aten::mm", 1, 10, 30, {{"Input Dims", {{4, 8}, {8, 16}}}});
  trace.kernel("gemm", forward, 100);
  trace.kernel("sum", forward, 10, 4);
  trace.kernel("fill", forward, 3, 6);
  EXPECT_EQ(import_text(trace.text()).network.layers.at(0).measured,
            (MeasuredTimes{106'000, 0, 0}));
}

/// Autocast casts within the operator that multiplies: the cast is no time of the product.
TEST(Trace, ACastInsideAProductIsNotTheProduct) {
  TraceWriter trace(true);
  const int product = trace.op("aten::mm", 1, 10, 30, {{"Input Dims", {{16, 32}, {32, 64}}}});
  trace.kernel("copy_kernel", trace.op("aten::copy_", 1, 12, 5, {{"Input Dims", {{16, 32}}}}), 7);
  trace.kernel("gemm", product, 3);
  const ImportedNetwork read = import_text(trace.text());
  EXPECT_EQ(read.network.layers[0].measured, (MeasuredTimes{3000, 0, 0}));
  EXPECT_THAT(read.left_out, testing::Contains(HasSubstr("1 kernels of other operators")));
}

/// STCSIM_MODEL_SAMPLES: a folder with kineto_resnet50_v100.pt.trace.json.gz, that is
/// pytorch/kineto's tb_plugin/samples/resnet50_num_workers_4.
TEST(Trace, ResNet50OfAV100EqualsTheScript) {
  const char* const folder = std::getenv("STCSIM_MODEL_SAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "STCSIM_MODEL_SAMPLES is not set";
  const std::string file = std::string(folder) + "/kineto_resnet50_v100.pt.trace.json.gz";
  const ImportedNetwork read = import_network(file, {});
  const PhaseTotals totals = totals_of(read.network);
  EXPECT_EQ(totals, counted_by_script(file));
  // 53 convolutions and a linear layer; ResNet-50's published 4,089,184,256 for 32 images.
  EXPECT_EQ(totals.at("forward"), std::pair(std::int64_t{54}, std::int64_t{4'089'184'256} * 32));
  EXPECT_EQ(totals.at("dgrad").first, 53);
  EXPECT_EQ(read.network.batch, 32);
  for (const Layer& layer : read.network.layers) {
    ASSERT_TRUE(layer.measured) << layer.name;
    EXPECT_GT(layer.measured->forward_ns, 0) << layer.name;
    EXPECT_GT(layer.measured->wgrad_ns, 0) << layer.name;
  }
}

TEST(Trace, EqualLayersAreOneAndTheirTimesMeans) {
  const ImportedNetwork read = import_text(small_training_step(false).text());
  ASSERT_EQ(read.network.layers.size(), 3U);
  EXPECT_EQ(read.network.batch, 4);
  const Layer& first = read.network.layers[0];
  EXPECT_FALSE(first.needs_dgrad);
  EXPECT_EQ(std::tuple(first.stride, first.pad, first.out_height()), std::tuple(2, 1, 8));
  const Layer& second = read.network.layers[1];
  EXPECT_EQ(second.repeat, 2);
  // Kernels of 10 and 30, 20 and 40, 7 and 9 microseconds.
  EXPECT_EQ(second.measured, (MeasuredTimes{20'000, 30'000, 8'000}));
  EXPECT_EQ(read.network.layers[2].measured, (MeasuredTimes{5'000, 6'000, 7'000}));
  EXPECT_THAT(read.summary(), HasSubstr("ProfilerStep#8 of 2 steps: 9 products and convolutions"));
  EXPECT_THAT(read.summary(), HasSubstr("1 kernels of other operators"));
  EXPECT_THAT(read.summary(), HasSubstr("1 kernels that no operator launched (ncclAllReduce)"));
}

TEST(Trace, ACompressedFileReadsAsAPlainOne) {
  const ScratchFolder folder;
  const std::string text = small_training_step(true).text();
  const std::string file = folder.write("a.pt.trace.json.gz", compressed(text));
  EXPECT_EQ(import_network(file, {}).network.layers, import_text(text).network.layers);
}

TEST(Trace, StatedStridesCountBeforeSizes) {
  TraceWriter trace;
  trace.op(
      "aten::convolution", 1, 0, 10,
      {{"Input Dims", {{4, 8, 16, 16}, {8, 4, 3, 3}, nlohmann::json::array()}},
       {"Concrete Inputs", {"", "", "", "[2, 2]", "[2, 2]", "[2, 2]", "False", "[0, 0]", "2"}}});
  const Layer layer = import_text(trace.text()).network.layers.at(0);
  EXPECT_EQ(std::tuple(layer.stride, layer.pad, layer.dilation, layer.groups),
            std::tuple(2, 2, 2, 2));
  EXPECT_EQ(layer.phases, std::vector{Phase::forward});
}

TEST(Trace, AnOutputIsWhatTheNextOperatorReads) {
  TraceWriter trace;
  trace.op("aten::conv2d", 1, 0, 10, {{"Input Dims", {{2, 3, 9, 9}, {5, 3, 3, 3}}}});
  trace.op("aten::relu", 1, 20, 5, {{"Input Dims", {{2, 5, 4, 4}}}});
  const Layer layer = import_text(trace.text()).network.layers.at(0);
  EXPECT_EQ(std::tuple(layer.out_height(), layer.out_width()), std::tuple(4, 4));
  TraceWriter alone;
  alone.op("aten::conv2d", 1, 0, 10, {{"Input Dims", {{2, 3, 9, 9}, {5, 3, 3, 3}}}});
  EXPECT_THAT(refusal_of_trace(alone.text()),
              HasSubstr("aten::conv2d 2x3x9x9 by 5x3x3x3: its stride is not stated"));
}

TEST(Trace, AttentionInOneKernelIsTwoProducts) {
  TraceWriter trace;
  trace.op("aten::_scaled_dot_product_flash_attention", 1, 0, 10,
           {{"Sequence number", 5},
            {"Input Dims", {{2, 8, 128, 64}, {2, 8, 128, 64}, {2, 8, 128, 64}}},
            {"Concrete Inputs", {"", "", "", "0.", "True"}}});
  const Network network = import_text(trace.text()).network;
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.forward_macs(), 2 * std::int64_t{16} * 128 * 128 * 64);
  EXPECT_TRUE(network.layers[0].causal);
  EXPECT_TRUE(network.layers[0].is_scores());
}

/// ATen's operators have other flags before that of the mask: cuDNN's whether it keeps the sums.
TEST(Trace, TheMasksFlagFollowsTheRateOfDropout) {
  const auto causal = [](const char* name, const nlohmann::json& values) {
    TraceWriter trace;
    trace.op(name, 1, 0, 10,
             {{"Input Dims", {{2, 8, 128, 64}, {2, 8, 128, 64}, {2, 8, 128, 64}}},
              {"Concrete Inputs", values}});
    return import_text(trace.text()).network.layers.at(0).causal;
  };
  const char* const cudnn = "aten::_scaled_dot_product_cudnn_attention";
  EXPECT_FALSE(causal(cudnn, {"", "", "", "", "True", "0.1", "False", "False", "0.125"}));
  EXPECT_TRUE(causal(cudnn, {"", "", "", "", "True", "0.", "True", "False", ""}));
  const char* const xformers = "aten::_efficient_attention_forward";
  EXPECT_TRUE(causal(xformers, {"", "", "", "", "", "", "8", "8", "0.", "1", "True", "", "", ""}));
  EXPECT_FALSE(causal(xformers, {"", "", "", "", "", "", "8", "8", "0.", "0", "True", "", "", ""}));
}

/// As compiled programs of a part of a step: gradients whose forward product is not there.
TEST(Trace, AGradientAloneIsALayerOfItsPhase) {
  TraceWriter trace;
  trace.op("CompiledFunctionBackward", 2, 0, 100, {{"Sequence number", 7}});
  trace.kernel("gemm",
               trace.op("aten::convolution_backward", 2, 10, 10,
                        {{"Input Dims", {{4, 8, 8, 8}, {4, 6, 16, 16}, {8, 6, 3, 3}}},
                         {"Concrete Inputs",
                          {"", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1",
                           "[False, True, False]"}}}),
               9);
  trace.kernel(
      "flash",
      trace.op("aten::_scaled_dot_product_flash_attention_backward", 2, 30, 10,
               {{"Input Dims", {{4, 2, 32, 16}, {4, 2, 32, 16}, {4, 2, 32, 16}, {4, 2, 32, 16}}}}),
      5);
  const Network network = import_text(trace.text()).network;
  ASSERT_EQ(network.layers.size(), 3U);
  const Layer& convolution = network.layers[0];
  EXPECT_EQ(convolution.phases, std::vector{Phase::wgrad});
  EXPECT_EQ(std::tuple(convolution.stride, convolution.pad), std::tuple(2, 1));
  EXPECT_EQ(convolution.measured, (MeasuredTimes{0, 0, 9'000}));
  EXPECT_EQ(network.layers[1].phases, (std::vector{Phase::dgrad, Phase::wgrad}));
  EXPECT_EQ(network.layers[1].measured, (MeasuredTimes{0, 5'000, 0}));
  const PhaseTotals totals = totals_of(network);
  const std::int64_t attention = std::int64_t{4} * 2 * 32 * 32 * 16;
  EXPECT_EQ(totals.at("forward").first, 0);
  EXPECT_EQ(totals.at("wgrad").second, std::int64_t{4} * 64 * 8 * 54 + 2 * attention);
}

TEST(Trace, AnExecutionTraceIsNotAProfile) {
  const ScratchFolder folder;
  const std::string text =
      R"({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "start_ts": 5,
          "nodes": [{"id": 1, "name": "aten::mm", "ctrl_deps": 0, "inputs": {}}]})";
  for (const std::string& file :
       {folder.write("a.json", text), folder.write("a.json.gz", compressed(text))}) {
    EXPECT_THAT(error_of([&] { (void)import_network(file, {}); }),
                HasSubstr("it is a PyTorch execution trace (Chakra), which is not read"));
  }
}

TEST(Trace, WhatCannotBeReadIsSaid) {
  TraceWriter shapeless;
  shapeless.op("aten::mm", 1, 0, 10, nlohmann::json::object());
  EXPECT_THAT(refusal_of_trace(shapeless.text()),
              HasSubstr("record with torch.profiler.profile(record_shapes=True)"));
  EXPECT_THAT(refusal_of_trace("{\"traceEvents\": [{\"ph\": NaN}]}"),
              HasSubstr("malformed at byte"));
  TraceWriter odd;
  odd.op("aten::mm", 1, 0, 10, {{"Input Dims", {{2, 3}, {4, 5}}}});
  EXPECT_THAT(refusal_of_trace(odd.text()), HasSubstr("aten::mm [2, 3] [4, 5] has no sizes"));
  std::string deep = "{\"traceEvents\": [";
  for (int level = 0; level < 1'000'000; ++level) deep += '[';
  EXPECT_THAT(refusal_of_trace(deep), HasSubstr("within each other"));
}

TEST(Trace, ACutFileCountsUntilItsEnd) {
  const std::string text = small_training_step(false).text();
  const ImportedNetwork read = import_text(text.substr(0, text.size() - 40));
  EXPECT_FALSE(read.network.layers.empty());
  EXPECT_THAT(read.summary(), HasSubstr("the end of the file, which is cut"));
}

}  // namespace
}  // namespace stcsim
