#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "common/io/format.hpp"
#include "common/pattern.hpp"
#include "models/base/statistics.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/result.hpp"
#include "sim/study/validated_errors.hpp"
#include "workloads/framework.hpp"

namespace stcsim {

/// What functional mode found when it compared C with the reference GEMM.
struct FunctionalOutcome {
  std::int64_t checked_elements = 0;
  std::int64_t mismatches = 0;
  /// The first mismatch, or "" if there is none.
  std::string text;
  /// Of several draws of values: what the GEMM takes in the mean, at least and at most; all are
  /// compared. The report's launch is the first.
  std::int64_t draws = 1;
  double mean_cycles = 0;
  std::int64_t least_cycles = 0;
  std::int64_t most_cycles = 0;
};

/// One GEMM as simulated, and what is needed to judge it.
struct GemmReport {
  GemmProblem problem;
  /// The layer it is of, in words; "" if it is of none.
  std::string layer;
  std::string machine;
  /// The software whose kernels ran, in words; "" if a kernel was named.
  std::string stack;
  TimingMethod method;
  /// Pattern of the hardware path `launch` ran on; kDense if it ran dense.
  Pattern hardware_pattern = kDense;
  /// Why a sparse problem ran dense, or what limits the gain; "" if there is nothing to say.
  std::string reason;
  LaunchResult launch;
  /// What the search for its kernel has looked at, and for the dense one's; nothing where it was
  /// not searched.
  std::optional<KernelSearch> search;
  std::optional<KernelSearch> dense_search;
  /// Whether a part of the grid might stand for all of it.
  bool may_be_sampled = false;
  /// See sim/run/bound_by.hpp.
  std::string bound_by;
  /// The same problem with a dense A and its own best kernel, if it was run.
  std::optional<LaunchResult> dense;
  /// Where its times and its gain lie; not known where errors are not.
  GemmIntervals likely = {};
  /// What it gains with other software: MachineConfig::stacks_beside() its stack.
  std::vector<StackGain> beside = {};
  /// The machine's; a launch may have run at a lower one.
  double clock_mhz = 0;
  double power_limit_watts = 0;
  /// Peak at the machine's clock of the dense path, and of the path `launch` ran on counted
  /// dense-equivalent.
  double dense_peak_tflops = 0;
  double peak_tflops = 0;
  std::optional<FunctionalOutcome> functional;
  /// Whose call is asked for, and what it takes the host; "" if none is.
  std::string framework = {};
  LaunchCosts host = {};
  /// What an SM did in the first cycles of `launch`, if that is asked for; not in its documents.
  std::optional<Timeline> timeline = {};
  /// As in StudyResult.
  std::string resolved_config;
  std::string config_hash;
};

/// Figures derived from one launch.
struct GemmRates {
  double time_us = 0;  // cycles / the launch's clock, as the way of timing sees it
  /// 2 FLOP per MAC of the dense GEMM, zeros included, over the time.
  double achieved_tflops = 0;
  double peak_tflops = 0;
  double percent_of_peak = 0;
  /// What only main_rates() and dense_rates() know: of the dense path's peak, whatever path it ran
  /// on; and of a call that nothing runs beside the host's part, and all of it.
  double percent_of_dense_peak = 0;
  std::optional<double> host_us = {};
  std::optional<double> call_us = {};
  /// multiplier_macs / peak_macs, never above 1.
  double utilization = 0;
};

/// @throws std::invalid_argument unless cycles, clock and peak_tflops are above 0
[[nodiscard]] GemmRates gemm_rates(const GemmProblem& problem, const LaunchResult& launch,
                                   double peak_tflops, const TimingMethod& method = {});
/// Of report.launch, and of the dense baseline (nothing if it was not run).
[[nodiscard]] GemmRates main_rates(const GemmReport& report);
[[nodiscard]] std::optional<GemmRates> dense_rates(const GemmReport& report);

/// dense time / time, or nothing without a dense baseline.
[[nodiscard]] std::optional<double> gemm_speedup(const GemmReport& report);

/// The report as text: the answer, rates beside the dense baseline's, where each unit's cycles
/// went, traffic. Tables fit into `width` columns.
[[nodiscard]] std::string gemm_text(const GemmReport& report, std::size_t width = kAnyWidth);

inline constexpr std::string_view kGemmSchema = "stcsim.gemm/1";

/// The report as JSON; docs/reference/results.md lists the keys. 'dense', 'dense_cycles' and
/// 'speedup' are null without a dense baseline, 'functional' is null without functional mode.
/// @throws std::invalid_argument, SimulationError as study_to_json() and gemm_rates() do
[[nodiscard]] std::string gemm_to_json(const GemmReport& report);

/// report.timeline in Chrome's trace event format, which ui.perfetto.dev opens: a thread per track,
/// complete events ("X") in cycles (shown as microseconds), flows from copy to use; `otherData`
/// says what it is of, and has the buckets that slices sum to, `statistics`.
[[nodiscard]] std::string timeline_to_json(const GemmReport& report);

/// The report as CSV of one line: the keys of the JSON document but 'config', flattened (csv.hpp).
/// The columns are the same with and without a baseline and functional mode.
[[nodiscard]] std::string gemm_to_csv(const GemmReport& report);

}  // namespace stcsim
