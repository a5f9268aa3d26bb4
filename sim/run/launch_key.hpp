#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/run/wave_sampling.hpp"

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

}  // namespace stcsim
