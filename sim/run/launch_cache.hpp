#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/shared_table.hpp"
#include "models/base/statistics.hpp"

namespace stcsim {

/// What launches came to, shared by a process and those that it forks. GEMMs that differ in their
/// operands' layout or in what was asked of them, and machines that differ in what a launch cannot
/// see, often make the same launch.
class LaunchCache {
 public:
  /// Launches that take fewer events are simulated as fast as they are found: they are not kept.
  static constexpr std::int64_t kFewEvents = 500;

  LaunchCache() : table_(kMostBytes) {}

  /// @param key    LaunchKeys::of() the launch
  /// @param blank  statistics of that machine, whatever their values
  /// @throws SimulationError  if those of that key have another form
  [[nodiscard]] std::optional<LaunchStatistics> find(const std::string& key,
                                                     const LaunchStatistics& blank);
  void keep(const std::string& key, const LaunchStatistics& statistics);

 private:
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // a kilobyte for each launch

  SharedTable table_;
};

}  // namespace stcsim
