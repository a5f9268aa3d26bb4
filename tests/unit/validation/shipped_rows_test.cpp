#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/io/csv_table.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/measurement_setup.hpp"

namespace stcsim {
namespace {

const std::string kFolder = STCSIM_SOURCE_DIR "/configs/validation/";

std::vector<MeasuredGemm> rows_of(const std::string& table) {
  return read_measured_gemms(kFolder + table);
}

class ShippedRows : public ::testing::TestWithParam<const char*> {};

/// A digit lost in a copy shows: what was measured is above 0, and the gain is the quotient of the
/// times, but for rounding in the publications.
TEST_P(ShippedRows, TimesAndGainsAgree) {
  for (const MeasuredGemm& row : rows_of(GetParam())) {
    SCOPED_TRACE(row.where.to_string());
    const GemmTimes& measured = row.measured;
    ASSERT_TRUE(measured.dense_us || measured.sparse_us || measured.speedup);
    if (!measured.dense_us || !measured.sparse_us || !measured.speedup) continue;
    EXPECT_NEAR(*measured.dense_us / *measured.sparse_us, *measured.speedup, 6e-4);
  }
}

TEST_P(ShippedRows, EveryGpuHasAMachine) {
  const GpuMachines machines(kFolder + "gpus.yaml");
  for (const MeasuredGemm& row : rows_of(GetParam())) {
    EXPECT_NE(machines.machine_of(row.gpu), nullptr) << row.where.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, ShippedRows,
                         ::testing::Values("gemm.csv", "gemm_device.csv", "gemm_new_machines.csv",
                                           "gemm_h200.csv"),
                         [](const auto& table) {
                           return std::filesystem::path(table.param).stem().string();
                         });

/// results/predictions.csv, of the H200: "bf16 6144 64 4096" and its dense and sparse times, us.
std::map<std::string, std::pair<double, double>> sealed_predictions() {
  const CsvTable table = CsvTable::read(STCSIM_SOURCE_DIR "/results/predictions.csv");
  std::map<std::string, std::pair<double, double>> predictions;
  for (const CsvTable::Row& row : table.rows()) {
    const auto text = [&](std::string_view name) { return row.at(table.column(name)).text; };
    if (text("kind") != "gemm" || text("machine") != "h200") continue;
    predictions[fmt::format("{} {} {} {}", text("dtype"), text("m"), text("n"), text("k"))] = {
        to_number(text("dense_us")).value(), to_number(text("sparse_us")).value()};
  }
  return predictions;
}

/// Rows that are called sealed were predicted, and were off by what docs/evidence.md says.
TEST(ShippedSealedRows, WerePredicted) {
  const auto predictions = sealed_predictions();
  EXPECT_EQ(predictions.size(), 200U);
  std::map<std::string, std::vector<double>> errors;
  for (const MeasuredGemm& row : rows_of("gemm_h200.csv")) {
    if (row.use != RowUse::sealed) continue;
    const GemmProblem& problem = row.problem;
    const std::string type(to_string(problem.dtype));
    const auto& [dense_us, sparse_us] =
        predictions.at(fmt::format("{} {} {} {}", type, problem.m, problem.n, problem.k));
    if (row.measured.dense_us.value_or(0) >= 20) {
      errors[type + " dense"].push_back(dense_us / *row.measured.dense_us - 1);
    }
    if (row.stack == "cuda12_search" && row.measured.sparse_us) {
      errors[type + " 2:4"].push_back(sparse_us / *row.measured.sparse_us - 1);
    }
  }
  const std::map<std::string, std::pair<std::size_t, double>> expected{
      {"bf16 dense", {92, 0.094}},
      {"bf16 2:4", {29, 0.039}},
      {"fp8_e4m3 dense", {91, 0.130}},
      {"fp8_e4m3 2:4", {17, 0.167}}};
  for (const auto& [what, rows_and_mean] : expected) {
    double sum = 0;
    for (const double error : errors.at(what)) sum += std::abs(error);
    EXPECT_EQ(errors.at(what).size(), rows_and_mean.first) << what;
    EXPECT_NEAR(sum / static_cast<double>(errors.at(what).size()), rows_and_mean.second, 0.0005)
        << what;
  }
}

/// How the rows timed on the device are divided, as docs/evidence.md says.
RowUse use_by_the_rule(const MeasuredGemm& row) {
  const auto log2 = [](std::int64_t size) {
    return std::bit_width(static_cast<std::uint64_t>(size)) - 1;
  };
  const GemmProblem& problem = row.problem;
  bool is_fitting = false;
  if (row.timing == "graph") {
    is_fitting = (log2(problem.n) + log2(problem.k)) % 2 == 0;
  } else if (row.timing.starts_with("loop50")) {
    is_fitting = row.note == "BitNet-2B-INT8" || row.note == "Llama3.2-1B-INT8";
  } else {
    EXPECT_EQ(row.timing, "kernel");
    is_fitting = problem.dtype == DataType::bf16 && problem.m <= 1024;
  }
  return is_fitting ? RowUse::fitting : RowUse::testing;
}

TEST(ShippedDeviceRows, AreDividedByTheRuleOfTheDocumentation) {
  std::map<std::string, std::int64_t> rows;
  for (const MeasuredGemm& row : rows_of("gemm_device.csv")) {
    EXPECT_EQ(row.use, use_by_the_rule(row)) << row.where.to_string();
    EXPECT_EQ(row.unusable, "") << row.where.to_string();
    ++rows[row.timing + " " + std::string(to_string(row.use))];
  }
  const std::map<std::string, std::int64_t> expected{
      {"graph fitting", 676},         {"graph testing", 642},       {"kernel fitting", 75},
      {"kernel testing", 175},        {"loop50 fitting", 142},      {"loop50 testing", 90},
      {"loop50_h100 fitting", 177},   {"loop50_h100 testing", 135}, {"loop50_rtx4090 fitting", 177},
      {"loop50_rtx4090 testing", 135}};
  EXPECT_EQ(rows, expected);
}

/// Readings of one card that contradict those timed on the device: above 266 TFLOP/s, the fastest
/// of them.
TEST(ShippedRowsNotScored, AreFasterThanAnyTimedOnTheDevice) {
  constexpr double kFastestOnTheDevice = 266.1;
  int shown = 0;
  for (const MeasuredGemm& row : rows_of("gemm.csv")) {
    if (row.use != RowUse::shown) continue;
    ++shown;
    const double tflops =
        2.0 * static_cast<double>(row.problem.macs()) / *row.measured.dense_us / 1e6;
    EXPECT_GT(tflops, kFastestOnTheDevice) << row.where.to_string();
  }
  EXPECT_EQ(shown, 5);
  for (const MeasuredGemm& row : rows_of("gemm_device.csv")) {
    if (row.gpu.find("A100-SXM4") == std::string::npos) continue;
    EXPECT_LE(2.0 * static_cast<double>(row.problem.macs()) / *row.measured.dense_us / 1e6,
              kFastestOnTheDevice)
        << row.where.to_string();
  }
}

}  // namespace
}  // namespace stcsim
