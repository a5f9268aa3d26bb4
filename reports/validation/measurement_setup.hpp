#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// Machines that stand for GPUs in a table of measurements (configs/validation/gpus.yaml). Upper
/// and lower case, the words NVIDIA and GeForce, and all that is not a letter or a digit make no
/// difference: "NVIDIA A100-SXM4-40GB" is "A100 SXM4 40GB".
class GpuMachines {
 public:
  /// @throws ConfigError with file:line:column
  explicit GpuMachines(const std::filesystem::path& path);

  /// Name of the machine; nullptr if none stands for that GPU.
  [[nodiscard]] const std::string* machine_of(std::string_view gpu) const;

  /// By machine: the numbers of its file that counted rows set, as keys of --set.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& set_by_counters() const {
    return set_by_counters_;
  }

 private:
  std::map<std::string, std::vector<std::string>> set_by_counters_;
  std::map<std::string, std::string> machines_;  // by what counts of the GPU's name
};

/// configs/validation/timing.yaml.
[[nodiscard]] std::filesystem::path shipped_timing_file();

/// Ways in which times were taken, by name (configs/validation/timing.yaml).
[[nodiscard]] std::map<std::string, TimingMethod> read_timing_methods(
    const std::filesystem::path& path);

}  // namespace stcsim
