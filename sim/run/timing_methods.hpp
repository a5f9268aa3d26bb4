#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// configs/validation/timing.yaml.
[[nodiscard]] std::filesystem::path shipped_timing_file();

/// Ways in which times were taken, by name (configs/validation/timing.yaml).
[[nodiscard]] std::map<std::string, TimingMethod> read_timing_methods(
    const std::filesystem::path& path);

}  // namespace stcsim
