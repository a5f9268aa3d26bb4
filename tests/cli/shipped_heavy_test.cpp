#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/config_field.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/support/physics_check.hpp"

namespace stcsim {
namespace {

const std::filesystem::path kConfigs = std::filesystem::path(STCSIM_SOURCE_DIR) / "configs";

std::vector<std::string> shipped(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& file : files_in(kConfigs / folder)) {
    names.push_back(std::filesystem::path(file).stem().string());
  }
  return names;
}

/// Runs an experiment with every automatic choice cut to one candidate and returns its JSON.
nlohmann::json run_study(const std::string& text) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "study.yaml";
  write_text(file, "kernel_candidates: 1\n" + text);
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  const ProgramResult result =
      run_stcsim({"run", file.string(), "--jobs", "auto", "--format", "json"}, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

test::Ports ports_of(const nlohmann::json& machine) {
  const auto& hardware = machine.at("accelerator");
  const auto& sm = hardware.at("sm");
  const auto sms = hardware.at("num_sms").get<std::int64_t>();
  const auto value = [](const nlohmann::json& unit, const char* key) {
    constexpr std::int64_t kEnough = 1'000'000'000;
    const auto& number = unit.at(key);
    return number == kUnlimited ? kEnough : number.get<std::int64_t>();
  };
  const auto& memory = sm.at("shared_memory");
  const auto& bus = hardware.at("memory_bus");
  const auto& l2 = hardware.at("l2_cache");
  const std::int64_t port =
      std::min<std::int64_t>(value(memory, "banks") * value(memory, "bank_bytes"), 1'000'000'000);
  return {sms * port,
          sms * value(memory, "fill_bytes_per_clk"),
          sms * value(bus, "sm_read_bytes_per_clk"),
          sms * value(bus, "sm_write_bytes_per_clk"),
          value(l2, "read_bytes_per_clk"),
          value(l2, "write_bytes_per_clk"),
          value(hardware.at("dram"), "bytes_per_clk")};
}

std::vector<Counter> moved_in(const nlohmann::json& row) {
  std::vector<Counter> moved;
  for (const auto& [name, bytes] : row.at("traffic").items()) {
    moved.push_back({name, "byte", bytes.get<std::int64_t>()});
  }
  return moved;
}

void expect_complete(const nlohmann::json& study) {
  EXPECT_TRUE(study.at("failures").empty());
  EXPECT_FALSE(study.at("results").empty());
  std::map<std::string, test::Ports> ports;
  for (const auto& machine : study.at("config").at("machines")) {
    ports[machine.at("name").get<std::string>()] = ports_of(machine);
  }
  for (const auto& row : study.at("results")) {
    SCOPED_TRACE(row.at("layer").get<std::string>() + " " + row.at("op").get<std::string>());
    EXPECT_GT(row.at("cycles").get<std::int64_t>(), 0) << row.at("layer");
    test::expect_ports_carry(ports.at(row.at("machine").get<std::string>()),
                             row.at("cycles").get<std::int64_t>(), moved_in(row));
    EXPECT_GE(row.at("utilization").get<double>(), 0.0) << row.at("layer");
    EXPECT_LE(row.at("utilization").get<double>(), 1.0) << row.at("layer");
  }
  for (const auto& total : study.at("totals")) {
    EXPECT_GT(total.at("step").at("cycles").get<std::int64_t>(), 0);
  }
}

class ShippedNetwork : public testing::TestWithParam<std::string> {};

TEST_P(ShippedNetwork, TrainingStepOfOneSampleRunsDenseAndSparse) {
  expect_complete(run_study("machines: [a100]\nnetworks: [{name: " + GetParam() +
                            ", batch: 1}]\nschemes: [dense, transposable-2-4]\n"));
}
INSTANTIATE_TEST_SUITE_P(All, ShippedNetwork, testing::ValuesIn(shipped("networks")),
                         [](const auto& shipped_name) { return shipped_name.param; });

TEST(ShippedSchemes, AllRunOnAConvolutionalNetworkAndATransformer) {
  std::string names;
  for (const std::string& name : shipped("schemes")) names += (names.empty() ? "" : ", ") + name;
  const nlohmann::json study = run_study(
      "machines: [a100]\n"
      "networks: [{name: resnet9_cifar10, batch: 4}, {name: bert_base_s128, batch: 1}]\n"
      "schemes: [" +
      names + "]\n");
  expect_complete(study);
  EXPECT_EQ(study.at("totals").size(), 2 * shipped("schemes").size());
}

TEST(ShippedMachines, AllRunATrainingStep) {
  std::string names;
  for (const std::string& name : shipped("arch")) names += (names.empty() ? "" : ", ") + name;
  const nlohmann::json study =
      run_study("machines: [" + names +
                "]\nnetworks: [{name: resnet9_cifar10, batch: 4}]\n"
                "schemes: [dense, asp, {name: sdgp, pattern: \"1:8\"}, s-ste]\n");
  expect_complete(study);
  EXPECT_EQ(study.at("totals").size(), 4 * shipped("arch").size());
}

class ShippedExperiment : public testing::TestWithParam<std::string> {};

TEST_P(ShippedExperiment, RunsWithSmallBatches) {
  const ProgramResult shown = run_stcsim({"config", "show", GetParam(), "--format", "json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const auto networks = nlohmann::json::parse(shown.out).at("networks").size();
  std::vector<std::string> arguments{"run",    GetParam(), "--format", "json",
                                     "--jobs", "auto",     "--set",    "kernel_candidates=1"};
  for (std::size_t at = 0; at < networks; ++at) {
    arguments.insert(arguments.end(), {"--set", "networks." + std::to_string(at) + ".batch=1"});
  }
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  const ProgramResult result = run_stcsim(arguments, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_complete(nlohmann::json::parse(result.out));
}
INSTANTIATE_TEST_SUITE_P(All, ShippedExperiment, testing::ValuesIn(shipped("experiments")),
                         [](const auto& shipped_name) { return shipped_name.param; });

}  // namespace
}  // namespace stcsim
