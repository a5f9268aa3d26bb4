#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/cost/selector_gates.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// The cycles something takes, and the clock it runs at.
struct TimedCycles {
  std::int64_t cycles = 0;
  double clock_mhz = 0;

  [[nodiscard]] double time_us() const { return static_cast<double>(cycles) / clock_mhz; }
  friend bool operator==(const TimedCycles&, const TimedCycles&) = default;
};

/// Times of the GEMM as asked for, and of its dense baseline; the same if it is dense.
struct TimesOfBoth {
  TimedCycles dense;
  TimedCycles sparse;

  [[nodiscard]] double speedup() const { return dense.time_us() / sparse.time_us(); }
  friend bool operator==(const TimesOfBoth&, const TimesOfBoth&) = default;
};

/// One link of the chain: what the GEMM takes on a machine that has this resource and those of the
/// links before as they are, and all the others for nothing.
struct ChainLink {
  std::string name;
  std::string what;
  TimesOfBoth times;
};

/// The GEMM simulated again, with one thing changed and the same kernel.
struct Counterfactual {
  /// A resource's name, or one of kTooFewCtas, kLastWave, kPower, kClock, kOtherKernels.
  std::string name;
  std::string what;
  /// The change, in words or keys.
  std::string change;
  /// Something of the machine that can cost nothing; `change` is its keys.
  bool is_resource = false;
  /// A time, of which half is better, not a width, of which twice is.
  bool is_time = false;
  /// Costs nothing; twice as much of it (not of everything). Of the clock only the second.
  std::optional<TimesOfBoth> free;
  std::optional<TimesOfBoth> doubled;
};

/// The relaxation of the multipliers, by name.
inline constexpr const char* kMultipliers = "multipliers";
/// Slots for CTAs that stay empty all the time: fewer CTAs than fill the machine once.
inline constexpr const char* kTooFewCtas = "too_few_ctas";
/// The last wave of CTAs, which fills the machine only in part.
inline constexpr const char* kLastWave = "last_wave";
/// The choice of the kernel: the fastest of all that the machine has.
inline constexpr const char* kOtherKernels = "other_kernels";

/// The power the board may draw: over and over, the GEMM runs at the clock that its power allows.
inline constexpr const char* kPower = "power";

/// The clock of all but DRAM.
inline constexpr const char* kClock = "clock";

/// Where a GEMM's time goes, by variants: every figure is a simulation of a changed machine or
/// launch, or the number of multiplications.
struct Explanation {
  GemmProblem problem;
  Pattern hardware_pattern = kDense;
  /// The transistors of its selector for each multiplier of 16-bit values, by synthesis.
  std::optional<TransistorRange> selector;
  KernelReport dense_kernel;
  KernelReport sparse_kernel;
  /// The kernels that searches for them have looked at; nothing where a library's rule chose, or
  /// the user.
  std::optional<KernelSearch> dense_search;
  std::optional<KernelSearch> sparse_search;
  /// Multiplications that the hardware has to do, at its peak rate and the machine's clock.
  TimesOfBoth at_peak;
  /// From the multipliers alone to the machine as it is, at its clock; each adds to the one before.
  /// The last is at the clocks that the board's power allows, if these are lower.
  std::vector<ChainLink> chain;
  /// As the GEMMs run: each at the clock that the board's power allows it, as counterfactuals are.
  TimesOfBoth all;
  /// Causes first, the one that is worth most free before the others.
  std::vector<Counterfactual> counterfactuals;

  [[nodiscard]] bool is_sparse() const { return !problem.a_pattern.is_dense(); }
  /// Causes are those of its gain over dense. Of a GEMM that runs dense they are those of its time.
  [[nodiscard]] bool is_about_gain() const { return is_sparse() && !hardware_pattern.is_dense(); }
  /// How much better these times are: the share by which its gain is higher, or its time lower.
  [[nodiscard]] double worth(const TimesOfBoth& times) const {
    return is_about_gain() ? times.speedup() / all.speedup() - 1.0 : saved_with(times);
  }
  /// Neither other kernels nor the clock are a cause. The multipliers are none of a gain: it is
  /// theirs.
  [[nodiscard]] bool may_be_cause(const Counterfactual& one) const {
    const bool is_the_gain = is_about_gain() && one.name == kMultipliers;
    return one.name != kOtherKernels && one.name != kClock && !is_the_gain;
  }
  /// The cause that is worth most, free or doubled; null if none is worth as much as `least`.
  [[nodiscard]] const Counterfactual* best_of(std::optional<TimesOfBoth> Counterfactual::*how,
                                              double least = kWorthNaming) const;
  [[nodiscard]] const Counterfactual* verdict() const { return best_of(&Counterfactual::free); }
  /// Share of its time that the GEMM as asked for is spared where that costs nothing.
  [[nodiscard]] double saved_by(const Counterfactual& one) const {
    return one.free ? saved_with(*one.free) : 0.0;
  }
  [[nodiscard]] double saved_with(const TimesOfBoth& times) const {
    return 1.0 - times.sparse.time_us() / all.sparse.time_us();
  }
  /// The time that a link of the chain alone spares it, where that costs nothing. Nothing for the
  /// first, which is of tiles and waves that are not full, and if that was not simulated.
  [[nodiscard]] std::optional<double> saved_alone(const ChainLink& link) const {
    if (&link == &chain.front()) return std::nullopt;
    for (const Counterfactual& one : counterfactuals) {
      if (one.name == link.name && one.free) return saved_by(one);
    }
    return std::nullopt;
  }

  static constexpr double kWorthNaming = 0.03;
};

struct ExplainQuestion {
  GemmProblem problem;
  /// The GEMM it is compared with.
  GemmProblem dense;
  KernelPolicy policy;
  /// The launch of it, and of its dense baseline.
  LaunchConditions conditions = {};
  /// Only what would be free, without the chain, what is doubled, and other kernels.
  bool is_brief = false;
};

/// Explains one GEMM. Every variant runs in a process of its own, `jobs` side by side; this
/// process must not have simulated anything before.
/// @throws ConfigError if the machine cannot run it, SimulationError if a variant fails
[[nodiscard]] Explanation explain(const MachineConfig& machine, const ExplainQuestion& question,
                                  std::int64_t jobs);

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
