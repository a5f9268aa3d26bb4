#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/explain/explanation.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_search.hpp"

namespace stcsim {

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

/// What each takes, simulated by `workers` processes side by side.
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

/// What run_gemm_sustained() runs for each, found in other processes: this one has to stay free of
/// simulations.
/// @throws ConfigError if the machine cannot run one
[[nodiscard]] std::vector<ChosenKernel> choose_kernels(const MachineConfig& machine,
                                                       const std::vector<KernelQuestion>& gemms,
                                                       const LaunchConditions& conditions,
                                                       std::int64_t workers);

}  // namespace stcsim
