// What publications promise by counting multiplications, on a machine where nothing else takes
// time.
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

/// The totals of an experiment on `ideal`, by scheme.
std::map<std::string, nlohmann::json> ideal_totals(const std::string& network,
                                                   const std::string& schemes) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "ideal.yaml";
  write_text(file, "machines: [ideal]\nkernel_candidates: 1\nnetworks: [" + network +
                       "]\nschemes: [dense, " + schemes + "]\n");
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  const ProgramResult result = run_stcsim(
      {"run", file.string(), "--no-overhead", "--jobs", "auto", "--format", "json"}, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json study = nlohmann::json::parse(result.out);
  std::map<std::string, nlohmann::json> totals;
  for (const auto& total : study.at("totals")) totals[total.at("scheme")] = total;
  return totals;
}

std::string layer_file(const std::string& name) {
  return std::string(STCSIM_SOURCE_DIR) + "/configs/validation/networks/" + name + ".yaml";
}

double gemm_speedup(const nlohmann::json& total) {
  return total.at("gemm_speedup").get<double>();
}

/// Three GEMMs of which each takes 1, or n/m of that if it is sparse, or half of it in FP8.
void expect_speedups(const std::string& network,
                     const std::map<std::string, std::pair<std::string, double>>& expected) {
  std::string schemes;
  for (const auto& [name, entry] : expected) {
    schemes += (schemes.empty() ? "" : ", ") + entry.first;
  }
  const auto totals = ideal_totals(network, schemes);
  for (const auto& [name, entry] : expected) {
    ASSERT_TRUE(totals.contains(name)) << name;
    const double speedup = gemm_speedup(totals.at(name));
    EXPECT_LT(std::abs(speedup / entry.second - 1), 0.001) << name << ": " << speedup;
  }
}

TEST(IdealMachine, WhatSchemesSaveOfALinearLayer) {
  expect_speedups(layer_file("large_linear"),
                  {{"asp", {"asp", 3 / 2.5}},
                   {"sr-ste", {"sr-ste", 3 / 2.5}},
                   {"step", {"{name: step, share_of_training: 1}", 3 / 2.5}},
                   {"transposable", {"transposable", 3 / 2.0}},
                   {"transposable-2-4", {"transposable-2-4", 3 / 2.0}},
                   {"bi-mask", {"bi-mask", 3 / 2.0}},
                   {"bdwp", {"bdwp", 3 / 1.5}},
                   {"slope", {"slope", 3 / 2.0}},
                   {"mvue-1-2", {"mvue-1-2", 3 / 2.5}},
                   {"mvue-2-4", {"mvue-2-4", 3 / 2.5}},
                   {"mvue-transposable", {"mvue-transposable", 3 / 1.5}},
                   {"fst", {"{name: fst, share_of_training: 1}", 3 / 1.5}},
                   {"s-ste", {"s-ste", 3 / (0.25 + 0.5 + 0.25)}},
                   {"s-ste-fp16", {"s-ste-fp16", 3 / 2.0}},
                   {"torchao-semisparse", {"torchao-semisparse", 3 / 2.0}}});
}

TEST(IdealMachine, WhatSdgpSavesOfAConvolution) {
  expect_speedups(layer_file("large_conv"),
                  {{"sdgp", {"sdgp", 3 / 2.5}},
                   {"sdgp-1:4", {"{name: sdgp, pattern: \"1:4\"}", 3 / 2.25}},
                   {"sdgp-4:32", {"{name: sdgp, pattern: \"4:32\"}", 3 / 2.125}}});
}

/// SDGP's own estimate for ResNet-18, batch 256: dgrad is 33.17 % of the convolutions' time, of
/// which 2:4 saves half and 1:4 three quarters.
TEST(IdealMachine, SdgpSavesOfResNet18WhatItsPublicationEstimates) {
  const auto totals = ideal_totals("{name: resnet18}", "sdgp, {name: sdgp, pattern: \"1:4\"}");
  const nlohmann::json& dense = totals.at("dense");
  const double share =
      dense.at("dgrad").at("cycles").get<double>() / dense.at("gemms").at("cycles").get<double>();
  EXPECT_NEAR(share, 0.3317, 0.02);
  EXPECT_NEAR(1 - 1 / gemm_speedup(totals.at("sdgp")), 0.166, 0.015);
  EXPECT_NEAR(1 - 1 / gemm_speedup(totals.at("sdgp-1:4")), 0.249, 0.015);
}

}  // namespace
}  // namespace stcsim
