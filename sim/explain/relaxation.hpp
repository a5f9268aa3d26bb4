#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Something that time goes into, and how there is more of it: the same machine with widths
/// multiplied by a factor and latencies divided by it, or the same launch.
struct Relaxation {
  /// "shared_memory_port", as `bound_by` names it.
  std::string_view name;
  /// For a sentence: "the shared-memory port".
  std::string_view what;
  /// Cycles, of which fewer are better.
  bool is_time;
  /// The keys of a machine file that change, below `accelerator`.
  std::string_view keys;
  void (*machine)(MachineConfig& machine, std::int64_t factor);
  /// What of a launch follows from the resource; null if nothing does.
  void (*launch)(KernelLaunch& launch, std::int64_t factor);
};

/// Relaxed so far, a resource costs nothing: widths are without limit, latencies are 0.
inline constexpr std::int64_t kFree = std::int64_t{1} << 20;

/// In the order in which a GEMM meets them: what multiplies first, what surrounds it last.
[[nodiscard]] std::span<const Relaxation> relaxations();

}  // namespace stcsim
