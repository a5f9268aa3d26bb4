#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/explain/explanation.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_search.hpp"

namespace stcsim {

/// A launch on a machine; adding up what its slices of k leave takes a launch more.
struct Run {
  MachineConfig machine;
  KernelLaunch launch;
  GemmProblem problem;
  bool reduces = false;
};

struct RunsOfBoth {
  Run dense;
  Run sparse;
};

[[nodiscard]] TimesOfBoth simulate(const RunsOfBoth& both);

/// Runs `variant(0)` ... `variant(count - 1)`, each in a process of its own, `jobs` side by
/// side. @throws SimulationError if one fails
[[nodiscard]] std::vector<TimesOfBoth> run_all(
    std::size_t count, std::int64_t jobs, const std::function<TimesOfBoth(std::size_t)>& variant);

/// A kernel, what the search for it has looked at (nothing where it was not searched), and the
/// clock at which it runs.
struct ChosenKernel {
  KernelCandidate kernel;
  std::optional<KernelSearch> search = {};
  double clock_mhz = 0;
};

/// What run_gemm_sustained() runs, found in another process: this one has to stay free of
/// simulations.
/// @throws ConfigError if the machine cannot run the problem
[[nodiscard]] ChosenKernel choose_kernel(const MachineConfig& machine, const GemmProblem& problem,
                                         const KernelPolicy& policy,
                                         const LaunchConditions& conditions);

}  // namespace stcsim
