#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/validate_check.hpp"

namespace stcsim {
namespace {

/// What dense steps of a machine may be off, and how many there are.
struct StepBound {
  std::size_t rows;
  double mean_absolute;
  double bias;
};

/// Rows of one part of FST's logs: speedup_error of each.
std::vector<double> gain_errors(const nlohmann::json& rows, const std::string& network) {
  std::vector<double> errors;
  for (const auto& row : rows) {
    const bool is_log = row["source"].get<std::string>().starts_with("thu-ml/2by4-pretrain");
    if (is_log && row["network"] == network) errors.push_back(row["speedup_error"]);
  }
  return errors;
}

/// What FST's sparse passes gain, as its authors logged them: 6 per cent in the mean of each part,
/// and no more than seven rows in ten off by more than 2 per cent to the same side.
void expect_gains_of_sparse_training(const nlohmann::json& rows) {
  const std::map<std::string, std::size_t> parts{{"GPT-2 MLP", 33}, {"GPT-2 block", 29}};
  for (const auto& [network, count] : parts) {
    const std::vector<double> errors = gain_errors(rows, network);
    ASSERT_EQ(errors.size(), count) << network;
    double absolute = 0;
    double sum = 0;
    std::size_t high = 0;
    std::size_t low = 0;
    for (const double error : errors) {
      absolute += std::abs(error);
      sum += error;
      high += error > 0.02 ? 1U : 0U;
      low += error < -0.02 ? 1U : 0U;
    }
    EXPECT_LE(absolute / static_cast<double>(count), 0.06) << network;
    EXPECT_LE(std::abs(sum) / static_cast<double>(count), 0.05) << network;
    EXPECT_LE(10 * high, 7 * count) << network;
    EXPECT_LE(10 * low, 7 * count) << network;
  }
}

TEST(ValidateShipped, EveryNetworkIsPredictedOrSkippedWithAReason) {
  const auto rows = validated({STCSIM_SOURCE_DIR "/configs/validation/networks.csv"})["networks"];
  EXPECT_EQ(rows.size(), 204U);
  expect_gains_of_sparse_training(rows);
  std::map<std::string, std::vector<double>> steps;  // errors of dense steps by machine
  for (const auto& row : rows) {
    const bool is_dense_step = row["scheme"] == "dense" && row["skipped"] == "";
    const bool has_error = !row["sparse_error"].is_null() || !row["speedup_error"].is_null();
    EXPECT_NE(has_error || is_dense_step, row["skipped"] != "") << row;
    if (!is_dense_step) continue;
    const std::string special = row["phase"] == "fine-tuning" ? ", fine-tuning" : "";
    steps[row["machine"].get<std::string>() + special].push_back(row["dense_error"]);
  }
  const std::map<std::string, StepBound> most{
      {"a100_80gb", {11, 0.09, 0.07}},
      {"a100_80gb, fine-tuning", {4, 0.18, 0.18}},
      // Sealed before they were measured: a miss that is known.
      {"h200", {8, 0.38, 0.38}},
      {"rtx3090", {26, 0.03, 0.02}}};
  ASSERT_EQ(steps.size(), most.size());
  for (const auto& [machine, errors] : steps) {
    const auto count = static_cast<double>(errors.size());
    const auto add_absolute = [](double sum, double error) { return sum + std::abs(error); };
    const double absolute = std::accumulate(errors.begin(), errors.end(), 0.0, add_absolute);
    const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
    EXPECT_EQ(errors.size(), most.at(machine).rows) << machine;
    EXPECT_LE(absolute / count, most.at(machine).mean_absolute) << machine;
    EXPECT_LE(std::abs(sum) / count, most.at(machine).bias) << machine;
  }
}

}  // namespace
}  // namespace stcsim
