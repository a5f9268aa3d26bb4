#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "common/figure_key.hpp"
#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "models/base/statistics.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/likely_interval.hpp"
#include "sim/run/parallel_total.hpp"
#include "workloads/framework.hpp"
#include "workloads/operation_groups.hpp"
#include "workloads/scheme.hpp"
#include "workloads/step_memory.hpp"

namespace stcsim {

/// What a row of a study is of: a product of the training step, the update of all parameters, the
/// rest of the step, or the pass after training.
enum class RowPhase : std::uint8_t { forward, dgrad, wgrad, optimizer, other, inference };

[[nodiscard]] constexpr std::string_view to_string(RowPhase phase) {
  constexpr std::array<std::string_view, 6> kNames{"forward",   "dgrad", "wgrad",
                                                   "optimizer", "other", kInferenceName};
  return kNames.at(static_cast<std::size_t>(phase));
}
[[nodiscard]] constexpr RowPhase row_phase(Phase phase) {
  return static_cast<RowPhase>(phase);
}

enum class StudyPass : std::uint8_t { training, inference };
inline constexpr StudyPass kTrainingPass = StudyPass::training;

[[nodiscard]] constexpr std::string_view to_string(StudyPass pass) {
  return pass == StudyPass::training ? "training" : kInferenceName;
}

/// What a row is of.
struct RowSubject {
  std::string machine;
  std::string network;
  std::string layer;
  RowPhase phase = RowPhase::forward;
  std::string scheme;
  /// "gemm", or the stream kernel's name.
  std::string op = "gemm";
  /// What a stream kernel is there for; nothing: a GEMM.
  std::optional<StreamKind> kind;
  std::int64_t repeat = 1;
  /// What the scheme spends itself (choosing, compressing, ...): the dense step has nothing in its
  /// place.
  bool scheme_work = false;
  /// A stream kernel of which what the scheme spends itself is a part: cycles - dense_cycles are
  /// that.
  bool fused_work = false;
  /// Runs after the loss: dgrad, wgrad and kernels beside them.
  bool backward = false;
  /// Runs once in so many training steps. The row's figures are of one run.
  std::int64_t every = 1;
  /// Its dense time was measured; a product's own is that times a simulated ratio.
  bool measured = false;

  [[nodiscard]] bool is_gemm() const { return !kind; }
  [[nodiscard]] StudyPass pass() const {
    return phase == RowPhase::inference ? StudyPass::inference : StudyPass::training;
  }
  /// How often it runs in a step, in the mean.
  [[nodiscard]] double per_step() const {
    return static_cast<double>(repeat) / static_cast<double>(every);
  }
  friend bool operator==(const RowSubject&, const RowSubject&) = default;
};

/// The GEMM as it ran: transposed where the dense layer's right operand is sparse. Of several the
/// one that takes longest. 0 for stream kernels.
struct RowShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch_count = 1;
  /// Number of separate GEMMs the phase is made of (strided dgrad: one per class of pixels).
  std::int64_t gemm_count = 1;
  /// Which of them takes longest, from 1.
  std::int64_t longest_part = 1;

  friend bool operator==(const RowShape&, const RowShape&) = default;
};

/// What is multiplied, and how sparse.
struct RowWork {
  /// Kernels launched, and those of the dense step in their place.
  std::int64_t launches = 0;
  std::int64_t dense_launches = 0;
  /// Multiply-accumulates of the GEMMs, skipped zeros included, and those of them that ran on
  /// sparse tensor cores.
  std::int64_t macs = 0;
  std::int64_t sparse_macs = 0;
  DataType dtype = DataType::fp16;
  /// What the scheme asked for, of which operand.
  Pattern pattern = kDense;
  std::optional<Tensor> sparse_operand;
  bool ran_sparse = false;
  /// Pattern of the hardware it ran on; of several GEMMs that of the first that ran sparse.
  Pattern hardware_pattern = kDense;
  /// Why it ran dense, or what limits the gain; "" if there is nothing to say.
  std::string reason;
  /// Why the scheme asks for no pattern; and whether `reason` also says something of the kernel.
  NotAsked not_asked = NotAsked::none;
  bool has_kernel_note = false;

  friend bool operator==(const RowWork&, const RowWork&) = default;
};

/// The share of a row's CTAs that were simulated, and where its cycles lie.
struct SampledRow {
  double simulated_share = 1;
  std::int64_t cycles_low = 0;
  std::int64_t cycles_high = 0;

  friend bool operator==(const SampledRow&, const SampledRow&) = default;
};

/// What it takes, and where that goes.
struct RowTime {
  std::int64_t cycles = 0;
  std::int64_t dense_cycles = 0;
  /// Of GEMMs that might be sampled (Experiment::sampled).
  std::optional<SampledRow> sampled;
  double time_us = 0;
  double dense_time_us = 0;
  /// Dense time / time, on the same machine at the same clock; dense in the experiment's data type,
  /// with the kernels that the same software chooses for it.
  double speedup = 1;
  /// multiplier_macs / peak_macs, never above 1.
  double utilization = 0;
  /// What the longest of its GEMMs loses its time to, as bound_by() judges.
  std::string bound_by;
  /// No kernel that the search left out spares more than this share of the time, as
  /// KernelSearch::regret_at_most; of several GEMMs in the mean over their cycles. Nothing where no
  /// kernel was searched for.
  std::optional<double> regret_at_most = {};
  /// What the board draws for it, and for the dense kernels in its place.
  /// 0 J if the machine does not say.
  double joules = 0;
  double dense_joules = 0;
  KernelReport kernel;
  std::vector<Counter> counters;
  std::vector<UnitReport> units;

  friend bool operator==(const RowTime&, const RowTime&) = default;
};

/// One row of a study: a layer in a phase under a scheme on a machine. Numbers are of one repeat.
struct ResultRow : RowSubject, RowShape, RowWork, RowTime {
  friend bool operator==(const ResultRow&, const ResultRow&) = default;
};

struct PhaseTotal {
  std::int64_t cycles = 0;
  double time_us = 0;
  /// dense_time_us / time_us; 1 where nothing runs.
  double speedup = 1;
  /// Rows that could not be simulated: the figures are those of the others.
  std::int64_t failed = 0;
  double dense_time_us = 0;

  friend bool operator==(const PhaseTotal&, const PhaseTotal&) = default;
};

/// How much of the multiply-accumulates ran on sparse tensor cores, 0 to 1, in steps in which the
/// scheme is sparse. 0 where there are none.
struct SparseShares {
  double forward = 0;
  double dgrad = 0;
  double wgrad = 0;
  /// Of all GEMMs of the pass.
  double gemms = 0;

  friend bool operator==(const SparseShares&, const SparseShares&) = default;
};

/// What something takes and gains with the kernels of a stack.
struct StackGain {
  std::string stack;
  double time_us = 0;
  double speedup = 1;

  friend bool operator==(const StackGain&, const StackGain&) = default;
};

/// Sums over a network's rows, repeats counted: of a step in which the scheme is sparse, but
/// `training` is of all. The training step and the pass after training are never in one sum.
struct StudyTotal {
  std::string machine;
  std::string network;
  std::string scheme;
  /// Of the pass after training forward, dgrad, wgrad and optimizer are empty.
  StudyPass pass = StudyPass::training;
  /// The software whose kernels ran, described; "" where the experiment names a kernel.
  std::string stack;
  /// Whose kernels run beside the GEMMs; "" if none is simulated.
  std::string framework;
  /// Network::products_only: what is called a step is the sum of these products.
  bool products_only = false;
  /// Where that leaves the scores of attention.
  ScorePlace scores = ScorePlace::none;
  double share_of_training = 1;
  SparseShares sparse_share;
  PhaseTotal forward;
  PhaseTotal dgrad;
  PhaseTotal wgrad;
  /// The three above, or the GEMMs of the pass after training.
  PhaseTotal gemms;
  /// Those of them that ran on sparse tensor cores.
  PhaseTotal sparse_gemms;
  /// All else but the optimizer, scheme_work included.
  PhaseTotal other;
  PhaseTotal optimizer;
  /// What all rows but those of GEMMs add up to, by StreamKind.
  std::array<PhaseTotal, kStreamKinds> kinds;
  /// What the scheme spends itself; its speedup is 0, for nothing stands against it.
  PhaseTotal scheme_work;
  /// gemms, other and optimizer: everything, as it would be measured.
  PhaseTotal step;
  /// The same without scheme_work, as publications count.
  PhaseTotal step_without_work;
  /// The mean step of a training in which the scheme is sparse for share_of_training of the steps
  /// and dense for the rest: what a training gains. The step where that is all of them.
  PhaseTotal training;
  /// The step's waits for the host, and the step without them.
  double waits_us = 0;
  double kernels_us = 0;
  double dense_kernels_us = 0;
  double kernels_speedup = 1;
  LikelyInterval kernels_interval;
  /// Network::measured_step: the dense step's times are a profile's.
  bool measured = false;
  /// The step if every product ran sparse that can, also where dense is faster.
  PhaseTotal always;
  /// What a training gains with other software: MachineConfig::stacks_beside() its stack.
  std::vector<StackGain> beside = {};
  /// The clock it ran at, and whose choice that is: "machine", "experiment" (which locked it), or
  /// "power" (what the board's limit allows the dense step).
  double clock_mhz = 0;
  std::string clock_of = "machine";
  /// What the board draws at that clock in the mean of the dense step; 0 W if the machine does not
  /// say.
  double dense_watts = 0;
  /// What the board draws for a sparse step, and for the dense one; 0 J if the machine does not
  /// say.
  double joules = 0;
  double dense_joules = 0;
  /// What the training step needs of the machine's DRAM, and how much there is. Empty for the pass
  /// after training, and for products alone.
  StepMemory memory;
  std::int64_t capacity_bytes = 0;
  /// Of training.speedup, and of step.speedup.
  LikelyInterval interval;
  LikelyInterval step_interval;
  /// Of step.time_us, and of step.dense_time_us.
  LikelyInterval time_interval;
  LikelyInterval dense_time_interval;

  [[nodiscard]] bool fits() const { return memory.total() <= capacity_bytes; }
  [[nodiscard]] bool is_complete() const { return step.failed == 0; }
  friend bool operator==(const StudyTotal&, const StudyTotal&) = default;
};

/// A part of a total as documents have it.
struct TotalPart {
  FigureKey key;
  PhaseTotal StudyTotal::*part;
};

inline constexpr std::array<TotalPart, 12> kTotalParts{{
    {{"forward"}, &StudyTotal::forward},
    {{"dgrad"}, &StudyTotal::dgrad},
    {{"wgrad"}, &StudyTotal::wgrad},
    {{"gemms", "", "All products"}, &StudyTotal::gemms},
    {later({"sparse_gemms", "", "Products on sparse tensor cores"}), &StudyTotal::sparse_gemms},
    {{"other", "", "All else but the optimizer"}, &StudyTotal::other},
    {later({"optimizer", "", "Update of the parameters"}), &StudyTotal::optimizer},
    {{"scheme_work", "", "Spent by the scheme itself"}, &StudyTotal::scheme_work},
    {{"step", "", "Everything, in a sparse step", 7}, &StudyTotal::step},
    {{"step_without_work", "", "The same without the scheme's own work"},
     &StudyTotal::step_without_work},
    {{"training", "", "The mean step of a training"}, &StudyTotal::training},
    {later({"always", "", "The step if all ran sparse that can"}), &StudyTotal::always},
}};

struct StudyResult {
  /// Resolved configuration as canonical JSON text, and the SHA-256 of it in hex.
  std::string resolved_config;
  std::string config_hash;
  std::vector<ResultRow> rows;
  std::vector<StudyTotal> totals;
  /// Of experiments that ask for steps on several GPUs (sim/parallel).
  std::vector<ParallelTotal> parallel = {};
  /// Different GEMMs that were run with values and whose C is what the reference computes.
  std::int64_t checked_gemms = 0;
  /// Points that could not be simulated: "what: why". Empty in a complete study.
  std::vector<std::string> failures;
};

}  // namespace stcsim
