#include <fstream>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "reports/validation/measurement_setup.hpp"
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

TEST(GpuMachines, TheSameGpuTwiceIsRefused) {
  const test::TemporaryDirectory directory;
  const auto path = directory / "g.yaml";
  std::ofstream(path) << "gpus:\n  - {name: A 1, machine: a}\n  - {name: nvidia a1, machine: b}\n";
  const std::string message = test::message_of<ConfigError>([&] { (void)GpuMachines(path); });
  EXPECT_EQ(message.substr(message.find("g.yaml")),
            "g.yaml:3:12: error: GPU 'nvidia a1' is here a second time");
}

}  // namespace
}  // namespace stcsim
