#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/system.hpp"
#include "sim/run/parallel_total.hpp"

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

}  // namespace stcsim
