#include "reports/validation/validation_run.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "reports/validation/measurement_setup.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/field_json.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

std::string shipped_machine_of(const std::string& gpu) {
  static const GpuMachines machines(STCSIM_SOURCE_DIR "/configs/validation/gpus.yaml");
  const std::string* const machine = machines.machine_of(gpu);
  return machine == nullptr ? "none" : *machine;
}

/// As nvidia-smi, PyTorch and papers spell them.
TEST(GpuMachines, OneGpuHasManySpellings) {
  EXPECT_EQ(shipped_machine_of("A100"), "a100");
  EXPECT_EQ(shipped_machine_of("NVIDIA A100-SXM4-40GB"), "a100");
  EXPECT_EQ(shipped_machine_of("a100_sxm4"), "a100");
  EXPECT_EQ(shipped_machine_of("NVIDIA A100-SXM4-80GB"), "a100_80gb");
  EXPECT_EQ(shipped_machine_of("A100 80 GB"), "a100_80gb");
  EXPECT_EQ(shipped_machine_of("RTX3090"), "rtx3090");
  EXPECT_EQ(shipped_machine_of("NVIDIA GeForce RTX 3090"), "rtx3090");
  EXPECT_EQ(shipped_machine_of("NVIDIA GeForce RTX 4090"), "rtx4090");
  EXPECT_EQ(shipped_machine_of("rtx4090"), "rtx4090");
  EXPECT_EQ(shipped_machine_of("NVIDIA H100 80GB HBM3"), "h100_sxm");
  EXPECT_EQ(shipped_machine_of("NVIDIA A100 80GB PCIe"), "a100_pcie");
  EXPECT_EQ(shipped_machine_of("A100-PCIE-80GB"), "a100_pcie");
  EXPECT_EQ(shipped_machine_of("H100 PCIe"), "h100_pcie");
}

TEST(GpuMachines, OtherGpusAreNotTakenForTheirKin) {
  EXPECT_EQ(shipped_machine_of("RTX 3090 Ti"), "none");
  EXPECT_EQ(shipped_machine_of("RTX 4090 D"), "none");
  EXPECT_EQ(shipped_machine_of("RTX 4090 Laptop"), "none");
  EXPECT_EQ(shipped_machine_of("A10"), "none");
  EXPECT_EQ(shipped_machine_of("H100 NVL"), "none");
  EXPECT_EQ(shipped_machine_of(""), "none");
  EXPECT_EQ(shipped_machine_of("NVIDIA"), "none");
}

/// At most one for eight rows, and each stands in the machine's file.
TEST(GpuMachines, CountedRowsSetFewNumbers) {
  const std::filesystem::path folder = config_directory() / "validation";
  const auto rows = read_measured_counters(folder / "counters.csv");
  const GpuMachines machines(folder / "gpus.yaml");
  for (const auto& [machine, numbers] : machines.set_by_counters()) {
    const auto fitting = std::ranges::count_if(rows, [&, &name = machine](const auto& row) {
      return row.use == RowUse::fitting && shipped_machine_of(row.gpu) == name;
    });
    EXPECT_GT(numbers.size(), 0U);
    EXPECT_LE(8 * numbers.size(), static_cast<std::size_t>(fitting)) << machine;
    const nlohmann::json file = to_json(load_machine(machine).config);
    for (std::string number : numbers) {
      std::ranges::replace(number, '.', '/');
      EXPECT_TRUE(file.contains(nlohmann::json::json_pointer("/" + number))) << number;
    }
  }
}

TEST(GpuMachines, TheSameGpuTwiceIsRefused) {
  const test::TemporaryDirectory directory;
  const auto path = directory / "g.yaml";
  std::ofstream(path) << "gpus:\n  - {name: A 1, machine: a}\n  - {name: nvidia a1, machine: b}\n";
  const std::string message = test::message_of<ConfigError>([&] { (void)GpuMachines(path); });
  EXPECT_EQ(message.substr(message.find("g.yaml")),
            "g.yaml:3:12: error: GPU 'nvidia a1' is here a second time");
}

/// GPU "X" is machine "x"; nothing stands for any other.
const std::string* machine_of(const std::string& gpu) {
  static const std::string kMachine = "x";
  return gpu == "X" ? &kMachine : nullptr;
}

MeasuredGemm gemm(const std::string& gpu, DataType dtype, RowUse use) {
  MeasuredGemm row;
  row.gpu = gpu;
  row.problem.dtype = dtype;
  row.use = use;
  return row;
}

/// A GEMM on X and one on Y, instructions on X, Y and on machine x by name, a network on X in int8.
MeasuredTables tables() {
  MeasuredTables tables;
  tables.gemms = {gemm("X", DataType::fp16, RowUse::fitting),
                  gemm("Y", DataType::int8, RowUse::testing)};
  tables.instructions.resize(3);
  tables.instructions[0].gpu = "X";
  tables.instructions[1].gpu = "Y";
  tables.instructions[2].gpu = "Z";
  tables.instructions[2].machine = "x";
  tables.networks.resize(1);
  tables.networks[0].gpu = "X";
  tables.networks[0].dtype = DataType::int8;
  return tables;
}

TEST(RowFilter, WithoutConditionsEverythingPasses) {
  const MeasuredTables all = filter_rows(tables(), {}, machine_of);
  EXPECT_EQ(all.gemms.size(), 2U);
  EXPECT_EQ(all.instructions.size(), 3U);
  EXPECT_EQ(all.networks.size(), 1U);
}

TEST(RowFilter, KeepsRowsOfAMachine) {
  const MeasuredTables kept = filter_rows(tables(), {"x"}, machine_of);
  ASSERT_EQ(kept.gemms.size(), 1U);
  EXPECT_EQ(kept.gemms[0].gpu, "X");
  ASSERT_EQ(kept.instructions.size(), 2U);
  EXPECT_EQ(kept.instructions[0].gpu, "X");
  EXPECT_EQ(kept.instructions[1].machine, "x");
  EXPECT_EQ(kept.networks.size(), 1U);
}

TEST(RowFilter, KeepsRowsOfADataType) {
  const MeasuredTables kept = filter_rows(tables(), {"", DataType::int8}, machine_of);
  ASSERT_EQ(kept.gemms.size(), 1U);
  EXPECT_EQ(kept.gemms[0].gpu, "Y");
  EXPECT_TRUE(kept.instructions.empty());
  EXPECT_EQ(kept.networks.size(), 1U);
}

TEST(RowFilter, OnlyGemmsHaveAUse) {
  const MeasuredTables kept = filter_rows(tables(), {"", {}, RowUse::fitting}, machine_of);
  ASSERT_EQ(kept.gemms.size(), 1U);
  EXPECT_EQ(kept.gemms[0].gpu, "X");
  EXPECT_TRUE(kept.instructions.empty());
  EXPECT_TRUE(kept.networks.empty());
}

TEST(RowFilter, NothingLeftIsAnError) {
  EXPECT_THROW((void)filter_rows(tables(), {"", {}, RowUse::shown}, machine_of), ConfigError);
}

}  // namespace
}  // namespace stcsim
