#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/parallel.hpp"
#include "sim/config/system.hpp"
#include "sim/run/parallel_total.hpp"
#include "sim/run/result.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// What a kernel loses beside a collective: BesideCollectives; the host's waits lose nothing.
enum class KernelClass : std::uint8_t { product, attention, other, wait };
inline constexpr std::size_t kKernelClasses = 4;

/// What a GPU does for a while, alone.
struct ComputeItem {
  double us = 0;
  KernelClass kind = KernelClass::other;
  /// The collective that has to be over before.
  std::optional<std::size_t> needs = {};
};

struct CommItem {
  /// "gradients", ...
  std::string name;
  double us = 0;
  /// The computation that has to be over before.
  std::optional<std::size_t> after = {};
};

/// A step's two streams: each does its items in order.
struct StepStreams {
  std::vector<ComputeItem> compute;
  std::vector<CommItem> comm;
};

void add_time(NamedTimes& times, const std::string& name, double us);

/// Plays both streams. While both have something to do, kernels run at 1 / BesideCollectives of
/// their pace, collectives at their own.
/// @throws std::logic_error where each waits for the other
[[nodiscard]] StreamTimes run_streams(const StepStreams& step, const BesideCollectives& beside);

/// Layers whose weights travel together, and what one GPU spends on them in a micro-batch: a block
/// of a transformer, a single layer elsewhere.
struct UnitParts {
  /// us, by KernelClass.
  std::array<double, kKernelClasses> forward{};
  std::array<double, kKernelClasses> backward{};
  /// Of its weights as forward and backward gather them, and of their gradients.
  double forward_bytes = 0;
  double backward_bytes = 0;
  double gradient_bytes = 0;
  /// Tensor parallel: outputs that GPUs sum up in a micro-batch, forward as backward.
  std::vector<double> sums_bytes;
};

/// A training step as one GPU does it, taken apart.
struct StepParts {
  std::vector<UnitParts> units;
  /// Of a micro-batch: the GPU waits for the host.
  double wait_us = 0;
  /// Of an update of all parameters.
  double optimizer_us = 0;
  std::int64_t accumulation = 1;
  /// Masks that one GPU sends the others before a step, in the mean.
  double mask_bytes = 0;
};

/// Takes a step apart. Consecutive layers that repeat are blocks, as many as divide all their
/// repeats; every other layer stands for itself.
/// @param rows  of a study: the network's under one scheme on one machine, training only
/// @param dense  the dense kernels in their place
[[nodiscard]] StepParts step_parts(const Network& network, const Scheme& scheme,
                                   const std::vector<const ResultRow*>& rows,
                                   const ParallelConfig& parallel, bool dense);

/// The streams of an update on so many GPUs: `accumulation` micro-batches and the optimizer.
///
/// ddp, zero1, zero2: buckets of gradients are summed (ddp: all-reduce, others: reduce-scatter)
/// under the backward pass of the last micro-batch; what zero1 and zero2 updated is gathered under
/// the first forward pass (Megatron-Core's distributed optimizer). fsdp: every unit's weights are
/// gathered before its forward and again before its backward pass, one unit ahead, and its
/// gradients scattered after that, of every micro-batch (PyTorch FSDP). tp: outputs are summed
/// where a product was split along its reduction, twice a block and direction (Megatron-LM), with
/// nothing beside. Masks that are sent come first, at the pace of an all-gather. One GPU exchanges
/// nothing.
[[nodiscard]] StepStreams step_streams(const StepParts& parts, const ParallelConfig& parallel,
                                       std::int64_t gpus);

}  // namespace stcsim
