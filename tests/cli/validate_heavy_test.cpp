#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cell_errors.hpp"
#include "tests/cli/gemm_agreement.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/validate_check.hpp"

namespace stcsim {
namespace {

/// Mean of the absolute errors and of the signed ones.
struct Errors {
  double mean_absolute = 0;
  double bias = 0;
};

/// Rows whose values a copy had cut; they came in after the bounds of rows for fitting were found,
/// and count among all rows.
bool came_later(const nlohmann::json& row) {
  return row["source"].get<std::string>().starts_with("pytorch/pytorch PR #90119") &&
         row["n"] == 12288 && row["m"].get<int>() * row["k"].get<int>() == 768 * 3072;
}

Errors errors_of(const nlohmann::json& rows, const std::string& key, const std::string& use) {
  Errors errors;
  int count = 0;
  for (const auto& row : rows) {
    const bool is_gpu = row["gpu"] == "A100" || row["gpu"] == "RTX3090";
    const bool is_plain = row["pattern"] == "2:4" || row["pattern"] == "dense";
    const bool is_used = use.empty() || row["use"] == use;
    if (!is_gpu || !is_plain || !is_used || row[key].is_null()) continue;
    if (use == "fitting" && came_later(row)) continue;
    errors.mean_absolute += std::abs(row[key].get<double>());
    errors.bias += row[key].get<double>();
    ++count;
  }
  EXPECT_GT(count, 40) << key;
  errors.mean_absolute /= count;
  errors.bias /= count;
  return errors;
}

void expect_no_worse(const nlohmann::json& rows, const std::string& key, const std::string& use,
                     const Errors& bound) {
  const Errors errors = errors_of(rows, key, use);
  EXPECT_LE(errors.mean_absolute, bound.mean_absolute) << key << ", " << use;
  EXPECT_LE(std::abs(errors.bias), bound.bias) << key << ", " << use;
}

/// A100 and RTX 3090 together, dense and 2:4, all rows of the first table and by use: a change that
/// hurts fidelity fails here. Bounds are what was reached, rounded up to half a per cent. Those of
/// times are wider than they were before epilogues took their time, which kernels guessed from
/// these very rows had absorbed: on ten times as many rows of the same card the errors fell from 12
/// to 5 per cent.
void expect_fidelity(const nlohmann::json& rows) {
  expect_no_worse(rows, "dense_error", "", {0.05, 0.015});
  expect_no_worse(rows, "sparse_error", "", {0.04, 0.035});
  expect_no_worse(rows, "speedup_error", "", {0.04, 0.015});
  expect_no_worse(rows, "dense_error", "fitting", {0.04, 0.015});
  expect_no_worse(rows, "sparse_error", "fitting", {0.03, 0.03});
  expect_no_worse(rows, "speedup_error", "fitting", {0.035, 0.03});
  expect_no_worse(rows, "dense_error", "testing", {0.05, 0.035});
  expect_no_worse(rows, "sparse_error", "testing", {0.04, 0.035});
  expect_no_worse(rows, "speedup_error", "testing", {0.05, 0.015});
}

/// Of the sample of rows timed on the device, some ten of a card and type: what was reached,
/// rounded up to a per cent. `make soak` holds all rows to what is promised.
void expect_fidelity_on_the_device(const nlohmann::json& rows) {
  constexpr CellBound kReached[]{
      {"a100_80gb", "bf16", true, 6, 0, 0},   {"a100_80gb", "bf16", false, 14, 0, 0},
      {"a100_pcie", "fp16", true, 7, 11, 14}, {"a100_pcie", "int8", true, 8, 8, 8},
      {"h100_sxm", "bf16", true, 8, 0, 0},    {"h100_sxm", "bf16", false, 8, 0, 0},
      {"h100_pcie", "bf16", true, 8, 9, 11},  {"h100_pcie", "fp8_e4m3", true, 8, 8, 9},
      {"h100_pcie", "int8", true, 11, 8, 13}};
  expect_within(rows, kReached, 8);
}

/// Spatha on the RTX 3090, blocks of 128 and of 64 rows: what is promised, 15 per cent in the mean.
void expect_columns_fidelity(const nlohmann::json& rows) {
  std::map<bool, std::vector<double>> errors;  // by whether blocks have 128 rows
  for (const auto& row : rows) {
    const auto pattern = row["pattern"].get<std::string>();
    if (pattern.find("V=") == std::string::npos) continue;
    EXPECT_EQ(row["skipped"], "") << row;
    errors[pattern.find("V=128") != std::string::npos].push_back(row["sparse_error"]);
  }
  EXPECT_EQ(errors[true].size(), 68U);
  EXPECT_EQ(errors[false].size(), 36U);
  for (const auto& [is_128, of_rows] : errors) {
    const auto add_absolute = [](double sum, double error) { return sum + std::abs(error); };
    const double sum = std::accumulate(of_rows.begin(), of_rows.end(), 0.0, add_absolute);
    EXPECT_LE(sum / static_cast<double>(of_rows.size()), 0.15) << (is_128 ? 128 : 64);
  }
}

/// The GEMMs of BERT-Large that NVIDIA published (GTC 2020), the first four rows. The bar was 8 %
/// while the A100's partitions were taken to keep operands once, which its documents deny; the
/// worst is 8.2 % off since.
void expect_bert_large(const nlohmann::json& rows) {
  for (int at = 0; at < 4; ++at) {
    const auto& row = rows[static_cast<std::size_t>(at)];
    ASSERT_NE(row["source"].get<std::string>().find("GTC 2020"), std::string::npos);
    EXPECT_LE(std::abs(row["speedup_error"].get<double>()), 0.088) << row;
  }
}

const std::string kFolder = STCSIM_SOURCE_DIR "/configs/validation/";

/// A table's header, and one in so many of its rows.
std::string sample_of(const std::string& name, int one_in) {
  std::ifstream whole(kFolder + name);
  std::string table;
  std::string line;
  for (int row = 0; std::getline(whole, line);) {
    if (line.starts_with("#")) continue;
    if (table.empty() || row++ % one_in == 0) table += line + "\n";
  }
  return table;
}

/// gemm.csv, and of the many rows timed on the device one in twelve.
std::string sample_of_gemms() {
  std::ifstream all(kFolder + "gemm.csv");
  const std::string device = sample_of("gemm_device.csv", 12);
  return std::string{std::istreambuf_iterator<char>(all), {}} +
         device.substr(device.find('\n') + 1);
}

/// Every shipped row is simulated or skipped with a reason, none is lost.
TEST(ValidateShipped, EveryGemmIsPredictedAsWellAsBeforeOrSkippedWithAReason) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "sample.csv").string();
  std::ofstream(path) << sample_of_gemms();
  const auto rows = validated({path})["results"];
  EXPECT_EQ(rows.size(), 278U + 202U);
  expect_predicted_or_skipped(rows);
  constexpr std::size_t kOneIn = 16;  // `make soak` makes them all
  expect_that_gemm_says_the_same(rows, 476U, kOneIn);
  expect_fidelity(rows);
  expect_fidelity_on_the_device(rows);
  expect_columns_fidelity(rows);
  expect_bert_large(rows);
}

TEST(ValidateShipped, EveryInstructionIsPredictedOrSkippedWithAReason) {
  const auto rows = validated({kFolder + "instructions.csv"})["instructions"];
  EXPECT_EQ(rows.size(), 123U);
  for (const auto& row : rows) {
    const bool has_error = !row["latency_error"].is_null() || !row["throughput_error"].is_null();
    EXPECT_NE(has_error, row["skipped"] != "") << row;
  }
}

/// Element-wise operations, softmax and layer normalisation on their own, from 58 us on: one row in
/// three, `make soak` takes all.
TEST(ValidateShipped, StreamKernelsArePredicted) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "sample.csv").string();
  std::ofstream(path) << sample_of("stream.csv", 3);
  const auto rows = validated({path})["streams"];
  EXPECT_EQ(rows.size(), (866U + 52U) / 3);
  double sum = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row["skipped"], "") << row;
    sum += std::abs(row["time_error"].get<double>());
  }
  EXPECT_LE(sum / static_cast<double>(rows.size()), 0.09);
}

}  // namespace
}  // namespace stcsim
