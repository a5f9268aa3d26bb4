#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "common/io/shared_table.hpp"
#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/statistics.hpp"
#include "sim/run/sampling.hpp"

namespace stcsim {

/// What a launch's statistics depend on beside the launch and the machine as built.
struct RunConditions {
  /// As MachineRunner::set_clock() has them.
  double clock_mhz = 0;
  std::optional<double> launch_us = {};
  bool fast_forward = true;
  std::optional<SamplingEffort> sampling = {};

  friend auto operator<=>(const RunConditions&, const RunConditions&) = default;
};

/// The machine as a launch sees it. What decides which kernels fit it, which patterns its tensor
/// cores know, and all that is there for other launches, makes no difference to one that runs.
/// @param instruction  of the launch; nothing: vector instructions
[[nodiscard]] AcceleratorConfig as_seen(const AcceleratorConfig& machine,
                                        const std::optional<MmaInstruction>& instruction);

/// 64 hexadecimal digits that equal launches have, and no others.
[[nodiscard]] std::string digest_of(const KernelLaunch& launch);

/// Keys of launches, on whatever machines: equal keys mean equal statistics.
class LaunchKeys {
 public:
  /// 64 hexadecimal digits.
  /// @param machine  at the conditions' clock; always the same at the same one
  [[nodiscard]] std::string of(const AcceleratorConfig& machine, const RunConditions& conditions,
                               const KernelLaunch& launch);

 private:
  using Seen = std::tuple<double, std::optional<double>, std::optional<MmaInstruction>>;

  /// Digests of the machine as launches have seen it.
  std::map<Seen, std::string> seen_;
};

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
