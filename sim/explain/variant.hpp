#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_search.hpp"

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
  /// The keys of a machine file that change, below `accelerator`, each in the map of the one
  /// before if it names none; then in words what of the launch changes, if anything.
  std::string_view keys;
  void (*machine)(MachineConfig& machine, std::int64_t factor);
  /// Changes what of a launch follows from the resource; null if nothing does.
  void (*launch)(KernelLaunch& launch, std::int64_t factor);
};

/// Relaxed so far, a resource costs nothing: widths are without limit, latencies are 0.
inline constexpr std::int64_t kFree = std::int64_t{1} << 20;

/// In the order in which a GEMM meets them: what multiplies first, what surrounds it last.
[[nodiscard]] std::span<const Relaxation> relaxations();

/// A launch on a machine; adding up what its slices of k leave takes a launch more.
struct Variant {
  MachineConfig machine;
  KernelLaunch launch;
  GemmProblem problem;
  bool reduces = false;
};

struct VariantsOfBoth {
  Variant dense;
  Variant sparse;
};

/// The times of each, simulated by `workers` processes side by side.
/// @throws SimulationError if one fails
[[nodiscard]] std::vector<TimesOfBoth> times_of(const std::vector<VariantsOfBoth>& variants,
                                                std::int64_t workers);

/// A kernel, what the search for it has looked at (nothing where it was not searched), and the
/// clock at which it runs.
struct ChosenKernel {
  KernelCandidate kernel;
  std::optional<KernelSearch> search = {};
  double clock_mhz = 0;
};

struct KernelQuestion {
  GemmProblem problem;
  KernelPolicy policy;
};

/// The kernels that run_gemm_sustained() runs for each, found in other processes: this one has to
/// stay free of simulations.
/// @throws ConfigError if the machine cannot run one
[[nodiscard]] std::vector<ChosenKernel> choose_kernels(const MachineConfig& machine,
                                                       const std::vector<KernelQuestion>& gemms,
                                                       const LaunchConditions& conditions,
                                                       std::int64_t workers);

}  // namespace stcsim
