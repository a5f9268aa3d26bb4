#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_policy.hpp"
#include "sim/kernel/kernel_report.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

/// Of the GEMM as asked for, and of its dense baseline; the same if it is dense.
struct CyclesOfBoth {
  std::int64_t dense = 0;
  std::int64_t sparse = 0;

  [[nodiscard]] double speedup() const {
    return static_cast<double>(dense) / static_cast<double>(sparse);
  }
  friend bool operator==(const CyclesOfBoth&, const CyclesOfBoth&) = default;
};

/// One link of the chain: what the GEMM takes on a machine that has this resource and those of the
/// links before as they are, and all the others for nothing.
struct ChainLink {
  std::string name;
  std::string what;
  CyclesOfBoth cycles;
};

/// The GEMM simulated again, with one thing changed and the same kernel.
struct Counterfactual {
  /// A resource's name, or one of kTooFewCtas, kLastWave, kOtherKernels.
  std::string name;
  std::string what;
  /// What was changed, in words or keys.
  std::string change;
  /// A time, of which half is better, not a width, of which twice is.
  bool is_time = false;
  /// Costs nothing; twice as much of it (not of everything). Of the clock only the second, counted
  /// in cycles of the clock as it is.
  std::optional<CyclesOfBoth> free;
  std::optional<CyclesOfBoth> doubled;
};

/// Slots for CTAs that stay empty all the time: fewer CTAs than fill the machine once.
inline constexpr const char* kTooFewCtas = "too_few_ctas";
/// The last wave of CTAs, which fills the machine only in part.
inline constexpr const char* kLastWave = "last_wave";
/// The choice of the kernel: the fastest of all that the machine has.
inline constexpr const char* kOtherKernels = "other_kernels";

/// What the board may draw: over and over, the GEMM runs at the clock that its power allows.
inline constexpr const char* kPower = "power";

/// The clock of all but DRAM.
inline constexpr const char* kClock = "clock";

/// The clocks of the two GEMMs.
struct ClocksOfBoth {
  double dense_mhz = 0;
  double sparse_mhz = 0;

  friend bool operator==(const ClocksOfBoth&, const ClocksOfBoth&) = default;
};

/// Where a GEMM's cycles go, by experiment: every figure is a simulation of a changed machine or
/// launch, or the number of multiplications. Times at other clocks are counted in cycles of the
/// machine's own.
struct Explanation {
  GemmProblem problem;
  Pattern hardware_pattern = kDense;
  KernelReport dense_kernel;
  KernelReport sparse_kernel;
  /// What the searches for them have looked at; nothing where a library's rule chose, or the user.
  std::optional<KernelSearch> dense_search;
  std::optional<KernelSearch> sparse_search;
  /// Multiplications that the hardware has to do, at its peak rate.
  CyclesOfBoth at_peak;
  /// From the multipliers alone to the machine as it is; each adds to the one before.
  std::vector<ChainLink> chain;
  CyclesOfBoth cycles;
  /// What the board's power allows each: `cycles` and counterfactuals are at these.
  ClocksOfBoth clocks;
  /// The one that saves the GEMM as asked for most first.
  std::vector<Counterfactual> counterfactuals;

  [[nodiscard]] bool is_sparse() const { return !problem.a_pattern.is_dense(); }
  /// The first of the counterfactuals that need no other kernel, if it saves 3 % or more.
  [[nodiscard]] const Counterfactual* verdict() const {
    for (const Counterfactual& one : counterfactuals) {
      if (one.name == kOtherKernels) continue;
      return saved_by(one) >= kWorthNaming ? &one : nullptr;
    }
    return nullptr;
  }
  /// Share of the cycles that the GEMM as asked for is spared where that costs nothing.
  [[nodiscard]] double saved_by(const Counterfactual& one) const {
    const CyclesOfBoth& left = one.free ? *one.free : cycles;
    return 1.0 - static_cast<double>(left.sparse) / static_cast<double>(cycles.sparse);
  }

  static constexpr double kWorthNaming = 0.03;
};

struct ExplainQuestion {
  GemmProblem problem;
  /// What it is compared with.
  GemmProblem dense;
  KernelPolicy policy;
  /// How it is launched, and its dense baseline.
  LaunchConditions conditions = {};
  /// Only what would be free, without the chain, what is doubled, and other kernels.
  bool is_brief = false;
};

/// Explains one GEMM. Every experiment runs in a process of its own, `jobs` side by side; this
/// process must not have simulated anything before.
/// @throws ConfigError if the machine cannot run it, SimulationError if an experiment fails
[[nodiscard]] Explanation explain(const MachineConfig& machine, const ExplainQuestion& question,
                                  std::int64_t jobs);

}  // namespace stcsim
