#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/workloads/trace_totals.hpp"
#include "workloads/files/import.hpp"

namespace stcsim {
namespace {

using nlohmann::json;

/// Profiles of one H200, of which reduce_trace.py kept the products and their kernels: those beside
/// it, and all of the folder STCSIM_TRACES.
std::vector<std::filesystem::path> reduced_traces() {
  std::vector<std::filesystem::path> found;
  const char* const more = std::getenv("STCSIM_TRACES");
  for (const char* const folder : {kTraceFolder, more}) {
    if (folder == nullptr) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
  }
  return found;
}

json trace_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

bool is_kernel(const json& event) {
  return event.at("cat") == "kernel";
}

/// Microseconds of the network's layers in all phases.
double measured_in(const Network& network) {
  double sum = 0;
  for (const Layer& layer : network.layers) {
    if (!layer.measured) continue;
    const std::int64_t once =
        layer.measured->forward_ns + layer.measured->dgrad_ns + layer.measured->wgrad_ns;
    sum += static_cast<double>(layer.repeat * once) * 1e-3;
  }
  return sum;
}

TEST(TraceSamples, TheTimeOfProductsIsInLayersThatAreSimulated) {
  for (const std::filesystem::path& path : reduced_traces()) {
    double all = 0;
    const json trace = trace_of(path);
    for (const json& event : trace.at("traceEvents")) {
      if (is_kernel(event)) all += event.at("dur").get<double>();
    }
    const double measured = measured_in(import_network(path, {}).network);
    RecordProperty(path.stem().string(), std::to_string(measured / all));
    EXPECT_GE(measured, 0.98 * all) << path;
    EXPECT_LE(measured, 1.0001 * all) << path;
  }
}

/// PyTorch 1.12 to 2.0 wrote the correlation as a kernel's "External id"; profilers leave an empty
/// step behind.
TEST(TraceSamples, OldIdsAndAnEmptyLastStepChangeNothing) {
  const ScratchFolder folder;
  for (const std::filesystem::path& path : reduced_traces()) {
    const Network network = import_network(path, {}).network;
    json trace = trace_of(path);
    json& events = trace.at("traceEvents");
    double end = 0;
    for (json& event : events) {
      end = std::max(end, event.at("ts").get<double>() + event.at("dur").get<double>());
      json& args = event.at("args");
      if (is_kernel(event)) args["External id"] = args.at("correlation");
    }
    const auto step = [&](int number, double start, double length) {
      events.push_back({{"ph", "X"},
                        {"cat", "user_annotation"},
                        {"name", "ProfilerStep#" + std::to_string(number)},
                        {"tid", 1},
                        {"ts", start},
                        {"dur", length}});
    };
    step(2, end + 1, 49);
    const auto changed = [&] { return import_network(folder.write("a.json", trace.dump()), {}); };
    EXPECT_EQ(changed().network.layers, network.layers) << path;
    step(1, 0, end);
    EXPECT_EQ(changed().network.layers, network.layers) << path;
    EXPECT_THAT(changed().summary(), testing::HasSubstr("ProfilerStep#1 of 2 steps")) << path;
  }
}

TEST(TraceSamples, ACompiledProgramsGradientsFindTheirForwardProducts) {
  const std::string folder = kTraceFolder;
  const auto resnet =
      totals_of(import_network(folder + "/resnet50_b256_compiled.json", {}).network);
  // 53 convolutions and a linear layer; ResNet-50's published multiply-accumulates for 256 images.
  const std::int64_t macs = std::int64_t{4'089'184'256} * 256;
  const std::int64_t first = std::int64_t{256} * 112 * 112 * 64 * 147;
  EXPECT_EQ(resnet.at("forward"), std::pair(std::int64_t{54}, macs));
  EXPECT_EQ(resnet.at("dgrad"), std::pair(std::int64_t{53}, macs - first));
  EXPECT_EQ(resnet.at("wgrad"), std::pair(std::int64_t{54}, macs));
  const ImportedNetwork bert = import_network(folder + "/bert_large_l6_s384_b32_compiled.json", {});
  // Six blocks of four products of the width, two of four times it, and an answer's two ends, which
  // the compiler made eight in dgrad: that product has no forward one of its sizes.
  const std::int64_t tokens = std::int64_t{32} * 384;
  const std::int64_t blocks = tokens * 6 * std::int64_t{12} * 1024 * 1024;
  const std::int64_t attention = 6 * 2 * tokens * 384 * 1024;
  for (const auto& [phase, total] : totals_of(bert.network)) {
    const std::int64_t ends = tokens * 1024 * (phase == "dgrad" ? 8 : 2);
    EXPECT_EQ(total, std::pair(std::int64_t{6 * 8 + 1}, blocks + attention + ends)) << phase;
  }
  for (const Layer& layer : bert.network.layers) {
    EXPECT_FALSE(layer.causal) << layer.name;
    EXPECT_EQ(layer.phases.empty(), layer.name != "backward_1x12288x1024x8") << layer.name;
    EXPECT_EQ(layer.needs_dgrad, layer.name != "mm_12288x2x1024") << layer.name;
  }
}

}  // namespace
}  // namespace stcsim
