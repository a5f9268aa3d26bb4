#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace stcsim {

/// configs/validation/timing.yaml.
[[nodiscard]] std::filesystem::path shipped_timing_file();

/// What launching adds to a time, in microseconds, by the way it was taken
/// (configs/validation/timing.yaml).
[[nodiscard]] std::map<std::string, double> read_timing_overheads(
    const std::filesystem::path& path);

}  // namespace stcsim
