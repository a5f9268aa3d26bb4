#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/likely_interval.hpp"

namespace stcsim {

/// A time by what it is of, in order of first appearance.
using NamedTimes = std::vector<std::pair<std::string, double>>;

/// What one of a step's streams does for a while, us from the step's begin: `kernels`, `slowed
/// kernels` (beside a collective), `host`, or a collective by its name.
struct StreamSpan {
  std::string what;
  double begin_us = 0;
  double end_us = 0;

  friend bool operator==(const StreamSpan&, const StreamSpan&) = default;
};

/// What a step's two streams take.
struct StreamTimes {
  double us = 0;
  /// Of the whole: kernels took so much longer beside collectives.
  double slowed_us = 0;
  /// Kernels alone.
  double kernels_us = 0;
  /// Kernels waited for these collectives, or those ran on after the last kernel.
  NamedTimes exposed;
  /// All collectives.
  NamedTimes collectives;
  /// In order, of either stream; what follows itself at once is one.
  std::vector<StreamSpan> kernel_spans;
  std::vector<StreamSpan> collective_spans;

  friend bool operator==(const StreamTimes&, const StreamTimes&) = default;
};

/// A training step on several GPUs: predicted, for nobody measured n:m there.
struct ParallelTotal {
  std::string machine;
  std::string network;
  std::string scheme;
  std::int64_t gpus = 1;
  std::int64_t nodes = 1;
  StreamTimes times;
  /// Of the dense step on as many GPUs.
  double dense_us = 0;
  /// What a training gains: dense time / time, its dense steps included.
  double speedup = 1;
  /// Where that lies, if the step's gain on one GPU is off as measured ones are, and collectives by
  /// kErrorOfCollectives; of a scheme, on machines with validated rows.
  LikelyInterval likely;
  /// The same if collectives took no time: what they take away is the difference.
  double kernels_speedup = 1;
  /// Samples per second and GPU, over those of one GPU.
  double efficiency = 1;
  /// Of a GPU.
  std::int64_t memory_bytes = 0;
  std::int64_t capacity_bytes = 0;
  /// The least power of two of GPUs, up to kMostGpusAsked, on which it gains nothing.
  std::optional<std::int64_t> gains_nothing_from = {};

  [[nodiscard]] bool fits() const { return memory_bytes <= capacity_bytes; }
  friend bool operator==(const ParallelTotal&, const ParallelTotal&) = default;
};
inline constexpr std::int64_t kMostGpusAsked = 4096;
/// What the mean over measured collectives of a node's sizes is held to be off at most.
inline constexpr double kErrorOfCollectives = 0.15;

}  // namespace stcsim
